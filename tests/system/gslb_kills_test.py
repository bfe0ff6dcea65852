#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""twinsite-gslb is killed at random moments while it writes its state: a published intent, an
override, what switchover wants. It always starts again with the last good or the new state, never
a mixture. `--kills N` for a longer run."""
import base64
import http.client
import os
import random
import sys
import threading
import time

from support import case, gslb, pki, program

KILLS = 40
HEAD = """node: gslb-east
site: east
listen: ["@ADDRESS@:5300"]
control: {socket: control.sock}
state: {directory: state}
group:
  listen: "@ADDRESS@:7700"
  tls: {certificate: @PKI@/gslb-east.crt, key: @PKI@/gslb-east.key, ca: @PKI@/ca.crt}
  signing: {certificate: @PKI@/gslb-east.sign.crt, key: @PKI@/gslb-east.sign.key}
  peers: [{name: gslb-west, address: "@NET@.9.9:7700"}]
  keep: 3
"""
INTENT = """sites: [east, west]
zones:
  - {name: one.example, file: one.zone}
  - {name: two.example, file: two.zone}
services:
  - name: ocs
    targets:
      - {name: ocs-east, site: east, addresses: [192.0.2.1]}
      - {name: ocs-west, site: west, addresses: [192.0.2.2]}
steered:
  - name: ocs.one.example
    service: ocs
    filters: [override, up, failover]
"""
ZONE = """$TTL 300
@ IN SOA ns hostmaster 1 3600 600 86400 60
@ IN NS ns
ns IN A 192.0.2.53
v IN TXT "{}"
"""


class Writer(threading.Thread):
    """Writes state after state until the program is gone; `done` and `begun` are the numbers of the
    last one that was acknowledged and of the last one that was sent."""

    def __init__(self, control, last):
        super().__init__()
        self.control, self.done, self.begun = control, dict(last), dict(last)

    def run(self):
        try:
            while True:
                self.step("intent", "POST", "/api/v1/intent/apply", self.intent)
                self.step("override", "PUT", "/api/v1/overrides/ocs/ocs-east", self.override)
                self.step("desired", "PUT", "/api/v1/desired", self.desired)
        except (OSError, http.client.HTTPException):
            return

    def step(self, what, method, path, body):
        number = self.begun[what] + 1
        self.begun[what] = number
        status, text = self.control.raw(method, path, body(number))
        if status != 200:
            raise AssertionError(f"{what} {number}: {status} {text}")
        self.done[what] = number

    @staticmethod
    def intent(number):
        files = {"intent.yaml": INTENT, "one.zone": ZONE.format(number),
                 "two.zone": ZONE.format(number)}
        coded = {path: base64.b64encode(text.encode()).decode() for path, text in files.items()}
        return {"files": coded, "operator": "ann", "reason": str(number)}

    @staticmethod
    def override(number):
        return {"state": "drain", "reason": str(number), "author": "ann"}

    @staticmethod
    def desired(number):
        return {"fence": {"generation": 1, "revision": number}, "server": "sw",
                "objects": [{"object": "site:east", "state": "drain", "reason": str(number)}]}


class Kills(case.SystemCase):
    def setUp(self):
        super().setUp()
        authority = pki.Authority(f"{self.folder}/pki")
        authority.command("issue", authority.folder, "twinsite://east/gslb/gslb-east",
                          "--ip", self.net.address(1, 10), "--signing")
        head = HEAD.replace("@PKI@", authority.folder)
        self.gslb = gslb.Gslb(self, "gslb", head + INTENT,
                              {"one.zone": ZONE.format(0), "two.zone": ZONE.format(0)})

    def start(self):
        """Without a look at DNS: the API answers once the sockets are open."""
        program.Program.start(self.gslb)
        self.gslb.wait_until(self.gslb.control.ready, 20, "ready")

    def text(self, zone):
        told = self.gslb.control.get(f"/api/v1/explain?name=v.{zone}.example&type=TXT")
        return int(told["answers"][0].strip('"'))

    def state(self):
        control = self.gslb.control
        overrides = control.get("/api/v1/overrides")["overrides"]
        one, two = self.text("one"), self.text("two")
        self.assertEqual(one, two, "a mixture of two versions")
        intent = control.get("/api/v1/intent")["in_force"]
        self.assertEqual(intent["reason"], str(one) if one else "", "files and header differ")
        desired = control.get("/api/v1/desired")
        return {"intent": one, "override": int(overrides[0]["reason"]) if overrides else 0,
                "desired": desired["fence"]["revision"]}

    def test_killed_at_any_moment_it_starts_with_the_old_or_the_new_state(self):
        numbers = random.Random(os.urandom(8))
        last = {"intent": 0, "override": 0, "desired": 0}
        self.start()
        begun = time.monotonic()
        writes = 0
        for kill in range(KILLS):
            writer = Writer(self.gslb.control, last)
            writer.start()
            time.sleep(numbers.uniform(0, 0.25))
            self.gslb.kill()
            writer.join()
            self.start()
            now = self.state()
            for what, number in now.items():
                self.assertIn(number, (writer.done[what], writer.begun[what]),
                              f"kill {kill}: {what} {now}, {writer.done}, {writer.begun}")
            writes += sum(now.values()) - sum(last.values())
            last = now
        self.assertGreater(writes, 0, "nothing was written between the kills")
        folders = [name for name in os.listdir(f"{self.gslb.folder}/state/intent")
                   if name != "intent.json"]
        self.say(f"{KILLS} kills, {writes} writes, {time.monotonic() - begun:.0f} s; last {last}; "
                 f"{len(folders)} versions on disk")


if __name__ == "__main__":
    if "--kills" in sys.argv:
        at = sys.argv.index("--kills")
        KILLS = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    case.main()
