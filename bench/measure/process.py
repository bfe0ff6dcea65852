# SPDX-License-Identifier: Apache-2.0
"""Processes that are measured: pinned to a CPU, ahead of other work, CPU time read from /proc."""
import contextlib
import fcntl
import os
import signal
import subprocess
import time

SERVER_CPU = 0
LOAD_CPU = 1
LOCK = os.environ.get("TWINSITE_BENCH_LOCK", "/tmp/twinsite-bench.lock")


@contextlib.contextmanager
def machine_lock():
    """Two benches at once would measure each other."""
    with open(LOCK, "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Priority:
    """How a measured process is put ahead of other work."""

    FIFO = "fifo"        # for single loops: never preempted, wakes up at once
    SHARED = "shared"    # for programs of many threads that take turns: time-shared, but first


def _set_priority(priority):
    with contextlib.suppress(OSError):
        if priority == Priority.FIFO:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        else:
            with open("/proc/self/autogroup", "w") as group:
                group.write("-20")
            os.setpriority(os.PRIO_PROCESS, 0, -20)


def _prepare(cpu, priority):
    """Runs in the child, in a session of its own. Without priority any other busy process adds up
    to a 3 ms slice to each wake-up, and batches grow by it."""
    def prepare():
        os.setsid()
        cpus = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cpus[min(cpu, len(cpus) - 1)]})
        _set_priority(priority)
    return prepare


def start(argv, cpu, log, cwd=None, priority=Priority.FIFO):
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=cwd,
                            preexec_fn=_prepare(cpu, priority))


def start_talking(argv, cpu, log, priority=Priority.FIFO):
    """As `start`; its standard output can be read by lines, and its input ends when we close it."""
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                            text=True, preexec_fn=_prepare(cpu, priority))


def run_load(argv, priority=Priority.FIFO):
    """A load generator to its end: the last line of its output, a JSON object. Generators end with
    1 when answers were lost or wrong; their report says so too."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          preexec_fn=_prepare(LOAD_CPU, priority), timeout=120)
    lines = done.stdout.strip().splitlines()
    if not lines:
        raise RuntimeError(f"{os.path.basename(argv[0])} reports nothing: {done.stderr.strip()}")
    return lines[-1]


def tree(pid):
    """The process and all its descendants."""
    out, todo = [], [pid]
    while todo:
        one = todo.pop()
        out.append(one)
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{one}/task"):
                with contextlib.suppress(OSError):
                    with open(f"/proc/{one}/task/{task}/children") as children:
                        todo += [int(word) for word in children.read().split()]
    return out


def cpu_seconds(pid):
    """CPU time of a process tree in nanosecond steps, threads that have ended included: the CPU
    clock of each process (clock_getcpuclockid(3) computes the same number)."""
    total = 0.0
    for one in tree(pid):
        with contextlib.suppress(OSError):
            total += time.clock_gettime_ns(~one << 3 | 2) / 1e9
    return total


def settled_cpu_seconds(pid):
    """Reads again until nothing moves: the kernel books the time of a running thread in ticks."""
    last = cpu_seconds(pid)
    for _ in range(20):
        time.sleep(0.005)
        now = cpu_seconds(pid)
        if now - last < 2e-5:
            return now
        last = now
    return last


def stop(process, first_signal=signal.SIGTERM):
    if process.poll() is not None:
        return
    family = tree(process.pid)
    process.send_signal(first_signal)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        for pid in family:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
