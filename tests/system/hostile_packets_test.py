#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A million random and damaged packets at each port: nothing ends, a good client is served all the
time. TWINSITE_HOSTILE_PACKETS sets another number."""
import json
import os
import threading
import time

from support import case, control, dns, gslb, machine, program, slb

PACKETS = int(os.environ.get("TWINSITE_HOSTILE_PACKETS", "1000000"))
SEED = int(os.environ.get("TWINSITE_HOSTILE_SEED", "20261130"))
LIMIT_SECONDS = 900
# How long a good client may wait while the attack has the rest of the machine.
PATIENCE_SECONDS = 3.0

ZONE = """$ORIGIN example.net.
$TTL 60
@ IN SOA ns1 hostmaster 1 3600 600 86400 60
@ IN NS ns1
ns1 IN A 192.0.2.1
www IN A 192.0.2.80
alias IN CNAME www
*.wild IN TXT "any"
many IN TXT "%s"
many IN TXT "%s"
sub IN NS ns.sub
ns.sub IN A 192.0.2.9
""" % ("x" * 250, "y" * 250)
CONFIG = gslb.HEAD + """sites: [idc1, idc2]
tcp: {idle: 10s, max_connections: 200}
networks:
  prefixes:
    - {prefix: 10.1.0.0/16, sites: [idc2]}
zones:
  - {name: example.net, file: example.net.zone}
services:
  - name: ocs
    targets:
      - {name: one, site: idc1, addresses: [203.0.113.1, "2001:db8::1"]}
      - {name: two, site: idc2, addresses: [198.51.100.1]}
steered:
  - {name: ocs.example.net, service: ocs, ttl: {min: 5s, max: 5s}, filters: [override, up, nearest, failover]}
"""


class GoodClient(threading.Thread):
    """Does one good exchange after the other until told to stop."""

    def __init__(self, exchange):
        super().__init__(daemon=True)
        self.exchange, self.over = exchange, threading.Event()
        self.served, self.failures, self.slowest = 0, [], 0.0

    def run(self):
        while not self.over.wait(0.02):
            start = time.monotonic()
            try:
                self.exchange(self.served)
                self.served += 1
            except Exception as failure:       # whatever goes wrong is a finding of the test
                self.failures.append(repr(failure))
            self.slowest = max(self.slowest, time.monotonic() - start)


class HostileCase(case.SystemCase):
    def expect_200(self, status, body):
        if status != 200:
            raise AssertionError(f"{status} {body}")

    def attack(self, server, kind, target, exchange):
        good = GoodClient(exchange)
        good.start()
        start = time.monotonic()
        done = program.run([machine.tool("hostile_sender"), kind, target, str(PACKETS), str(SEED)],
                           seconds=LIMIT_SECONDS)
        good.over.set()
        good.join(10)
        self.say(f"{kind}: {done.stdout.strip()} in {time.monotonic() - start:.1f} s, good client "
                 f"served {good.served} times, slowest {good.slowest * 1000:.0f} ms")
        self.assertTrue(server.alive(), f"{server.name} ended:\n{server.tail()}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(json.loads(done.stdout)["messages"], PACKETS)
        self.assertEqual(good.failures[:5], [])
        self.assertGreater(good.served, 10)
        self.assertLess(good.slowest, PATIENCE_SECONDS)


class HostileGslb(HostileCase):
    def setUp(self):
        super().setUp()
        self.gslb = gslb.Gslb(self, "gslb", CONFIG, {"example.net.zone": ZONE}).start()
        self.dns_target = f"{self.gslb.address}:{self.gslb.PORT}"

    def ask(self, number, tcp):
        client = self.gslb.client(self.net.address(70, 1), timeout=PATIENCE_SECONDS)
        subnet, expected = (("10.1.2.0/24", "198.51.100.1"), ("10.9.0.0/16", "203.0.113.1"))[
            number % 2]
        got = client.ask("ocs.example.net", subnet=subnet, tcp=tcp).addresses()
        if got != [expected]:
            raise AssertionError(f"{subnet} got {got}")

    def tearDown(self):
        for tcp in (False, True):
            self.ask(0, tcp)
        self.assertEqual(self.gslb.stop(), 0, "a clean end")

    def test_dns_over_udp(self):
        self.attack(self.gslb, "dns-udp", self.dns_target, lambda n: self.ask(n, False))

    def test_dns_over_tcp(self):
        self.attack(self.gslb, "dns-tcp", self.dns_target, lambda n: self.ask(n, n % 2 == 0))

    def test_status_http(self):
        port = gslb.Gslb.STATUS_PORT
        self.attack(self.gslb, "http", f"{self.gslb.address}:{port}", lambda n: self.expect_200(
            *control.fetch(self.gslb.address, port, "/healthz")))

    def test_control_socket(self):
        self.attack(self.gslb, "http", self.gslb.control.path,
                    lambda n: self.expect_200(*self.gslb.control.raw("GET", "/api/v1/status")))


class HostileSlb(HostileCase):
    def setUp(self):
        super().setUp()
        self.blades = [slb.Blade(self, f"b{i}", 30 + i, strict=False).start() for i in (1, 2)]
        self.slb = slb.Slb(self, blades=self.blades).start()
        self.client = None

    def charge(self, number):
        if self.client is None:
            self.client = self.slb.client(self.net.address(70, 1))
            self.addCleanup(self.client.close)
        self.client.charge(f"good;{number};1")

    def test_diameter(self):
        self.attack(self.slb, "diameter", f"{self.slb.address}:{slb.PORT}", self.charge)
        for blade in self.blades:
            self.assertTrue(blade.alive(), blade.tail())
        self.assertEqual(self.slb.open_links(), 2, "both blades are still linked")
        self.assertEqual(self.slb.stop(), 0, "a clean end")

    def test_control_socket(self):
        def exchange(_):
            if len(self.slb.blades_now()) != 2:
                raise AssertionError("a blade is missing")
        self.attack(self.slb, "http", self.slb.control.path, exchange)

    def test_status_http(self):
        self.attack(self.slb, "http", f"{self.slb.address}:8440", lambda n: self.expect_200(
            *control.fetch(self.slb.address, 8440, "/readyz")))


if __name__ == "__main__":
    case.main()
