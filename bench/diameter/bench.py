# SPDX-License-Identifier: Apache-2.0
"""CPU of the box in the middle for a CCR: twinsite-slb beside a floor relay, HAProxy in TCP mode and
freeDiameter. Closed loop: 8 connections with 64 requests outstanding on each, sessions of
initial, three updates and termination, two blades."""
import json
import time

from diameter import boxes
from measure import duel, process

NAME = "diameter.closed"
UNIT = "us CPU/CCR"
BARS = {"relay-floor": 1.5, "haproxy": 2.0, "freediameter": 0.1}


class Load:
    """A burst of twinsite-load through one box."""

    def __init__(self, options, seconds):
        self.argv = [f"{options.programs}/twinsite-load", "--connections", "8", "--window", "64",
                     "--duration", f"{int(seconds * 1000)}ms", "--bind", f"{options.net}.2.99", "--updates", "3",
                     "--realm", "access.example.net", "--destination-realm", "example.net"]

    def __call__(self, box):
        return json.loads(process.run_load(self.argv + ["--target", box.target],
                                           process.Priority.SHARED))


def _start_blades(options, blades):
    started = []
    for host, address in blades:
        with open(f"{options.work}/{host}.log", "w") as log:
            one = process.start([f"{options.programs}/twinsite-blade", "--listen",
                                 f"{address}:3868", "--host", host, "--realm", "example.net"],
                                process.LOAD_CPU, log, priority=process.Priority.SHARED)
        started.append(one)
        boxes.wait_for_port(address, 3868, one)
    return started


def _wait_until_good(load, box):
    """Links to the blades come up after the listener: the first clean burst says ready."""
    deadline = time.monotonic() + 30
    while True:
        report = load(box)
        if report["answered"] and not report["lost"]:
            return
        if time.monotonic() > deadline:
            raise RuntimeError(f"{box.name} does not relay: {report}; see {box.folder}/log")


def run(names, options):
    del names                                                   # there is one bench in the group
    net = options.net
    blades = [(f"b{i}.example.net", f"{net}.2.{10 + i}") for i in (1, 2)]
    pattern = "*.access.example.net"
    line_up = [boxes.RelayFloor(f"{net}.2.1", f"{options.work}/floor", blades, options.tools),
               boxes.Haproxy(f"{net}.2.2", f"{options.work}/haproxy", blades),
               boxes.FreeDiameter(f"{net}.2.3", f"{options.work}/fd", blades, pattern)]
    if options.ours:
        line_up.append(boxes.Twinsite(f"{net}.2.4", f"{options.work}/slb", blades,
                                      options.programs))
    running = []
    met = True
    try:
        running = _start_blades(options, blades)
        for box in line_up:
            box.start()
            _wait_until_good(Load(options, 0.2), box)
        with process.machine_lock():
            samples = duel.play(line_up, Load(options, max(1.0, options.burst)),
                                options.rounds or 9)
        duel.report_table(NAME, samples, "relay-floor")
        if options.ours:
            for other, bar in BARS.items():
                met &= duel.report_line(NAME, samples, "twinsite-slb", other, bar, UNIT)
    finally:
        for box in line_up:
            box.stop()
        for one in running:
            process.stop(one)
    return met
