#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Site east ends, or falls silent, as a whole: users of east are served by west, and the time from the
last good to the first good answer is printed. The demo's own programs and commands are used."""
import contextlib
import json
import os
import signal

from support import case, dns, machine, program, waiting

# The demo's checks run every 500 ms with a time-out of 400 ms, and the second failure counts. At
# worst the site falls just after a good probe: 500 ms to the first failing probe, 500 ms to the
# second, 400 ms until that one times out (a closed port fails at once; jitter only starts earlier).
PROBES_BOUND_SECONDS = 2 * 0.5 + 0.4
GRACE_SECONDS = 1  # publishing, asking, and a busy machine
TRAFFIC_SECONDS = 14
LONGEST_OUTAGE_MS = 8000
PARTS_OF_A_SITE = 4


class Demo:
    """The demo in a folder of its own; ends with the test like a program."""

    def __init__(self, owner):
        self.owner, self.state, self.net = owner, f"{owner.folder}/demo", owner.net
        owner.own(self)
        self.command("start", "--net", self.net.prefix, seconds=60)

    def command(self, *words, seconds=40):
        return program.run([machine.ours("twinsite"), "demo", *words, "--state", self.state],
                           seconds=seconds, check=0)

    def stop(self):
        self.command("stop", seconds=60)

    def pids_of(self, site):
        out = []
        for name in os.listdir(f"{self.state}/run"):
            if name.endswith(".json") and site in name:
                with open(f"{self.state}/run/{name}") as record:
                    out.append(json.load(record)["pid"])
        return out

    def site_for(self, subnet):
        """Asks the name server of west, as a resolver does when that of east is gone."""
        reply = dns.Client(self.net.address(2, 10), 5300, timeout=1).ask("ocs.example.net",
                                                                         subnet=subnet)
        sites = {self.net.address(1, 20): "east", self.net.address(2, 20): "west"}
        return sites[reply.addresses()[0]]


class Traffic(program.Program):
    """One network element for each site, for TRAFFIC_SECONDS."""

    def __init__(self, owner, demo):
        super().__init__("traffic", [
            machine.ours("twinsite"), "demo", "traffic", "--state", demo.state, "--seconds",
            str(TRAFFIC_SECONDS), "-o", "json"], owner.folder)
        owner.own(self)

    def lines(self, kind):
        found = []
        for line in self.log().splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return [line for line in found if line["kind"] == kind]

    def start(self):
        super().start()
        self.wait_until(lambda: len(self.lines("second")) >= 4, 20, "clients of both sites are served")
        return self

    def summaries(self):
        self.process.wait(TRAFFIC_SECONDS + 20)
        return {line["client"]: line for line in self.lines("summary")}


class SiteFailure(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.demo = Demo(self)

    def lose_east(self, how):
        self.assertEqual(self.demo.site_for("10.1.0.0/16"), "east")
        traffic = Traffic(self, self.demo).start()
        how()
        waiting.until(lambda: self.demo.site_for("10.1.0.0/16") == "west",
                      PROBES_BOUND_SECONDS + GRACE_SECONDS,
                      "new queries are answered with west")
        summaries = traffic.summaries()
        self.assertEqual(traffic.process.returncode, 0, traffic.tail())
        east, west = summaries["east"], summaries["west"]
        self.say(f"clients of east: last good to first good {east['longest_outage_ms']} ms; then "
                 f"{east['west']} good answers by west")
        outages = traffic.lines("outage")
        for line in outages:
            self.say(f"{line['client']}: last good {line['last_good']}, first good "
                     f"{line['first_good']} = {line['ms']} ms")
        self.assertEqual(max(line["ms"] for line in outages), east["longest_outage_ms"])
        self.assertTrue(east["served_at_the_end"])
        self.assertEqual((east["not_good"], east["unanswered"]), (0, 0))
        self.assertGreater(east["west"], 100)
        self.assertLess(east["longest_outage_ms"], LONGEST_OUTAGE_MS)
        self.assertEqual((west["outages"], west["not_good"], west["unanswered"], west["east"]),
                         (0, 0, 0, 0), "clients of west must not notice")

    def expect_east_again(self):
        waiting.until(lambda: self.demo.site_for("10.1.0.0/16") == "east", 30, "east is used again")

    def test_site_killed(self):
        self.lose_east(lambda: self.demo.command("break", "site", "east"))
        self.assertEqual(self.demo.site_for("10.2.0.0/16"), "west")
        self.demo.command("heal")
        self.expect_east_again()

    def test_site_stopped(self):
        pids = self.demo.pids_of("east")
        self.assertEqual(len(pids), PARTS_OF_A_SITE)
        self.lose_east(lambda: [os.kill(pid, signal.SIGSTOP) for pid in pids])
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        self.expect_east_again()


if __name__ == "__main__":
    case.main()
