# SPDX-License-Identifier: Apache-2.0
"""Server CPU for a DNS query: twinsite-gslb beside gdnsd, Knot and an echo of the message; and what
else an operator feels: instructions, start, memory, reloads and health flips."""
import json
import os

from dns import counted, servers, timed
from measure import duel, process

UNIT = "us CPU/query"
UDP_FLOOR, TCP_FLOOR = "echo-floor", "tcp-floor"


class Row:
    """One comparison: a mix, who is up, and the bars of the ratio to each of them (None: for
    information)."""

    def __init__(self, mix, others, bars, tool="udp_generator", words=()):
        self.mix, self.others, self.bars, self.tool, self.words = mix, others, bars, tool, words


ROWS = {
    "dns.static": Row("static", ["gdnsd", UDP_FLOOR], {"gdnsd": 1.03, UDP_FLOOR: 1.12}),
    "dns.static-nx": Row("static-nx", ["gdnsd", UDP_FLOOR], {"gdnsd": 1.03, UDP_FLOOR: None}),
    "dns.steered-ecs": Row("steered-ecs", ["gdnsd", UDP_FLOOR], {"gdnsd": 1.03, UDP_FLOOR: 1.10}),
    "dns.signed": Row("signed", ["knot", UDP_FLOOR], {"knot": 1.0, UDP_FLOOR: None}),
    "dns.signed-nx": Row("signed-nx", ["knot", UDP_FLOOR], {"knot": 1.0, UDP_FLOOR: 1.3}),
    "dns.steered-signed": Row("steered-signed", [UDP_FLOOR], {UDP_FLOOR: 1.3}),
    "dns.tcp": Row("static", ["gdnsd", TCP_FLOOR], {"gdnsd": None, TCP_FLOOR: 2.5},
                   "tcp_generator", ("--connections", "16")),
    "dns.tcp-each": Row("static", ["gdnsd", TCP_FLOOR], {"gdnsd": 1.05, TCP_FLOOR: None},
                        "tcp_generator", ("--one-each", "--connections", "8")),
}
OTHERS = {"dns.instructions": counted.instructions, "dns.start": timed.start,
          "dns.reload": timed.reload, "dns.flip": timed.flip}
MIXES = list(ROWS) + list(OTHERS)


class Load:
    """A burst of the generator; the echo cannot be right, so only its QR bit is checked."""

    def __init__(self, tools, row, seconds):
        self.argv = [f"{tools}/{row.tool}", "--mix", row.mix, *row.words, "--seconds", str(seconds)]

    def __call__(self, server):
        check = ["--no-check"] if server.name in (UDP_FLOOR, TCP_FLOOR) else []
        return json.loads(process.run_load(self.argv + ["--target", server.target] + check))


def make(name, options, signed=False):
    """A server that is not started yet; each has an address of its own."""
    folder = f"{options.work}/{name}"
    last = {UDP_FLOOR: 1, "gdnsd": 2, "twinsite-gslb": 3, "knot": 4, TCP_FLOOR: 5}[name]
    address = f"{options.net}.1.{last}"
    if name in (UDP_FLOOR, TCP_FLOOR):
        return servers.Floor(name, address, folder, options.tools)
    if name == "twinsite-gslb":
        return servers.Twinsite(address, folder, options.programs,
                                f"{options.work}/signed" if signed else None)
    if name == "knot":
        return servers.Knot(address, folder, f"{options.work}/signed")
    return servers.Gdnsd(address, folder)


def play(name, options):
    row = ROWS[name]
    names = row.others + (["twinsite-gslb"] if options.ours else [])
    up = []
    met = True
    try:
        for one in names:
            server = make(one, options, signed="signed" in row.mix)
            up.append(server)
            server.start(servers.question_of(row.mix), tcp=row.tool == "tcp_generator")
        with process.machine_lock():
            samples = duel.play(up, Load(options.tools, row, options.burst), options.rounds or 20)
        floor = next(one for one in names if one in (UDP_FLOOR, TCP_FLOOR))
        duel.report_table(name, samples, floor)
        if options.ours:
            for other, bar in row.bars.items():
                met &= duel.report_line(name, samples, "twinsite-gslb", other, bar, UNIT)
    finally:
        for server in up:
            server.stop()
    return met


def run(names, options):
    met = True
    os.makedirs(f"{options.work}/signed", exist_ok=True)
    for name in names:
        if name in ROWS:
            met &= play(name, options)
        elif options.ours:
            met &= OTHERS[name](name, options, make)
    return met
