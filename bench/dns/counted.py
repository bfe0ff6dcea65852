# SPDX-License-Identifier: Apache-2.0
"""Instructions of the server's own code for a query, counted by valgrind: the same figure on a busy
machine as on a quiet one. And how often it allocates or locks."""
import glob
import json
import os
import re
import subprocess
import time

from dns import servers
from measure import process

QUERIES = 10_000
WORKLOADS = [("static", "udp_generator", ()), ("static-nx", "udp_generator", ()),
             ("steered-ecs", "udp_generator", ()),
             ("tcp", "tcp_generator", ("--connections", "16"))]
COSTLY = re.compile(r"^(malloc|calloc|realloc|free|operator new.*|operator delete.*|"
                    r"pthread_mutex_lock.*|pthread_rwlock_.*|__lll_lock_wait.*)$")


def control(*words):
    done = subprocess.run(["callgrind_control", *words], capture_output=True, text=True, timeout=120)
    if done.returncode != 0 or "Error" in done.stdout + done.stderr:
        raise RuntimeError(f"callgrind_control {words}: {done.stdout} {done.stderr}")


class Counts:
    """What happened between two dumps."""

    def __init__(self, paths):
        self.instructions, self.costly = 0, {}
        for path in paths:
            self._read(path)

    def _read(self, path):
        names, called = {}, ""
        with open(path, errors="replace") as lines:
            for line in lines:
                if line.startswith("totals:"):
                    self.instructions += int(line.split()[1])
                name = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line)
                if name:
                    if name.group(2):
                        names[name.group(1)] = re.sub(r"'\d+$", "", name.group(2))
                    if line.startswith("cfn="):
                        called = names.get(name.group(1), "")
                elif line.startswith("calls=") and COSTLY.match(called):
                    times = int(line[6:].split()[0])
                    self.costly[called] = self.costly.get(called, 0) + times


def dump(pid, folder):
    before = set(glob.glob(f"{folder}/callgrind.out*"))
    control("-d", str(pid))
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        fresh = set(glob.glob(f"{folder}/callgrind.out*")) - before
        done = [path for path in fresh if "totals:" in open(path, errors="replace").read()]
        if done and len(done) == len(fresh):
            return fresh
        time.sleep(0.1)
    raise RuntimeError("callgrind wrote nothing")


def count(server, tools, mix, tool, words):
    argv = [f"{tools}/{tool}", "--target", server.target, "--mix",
            "static" if mix == "tcp" else mix, *words, "--queries", str(QUERIES)]
    if tool == "udp_generator":
        argv += ["--timeout-ms", "20000"]
    process.run_load(argv, process.Priority.SHARED)                                  # everything is loaded and warm
    dump(server.pid, server.folder)
    report = json.loads(process.run_load(argv, process.Priority.SHARED))
    if report["answered"] != QUERIES or report["wrong"]:
        raise RuntimeError(f"{server.name}: {report}")
    return Counts(dump(server.pid, server.folder))


def line(name, ours, other, other_name, bar, unit):
    ratio = ours / other if other else None
    met = None if bar is None else (ratio if other else ours) <= bar
    print(json.dumps({"name": name, "ours": round(ours, 3),
                      "other": None if other is None else round(other, 3),
                      "other_name": other_name, "ratio": ratio and round(ratio, 4), "bar": bar,
                      "met": met, "rounds": 1, "unit": unit}), flush=True)
    return met is not False


def without_debug_information(programs, folder):
    """valgrind 3.19 cannot read what clang 19 writes; names of functions stay."""
    subprocess.run(["objcopy", "--strip-debug", f"{programs}/twinsite-gslb",
                    f"{folder}/twinsite-gslb"], check=True)
    return folder


def instructions(name, options, make):
    figures = {}
    for one in ("gdnsd", "twinsite-gslb"):
        server = make(one, options)
        os.makedirs(server.folder, exist_ok=True)
        if one == "twinsite-gslb":
            server.programs = without_debug_information(options.programs, server.folder)
        for old in glob.glob(f"{server.folder}/callgrind.out*"):
            os.remove(old)
        server.start(servers.question_of("static"), priority=process.Priority.SHARED, before=[
            "valgrind", "--tool=callgrind", f"--callgrind-out-file={server.folder}/callgrind.out"])
        try:
            for mix, tool, words in WORKLOADS:
                figures[one, mix] = count(server, options.tools, mix, tool, words)
        finally:
            server.stop()
    met = True
    for mix, _, _ in WORKLOADS:
        ours, other = figures["twinsite-gslb", mix], figures["gdnsd", mix]
        met &= line(f"{name}.{mix}", ours.instructions / QUERIES, other.instructions / QUERIES,
                    "gdnsd", 1.0, "instructions/query")
        costly = sum(ours.costly.values()) / QUERIES
        # A timer of the main thread may fall into the count; a query's own would make it 1.
        met &= line(f"{name}.{mix}.allocations-and-locks", costly, None, None, 0.05, "calls/query")
    return met
