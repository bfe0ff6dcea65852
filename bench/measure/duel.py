# SPDX-License-Identifier: Apache-2.0
"""Interleaved rounds: every server is up, each gets a short burst in turn, and figures are compared
only with those of the same round. The speed of a shared machine drifts by 30 % within minutes; the
ratio of neighbouring bursts does not."""
import json
import statistics
import sys
import time

from measure import process

ATTEMPTS = 3
PAUSE_SECONDS = 1.0


class Sample:
    """One burst: CPU microseconds of the server for each answer, and the answers a second."""

    def __init__(self, cost_us, rate):
        self.cost_us = cost_us
        self.rate = rate


def burst(server, load):
    """`load(server)` returns {"answered", "seconds", ...}; anything lost or wrong is an error."""
    before = process.settled_cpu_seconds(server.pid)
    report = load(server)
    after = process.settled_cpu_seconds(server.pid)
    wrong = {key: report[key] for key in ("lost", "wrong", "unexpected", "duplicate")
             if report.get(key)}
    if not report["answered"] or wrong:
        raise RuntimeError(f"{server.name}: {report['answered']} answered, {wrong}")
    return Sample((after - before) / report["answered"] * 1e6,
                  report["answered"] / report["seconds"])


def steady_burst(server, load):
    """A burst that failed (on a machine that others use as well) is played again, twice at most."""
    for _ in range(ATTEMPTS - 1):
        try:
            return burst(server, load)
        except RuntimeError as failure:
            print(f"bench: {failure}; once more", file=sys.stderr)
            time.sleep(PAUSE_SECONDS)
    return burst(server, load)


def play(servers, load, rounds):
    """{server name: [Sample of round 0, 1, ...]}."""
    samples = {server.name: [] for server in servers}
    for server in servers:
        load(server)                                   # warm caches, branch predictors, sockets
    for number in range(rounds):
        order = servers if number % 2 == 0 else servers[::-1]
        for server in order:
            samples[server.name].append(steady_burst(server, load))
    return samples


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    cut = statistics.quantiles(values, n=4, method="inclusive")
    return cut[0], cut[2]


def ratios(samples, one, other):
    return [a.cost_us / b.cost_us for a, b in zip(samples[one], samples[other])]


def report_line(bench, samples, ours, other, bar, unit):
    """One JSON object: medians of both and of their per-round ratio. `bar` None: for information."""
    values = ratios(samples, ours, other)
    ratio = statistics.median(values)
    line = {
        "name": bench,
        "ours": round(statistics.median(s.cost_us for s in samples[ours]), 4),
        "other": round(statistics.median(s.cost_us for s in samples[other]), 4),
        "other_name": other,
        "ratio": round(ratio, 4),
        "bar": bar,
        "met": None if bar is None else ratio <= bar,
        "rounds": len(values),
        "unit": unit,
    }
    print(json.dumps(line), flush=True)
    return line["met"] is not False


def report_table(bench, samples, base):
    """All servers beside the floor, with quartiles, on standard error."""
    for name, own in samples.items():
        values = ratios(samples, name, base)
        low, high = quartiles(values)
        print(f"bench: {bench:18} {name:14} {statistics.median(s.cost_us for s in own):8.3f} us  "
              f"{statistics.median(s.rate for s in own):12,.0f}/s  "
              f"x{statistics.median(values):.3f} [{low:.3f} .. {high:.3f}] of {base}",
              file=sys.stderr)
