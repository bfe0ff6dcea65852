#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signed steered answers as the world sees them: a validating resolver with a cache by client
subnet in front, through health flips and changes of key; and what the checkers of zones say."""
import itertools
import json
import os
import re

from support import case, gslb, machine, name_servers, program, waiting

ZONE = """$ORIGIN t.example.
$TTL 2
@ IN SOA ns hostmaster 1 3600 600 86400 1
@ IN NS ns
ns IN A @ADDRESS@
plain IN A 192.0.2.80
alias IN CNAME www
*.wild IN TXT "any"
a.b.deep IN A 192.0.2.81
sub IN NS ns.sub
ns.sub IN A 192.0.2.82
"""
CONFIG = gslb.HEAD + """sites: [idc1, idc2]
networks:
  prefixes:
    - {prefix: 10.1.0.0/16, sites: [idc1]}
    - {prefix: 10.2.0.0/16, sites: [idc2]}
zones:
  - name: t.example
    file: t.example.zone
    transfer: {allow: [{net: 127.0.0.0/8}]}
    dnssec: {keys: keys, denial: @DENIAL@, dnskey_ttl: 1s, propagation: 0s, ds_ttl: 1s}
services:
  - name: web
    targets:
      - {name: web1, site: idc1, addresses: [203.0.113.1]}
      - {name: web2, site: idc2, addresses: [198.51.100.1]}
  - name: shy
    targets:
      - {name: shy1, site: idc1, addresses: [203.0.113.2]}
steered:
  - name: www.t.example
    service: web
    ttl: {min: 1s, max: 2s}
    filters: [override, up, nearest, failover]
  - name: t.example
    service: web
    ttl: {min: 1s, max: 2s}
    filters: [override, up, nearest, failover]
  - name: shy.t.example
    service: shy
    ttl: {min: 1s, max: 2s}
    all_down: closed
    filters: [override, up]
