#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A person at the console, in a real browser, with a real server: a lost site is seen, switched, and
brought back by the button, in both languages."""
import os
import shutil

from support import case, demo, machine, program

OPERATOR = f"{machine.SOURCE}/tests/browser/operator.mjs"


class Console(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.demo = demo.Demo(self)
        self.demo.wait_until_well()
        self.shots = f"{machine.BUILD}/console-screenshots"
        os.makedirs(self.shots, exist_ok=True)

    def person(self, language, *words, seconds=240):
        """Signs in with the one-time password the first time, sets one, and does the words."""
        done = program.run(
            [shutil.which("node"), OPERATOR, "--url", f"https://{self.net.address(3, 30)}:8443",
             "--password-file", f"{self.demo.state}/run/first-password", "--language", language,
             *words], seconds=seconds, folder=machine.SOURCE)
        self.say(done.stdout.strip().replace("\n", " | "))
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")

    def shot(self, name):
        return f"shot={self.shots}/{name}.png"

    def test_a_site_lost_by_itself_comes_back_by_the_button(self):
        self.person("en", "headline=ok,60", self.shot("well-en"))
        self.demo.command("break", "site", "east")
        self.person("en", "headline=lost_out,60", self.shot("lost-en"))
        self.demo.command("heal")
        self.person("en", "headline=out_ready,90", self.shot("out-ready-en"),
                    "start=failback-east,East has power again", "run=succeeded,200",
                    self.shot("failback-en"))
        self.person("zh", "headline=ok,60", self.shot("well-zh"))
        runs = self.demo.runs()
        self.assertEqual([(run["scenario"], run["state"], run["by"]) for run in runs],
                         [("failback-east", "SUCCEEDED", "admin"),
                          ("site-east-down", "SUCCEEDED", "auto")])
        self.assertEqual(self.demo.site_for("east"), "east")

    def test_in_semi_a_person_switches_now(self):
        status, _ = self.demo.api.call("PUT", "/api/v1/scenarios/site-east-down/mode",
                                       {"mode": "semi", "reason": "people decide today"})
        self.assertEqual(status, 200)
        self.person("zh", "headline=ok,60")
        self.demo.command("break", "site", "east", "--stop")
        self.person("zh", "headline=offered,60", self.shot("offered-zh"),
                    "start=site-east-down,东站点失效", "run=succeeded,120", self.shot("run-zh"))
        run = self.demo.runs("site-east-down")[0]
        self.assertEqual((run["by"], run["state"]), ("admin", "SUCCEEDED"))
        self.assertGreater(run["human_wait_ms"], 0)
        self.assertEqual(self.demo.site("east")["desired"], "out")


if __name__ == "__main__":
    case.main()
