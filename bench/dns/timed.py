# SPDX-License-Identifier: Apache-2.0
"""What an operator waits for: the start, a reload under load, and new answers after a verdict."""
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import threading
import time

from dns import servers
from dns.counted import line
from measure import process

START = [(100_000, 0.2, 16), (1_000_000, 2.5, 120)]     # names, seconds, MB
RELOADS, RATE = 5, 10_000
STALL_MS, FLIP_MS = 5, 100
FLIPPED = 10_000


def resident_mb(pid):
    with open(f"/proc/{pid}/status") as status:
        for row in status:
            if row.startswith("VmRSS:"):
                return int(row.split()[1]) / 1024
    return 0.0


def start(name, options, _make):
    met = True
    for names, seconds, megabytes in START:
        figures = {}
        for one in ("gdnsd", "twinsite-gslb"):
            folder = f"{options.work}/{one}-{names}"
            address = f"{options.net}.2.{2 if one == 'gdnsd' else 3}"
            server = (servers.Gdnsd(address, folder, names) if one == "gdnsd" else
                      servers.Twinsite(address, folder, options.programs, names=names))
            argv = server.argv()
            times = []
            for _ in range(3):
                begin = time.monotonic()
                server.start(servers.question_of("static"), argv=argv)
                times.append(time.monotonic() - begin)
                memory = resident_mb(server.pid)
                server.stop()
            figures[one] = min(times), memory
        for what, at, bar in (("seconds", 0, seconds), ("memory", 1, megabytes)):
            unit = "s" if at == 0 else "MB"
            ours, other = figures["twinsite-gslb"][at], figures["gdnsd"][at]
            # The bar is for ours alone, the ratio for information.
            line(f"{name}.{names}.{what}", ours, other, "gdnsd", None, unit)
            met &= line(f"{name}.{names}.{what}", ours, None, None, bar, unit)
    return met


def reload(name, options, make):
    met = True
    for one in ("gdnsd", "twinsite-gslb"):
        server = make(one, options)
        server.start(servers.question_of("static"))
        slowest, lost = [], 0
        try:
            for _ in range(RELOADS):
                server.write_zone()
                timer = threading.Timer(1, reload_now, (server, one))
                timer.start()
                report = json.loads(process.run_load(
                    [f"{options.tools}/udp_generator", "--target", server.target, "--mix", "static",
                     "--rate", str(RATE), "--seconds", "3", "--window", "4096"]))
                timer.join()
                slowest.append(report["slowest_ms"])
                lost += report["lost"]
        finally:
            server.stop()
        ours = one == "twinsite-gslb"
        kind = name if ours else f"{name}.gdnsd"
        met &= line(f"{kind}.lost", lost, None, None, 0 if ours else None, "queries")
        met &= line(f"{kind}.stall", statistics.median(slowest), None, None,
                    STALL_MS if ours else None, "ms")
    return met


def reload_now(server, name):
    if name == "gdnsd":
        subprocess.run(["/usr/sbin/gdnsdctl", "-c", server.folder, "reload-zones"], check=True,
                       capture_output=True)
    else:
        os.kill(server.pid, signal.SIGHUP)


class ManyNames(servers.Twinsite):
    """One service, many names, all in a signed zone."""

    def argv(self):
        argv = super().argv()
        names = "".join(
            f"  - {{name: f{i:05d}.{servers.SIGNED_STEERED_ZONE}, service: v0, "
            "ttl: {min: 30s, max: 30s}, filters: [override, up, nearest, failover]}\n"
            for i in range(FLIPPED))
        with open(f"{self.folder}/gslb.yaml", "a") as out:
            out.write(names)
        return argv

    def override(self, method, body=None):
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(f"{self.folder}/gslb.sock")
        connection.request(method, "/api/v1/overrides/v0/site:dc1",
                           None if body is None else json.dumps(body),
                           {"Content-Type": "application/json"})
        status = connection.getresponse().status
        connection.close()
        if status != 200:
            raise RuntimeError(f"override: {status}")


def wait_for(server, name, wanted, limit):
    """Seconds until the first address of `name` is `wanted`."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    query = b"\x12\x34\0\0\0\1\0\0\0\0\0\0" + labels + b"\0\0\1\0\1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(1)
        one.connect((server.address, server.port))
        while time.monotonic() < limit:
            one.send(query)
            if socket.inet_aton(wanted) in one.recv(4096):
                return time.monotonic()
    raise RuntimeError(f"{name} never changed to {wanted}")


def flip(name, options, _make):
    server = ManyNames(f"{options.net}.2.4", f"{options.work}/flip", options.programs,
                       f"{options.work}/signed", steered=1)
    last = f"f{FLIPPED - 1:05d}.{servers.SIGNED_STEERED_ZONE}"
    sites = [servers.steered_addresses(0, site)[0] for site in (1, 2)]
    took = []
    server.start(last)
    try:
        for _ in range(5):
            for wanted, method, body in (
                    (sites[1], "PUT", {"state": "down", "reason": "bench", "author": "bench"}),
                    (sites[0], "DELETE", None)):
                begin = time.monotonic()
                caller = threading.Thread(target=server.override, args=(method, body))
                caller.start()
                took.append((wait_for(server, last, wanted, begin + 30) - begin) * 1000)
                caller.join()
    finally:
        server.stop()
    return line(f"{name}.{FLIPPED}", statistics.median(took), None, None, FLIP_MS, "ms")