"""
EAST, WEST, SHY = "203.0.113.1", "198.51.100.1", "203.0.113.2"
NETWORKS = ((EAST, "10.1.0.0/16"), (WEST, "10.2.0.0/16"))


class Validating(name_servers.Unbound):
    """unbound that believes nothing but what the DS records lead to."""

    def __init__(self, test, upstream, ds, fourth):
        self.zones, self.upstream, self.ds = ["t.example"], upstream, ds
        name_servers.NameServer.__init__(self, test, f"unbound{fourth}",
                                         test.net.address(2, fourth))

    def prepare(self, folder):
        words = super().prepare(folder)
        path = words[words.index("-c") + 1]
        with open(path) as conf:
            text = conf.read()
        anchors = "".join(f'  trust-anchor: "{ds}"\n' for ds in self.ds)
        text = text.replace('"subnetcache iterator"', '"subnetcache validator iterator"')
        text = text.replace("remote-control:", f"  aggressive-nsec: yes\n{anchors}remote-control:")
        gslb.write(path, text)
        return words


class SignedZone(case.SystemCase):
    DENIAL = "nsec"

    def setUp(self):
        super().setUp()
        self.keys = f"{self.folder}/gslb/keys"
        os.makedirs(self.keys)
        made = program.run([machine.ours("twinsite"), "-o", "json", "gslb", "keys", "create",
                            "t.example", "--folder", self.keys], check=0)
        self.ds = json.loads(made.stdout)["ds"]
        self.gslb = gslb.Gslb(self, "gslb", CONFIG.replace("@DENIAL@", self.DENIAL),
                              {"t.example.zone": ZONE}).start()

    def resolver(self, ds=None, fourth=3):
        found = Validating(self, self.gslb.address, ds or self.ds, fourth)
        found.start("plain.t.example")
        return found

    def dig(self, server, name, *words, qtype="A"):
        done = program.run([machine.debian("dig"), f"@{server.address}", "-p", str(server.port),
                            "+tries=1", "+time=3", "+dnssec", name, qtype, *words], check=0)
        status = re.search(r"status: (\w+)", done.stdout)
        flags = re.search(r"flags: ([a-z ]+);", done.stdout)
        self.assertTrue(status, done.stdout)
        records = re.findall(rf"^\S+\s+\d+\s+IN\s+{qtype}\s+(.*)$", done.stdout, re.M)
        return status[1], "ad" in flags[1].split(), records

    def expect(self, server, name, answer, *words, qtype="A"):
        self.assertEqual(self.dig(server, name, *words, qtype=qtype), ("NOERROR", True, answer),
                         (name, words))

    def force(self, service, thing, state):
        self.gslb.control.call("PUT", f"/api/v1/overrides/{service}/{thing}?force=1",
                               {"state": state, "reason": "test", "author": "test"})

    def release(self, service, thing):
        self.gslb.control.call("DELETE", f"/api/v1/overrides/{service}/{thing}?force=1")

    def view(self):
        return self.gslb.control.get("/api/v1/zones/t.example/keys")

    def key_command(self, command, status=200, **body):
        return self.gslb.control.call("POST", f"/api/v1/zones/t.example/keys/{command}", body, status)


class Validation(SignedZone):
    def test_every_kind_of_answer_is_secure(self):
        resolver = self.resolver()
        for site, net in NETWORKS:
            self.expect(resolver, "www.t.example", [site], f"+subnet={net}")
            self.expect(resolver, "t.example", [site], f"+subnet={net}")
            self.expect(resolver, "alias.t.example", [site], f"+subnet={net}")
        self.expect(resolver, "plain.t.example", ["192.0.2.80"])
        self.expect(resolver, "x.wild.t.example", ['"any"'], qtype="TXT")
        self.expect(resolver, "www.t.example", [], qtype="TXT")
        self.expect(resolver, "www.t.example", [], qtype="AAAA")
        self.expect(resolver, "b.deep.t.example", [])
        self.assertEqual(self.dig(resolver, "gone.t.example"), ("NXDOMAIN", True, []))
        self.assertEqual(self.dig(resolver, "a.gone.t.example"), ("NXDOMAIN", True, []))

    def test_the_right_site_stays_secure_through_flips(self):
        resolver = self.resolver()
        for down, left in (("web1", WEST), ("web2", EAST)) * 2:
            self.force("web", down, "down")
            for _, net in NETWORKS:
                waiting.until(lambda n=net, l=left: self.secure(resolver, n) == [l], 10,
                              f"{net} goes to {left}")
            self.release("web", down)
            for site, net in NETWORKS:
                waiting.until(lambda n=net, s=site: self.secure(resolver, n) == [s], 10,
                              f"{net} is back at {site}")

    def secure(self, resolver, net, name="www.t.example"):
        status, secure, records = self.dig(resolver, name, f"+subnet={net}")
        self.assertEqual((status, secure), ("NOERROR", True), (name, net))
        return records

    def test_no_data_of_a_policy_that_fails_closed_is_proved(self):
        resolver = self.resolver()
        self.expect(resolver, "shy.t.example", [SHY])
        for _ in range(2):
            self.force("shy", "shy1", "down")
            waiting.until(lambda: self.dig(resolver, "shy.t.example") == ("NOERROR", True, []), 10,
                          "no data, proved")
            self.release("shy", "shy1")
            waiting.until(lambda: self.dig(resolver, "shy.t.example") == ("NOERROR", True, [SHY]),
                          10, "the address is back")


class HashedValidation(Validation):
    DENIAL = "nsec3"


class KeyChange(SignedZone):
    def watch_until(self, resolvers, over, seconds, what):
        """Asks without a pause; no answer may be anything but right and secure."""
        asked = itertools.count()

        def look():
            for resolver in resolvers:
                for site, net in NETWORKS:
                    self.expect(resolver, "www.t.example", [site], f"+subnet={net}")
                self.expect(resolver, "plain.t.example", ["192.0.2.80"])
                next(asked)
            return over()
        waiting.until(look, seconds, what)
        self.say(f"{what}: {next(asked)} rounds, all secure")

    def test_a_zsk_changes_by_itself_without_a_bogus_answer(self):
        resolver = self.resolver()
        old = self.key_command("roll", role="zsk", automatic=True)["roll"]["old"]
        self.key_command("roll", status=409, role="ksk")
        self.watch_until([resolver], lambda: self.view()["roll"] is None and self.view()["served"],
                         40, "the change of ZSK")
        tags = [key["tag"] for key in self.view()["keys"]]
        self.assertEqual(len(tags), 2)
        self.assertNotIn(old, tags)
        steps = [event["step"] for event in self.gslb.events("key_change")]
        self.assertEqual(steps, ["publish", "retire", "done"])

    def test_a_ksk_changes_with_the_parent_without_a_bogus_answer(self):
        resolver = self.resolver()
        self.key_command("roll", role="ksk")
        answer = self.key_command("step", status=409)
        self.assertIn("waits until every cache knows", answer["detail"])
        self.watch_until([resolver], self.step_taken, 20, "publishing the KSK")
        fresh = self.view()["ds"]
        self.assertNotEqual(fresh, self.ds)
        later = self.resolver(fresh, 4)
        self.watch_until([resolver, later], lambda: self.view()["served"], 10, "announcing the KSK")
        self.assertIn("parent", self.key_command("step", status=409)["detail"])
        self.key_command("step", ds_seen=True)
        self.watch_until([resolver, later], self.step_taken, 20, "waiting for the DS")
        self.watch_until([later], lambda: self.view()["served"], 10, "the old KSK going")
        self.assertIsNone(self.view()["roll"])

    def step_taken(self):
        return self.gslb.control.raw("POST", "/api/v1/zones/t.example/keys/step", {})[0] == 200

    def test_a_change_survives_a_kill_at_each_step(self):
        self.key_command("roll", role="zsk")
        for fourth in (5, 6):
            self.gslb.kill()
            self.gslb.start()
            resolver = self.resolver(fourth=fourth)
            self.watch_until([resolver], self.step_taken, 20, "a step after a kill")
        self.assertIsNone(self.view()["roll"])


class Checkers(SignedZone):
    """What tools say that look for faults in signed zones."""

    def test_dnsviz_has_nothing_to_say(self):
        for site_down in (None, "web1"):
            if site_down:
                self.force("web", site_down, "down")
            self.check_with_dnsviz()

    def check_with_dnsviz(self):
        dnsviz = ["/usr/bin/python3", f"{machine.SOURCE}/tests/system/peers/dnsviz/run.py"]
        server = f"{self.gslb.address}:{self.gslb.port}"
        probed = program.run(
            dnsviz + ["probe", "-4", "-A", "-a", "t.example",
                      "-x", f"t.example+:ns.t.example={server}",
                      "-R", "A,TXT", "www.t.example", "t.example"], seconds=60)
        path = f"{self.folder}/probe.json"
        gslb.write(path, probed.stdout)
        said = program.run(dnsviz + ["grok", "-t", self.anchor_key(), "-l", "warning", "-r", path],
                           seconds=60, check=0)
        self.assertEqual(said.stdout.strip(), "", "warnings and errors")
        whole = program.run(dnsviz + ["grok", "-t", self.anchor_key(), "-r", path], seconds=60)
        self.assertLessEqual(set(re.findall(r'"status": "(\w+)"', whole.stdout)),
                             {"NOERROR", "NXDOMAIN", "SECURE", "VALID"})
        self.assertIn('"status": "SECURE"', whole.stdout)

    def test_ldns_verifies_a_transfer_of_the_zone(self):
        self.verify()
        self.key_command("roll", role="zsk")
        waiting.until(lambda: self.view()["served"], 10, "two ZSKs are served")
        self.verify()

    def verify(self):
        done = program.run([machine.debian("dig"), f"@{self.gslb.address}", "-p",
                            str(self.gslb.port), "+onesoa", "+nocmd", "+nostats", "+nocomments",
                            "t.example", "AXFR"], check=0)
        lines = [line for line in done.stdout.splitlines() if line and not line.startswith(";")]
        self.assertGreater(len(lines), 20, done.stdout)
        for name in ("www", "shy"):
            here = [each for each in lines if re.match(rf"{name}.t.example.\s.*\sA\s", each)]
            self.assertTrue(here, name)
        path = f"{self.folder}/axfr.zone"
        gslb.write(path, "\n".join(lines) + "\n")
        said = program.run([machine.debian("ldns-verify-zone"), "-V", "3", path])
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def anchor_key(self):
        """The KSK as a record: what `grok` trusts."""
        done = program.run([machine.debian("dig"), f"@{self.gslb.address}", "-p",
                            str(self.gslb.port), "+short", "t.example", "DNSKEY"])
        path = f"{self.folder}/ksk.key"
        ksk = [line for line in done.stdout.splitlines() if line.startswith("257 ")]
        gslb.write(path, "".join(f"t.example. IN DNSKEY {line}\n" for line in ksk))
        return path


class HashedCheckers(Checkers):
    DENIAL = "nsec3"


if __name__ == "__main__":
    case.main()
