#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steering as a client sees it: dig by site, a caching resolver in front, scopes to the bit."""
from support import case, dns, gslb, machine, name_servers, program

DEMO_ZONE = """$ORIGIN example.net.
$TTL 300
@ IN SOA ns1 hostmaster 1 3600 600 86400 60
@ IN NS ns1
ns1 IN A 192.0.2.1
www IN A 192.0.2.80
ocs IN TXT "charging"
"""
DEMO = gslb.HEAD.replace("idc1", "east") + """sites: [east, west]
networks: {file: networks.txt}
zones:
  - {name: example.net, file: example.net.zone}
services:
  - name: ocs
    targets:
      - {name: ocs-east, site: east, addresses: ["@NET@.1.20"]}
      - {name: ocs-west, site: west, addresses: ["@NET@.2.20"]}
steered:
  - name: ocs.example.net
    service: ocs
    ttl: {min: 5s, max: 30s}
    filters: [override, up, nearest, failover]
"""
DEMO_NETWORKS = """# site networks
10.1.0.0/16 east
@NET@.71.0/24 east
10.2.0.0/16 west
@NET@.72.0/24 west
"""

# The zone and the policy of G-T1 and G-T2.
T_ZONE = """$ORIGIN t.example.
$TTL 3600
@ IN SOA ns hostmaster 1 3600 600 86400 60
@ IN NS ns
ns IN A 192.0.2.53
"""
T_POLICY = gslb.HEAD + """sites: [idc2, idc1]
networks:
  prefixes:
    - {prefix: 10.1.0.0/16, sites: [idc1]}
    - {prefix: 10.1.2.0/24, sites: [idc2]}
    - {prefix: @NET@.9.0/24, sites: [idc1]}
zones:
  - {name: t.example, file: t.example.zone}
services:
  - name: www
    targets:
      - {name: www1, site: idc1, addresses: [203.0.113.1, "2001:db8:1::1"]}
      - {name: www2, site: idc2, addresses: [198.51.100.1]}
steered:
  - name: www.t.example
    service: www
    ttl: {min: 5s, max: 30s}
    filters: [override, up, nearest, failover]
"""
IDC1, IDC2 = "203.0.113.1", "198.51.100.1"


