#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The switchover server is killed at every boundary of a run: after the restart the run ends, and no step
is done twice (M-T6). Commands that an agent must refuse are refused, and the audit says so."""
import os
import signal

from support import case, demo, waiting

SCENARIO = """schema: twinsite/1
scenario: leaves-traces
title: Steps whose effects can be counted
kind: other
mode: semi
locks: [site/east]
defaults: {timeout: 10s, tries: 1}
steps:
  - id: note
    do: {notify: {text: "run ${run.id} begins"}}
  - id: pause-1
    needs: [note]
    do: {wait: {for: 300ms}}
  - id: count
    needs: [pause-1]
    do: {agent.run: {action: count, host: east/if1, what: one}}
  - id: pause-2
    needs: [count]
    do: {wait: {for: 300ms}}
  - id: drain
    needs: [pause-2]
    do: {gslb.set: {site: east, state: drain}}
    post: [gslb.applied(east) == drain]
  - id: pause-3
    needs: [drain]
    do: {wait: {for: 300ms}}
  - id: count-again
    needs: [pause-3]
    do: {agent.run: {action: count, host: east/if1, what: two}}
  - id: pause-4
    needs: [count-again]
    do: {wait: {for: 300ms}}
  - id: back
    needs: [pause-4]
    do: {gslb.set: {site: east, state: in}}
    post: [gslb.applied(east) == in]
verify: {check: [business.good(ocs)], hold: 300ms, within: 20s}
"""

REFUSED = """schema: twinsite/1
scenario: {name}
title: A command that an agent must refuse
kind: other
mode: semi
locks: [site/east]
defaults: {{timeout: 5s, tries: 1, on_fail: abort}}
steps:
  - id: ask
    do: {{agent.run: {{{arguments}}}}}
"""

REFUSED_CASES = {
    "unknown-action": "action: format-disks, host: east/if1",
    "extra-argument": "action: count, host: east/if1, what: one, more: two",
    "newline": 'action: count, host: east/if1, what: "one\\ntwo"',
    "other-word": "action: count, host: east/if1, what: three",
}


def stage(run):
    """What has been reached: changes at every boundary of the run."""
    return (run["state"],) + tuple((step["id"], step["state"]) for step in run["steps"])


class SwitchoverRestart(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.demo = demo.Demo(self)
        self.counted = f"{self.folder}/counted"
        self.write_scenarios()
        self.give_the_agent_an_action()
        self.demo.wait_until_well()
        self.api = self.demo.api

    def write_scenarios(self):
        folder = f"{self.demo.state}/etc/scenarios"
        with open(f"{folder}/leaves-traces.yaml", "w") as out:
            out.write(SCENARIO)
        for name, arguments in REFUSED_CASES.items():
            with open(f"{folder}/{name}.yaml", "w") as out:
                out.write(REFUSED.format(name=name, arguments=arguments))
        self.demo.command("break", "switchover")
        self.demo.command("heal")

    def give_the_agent_an_action(self):
        script, actions = f"{self.folder}/count", f"{self.folder}/actions.yaml"
        with open(script, "w") as out:
            out.write(f'#!/bin/sh\necho "$1" >> {self.counted}\n')
        os.chmod(script, 0o755)
        with open(actions, "w") as out:
            out.write(f"actions:\n  - {{name: count, command: [{script}, '{{what}}'], parameters: "
                      "{what: {one_of: [one, two]}}, timeout: 5s}\n")
        os.chmod(actions, 0o644)
        with open(f"{self.demo.state}/etc/if1-east.yaml", "a") as out:
            out.write(f"actions: {{file: {actions}}}\n")
        self.demo.command("break", "agent", "if1", "east")
        self.demo.command("heal")

    def lines_counted(self):
        if not os.path.exists(self.counted):
            return []
        with open(self.counted) as lines:
            return lines.read().split()

    def start(self, scenario, key):
        def started():
            status, run = self.api.call("POST", "/api/v1/runs",
                                        {"scenario": scenario, "reason": "a test"}, key)
            return status == 201 and run["id"]
        return waiting.until(started, 30, lambda: f"{scenario} starts: "
                             f"{self.api.call('GET', f'/api/v1/scenarios/{scenario}/why')}")

    def follow(self, run_id, kill_at=None):
        """All stages of the run until its end. With `kill_at` the server is killed as soon as that
        many stages have been seen, and started again."""
        stages = []
        killed = False

        def ended():
            nonlocal killed
            status, run = self.api.call("GET", f"/api/v1/runs/{run_id}")
            if status != 200:
                return None
            if not stages or stages[-1] != stage(run):
                stages.append(stage(run))
            if kill_at is not None and not killed and len(stages) >= kill_at:
                killed = True
                os.kill(self.demo.pid_of("sw-arbiter"), signal.SIGKILL)
                self.demo.command("heal")
            return run["state"] in demo.ENDED and run

        run = waiting.until(ended, 60, lambda: f"the run ends: {stages}")
        return run, stages

    def test_no_step_is_done_twice_wherever_the_server_is_killed(self):
        run, stages = self.follow(self.start("leaves-traces", "reference"))
        self.assertEqual(run["state"], "SUCCEEDED", run)
        self.assertEqual(self.lines_counted(), ["one", "two"])
        boundaries = len(stages)
        self.say(f"{boundaries} stages seen: {[s[0] for s in stages]}")
        self.assertGreaterEqual(boundaries, 6, "each pause, the verification and the end show")
        for boundary in range(1, boundaries + 1):
            with self.subTest(boundary=boundary):
                before = len(self.lines_counted())
                self.demo.wait_until_well()
                run_id = self.start("leaves-traces", f"boundary-{boundary}")
                run, seen = self.follow(run_id, kill_at=boundary)
                self.say(f"killed at {boundary}: {run['state']}")
                self.assertEqual(run["state"], "SUCCEEDED", f"{run}\n{seen}")
                self.assertEqual(self.lines_counted()[before:], ["one", "two"],
                                 "each effect once")
        self.assertTrue(self.demo.audit_is_whole())

    def test_a_start_asked_for_twice_is_one_run(self):
        first = self.start("leaves-traces", "same-key")
        self.assertEqual(self.start("leaves-traces", "same-key"), first)
        self.follow(first)
        self.assertEqual(self.lines_counted(), ["one", "two"])

    def test_what_an_agent_refuses_is_refused_and_audited(self):
        for name in REFUSED_CASES:
            with self.subTest(name):
                status, why = self.api.call("GET", f"/api/v1/scenarios/{name}/why")
                status, answer = self.api.call(
                    "POST", "/api/v1/runs", {"scenario": name, "reason": "a test"}, name)
                if status == 201:
                    run, _ = self.follow(answer["id"])
                    self.assertIn(run["state"], ("FAILED", "CANCELLED"), run)
                    self.say(f"{name}: {run['steps'][0]['output']}")
                else:
                    self.assertIn(status, (404, 409, 422), answer)
                    self.say(f"{name}: {answer.get('detail')}")
        self.assertEqual(self.lines_counted(), [])
        entries = self.api.call("GET", "/api/v1/audit?limit=1000")[1]["entries"]
        refused = [e for e in entries if e["result"] in ("refused", "failed")]
        self.assertGreaterEqual(len(refused), 1, entries)


if __name__ == "__main__":
    case.main()
