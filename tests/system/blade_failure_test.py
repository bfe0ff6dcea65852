#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A blade dies or falls silent under 5,000 CCR/s: every request is answered once by the other."""
import signal

from support import case, machine, slb, waiting

RATE, SECONDS = 5000, 8


class BladeFailure(case.SystemCase):
    def setUp(self):
        super().setUp()
        # Not strict: until session records exist a moved session is a new one to the other blade.
        self.blades = [slb.Blade(self, f"b{i}", 30 + i, strict=False).start() for i in (1, 2)]
        self.slb = slb.Slb(self, blades=self.blades).start()

    def load(self, seconds=SECONDS):
        load = slb.Load(self, [self.slb.address], "--connections", "8", "--rate", str(RATE),
                        "--duration", f"{seconds}s", "--updates", "3", "--timeout", "10s").start()
        self.slb.wait_until(lambda: self.requests() > RATE, 20, "a second of load")
        return load

    def requests(self):
        return sum(blade["requests"] for blade in self.slb.blades_now().values())

    def check(self, report, longest_ms):
        latency = report["latency_us"]
        self.say(f"sent {report['sent']} answered {report['answered']} moved sessions "
                 f"{report['sessions_moved']} p99.9 {latency['p99_9']} us max {latency['max']} us")
        self.assertEqual((report["lost"], report["duplicate"], report["unexpected"]), (0, 0, 0))
        self.assertEqual(report["answered"], report["sent"])
        self.assertEqual(set(report["result_codes"]), {"2001"})
        self.assertGreater(report["sent"], RATE * SECONDS * 0.95)
        self.assertLess(latency["max"], longest_ms * 1000)

    def test_killed_blade_loses_no_request(self):
        with machine.quiet_machine():
            load = self.load()
            self.blades[0].kill()
            self.slb.wait_until(lambda: self.slb.blades_now()["b1"]["link"] != "open", 5,
                                "slb sees that b1 is gone")
            report = load.report()
        self.check(report, 2000)
        self.blades[0].start()
        self.slb.wait_until(lambda: self.slb.open_links() == 2, 10, "b1 is linked again")
        self.assertEqual(self.blades[1].statistics()["duplicates"], 0)

    def test_silent_blade_is_left_within_two_seconds(self):
        with machine.quiet_machine():
            load = self.load()
            self.stop_blade()
            waiting.until(lambda: not load.alive(), 60, "the load ends while b1 is stopped")
            report = load.report()
        self.check(report, 2000)
        self.assertGreater(self.slb.blades_now()["b1"]["resent"], 0)
        self.assertGreater(self.slb.blades_now()["b1"]["suspicions"], 0)
        self.blades[0].signal(signal.SIGCONT)
        self.slb.wait_until(lambda: self.slb.open_links() == 2, 15, "b1 is used again")
        again = slb.Load(self, [self.slb.address], "--connections", "2", "--window", "8",
                         "--sessions", "200", name="again").start().report()
        self.assertEqual((again["lost"], again["duplicate"], again["unexpected"]), (0, 0, 0))

    def test_late_answers_of_a_blade_that_wakes_up_are_dropped_and_counted(self):
        with machine.quiet_machine():
            load = self.load()
            self.stop_blade()
            self.blades[0].signal(signal.SIGCONT)
            self.slb.wait_until(lambda: self.slb.open_links() == 2, 15, "b1 is used again")
            report = load.report()
        self.check(report, 2000)
        late, resent, suspicions = (self.slb.blades_now()["b1"][key]
                                    for key in ("late", "resent", "suspicions"))
        self.say(f"b1: {suspicions} suspicions, {resent} requests re-sent to b2, "
                 f"{late} late answers dropped")
        self.assertGreater(suspicions, 0)
        self.assertGreater(late, 0)
        self.assertLessEqual(late, resent)

    def stop_blade(self):
        """SIGSTOP, until slb has suspected b1 and given its requests to b2."""
        self.blades[0].signal(signal.SIGSTOP)
        self.slb.wait_until(lambda: self.slb.blades_now()["b1"]["link"] != "open", 2,
                            "slb suspects b1")
        self.slb.wait_until(lambda: self.slb.blades_now()["b1"]["pending"] == 0, 2,
                            "nothing waits for b1 any more")


if __name__ == "__main__":
    case.main()