class DemoSteering(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.gslb = gslb.Gslb(self, "gslb", DEMO, {"example.net.zone": DEMO_ZONE,
                                                   "networks.txt": DEMO_NETWORKS}).start()
        self.east = self.net.address(1, 20)
        self.west = self.net.address(2, 20)

    def dig(self, server, *words):
        done = program.run([machine.debian("dig"), f"@{server.address}", "-p", str(server.port),
                            "+tries=1", "+time=3", "+short", "ocs.example.net", "A", *words], check=0)
        return done.stdout.split()

    def test_dig_with_a_subnet_gets_the_site_of_that_subnet(self):
        self.assertEqual(self.dig(self.gslb, "+subnet=10.1.0.0/16"), [self.east])
        self.assertEqual(self.dig(self.gslb, "+subnet=10.2.0.0/16"), [self.west])
        self.assertEqual(self.dig(self.gslb, "+subnet=10.1.77.0/24", "+tcp"), [self.east])

    def test_without_a_subnet_the_source_address_decides(self):
        for third, site in ((71, self.east), (72, self.west), (73, self.east)):
            reply = self.gslb.client(self.net.address(third, 1)).ask("ocs.example.net")
            self.assertEqual(reply.addresses(), [site])
            self.assertIsNone(reply.ecs())
            self.assertTrue(reply.aa)

    def test_unbound_in_front_agrees(self):
        resolver = name_servers.Unbound(self, ["example.net"], self.gslb.address)
        resolver.start("www.example.net")
        for words, site in ((["+subnet=10.1.0.0/16"], self.east),
                            (["+subnet=10.2.0.0/16"], self.west),
                            (["+subnet=10.1.5.0/24"], self.east),
                            (["+subnet=10.2.5.0/24"], self.west),
                            (["-b", self.net.address(71, 9)], self.east),
                            (["-b", self.net.address(72, 9)], self.west),
                            (["-b", self.net.address(71, 10)], self.east)):
            self.assertEqual(self.dig(resolver, *words), [site], words)

    def test_other_types_at_a_steered_name_come_from_the_zone(self):
        client = self.gslb.client()
        text = client.ask("ocs.example.net", "TXT", subnet="10.1.0.0/16")
        self.assertEqual([r.data for r in text.answer], [b"\x08charging"])
        self.assertEqual(text.ecs()[:3], (1, 16, 0))
        none = client.ask("ocs.example.net", "AAAA", subnet="10.1.0.0/16")
        self.assertEqual((none.rcode, none.answer), (0, []))
        self.assertEqual([r.type for r in none.authority], [dns.TYPES["SOA"]])


class Scopes(case.SystemCase):
    """G-T1, G-T2 and their neighbours."""

    def setUp(self):
        super().setUp()
        self.gslb = gslb.Gslb(self, "gslb", T_POLICY, {"t.example.zone": T_ZONE}).start()

    def check(self, subnet, address, scope, qtype="A", client=None):
        reply = (client or self.gslb.client()).ask("www.t.example", qtype, subnet=subnet)
        network, bits = subnet.split("/")
        _, option = dns.ecs_option(subnet)
        self.assertEqual(reply.addresses(), [address], subnet)
        self.assertEqual(reply.ecs(), (1, int(bits), scope, option[4:]), subnet)
        self.assertTrue(reply.aa)

    def test_scope_is_the_widest_uniform_block(self):
        self.check("10.1.9.0/24", IDC1, 21)
        self.check("10.1.2.0/24", IDC2, 24)
        self.check("10.1.3.0/24", IDC1, 24)
        self.check("10.2.0.0/16", IDC2, 15)
        self.check("192.0.2.0/24", IDC2, 1)

    def test_a_source_shorter_than_the_leaf_is_zero_filled(self):
        self.check("10.1.0.0/16", IDC1, 23)
        self.check("10.0.0.0/8", IDC2, 16)

    def test_source_zero_is_decided_by_the_resolver_with_scope_zero(self):
        self.check("0.0.0.0/0", IDC2, 0)
        self.check("0.0.0.0/0", IDC1, 0, client=self.gslb.client(self.net.address(9, 1)))

    def test_the_next_site_answers_for_a_family_that_the_first_lacks(self):
        reply = self.gslb.client().ask("www.t.example", "AAAA", subnet="10.1.2.0/24")
        self.assertEqual(reply.addresses(), ["2001:db8:1::1"])

    def test_names_that_are_not_steered_answer_with_scope_zero(self):
        client = self.gslb.client()
        for name, qtype, rcode in (("t.example", "SOA", 0), ("gone.t.example", "A", 3),
                                   ("ns.t.example", "A", 0)):
            reply = client.ask(name, qtype, subnet="10.1.9.0/24")
            self.assertEqual((reply.rcode, reply.ecs()[:3]), (rcode, (1, 24, 0)), name)
            self.assertIsNone(client.ask(name, qtype).ecs())

    def test_a_malformed_subnet_is_a_format_error_without_an_option(self):
        too_long = b"\0\1\x18\0" + bytes([10, 1, 9, 0])
        cases = {"four bytes for 24 bits": too_long,
                 "33 bits": b"\0\1\x21\0" + bytes([10, 1, 9, 0, 0]),
                 "bits behind the prefix": b"\0\1\x14\0" + bytes([10, 1, 9]),
                 "an unknown family": b"\0\3\x18\0" + bytes([10, 1, 9]),
                 "scope in a query": b"\0\1\x18\x08" + bytes([10, 1, 9])}
        for why, option in cases.items():
            reply = self.gslb.client().ask("www.t.example", options=[(dns.ECS, option)])
            self.assertEqual(reply.rcode, dns.RCODES["FORMERR"], why)
            self.assertIsNotNone(reply.opt, why)
            self.assertIsNone(reply.ecs(), why)

    def test_a_caching_resolver_never_serves_one_network_the_answer_of_another(self):
        resolver = name_servers.Unbound(self, ["t.example"], self.gslb.address)
        resolver.start("ns.t.example")
        client = resolver.client()
        for subnet, address in (("10.1.9.0/24", IDC1), ("10.1.2.0/24", IDC2),
                                ("10.1.3.0/24", IDC1), ("10.2.0.0/24", IDC2),
                                ("10.1.10.0/24", IDC1), ("192.0.2.0/24", IDC2),
                                ("10.1.2.0/24", IDC2), ("10.1.0.0/24", IDC1)):
            reply = client.ask("www.t.example", subnet=subnet, flags=0x0100)
            self.assertEqual(reply.addresses(), [address], subnet)


if __name__ == "__main__":
    case.main()
