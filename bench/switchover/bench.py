# SPDX-License-Identifier: Apache-2.0
"""One twinsite-switchover under a fleet of simulated agents (no report lost, and what one costs).

Agents report every PERIOD seconds, five times as often as usual, so that a short run has enough of
them. What the server does anyway (judging, polls of commands that end after 25 s as always) is
measured first, without reports, and is not divided by five."""
import json
import sys
import threading
import time

from measure import process
from switchover import server as servers

NAME = "switchover.agents"
PERIOD = 2.0                    # seconds between two reports of an agent while measured
USUAL_PERIOD = 10.0             # for which the share of a core is reckoned
IDLE = 8.0
CPU_BAR = 30.0 / 10_000         # percent of a core for each agent
SETTLE = 1.5                    # the history is written behind the reports


class Fleet:
    """bench_agents: tells what it does in lines of JSON."""

    def __init__(self, options, server, reports):
        self.log = open(f"{server.folder}/agents.log", "w")  # closed by `stop`
        self.process = process.start_talking(
            [f"{options.tools}/bench_agents", "load", "--folder", server.pki, "--server",
             server.target, "--agents", str(options.agents), "--reports", str(reports),
             "--period-ms", str(int(PERIOD * 1000)), "--idle-ms", str(int(IDLE * 1000))],
            process.LOAD_CPU, self.log, process.Priority.SHARED)
        # A server that hangs must not hang the bench.
        limit = options.agents / 20 + IDLE + reports * PERIOD * 3 + 60
        self.guard = threading.Timer(limit, self.process.kill)
        self.guard.start()

    def wait_for(self, phase):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"bench_agents ended before '{phase}'; see {self.log.name}")
        told = json.loads(line)
        if told["phase"] != phase:
            raise RuntimeError(f"bench_agents says {told}")
        return told

    def stop(self):
        self.guard.cancel()
        process.stop(self.process)
        self.log.close()


class Point:
    """CPU time of the server at a moment."""

    def __init__(self, server):
        self.at, self.cpu = time.monotonic(), process.cpu_seconds(server.pid)

    def share_until(self, later):
        return (later.cpu - self.cpu) / (later.at - self.at)


def measure(options, server, reports):
    """{figure: value} of one run."""
    fleet = Fleet(options, server, reports)
    try:
        begin = Point(server)
        connected = fleet.wait_for("idle")
        idle = Point(server)
        fleet.wait_for("load")
        load = Point(server)
        done = fleet.wait_for("done")
        time.sleep(SETTLE)
        end = Point(server)
        return figures(options, server, (begin, idle, load, end), connected, done)
    finally:
        fleet.stop()


def figures(options, server, points, connected, done):
    begin, idle, load, end = points
    metrics = server.metrics()
    told = {outcome: metrics[f'twinsite_switchover_reports_total{{outcome="{outcome}"}}']
            for outcome in ("live", "duplicate", "refused", "backfill")}
    idle_share = idle.share_until(load)
    reports = done["acknowledged"] - connected["acknowledged"]
    if not reports:
        raise RuntimeError(f"no report was acknowledged: {done}")
    cost = (end.cpu - load.cpu - idle_share * (end.at - load.at)) / reports
    now, most = server.memory_mib()
    return {
        "sent": done["sent"],
        # Not acknowledged, or acknowledged and not counted as live by the server.
        "lost": done["sent"] - int(min(done["acknowledged"], told["live"])),
        "told": told,
        "fresh": server.fresh_hosts(),
        "failed_polls": done["failed_polls"],
        "connect_ms": (idle.cpu - begin.cpu) / options.agents * 1e3,
        "idle_percent": idle_share * 100,
        "cost_us": cost * 1e6,
        "percent": (idle_share + cost * options.agents / USUAL_PERIOD) * 100,
        "measured_percent": load.share_until(end) * 100,
        "rate": reports / (end.at - load.at - SETTLE),
        "memory_mib": now, "peak_mib": most,
        "body": done["body_bytes"] / done["sent"],
        "polls": done["polls"],
        "latency_ms": (done["p50_ms"], done["p99_ms"], done["max_ms"]),
        "failure": done["failure"],
    }


def table(agents, run):
    rows = [
        f"{agents} agents, {run['sent']} reports of {run['body']:.0f} bytes, {run['lost']} lost, "
        f"the server counts {run['told']}",
        f"{run['fresh']} hosts fresh, {run['polls']} polls of commands ended, {run['failed_polls']} failed",
        f"measured {run['measured_percent']:.1f} % of a core at {run['rate']:.0f} reports/s, of it "
        f"{run['idle_percent']:.2f} % without any report",
        f"an agent's connections and first report {run['connect_ms']:.2f} ms CPU, each report "
        f"{run['cost_us']:.0f} us, answered after p50/p99/max {run['latency_ms']} ms",
        f"memory {run['memory_mib']:.0f} MiB, at most {run['peak_mib']:.0f}",
    ] + ([f"first failure: {run['failure']}"] if run["failure"] else [])
    for row in rows:
        print(f"bench: {NAME}: {row}", file=sys.stderr)


def line(name, value, bar, rounds, unit):
    """Nobody stands beside it: the bar is for our own figure."""
    met = None if bar is None else value <= bar
    print(json.dumps({"name": name, "ours": round(value, 4), "other": None, "other_name": None,
                      "ratio": None, "bar": bar, "met": met, "rounds": rounds, "unit": unit}),
          flush=True)
    return met is not False


def run(names, options):
    del names                                                   # there is one bench in the group
    if not options.ours:
        return True
    rounds = options.rounds or 10
    server = servers.Switchover(f"{options.net}.3.1", f"{options.work}/switchover", options)
    try:
        with process.machine_lock():
            server.start()
            found = measure(options, server, rounds)
    finally:
        server.stop()
    table(options.agents, found)
    bar = round(CPU_BAR * options.agents, 4)
    missed = options.agents - found["fresh"] + found["failed_polls"]
    met = line(NAME, found["percent"], bar, rounds, "% of a core, a report in 10 s")
    met &= line(f"{NAME}.lost", found["lost"], 0, rounds, "reports")
    met &= line(f"{NAME}.not-fresh", missed, 0, rounds, "hosts not fresh, polls failed")
    met &= line(f"{NAME}.report", found["cost_us"], None, rounds, "us CPU/report")
    return line(f"{NAME}.memory", found["peak_mib"], None, rounds, "MiB RSS at most") and met
