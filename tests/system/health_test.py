#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Health checks against real peers, over restarts, clock steps (G-T13, G-T14) and with votes."""
import json
import os
import time

from support import case, gslb, network, peers, program, waiting

SECRET = "not the default one"
ZONE = """$ORIGIN example.net.
$TTL 300
@ IN SOA ns1 hostmaster 1 3600 600 86400 60
@ IN NS ns1
ns1 IN A 192.0.2.1
"""
QUICK = "interval: 300ms, timeout: 250ms, up_threshold: 1, ok_threshold: 1, down_threshold: 2"


def service(name, address, check, site="idc1"):
    return (f"  - name: {name}\n    targets:\n"
            f"      - {{name: {name}, site: {site}, addresses: [\"{address}\"], checks: [{check}]}}\n")


class Health(case.SystemCase):
    def gslb(self, text, name="gslb", **words):
        config = gslb.HEAD + "sites: [idc1, idc2]\nzones: [{name: example.net, file: zone}]\n" + text
        server = gslb.Gslb(self, name, config, {"zone": ZONE})
        server.environment = words.get("environment")
        return server

    @staticmethod
    def targets(server):
        return {one["target"]: one for one in server.control.get("/api/v1/health")["targets"]}

    def state(self, server, name):
        return self.targets(server)[f"{name}/{name}"]["state"]

    def error(self, server, name):
        return self.targets(server)[f"{name}/{name}"]["checks"][0]["error"]

    def wait_for(self, server, name, state, seconds=15):
        waiting.until(lambda: self.state(server, name) == state, seconds,
                      lambda: f"{name} is {state}: {self.targets(server)}")


class EveryKind(Health):
    """One target of each kind, and what happens when its peer goes."""

    @classmethod
    def setUpClass(cls):
        # freeDiameter wants an address that is not of loopback, to tell its peers.
        for words in ("link add v0 type veth peer name v1", "addr add 198.18.0.1/24 dev v0",
                      "link set v0 up", "link set v1 up"):
            program.run(["ip", *words.split()], check=0)

    def setUp(self):
        super().setUp()
        self.place = self.net.address(20, 1)
        self.diameter = peers.DiameterPeer(self, "gslb.example.net").start()
        self.radius = peers.RadiusServer(self, self.place, SECRET).start()
        self.certificate = peers.make_certificate(f"{self.folder}/web", "web.example.net")
        self.web = peers.WebServer(self, self.place, 8443, self.certificate)
        self.script = f"{self.folder}/check"
        self.flag = f"{self.folder}/flag"
        gslb.write(self.script, f"#!/bin/sh\n[ -e {self.flag} ] && exit 0\necho no flag; exit 4\n")
        os.chmod(self.script, 0o755)
        gslb.write(self.flag, "")
        gslb.write(f"{self.folder}/secret", SECRET + "\n")
        os.chmod(f"{self.folder}/secret", 0o600)
        self.server = self.gslb(self.config()).start()

    def config(self):
        tls = f"server_name: web.example.net, ca: {self.certificate[0]}"
        checks = [
            f"name: diameter, type: diameter, port: {self.diameter.port}, "
            "origin_host: gslb.example.net, origin_realm: example.net",
            f"name: radius, type: radius, port: {self.radius.PORT}, "
            f"secret_file: {self.folder}/secret",
            f"name: tls, type: tls, port: 8443, minimum_days: 14, {tls}",
            f"name: https, type: https, port: 8443, expect_body: alive, {tls}",
            f"name: soon, type: https, port: 8443, minimum_days: 300, {tls}",
            "name: dns, type: dns, port: 5300, query: ns1.example.net, expect_answer: [192.0.2.1]",
            "name: icmp, type: icmp",
            f"name: external, type: external, command: [{self.script}]",
        ]
        text = "checks:\n" + "".join(f"  - {{{check}, {QUICK}}}\n" for check in checks)
        text += "  - {name: push, type: push, interval: 1s}\nservices:\n"
        for name in ("diameter", "radius", "tls", "https", "soon", "icmp", "external", "push"):
            text += service(name, self.place, name)
        return text + service("dns", "@ADDRESS@", "dns")

    def test_each_says_what_its_peer_says(self):
        for name in ("radius", "tls", "https", "dns", "icmp", "external", "diameter"):
            self.wait_for(self.server, name, "up", 30)
        self.wait_for(self.server, "soon", "down")
        self.assertIn("less than 300", self.error(self.server, "soon"))
        self.assertEqual(self.state(self.server, "push"), "unknown")

        self.diameter.kill()
        self.wait_for(self.server, "diameter", "down")
        self.assertIn("refused", self.error(self.server, "diameter"))
        self.radius.kill()
        self.wait_for(self.server, "radius", "down")
        self.web.stop()
        self.wait_for(self.server, "tls", "down")
        self.wait_for(self.server, "https", "down")
        os.remove(self.flag)
        self.wait_for(self.server, "external", "down")
        self.assertEqual(self.error(self.server, "external"), "exit status 4: no flag")
        self.assertEqual(self.state(self.server, "icmp"), "up")
        self.check_push()
        self.check_radius_with_another_secret()

    def check_push(self):
        told = {"check": "push", "service": "push", "target": "push", "state": "down", "ttl_s": 1,
                "cause": "disk full"}
        self.server.control.call("PUT", "/api/v1/checks", {"checks": [told]})
        self.wait_for(self.server, "push", "down", 1)
        self.assertEqual(self.error(self.server, "push"), "disk full")
        self.wait_for(self.server, "push", "unknown", 3)
        wrong = dict(told, check="icmp")
        self.server.control.call("PUT", "/api/v1/checks", {"checks": [told, wrong]}, status=422)
        self.assertEqual(self.state(self.server, "push"), "unknown", "all or nothing")

    def check_radius_with_another_secret(self):
        again = peers.RadiusServer(self, self.place, SECRET).start()
        self.wait_for(self.server, "radius", "up", 30)
        gslb.write(f"{self.folder}/secret", "guess\n")
        self.wait_for(self.server, "radius", "down")
        self.assertTrue(again.alive())


