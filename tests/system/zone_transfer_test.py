#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Zones to and from real name servers (BIND, Knot, NSD): AXFR, IXFR, NOTIFY and TSIG both ways,
steered names laid over; primaries that die, go back and come back; kill -9 in the middle."""
import signal

from support import case, dns, gslb, machine, program, zone_servers
from support.gslb import write

KEYS = """tsig_keys:
  - {name: k, algorithm: hmac-sha256, secret_file: k.secret}
  - {name: other, algorithm: hmac-sha256, secret_file: k.secret}
"""
STEERING = """sites: [east, west]
services:
  - name: web
    targets:
      - {name: one, site: east, addresses: [203.0.113.1, 203.0.113.2]}
      - {name: two, site: west, addresses: [198.51.100.1, "2001:db8::1"]}
networks:
  prefixes:
    - {prefix: 10.2.0.0/16, sites: [west]}
steered:
  - {name: www.t.example, service: web, ttl: {min: 5s, max: 30s}, filters: [override, up, nearest]}
"""
HEAD = gslb.HEAD.replace("idc1", "east") + STEERING + KEYS
FILES = {"k.secret": zone_servers.KEY + "\n"}


def zone_text(serial, lines="", refresh=3600, expire=86400):
    return (f"$ORIGIN t.example.\n$TTL 300\n@ IN SOA ns1 host {serial} {refresh} 1 {expire} 60\n"
            f"@ IN NS ns1\nns1 IN A 192.0.2.1\n{lines}")


class Zones(case.SystemCase):
    def zone_of(self, server):
        return next(zone for zone in server.control.get("/api/v1/zones")["zones"]
                    if zone["zone"] == "t.example.")

    def wait_for(self, server, what, seconds=20, **values):
        """Until the zone's view has these values."""
        def fits():
            zone = self.zone_of(server)
            return all(zone[key] == value for key, value in values.items())
        server.wait_until(fits, seconds, lambda: f"{what}: {self.zone_of(server)}")

    def gslb_address(self):
        return self.net.address(1, 10)


