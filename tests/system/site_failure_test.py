#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Site east ends or falls silent as a whole: users of east are served by west, and how long that took
is printed. The demo's own programs and commands are used."""
import json
import os
import re
import subprocess

from support import case, dns, machine, program, waiting

# Probes: every second, two failures, plus a time-out of half a second; then one query's way.
NEW_ANSWERS_SECONDS = 6
GOOD_AGAIN_SECONDS = 12


class SiteFailure(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.state = f"{self.folder}/demo"
        self.own(self)                      # `stop` below is called like that of a program
        self.demo("start", seconds=60)
        self.traffic = None

    def demo(self, *words, seconds=30, check=0):
        return program.run([machine.ours("twinsite"), "demo", *words, "--state", self.state,
                            "--net", self.net.prefix], seconds=seconds, check=check)

    def stop(self):
        if self.traffic and self.traffic.poll() is None:
            self.traffic.kill()
            self.traffic.wait()
        self.demo("stop", seconds=60)

    def ask(self, gslb, subnet):
        client = dns.Client(self.net.address(gslb, 10), 5300, timeout=1)
        return client.ask("ocs.example.net", subnet=subnet).addresses()

    def site_of(self, subnet):
        """Asks the name server of west, as a resolver does when that of east is gone."""
        addresses = self.ask(2, subnet)
        return {self.net.address(1, 20): "east", self.net.address(2, 20): "west"}[addresses[0]]

    def start_traffic(self):
        self.traffic_log = f"{self.folder}/traffic.log"
        with open(self.traffic_log, "w") as log:
            self.traffic = subprocess.Popen(
                [machine.ours("twinsite"), "demo", "traffic", "--state", self.state, "--net",
                 self.net.prefix, "-o", "json"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        waiting.until(lambda: self.good_now("east") > 0, 20, lambda: f"traffic\n{self.lines()[-5:]}")

    def lines(self):
        if not os.path.exists(self.traffic_log):
            return []
        with open(self.traffic_log) as log:
            return [json.loads(line) for line in log if line.startswith("{")]

    def good_now(self, clients):
        """Good answers of the newest line of traffic for the clients of a site."""
        lines = self.lines()
        return lines[-1]["clients"][clients]["good"] if lines else 0

    def outage(self, how):
        self.assertEqual(self.site_of("10.1.0.0/16"), "east")
        self.start_traffic()
        seen = len(self.lines())
        how()
        waiting.until(lambda: self.site_of("10.1.0.0/16") == "west", NEW_ANSWERS_SECONDS,
                      "new queries are answered with west")
        waiting.until(lambda: len(self.lines()) > seen + 2 and self.good_now("east") > 0,
                      GOOD_AGAIN_SECONDS, "clients of east are served again")
        self.say(f"outage of east's clients: {self.measured_outage(seen)} ms")

    def measured_outage(self, since):
        found = [line["outage_ms"] for line in self.lines()[since:] if line.get("outage_ms")]
        return max(found) if found else 0

    def test_site_killed(self):
        self.outage(lambda: self.demo("break", "site", "east"))
        self.demo("heal")
        waiting.until(lambda: self.site_of("10.1.0.0/16") == "east", 30, "east is used again")

    def test_site_stopped(self):
        pids = self.pids_of_east()
        self.assertGreaterEqual(len(pids), 4)
        self.outage(lambda: [os.kill(pid, 19) for pid in pids])
        for pid in pids:
            os.kill(pid, 18)
        waiting.until(lambda: self.site_of("10.1.0.0/16") == "east", 30, "east is used again")

    def pids_of_east(self):
        out = []
        for name in os.listdir(f"{self.state}/run"):
            if re.search(r"east.*\.json$", name):
                with open(f"{self.state}/run/{name}") as entry:
                    out.append(json.load(entry)["pid"])
        return out


if __name__ == "__main__":
    case.main()
