# SPDX-License-Identifier: Apache-2.0
"""Server CPU for a DNS query: twinsite-gslb beside gdnsd and beside an echo of the datagram."""
import json

from dns import servers
from measure import duel, process

BAR = 1.03          # of gdnsd, the fastest authoritative server in Debian 12
MIXES = {"dns.static": "static", "dns.static-nx": "static-nx", "dns.steered-ecs": "steered-ecs"}
UNIT = "us CPU/query"


class Load:
    """A burst of the generator; the echo cannot be right, so only its QR bit is checked."""

    def __init__(self, tools, mix, seconds):
        self.argv = [f"{tools}/udp_generator", "--mix", mix, "--seconds", str(seconds)]

    def __call__(self, server):
        check = ["--no-check"] if server.name == "echo-floor" else []
        return json.loads(process.run_load(self.argv + ["--target", server.target] + check))


def run(names, options):
    net = options.net
    all_servers = [servers.EchoFloor(f"{net}.1.1", f"{options.work}/echo", options.tools),
                   servers.Gdnsd(f"{net}.1.2", f"{options.work}/gdnsd")]
    if options.ours:
        all_servers.append(servers.Twinsite(f"{net}.1.3", f"{options.work}/gslb", options.programs))
    met = True
    try:
        for server in all_servers:
            server.start(f"h00007.{servers.STATIC_ZONE}")
        for name in names:
            with process.machine_lock():
                samples = duel.play(all_servers, Load(options.tools, MIXES[name], options.burst),
                                    options.rounds or 20)
            duel.report_table(name, samples, "echo-floor")
            if options.ours:
                met &= duel.report_line(name, samples, "twinsite-gslb", "gdnsd", BAR, UNIT)
                met &= duel.report_line(name, samples, "twinsite-gslb", "echo-floor", None, UNIT)
    finally:
        for server in all_servers:
            server.stop()
    return met