class OurSecondaries(Zones):
    """We have the file; BIND, Knot and NSD follow."""

    def start_gslb(self, text, secondaries, allow="{net: 127.0.0.0/8, tsig: k}"):
        notify = ", ".join(f'{{address: "{one.address}:{one.port}", tsig: k}}'
                           for one in secondaries)
        config = HEAD + f"""zones:
  - name: t.example
    file: zone
    transfer: {{allow: [{allow}], notify: [{notify}]}}
"""
        return gslb.Gslb(self, "gslb", config, dict(FILES, zone=text)).start()

    def change(self, server, text):
        write(f"{server.folder}/zone", text)
        server.control.call("POST", "/api/v1/reload")

    def follow(self, kind):
        secondary = kind(self, "t.example", self.gslb_address())
        server = self.start_gslb(zone_text(1, "a IN A 192.0.2.7\nm IN MX 5 a\n"), [secondary])
        secondary.start("t.example")
        secondary.wait_for_serial(1)
        self.assertEqual(secondary.client().ask("a.t.example").addresses(), ["192.0.2.7"])
        self.assertEqual(secondary.client().ask("www.t.example").addresses(),
                         ["203.0.113.1", "203.0.113.2"], "the default records of a steered name")
        self.assertEqual(secondary.client().ask("www.t.example", "AAAA").addresses(),
                         ["2001:db8::1"], "of the first site that has the family")

        self.change(server, zone_text(2, "b IN A 192.0.2.8\nm IN MX 5 b\n"))
        secondary.wait_for_serial(2)  # the SOA says an hour: only NOTIFY brings it so soon
        self.assertEqual(secondary.client().ask("a.t.example").rcode, dns.RCODES["NXDOMAIN"])
        self.assertEqual(secondary.client().ask("b.t.example").addresses(), ["192.0.2.8"])
        server.wait_until(
            lambda: any(one["transfer"] == "IXFR" and one["transferred_serial"] == 2
                        for one in self.zone_of(server)["secondaries"]),
            10, lambda: f"IXFR is seen: {self.zone_of(server)}")
        server.wait_until(
            lambda: any(one["notify_acknowledged"] and one["notified_serial"] == 2
                        for one in self.zone_of(server)["secondaries"]),
            10, lambda: f"NOTIFY is seen: {self.zone_of(server)}")

    def test_bind_follows(self):
        self.follow(zone_servers.NamedZone)

    def test_knot_follows(self):
        self.follow(zone_servers.KnotZone)

    def test_nsd_follows(self):
        self.follow(zone_servers.NsdZone)

    def test_wrong_key_gets_nothing(self):
        secondary = zone_servers.KnotZone(self, "t.example", self.gslb_address(),
                                          secret=zone_servers.WRONG)
        server = self.start_gslb(zone_text(1), [])
        secondary.start("t.example")
        server.wait_until(lambda: server.events("tsig_refused"), 20, "the key is refused")
        self.assertEqual(server.events("tsig_refused")[0]["error"], "BADSIG")
        self.assertIsNone(secondary.serial())

    def test_right_secret_under_another_name_gets_nothing(self):
        server = self.start_gslb(zone_text(1), [], allow="{tsig: other}")
        self.assertIn("Transfer failed", self.dig_axfr(f"hmac-sha256:k:{zone_servers.KEY}"))
        self.assertIn("Transfer failed", self.dig_axfr(None))
        self.assertNotIn("Transfer failed", self.dig_axfr(f"hmac-sha256:other:{zone_servers.KEY}"))
        self.assertEqual(len(server.events("transfer_refused")), 2)

    def dig_axfr(self, key):
        return program.run([machine.debian("dig"), "-b", "127.0.0.1",
                            f"@{self.gslb_address()}", "-p", "5300", "t.example", "AXFR",
                            *(["-y", key] if key else [])]).stdout

    def test_large_zone_arrives_whole_over_many_signed_messages(self):
        hosts = "".join(f"h{i} IN A 10.{i >> 16}.{i >> 8 & 255}.{i & 255}\n" for i in range(30000))
        secondary = zone_servers.NamedZone(self, "t.example", self.gslb_address())
        self.start_gslb(zone_text(1, hosts), [secondary])
        secondary.start("t.example")
        secondary.wait_for_serial(1, 60)
        for i in (0, 777, 29999):
            self.assertEqual(secondary.client().ask(f"h{i}.t.example").addresses(),
                             [f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}"])

    def test_ixfr_goes_on_after_a_restart(self):
        server = self.start_gslb(zone_text(1, "a IN A 192.0.2.7\n"), [])
        self.change(server, zone_text(2, "b IN A 192.0.2.7\n"))
        server.wait_until(lambda: self.zone_of(server)["journal"] == 1, 10, "the difference")
        server.signal(signal.SIGKILL)
        server.process.wait(10)
        write(f"{server.folder}/zone", zone_text(3, "c IN A 192.0.2.7\n"))
        server.start()
        server.wait_until(lambda: self.zone_of(server)["journal"] == 2, 10, "both differences")
        got = program.run([machine.debian("dig"), "-b", "127.0.0.1", f"@{self.gslb_address()}",
                           "-p", "5300", "+tcp", "t.example", "IXFR=1", "-y",
                           f"hmac-sha256:k:{zone_servers.KEY}"]).stdout
        self.assertIn("a.t.example.", got)
        self.assertIn("c.t.example.", got)
        self.assertNotIn("ns1.t.example.\t300", got.split("SOA", 1)[1].replace("SOA", ""),
                         "differences, not the whole")


class OurPrimaries(Zones):
    """BIND, Knot and NSD have the zone; we follow, with a steered name over it."""

    def start_gslb(self, address, port, tsig=", tsig: k"):
        config = HEAD + f"""zones:
  - name: t.example
    primaries: [{{address: "{address}:{port}"{tsig}}}]
"""
        return gslb.Gslb(self, "gslb", config, FILES).start()

    def follow(self, kind, expected="IXFR"):
        primary = kind(self, "t.example", self.gslb_address(),
                       zone_text=zone_text(1, "a IN A 192.0.2.7\nwww IN A 192.0.2.99\n"))
        primary.start("t.example")
        server = self.start_gslb(primary.address, primary.port)
        self.wait_for(server, "the first transfer", state="transferred", serial=1)
        self.assertEqual(server.client().ask("a.t.example").addresses(), ["192.0.2.7"])
        steered = server.client().ask("www.t.example", subnet="10.2.3.0/24")
        self.assertEqual(steered.addresses(), ["198.51.100.1"])
        primary.change(zone_text(2, "b IN A 192.0.2.8\nwww IN A 192.0.2.99\n"))
        primary.wait_for_serial(2)
        self.wait_for(server, "NOTIFY brings the change", state="transferred", serial=2)
        self.assertEqual(self.zone_of(server)["transfer"], expected)
        self.assertEqual(server.client().ask("b.t.example").addresses(), ["192.0.2.8"])
        self.assertEqual(server.client().ask("a.t.example").rcode, dns.RCODES["NXDOMAIN"])

        primary.stop()
        server.signal(signal.SIGKILL)
        server.process.wait(10)
        server.start()
        self.assertEqual(server.client().ask("b.t.example").addresses(), ["192.0.2.8"],
                         "a restart answers from the kept copy")
        self.wait_for(server, "the primary is gone", state="stale", serial=2)

    def test_bind_is_followed(self):
        self.follow(zone_servers.NamedZone)

    def test_knot_is_followed(self):
        self.follow(zone_servers.KnotZone)

    def test_nsd_is_followed(self):
        self.follow(zone_servers.NsdZone)

    def test_answers_of_a_wrong_key_are_not_believed(self):
        primary = zone_servers.KnotZone(self, "t.example", self.gslb_address(),
                                        zone_text=zone_text(1), secret=zone_servers.WRONG)
        primary.start("t.example")
        server = self.start_gslb(primary.address, primary.port)
        self.wait_for(server, "nothing is taken", state="empty", serial=None)
        server.wait_until(lambda: "TSIG" in self.zone_of(server)["error"], 10, "the error says why")
        self.assertEqual(server.client().ask("t.example", "SOA").rcode, dns.RCODES["SERVFAIL"])
        self.assertEqual(server.client().ask("www.t.example").rcode, dns.RCODES["SERVFAIL"])


class BadPrimaries(Zones):
    """A primary of our own that does what real ones do on their worst day."""

    def begin(self):
        primary = zone_servers.ScriptedPrimary(self.net.address(2, 9), "t.example").start()
        self.addCleanup(primary.stop)
        primary.messages = [primary.whole(zone_servers.address_record("a.t.example", "192.0.2.7"))]
        config = HEAD + f"""zones:
  - {{name: t.example, primaries: [{{address: "{primary.address}:5300"}}]}}
"""
        server = gslb.Gslb(self, "gslb", config, FILES).start()
        self.wait_for(server, "the first transfer", state="transferred", serial=1)
        return primary, server

    def test_a_transfer_cut_off_changes_nothing(self):
        primary, server = self.begin()
        primary.serial, primary.expire = 2, 600
        primary.messages = [primary.whole()[:-1], None]
        server.wait_until(lambda: self.zone_of(server)["state"] == "stale", 20, "the cut is seen")
        self.assertIn("middle of the transfer", self.zone_of(server)["error"])
        self.assertIn(252, primary.asked[-4:], "IXFR that fails is asked again as AXFR")
        self.assertEqual(server.client().ask("a.t.example").addresses(), ["192.0.2.7"])
        primary.messages = [primary.whole(zone_servers.address_record("b.t.example", "192.0.2.8"))]
        self.wait_for(server, "it works again", state="transferred", serial=2)
        self.assertEqual(server.client().ask("b.t.example").addresses(), ["192.0.2.8"])

    def test_a_zone_that_cannot_be_served_changes_nothing(self):
        primary, server = self.begin()
        primary.serial, primary.expire = 2, 600
        alias = zone_servers.record("www.t.example", 5, zone_servers.name_bytes("a.t.example"))
        primary.messages = [primary.whole(alias)]
        server.wait_until(lambda: "CNAME" in self.zone_of(server)["error"], 20, "the reason")
        self.assertEqual(self.zone_of(server)["serial"], 1)
        self.assertEqual(server.client().ask("www.t.example").rcode, 0)

    def test_expired_zone_comes_back_even_from_a_lower_serial(self):
        primary, server = self.begin()
        primary.serial = 9
        primary.messages = [primary.whole()]
        self.wait_for(server, "a higher serial", serial=9)
        primary.stop()
        self.wait_for(server, "expired", state="expired", serial=None)
        self.assertEqual(server.client().ask("a.t.example").rcode, dns.RCODES["SERVFAIL"])
        self.assertEqual(server.client().ask("www.t.example").rcode, dns.RCODES["SERVFAIL"])
        primary.serial = 5
        primary.messages = [primary.whole(zone_servers.address_record("a.t.example", "192.0.2.5"))]
        primary.start()
        server.wait_until(lambda: "older serial" in self.zone_of(server)["error"], 20, "the reason")
        self.assertEqual(self.zone_of(server)["state"], "expired")
        server.control.call("POST", "/api/v1/zones/t.example/retransfer", status=202)
        self.wait_for(server, "it is back", state="transferred", serial=5)
        self.assertEqual(server.client().ask("a.t.example").addresses(), ["192.0.2.5"])

    def test_killed_during_a_transfer_it_starts_with_the_old_zone(self):
        primary, server = self.begin()
        primary.serial, primary.expire = 2, 600
        primary.held.clear()
        primary.messages = [primary.whole()[:2], primary.whole()[2:]]
        asked = len(primary.asked)
        server.wait_until(lambda: 251 in primary.asked[asked:], 20, "a transfer begins")
        server.signal(signal.SIGKILL)
        server.process.wait(10)
        server.start()
        self.assertEqual(server.client().ask("a.t.example").addresses(), ["192.0.2.7"])
        primary.held.set()
        self.wait_for(server, "and goes on", state="transferred", serial=2)

    def test_a_damaged_copy_is_fetched_again(self):
        primary, server = self.begin()
        server.stop()
        with open(f"{server.folder}/state/zones/t.example.copy", "r+b") as copy:
            copy.seek(40)
            copy.write(b"XXXX")
        server.start()
        self.wait_for(server, "it is fetched", state="transferred", serial=1)
        self.assertTrue(server.events("zone_copy_unusable"))


if __name__ == "__main__":
    case.main()
