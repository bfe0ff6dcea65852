#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Site east is lost in three ways, under charging traffic that follows DNS: health moves the answers, the
judge finds the evidence, the scenario pins east out once, and the way back is a decision. The demo's
own programs and commands are used, in a network of the test's own where links are cut."""
import os
import signal

from support import case, demo, network, waiting

# The demo's checks run every 500 ms with a time-out of 400 ms, and the second failure counts. At
# worst the site falls just after a good probe: 500 ms to the first failing probe, 500 ms to the
# second, 400 ms until that one times out (a closed port fails at once; jitter only starts earlier).
PROBES_BOUND_SECONDS = 2 * 0.5 + 0.4
GRACE_SECONDS = 1  # publishing, asking, and a busy machine
RTO_BAR_MS = 30_000
TRAFFIC_SECONDS = 25


class SiteFailure(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.demo = demo.Demo(self)
        self.demo.wait_until_well()

    def lose_east(self, how):
        """Gives the run that pinned east out."""
        self.assertEqual(self.demo.site_for("east"), "east")
        traffic = demo.Traffic(self, self.demo, TRAFFIC_SECONDS).start()
        how()
        waiting.until(lambda: self.demo.site_for("east") == "west",
                      PROBES_BOUND_SECONDS + GRACE_SECONDS, "new queries are answered with west")
        run = self.demo.wait_for_end("site-east-down")
        self.check_run(run)
        self.check_traffic(traffic)
        return run

    def check_run(self, run):
        self.assertEqual(run["state"], "SUCCEEDED", run)
        self.assertEqual((run["mode"], run["by"]), ("auto", "auto"))
        self.assertLess(run["rto_ms"], RTO_BAR_MS)
        self.assertTrue(run["rto_ok"])
        marks = run["marks"]
        self.say(f"RTO {run['rto_ms']} ms, restored by health alone: {run['health_alone']}; "
                 + ", ".join(f"{name[:2].upper()} {marks[name]}" for name in sorted(marks)))
        for earlier, later in (("r0_wall", "r1_wall"), ("r1_wall", "r2_wall"),
                               ("r2_wall", "r3_wall"), ("r3_wall", "r4_wall"),
                               ("r0_wall", "r5_wall")):
            self.assertLessEqual(marks[earlier], marks[later], f"{earlier} is not after {later}")
        self.assertEqual(self.demo.site("east")["desired"], "out")

    def check_traffic(self, traffic):
        summaries = traffic.summaries()
        self.assertEqual(traffic.process.returncode, 0, traffic.tail())
        east, west = summaries["east"], summaries["west"]
        self.say(f"clients of east: last good to first good {east['longest_outage_ms']} ms; then "
                 f"{east['west']} good answers by west")
        self.assertTrue(east["served_at_the_end"])
        self.assertEqual((east["not_good"], east["unanswered"]), (0, 0))
        self.assertGreater(east["west"], 100)
        self.assertLess(east["longest_outage_ms"], RTO_BAR_MS)
        self.assertEqual((west["outages"], west["not_good"], west["unanswered"], west["east"]),
                         (0, 0, 0, 0), "clients of west must not notice")

    def bring_back(self, run):
        """East is well again, and stays out until somebody decides."""
        self.demo.wait_until_well()
        for client in ("east", "west"):
            self.assertEqual(self.demo.site_for(client), "west", "answers stay with west")
            self.assertEqual(self.demo.site_for(client, server="east"), "west")
        self.assertEqual([r["id"] for r in self.demo.runs("site-east-down")], [run["id"]],
                         "one run and no second")
        back = self.demo.fail_back("east")
        self.assertEqual(back["state"], "SUCCEEDED", back)
        for server in ("east", "west"):
            self.assertEqual(self.demo.site_for("east", server), "east")
            self.assertEqual(self.demo.site_for("west", server), "west")
        self.assertEqual(len(self.demo.runs("site-east-down")), 1)
        self.assertTrue(self.demo.audit_is_whole())

    def test_every_process_killed(self):
        run = self.lose_east(lambda: self.demo.command("break", "site", "east"))
        self.demo.command("heal")
        self.bring_back(run)

    def test_every_process_stopped(self):
        pids = self.demo.pids_of("east")
        self.assertEqual(len(pids), demo.PARTS_OF_A_SITE)
        run = self.lose_east(lambda: [os.kill(pid, signal.SIGSTOP) for pid in pids])
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
        self.bring_back(run)

    def test_cut_off(self):
        cut = network.Cut([f"{self.net.prefix}.1.0/24"])
        run = self.lose_east(cut.begin)
        cut.end()
        self.bring_back(run)

    def test_the_servers_own_link_is_cut(self):
        """M-T3: silence everywhere is blindness of the server, no loss of anything."""
        cut = network.Cut([f"{self.net.prefix}.3.0/24"], but=[f"{self.net.prefix}.3.30"])
        cut.begin()
        overview = waiting.until(
            lambda: (lambda o: o["blind"]["is"] and o)(self.demo.overview()), 30, "BLIND")
        self.say(f"blind: {overview['blind']['why']}")
        self.assertIn("blind", [alarm["code"] for alarm in overview["alarms"]])
        self.assertEqual(self.demo.runs(), [])
        cut.end()
        waiting.until(lambda: not self.demo.overview()["blind"]["is"], 30, "it sees again")
        self.demo.wait_until_well()
        self.assertEqual(self.demo.runs(), [], "no burst of actions")
        self.assertEqual(self.demo.site_for("east"), "east")

    def test_both_sites_see_the_arbiter_but_not_each_other(self):
        """M-T4: a cut between two sites looks, from each side, like the death of the other."""
        cut = network.Cut([f"{self.net.prefix}.1.0/24"], only=[f"{self.net.prefix}.2.0/24"])
        cut.begin()
        def west_misses_east():
            votes = self.demo.site("east")["evidence"]["votes"]
            return [v for v in votes if v["observer"] == "mon-west" and v["sees"] == "down"]
        waiting.until(west_misses_east, 30, "the console shows who sees whom")
        why = self.demo.why("site-east-down")
        self.assertNotEqual(why["verdict"], "running")
        self.assertEqual(self.demo.site("east")["agents"]["stale"], 0)
        cut.end()
        self.demo.wait_until_well()
        self.assertEqual(self.demo.runs(), [])


if __name__ == "__main__":
    network.enter_own_network()
    case.main()