class Pair(Health):
    """One service at two sites, checked by HTTP; idc2 is asked for first."""

    CHECK = "checks:\n  - {name: web, type: http, port: 8080, interval: 200ms, timeout: 150ms, "

    def setUp(self):
        super().setUp()
        self.first, self.second = self.net.address(21, 1), self.net.address(22, 1)

    def pair(self, thresholds, extra="", **words):
        text = (self.CHECK + thresholds + "}\nservices:\n  - name: www\n" + extra +
                "    targets:\n"
                f"      - {{name: a, site: idc1, addresses: [{self.first}], checks: [web]}}\n"
                f"      - {{name: b, site: idc2, addresses: [{self.second}], checks: [web]}}\n"
                "steered:\n  - name: www.example.net\n    service: www\n"
                "    ttl: {min: 1s, max: 30s}\n"
                "    filters: [override, up, failover: {order: [idc2, idc1]}]\n")
        return self.gslb(text, **words)

    def state(self, server, name):
        return self.targets(server)[f"www/{name}"]["state"]

    def address(self, server):
        return server.client().ask("www.example.net").addresses()


class OverRestarts(Pair):
    """G-T13."""

    def test_a_restart_among_dead_targets_answers_what_was_known(self):
        web = peers.WebServer(self, self.first, 8080)
        server = self.pair("up_threshold: 1, ok_threshold: 1, down_threshold: 1000").start()
        self.wait_for(server, "a", "up")
        self.wait_for(server, "b", "down")
        self.assertEqual(self.address(server), [self.first])
        web.stop()
        self.assertEqual(server.stop(), 0)

        begun = time.monotonic()
        server.start()
        self.assertEqual(self.address(server), [self.first], "b comes first when all count as up")
        self.say(f"first answer after {time.monotonic() - begun:.2f} s")
        # Killed in the middle: the same.
        server.kill()
        server.start()
        self.assertEqual(self.address(server), [self.first])
        self.assertEqual((self.state(server, "a"), self.state(server, "b")), ("up", "down"))

    def test_a_first_start_waits_for_the_first_round(self):
        peers.WebServer(self, self.first, 8080)
        server = self.pair("up_threshold: 1, ok_threshold: 1, down_threshold: 1").start()
        self.assertEqual(self.address(server), [self.first], "the very first answer")


class ClockSteps(Pair):
    """G-T14."""

    LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"

    def test_steps_of_an_hour_change_nothing(self):
        if not os.path.exists(self.LIBRARY):
            raise AssertionError("faketime is not installed: scripts/bootstrap test")
        web = peers.WebServer(self, self.first, 8080)
        clock = f"{self.folder}/clock"
        gslb.write(clock, "+0")
        server = self.pair("up_threshold: 2, ok_threshold: 2, down_threshold: 2", environment={
            "LD_PRELOAD": self.LIBRARY, "FAKETIME_TIMESTAMP_FILE": clock, "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}).start()
        self.wait_for(server, "a", "up")
        self.wait_for(server, "b", "down")
        changes = len(server.events("check_state_changed"))
        for step in ("+3600", "-3600", "+0"):
            gslb.write(clock, step)
            wanted = time.time() + int(step)
            waiting.until(lambda: abs(self.saved_at(server) - wanted) < 60, 20,
                          f"the program's clock has moved by {step}")
            before, since = web.hits, time.monotonic()
            waiting.until(lambda: web.hits - before >= 10, 10, "ten more checks")
            took = time.monotonic() - since
            self.say(f"{step}: ten checks in {took:.2f} s")
            self.assertGreater(took, 10 * 0.2 * 0.9 * 0.8, "a storm of checks")
            self.assertEqual(self.address(server), [self.first])
        self.assertEqual(len(server.events("check_state_changed")), changes)
        self.assertEqual((self.state(server, "a"), self.state(server, "b")), ("up", "down"))

    @staticmethod
    def saved_at(server):
        with open(f"{server.folder}/state/verdicts.json") as file:
            return json.load(file)["written_at_ms"] / 1000


class Votes(Pair):
    def vote(self, server, seq, result, target="b", observer="gslb-b"):
        address = self.first if target == "a" else self.second
        return server.control.call("PUT", "/api/v1/votes", {"votes": [
            {"observer": observer, "target": f"www/{target}", "check": f"web@{address}:8080",
             "seq": seq, "result": result, "rtt_ms": 1.5, "age_ms": 0}]})

    def test_a_second_observer_keeps_up_what_we_alone_see_down(self):
        peers.WebServer(self, self.first, 8080)
        server = self.pair("up_threshold: 1, ok_threshold: 1, down_threshold: 1",
                           "    quorum: any\n").start()
        self.wait_for(server, "b", "down")
        self.assertEqual(self.vote(server, 1, "up")["taken"], 1)
        self.wait_for(server, "b", "up", 5)
        self.assertEqual(self.address(server), [self.second])
        self.assertEqual(self.vote(server, 1, "up")["old"], 1)
        # Its vote grows old and abstains; ours decides again.
        self.wait_for(server, "b", "down", 5)
        self.assertEqual(self.address(server), [self.first])
        own = server.control.get("/api/v1/votes")["votes"]
        self.assertEqual({(v["observer"], v["target"], v["result"]) for v in own},
                         {("gslb-test", "www/a", "up"), ("gslb-test", "www/b", "down")})


if __name__ == "__main__":
    network.enter_own_network()
    case.main()
