# SPDX-License-Identifier: Apache-2.0
"""The name servers of the `dns` benches: zones by the rule in query_mix.hpp, and their processes."""
import ipaddress
import os
import socket
import struct
import subprocess
import time

from measure import process

STATIC_NAMES = 100_000
STEERED_NAMES = 1_000
NETWORKS = 64
SIGNED_NAMES = 20_000
STATIC_ZONE = "static.example"
SIGNED_ZONE = "signed.example"
SIGNED_STEERED_ZONE = "signed-steered.example"
STEERED_ZONE = "steered.example"
HEAD = """$TTL 300
@ IN SOA ns1 hostmaster 1 3600 600 86400 60
@ IN NS ns1
ns1 IN A 192.0.2.53
"""


def steered_addresses(index, site):
    return (f"10.{100 + site}.{index >> 8}.{index & 255}",
            str(ipaddress.ip_address(f"2001:db8:{site}::{index:x}")))


def _write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)


def write_static_zone(path, names=STATIC_NAMES):
    hosts = (f"h{i:05d} IN A 10.{i >> 16}.{i >> 8 & 255}.{i & 255}\n" for i in range(names))
    _write(path, HEAD + "".join(hosts))


def signed_zone(folder):
    """The zone signed beforehand (ECDSA P-256, NSEC), made once for all who serve it."""
    out = f"{folder}/{SIGNED_ZONE}.zone.signed"
    if os.path.exists(out):
        return out
    plain = f"{folder}/{SIGNED_ZONE}.zone"
    write_static_zone(plain, SIGNED_NAMES)
    with open(plain) as text:
        _write(plain, f"$ORIGIN {SIGNED_ZONE}.\n" + text.read())
    key = subprocess.run(["ldns-keygen", "-a", "ECDSAP256SHA256", "-k", SIGNED_ZONE], cwd=folder,
                         check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run(["ldns-signzone", "-o", SIGNED_ZONE, "-f", f"{out}.new", plain, key], cwd=folder,
                   check=True, capture_output=True)
    os.rename(f"{out}.new", out)
    return out


def question_of(mix):
    """A name that every server of the mix has."""
    return {"signed": f"h00007.{SIGNED_ZONE}", "signed-nx": f"h00007.{SIGNED_ZONE}",
            "steered-ecs": f"s007.{STEERED_ZONE}",
            "steered-signed": f"s007.{SIGNED_STEERED_ZONE}"}.get(mix, f"h00007.{STATIC_ZONE}")


class Server:
    """One process that answers DNS on address:port."""

    def __init__(self, name, address, folder, port=5300):
        self.name, self.address, self.port, self.folder = name, address, port, folder
        os.makedirs(folder, exist_ok=True)
        self.target = f"{address}:{port}"
        self.process = None

    @property
    def pid(self):
        return self.process.pid

    def argv(self):
        raise NotImplementedError

    def start(self, question, tcp=False, cpu=process.SERVER_CPU, before=(), argv=None,
              priority=process.Priority.FIFO):
        """Returns when it answers `question`. `before`: words in front of its command."""
        argv = list(before) + (argv or self.argv())
        with open(f"{self.folder}/log", "w") as log:
            self.process = process.start(argv, cpu, log, self.folder, priority)
        deadline = time.monotonic() + 120
        while not self.answers(question, tcp):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{self.name} does not answer; see {self.folder}/log")

    def answers(self, name, tcp=False):
        labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
        query = b"\x12\x34\0\0\0\1\0\0\0\0\0\0" + labels + b"\0" + struct.pack(">HH", 1, 1)
        kind = socket.SOCK_STREAM if tcp else socket.SOCK_DGRAM
        with socket.socket(socket.AF_INET, kind) as one:
            one.settimeout(0.1)
            try:
                one.connect((self.address, self.port))
                one.send(struct.pack(">H", len(query)) + query if tcp else query)
                reply = one.recv(4096)[2 if tcp else 0:]
                return reply[:2] == query[:2] and reply[3] & 15 in (0, 3)
            except (OSError, IndexError):
                time.sleep(0.001)
                return False

    def stop(self):
        if self.process:
            process.stop(self.process)


class Floor(Server):
    """What the sockets alone cost: echo-floor over UDP, tcp-floor over TCP."""

    def __init__(self, name, address, folder, tools):
        super().__init__(name, address, folder)
        self.tools = tools

    def argv(self):
        return [f"{self.tools}/{self.name.replace('-', '_')}", self.address, str(self.port)]


class Knot(Server):
    def __init__(self, address, folder, signed):
        super().__init__("knot", address, folder)
        self.signed = signed

    def argv(self):
        _write(f"{self.folder}/knot.conf", f"""server:
    rundir: "{self.folder}"
    listen: {self.address}@{self.port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: "{self.folder}/db"
log:
  - target: stderr
    any: warning
zone:
  - domain: {SIGNED_ZONE}
    file: "{signed_zone(self.signed)}"
""")
        return ["/usr/sbin/knotd", "-c", f"{self.folder}/knot.conf"]


class Gdnsd(Server):
    def __init__(self, address, folder, names=STATIC_NAMES):
        super().__init__("gdnsd", address, folder)
        self.names = names

    def write_zone(self):
        write_static_zone(f"{self.folder}/zones/{STATIC_ZONE}", self.names)

    def argv(self):
        self.write_zone()
        names = "".join(f"s{i:03d} 30 DYNA geoip!r{i}\n" for i in range(STEERED_NAMES))
        _write(f"{self.folder}/zones/{STEERED_ZONE}", HEAD + names)
        _write(f"{self.folder}/geoip/nets", "".join(
            f"10.{n}.0.0/16 => [ {'dc2, dc1' if n % 2 else 'dc1, dc2'} ]\n"
            for n in range(NETWORKS)))
        resources = "".join(self._resource(i) for i in range(STEERED_NAMES))
        _write(f"{self.folder}/config", f"""options => {{
  listen => {{ {self.address}:{self.port} => {{ udp_threads = 1, tcp_threads = 1,
    udp_rcvbuf = 1048576, udp_sndbuf = 1048576 }} }}
  run_dir = {self.folder}/run
  state_dir = {self.folder}/state
}}
plugins => {{ geoip => {{
  maps => {{ m => {{ datacenters => [ dc1, dc2 ], nets => nets }} }}
  resources => {{
{resources}  }}
}} }}
""")
        return ["/usr/sbin/gdnsd", "-c", self.folder, "start"]

    @staticmethod
    def _resource(index):
        sites = ", ".join("dc%d => { addrs_v4 => [ %s ], addrs_v6 => [ %s ] }" %
                          (site, *steered_addresses(index, site)) for site in (1, 2))
        return f"    r{index} => {{ map => m, service_types => up, dcmap => {{ {sites} }} }}\n"


class Twinsite(Server):
    """`signed`: the folder of signed zones; without it there are none. `check`: YAML of a check for
    every first target; `steered`: how many names."""

    def __init__(self, address, folder, programs, signed=None, names=STATIC_NAMES,
                 steered=STEERED_NAMES, checks="", check=""):
        super().__init__("twinsite-gslb", address, folder)
        self.programs, self.signed, self.names, self.steered = programs, signed, names, steered
        self.checks, self.check = checks, check

    def write_zone(self):
        write_static_zone(f"{self.folder}/{STATIC_ZONE}.zone", self.names)

    def signed_zones(self):
        if not self.signed:
            return ""
        _write(f"{self.folder}/{SIGNED_STEERED_ZONE}.zone", HEAD)
        os.makedirs(f"{self.folder}/keys", exist_ok=True)
        return f"""  - {{name: {SIGNED_ZONE}, file: "{signed_zone(self.signed)}"}}
  - {{name: {SIGNED_STEERED_ZONE}, file: {SIGNED_STEERED_ZONE}.zone,
     dnssec: {{sign: true, keys: keys}}}}
"""

    def argv(self):
        self.write_zone()
        _write(f"{self.folder}/{STEERED_ZONE}.zone", HEAD)
        _write(f"{self.folder}/networks.txt", "".join(
            f"10.{n}.0.0/16 {'dc2,dc1' if n % 2 else 'dc1,dc2'}\n" for n in range(NETWORKS)))
        services, steered = [], []
        zones = [STEERED_ZONE] + ([SIGNED_STEERED_ZONE] if self.signed else [])
        for index in range(self.steered):
            targets = "".join(
                f"      - {{name: t{index}-{site}, site: dc{site}, "
                f"addresses: [{', '.join(repr(a) for a in steered_addresses(index, site))}]"
                f"{self.check if site == 1 else ''}}}\n"
                for site in (1, 2))
            services.append(f"  - name: v{index}\n    targets:\n{targets}")
            steered += [f"  - {{name: s{index:03d}.{zone}, service: v{index}, "
                        "ttl: {min: 30s, max: 30s}, "
                        "filters: [override, up, nearest, failover]}\n" for zone in zones]
        _write(f"{self.folder}/gslb.yaml", f"""node: bench
site: dc1
listen: ["{self.target}"]
control: {{socket: gslb.sock}}
state: {{directory: state}}
sites: [dc1, dc2]
networks: {{file: networks.txt}}
zones:
  - {{name: {STATIC_ZONE}, file: {STATIC_ZONE}.zone}}
  - {{name: {STEERED_ZONE}, file: {STEERED_ZONE}.zone}}
{self.signed_zones()}{self.checks}services:
{''.join(services)}steered:
{''.join(steered)}""")
        return [f"{self.programs}/twinsite-gslb", "--config", f"{self.folder}/gslb.yaml"]
