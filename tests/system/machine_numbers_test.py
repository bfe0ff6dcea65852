#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an agent says of its machine, beside what free, df, mpstat and node_exporter say."""
import os
import subprocess
import sys
import time
import urllib.request

from support import case, machine, program, receiver, waiting

PORT = 7600
MEMORY_TOLERANCE = 0.02   # of the total: other programs come and go between two looks
CPU_TOLERANCE = 12        # percentage points: the windows are not the same ten seconds
INTERVAL_MS = 1000


class Agent(program.Program):
    def __init__(self, owner, collect, environment=None):
        pki = receiver.make_pki(f"{owner.folder}/pki",
                                ("twinsite://arbiter/switchover/sw", owner.net.address(3, 30)),
                                ("twinsite://east/agent/if1", owner.net.address(1, 50)))
        self.server = receiver.Receiver(owner, owner.net.address(3, 30), PORT, pki, "sw").start()
        config = f"{owner.folder}/if1.yaml"
        with open(config, "w") as out:
            out.write(f"""role: agent
node: if1
site: east
kind: interface
interval: {INTERVAL_MS}ms
servers: ['{owner.net.address(3, 30)}:{PORT}']
bind: {owner.net.address(1, 50)}
tls: {{certificate: pki/if1.crt, key: pki/if1.key, ca: pki/ca.crt, crl: pki/crl.pem}}
state: {{directory: state}}
collect: {collect}
""")
        super().__init__("agent", [machine.ours("twinsite-monitor"), "--config", config],
                         owner.folder, environment)
        owner.own(self)

    def ready_report(self, seconds=30, wanted=("cpu", "memory", "disk")):
        """A report whose samples are all there and good."""
        while True:
            report = self.server.next_report(seconds)
            good = {entry["collector"] for entry in report["samples"] if entry["status"] == "ok"}
            if set(wanted) <= good:
                return report


def columns(text, line):
    """A table's header and one of its lines as a dictionary."""
    lines = text.strip().splitlines()
    return dict(zip(lines[0].split(), lines[line].split()))


class NodeExporter(program.Program):
    def __init__(self, owner):
        self.address = f"{owner.net.address(1, 51)}:9100"
        super().__init__("node_exporter", [
            machine.debian("prometheus-node-exporter"), f"--web.listen-address={self.address}"],
            owner.folder)
        owner.own(self)

    def start(self):
        super().start()
        self.wait_until(self.metrics, 20, "node_exporter answers")
        return self

    def metrics(self):
        try:
            with urllib.request.urlopen(f"http://{self.address}/metrics", timeout=5) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            return None
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}


def idle_seconds(metrics):
    idle = sum(v for k, v in metrics.items()
               if k.startswith("node_cpu_seconds_total") and 'mode="idle"' in k)
    total = sum(v for k, v in metrics.items() if k.startswith("node_cpu_seconds_total"))
    return idle, total


class MachineNumbers(case.SystemCase):
    def test_memory_is_what_free_says(self):
        agent = Agent(self, "{}").start()
        memory = receiver.sample(agent.ready_report(), "memory")["numbers"]
        said = program.run(["free", "-b"], check=0).stdout.splitlines()[1].split()
        total, used = int(said[1]), int(said[2])
        self.assertEqual(memory["max_bytes"], total)
        self.assertAlmostEqual(memory["used_bytes"], used, delta=MEMORY_TOLERANCE * total)

    def test_disks_are_what_df_says(self):
        agent = Agent(self, "{disks: {include: [/]}}").start()
        disk = receiver.sample(agent.ready_report(), "disk", "/")["numbers"]
        said = columns(program.run(["df", "-B1", "--output=size,used,avail,pcent,ipcent", "/"],
                                   check=0).stdout.replace("1B-blocks", "size"), 1)
        self.assertEqual(disk["size_bytes"], int(said["size"]))
        self.assertAlmostEqual(disk["avail_bytes"], int(said["Avail"]), delta=2 ** 30)
        self.assertAlmostEqual(disk["used_percent"], int(said["Use%"].rstrip("%")), delta=1)
        if said["IUse%"] != "-":
            self.assertAlmostEqual(disk["inodes_used_percent"], int(said["IUse%"].rstrip("%")),
                                   delta=1)

    def test_idle_is_what_mpstat_and_node_exporter_say(self):
        agent = Agent(self, "{}").start()
        exporter = NodeExporter(self).start()
        agent.ready_report()
        busy = subprocess.Popen([sys.executable, "-c", "import time\nend = time.monotonic() + 30\nwhile time.monotonic() < end: pass"])
        try:
            before = idle_seconds(exporter.metrics())
            said = program.run(["mpstat", "11", "1"], seconds=60, check=0,
                               environment={"LC_ALL": "C"}).stdout
            report = agent.server.next_report()
            after = idle_seconds(exporter.metrics())
        finally:
            busy.kill()
            busy.wait()
        cpu = receiver.sample(report, "cpu")["numbers"]
        mpstat = float(said.strip().splitlines()[-1].split()[-1])
        exported = 100 * (after[0] - before[0]) / (after[1] - before[1])
        self.say(f"idle over 10 s: agent {cpu['idle_avg10s']:.1f}, mpstat {mpstat:.1f}, "
                 f"node_exporter {exported:.1f}")
        self.assertAlmostEqual(cpu["idle_avg10s"], mpstat, delta=CPU_TOLERANCE)
        self.assertAlmostEqual(cpu["idle_avg10s"], exported, delta=CPU_TOLERANCE)
        self.assertEqual(cpu["cpus"], os.cpu_count())

    def test_totals_are_what_node_exporter_says(self):
        agent = Agent(self, "{disks: {include: [/]}}").start()
        metrics = NodeExporter(self).start().metrics()
        report = agent.ready_report()
        memory = receiver.sample(report, "memory")["numbers"]
        disk = receiver.sample(report, "disk", "/")["numbers"]
        self.assertEqual(memory["max_bytes"], metrics["node_memory_MemTotal_bytes"])
        size = next((v for k, v in metrics.items()
                     if k.startswith("node_filesystem_size_bytes") and 'mountpoint="/"' in k), None)
        if size is not None:  # node_exporter leaves some kinds of root out
            self.assertEqual(disk["size_bytes"], size)

    def test_a_full_file_system_with_a_reserve_is_full(self):
        """M-T12: ext4 with 20 % reserved, mounted twice, filled until nothing is available."""
        image, first, second = (f"{self.folder}/{name}" for name in ("image", "first", "second"))
        with open(image, "wb") as out:
            out.truncate(24 * 2 ** 20)
        program.run([machine.debian("mkfs.ext4"), "-q", "-F", "-m", "20", image], check=0)
        os.mkdir(first)
        os.mkdir(second)
        mounted = subprocess.run(["mount", "-o", "loop", image, first], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest(f"no loop mounts here: {mounted.stderr.decode().strip()}")
        self.addCleanup(subprocess.run, ["umount", first])
        program.run(["mount", "--bind", first, second], check=0)
        self.addCleanup(subprocess.run, ["umount", second])
        agent = Agent(self, "{}").start()

        def disks_here():
            report = agent.server.next_report()
            return [entry for entry in report["samples"] if entry["collector"] == "disk" and
                    entry["instance"] in (first, second) and entry["status"] == "ok"]

        found = waiting.until(disks_here, 30, "the new file system is reported")
        self.assertEqual(len(found), 1, "one row for a device")
        self.compare_with_df(found[0])
        self.fill(f"{found[0]['instance']}/filler")
        full = waiting.until(
            lambda: next((d for d in disks_here() if d["numbers"]["avail_bytes"] == 0), None),
            30, "nothing is available")
        self.assertEqual(full["numbers"]["used_percent"], 100)
        self.compare_with_df(full)

    def compare_with_df(self, disk):
        said = columns(program.run(["df", "-B1", "--output=size,used,avail,pcent",
                                    disk["instance"]], check=0).stdout.replace("1B-blocks", "size"), 1)
        numbers = disk["numbers"]
        self.assertEqual(numbers["size_bytes"], int(said["size"]))
        self.assertAlmostEqual(numbers["used_percent"], int(said["Use%"].rstrip("%")), delta=1)

    def fill(self, path):
        """Until others than root have nothing left: root may go on into the reserve."""
        with open(path, "wb") as out:
            while os.statvfs(os.path.dirname(path)).f_bavail > 0:
                out.write(bytes(64 * 1024))
                out.flush()
                os.fsync(out.fileno())

    def test_a_wall_clock_that_jumps_changes_no_interval(self):
        """M-T14, the agent's half."""
        stamp = f"{self.folder}/clock"
        self.write_clock(stamp, "+0")
        library = waiting.until(self.fake_clock_library, 1, "libfaketime is installed")
        agent = Agent(self, "{}", {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": stamp,
                                   "FAKETIME_NO_CACHE": "1", "NO_FAKE_STAT": "1",
                                   "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                                   "DONT_FAKE_MONOTONIC": "1"}).start()
        first = agent.server.next_report()
        for jump, expected in (("+3600", 3600), ("-3600", -3600)):
            self.write_clock(stamp, jump)
            waiting.until(
                lambda: abs(agent.server.next_report()["sent_wall_ms"] / 1000 -
                            time.time() - expected) < 60, 10, f"the clock jumps {jump} s")
        last = agent.server.next_report()
        reports = last["seq"] - first["seq"]
        spent_ms = last["mono_ms"] - first["mono_ms"]
        self.assertGreater(reports, 1)
        self.assertAlmostEqual(spent_ms / reports, INTERVAL_MS, delta=INTERVAL_MS / 4)
        self.assertFalse(any(report["backfill"] for report in agent.server.reports))

    @staticmethod
    def write_clock(path, text):
        with open(path + ".new", "w") as out:
            out.write(text + "\n")
        os.rename(path + ".new", path)

    @staticmethod
    def fake_clock_library():
        for folder, _, names in os.walk("/usr/lib"):
            if "libfaketimeMT.so.1" in names:
                return f"{folder}/libfaketimeMT.so.1"
        return None


if __name__ == "__main__":
    case.main()
