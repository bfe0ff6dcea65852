#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two gslbs of two sites as a group, each in a network namespace of its own: what they tell each
other, what happens when the link between them is cut, and A4.8 to A4.13 of the requirements."""
import json
import os
import random
import sys

from support import case, control, gslb, machine, namespaces, network, pki, program, waiting

ADDRESS = {"east": "10.66.1.10", "west": "10.66.2.10"}
SERVICE = {"east": "10.66.1.20", "west": "10.66.2.20"}
OTHER = {"east": "west", "west": "east"}
PORT = 5300
SERVICE_PORT = 3868
SYNC_SECONDS = 10

NODE = """node: gslb-{site}
site: {site}
listen: ["{address}:5300"]
control: {{socket: control.sock}}
status: {{listen: "{address}:8440"}}
state: {{directory: state}}
group:
  listen: "{address}:7700"
  tls: {{certificate: {pki}/gslb-{site}.crt, key: {pki}/gslb-{site}.key, ca: {pki}/ca.crt, crl: {pki}/crl.pem}}
  signing: {{certificate: {pki}/gslb-{site}.sign.crt, key: {pki}/gslb-{site}.sign.key}}
  peers: [{{name: gslb-{other}, address: "{other_address}:7700"}}]
  heartbeat: 200ms
  digest: 500ms
"""
# A4.9: all clients get IDC2 (west); IDC1 (east) stands by. `near` is for the 1,000 clients.
INTENT = """sites: [east, west]
networks:
  prefixes:
    - {prefix: 10.1.0.0/16, sites: [east]}
    - {prefix: 10.1.7.0/24, sites: [west]}
    - {prefix: 10.2.0.0/16, sites: [west]}
zones:
  - {name: example.net, file: example.net.zone}
checks:
  - {name: port, type: tcp, port: 3868, interval: 200ms, timeout: 150ms,
     up_threshold: 2, ok_threshold: 2, down_threshold: 2}
services:
  - name: ocs
    targets:
      - {name: ocs-east, site: east, addresses: ["10.66.1.20"], checks: [port]}
      - {name: ocs-west, site: west, addresses: ["10.66.2.20"], checks: [port]}
  - name: bill
    targets:
      - {name: bill-east, site: east, addresses: ["10.66.1.20"], checks: [port]}
      - {name: bill-west, site: west, addresses: ["10.66.2.20"], checks: [port]}
steered:
  - name: ocs.example.net
    service: ocs
    filters: [override, up, failover: {order: [west, east]}]
  - name: bill.example.net
    service: bill
    filters: [override, up, failover: {order: [west, east]}]
  - name: near.example.net
    service: ocs
    filters: [override, up, nearest, failover]
"""
ZONE = """$ORIGIN example.net.
$TTL 300
@ IN SOA ns1 hostmaster 1 3600 600 86400 60
@ IN NS ns1
@ IN NS ns2
ns1 IN A 10.66.1.10
ns2 IN A 10.66.2.10
www IN A 192.0.2.80
"""
GOLDEN = [{"name": "ocs.example.net", "type": "A", "client": "192.0.2.1", "expect": ["10.66.2.20"]}]


class Group(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.wide = namespaces.Wide()
        self.addCleanup(self.wide.remove)
        self.site = {name: self.wide.site(name, ADDRESS[name], SERVICE[name]) for name in ADDRESS}
        self.pki = pki.Authority(f"{self.folder}/pki")
        for name, address in ADDRESS.items():
            self.pki.command("issue", self.pki.folder, f"twinsite://{name}/gslb/gslb-{name}",
                             "--ip", address, "--signing")
        self.intent = f"{self.folder}/intent"
        self.write_intent()
        self.service, self.node, self.control = {}, {}, {}
        for name in ADDRESS:
            self.start_service(name)
        for name in ADDRESS:
            self.start_node(name)

    # ------------------------------------------------------------ parts

    def write_intent(self, intent=INTENT, zone=ZONE, golden=GOLDEN):
        gslb.write(f"{self.intent}/intent.yaml", intent)
        gslb.write(f"{self.intent}/example.net.zone", zone)
        gslb.write(f"{self.intent}/golden.json", json.dumps(golden))

    def start_service(self, name):
        self.service[name] = self.own(program.Program(
            f"service-{name}", self.site[name].argv(
                sys.executable, f"{machine.SOURCE}/tests/system/peers/tcp_service.py",
                SERVICE[name], str(SERVICE_PORT)), self.folder).start())

    def start_node(self, name):
        folder = f"{self.folder}/{name}"
        if name not in self.node:
            other = OTHER[name]
            head = NODE.format(site=name, other=other, address=ADDRESS[name],
                               other_address=ADDRESS[other], pki=self.pki.folder)
            # Until the first intent: the same keys in the node's own file.
            gslb.write(f"{folder}/gslb.yaml", head + INTENT)
            gslb.write(f"{folder}/example.net.zone", ZONE)
            self.control[name] = control.Control(f"{folder}/control.sock")
            self.node[name] = self.own(program.Program(
                f"gslb-{name}", self.site[name].argv(
                    machine.ours("twinsite-gslb"), "--config", f"{folder}/gslb.yaml",
                    "--log-format", "json"), folder))
        self.node[name].start()
        self.node[name].wait_until(self.control[name].ready, 20, f"gslb-{name} is ready")

    def cli(self, name, *words, check=0, seconds=60):
        return program.run([machine.ours("twinsite"), "--socket", f"{self.folder}/{name}/control.sock",
                            "gslb", *words], seconds, check=check)

    def apply(self, name, *words, check=0):
        return self.cli(name, "apply", self.intent, "--yes", "--reason", "test", "--author", "ann",
                        *words, check=check)

    def peer(self, name):
        """How `name` sees the other."""
        return self.control[name].get("/api/v1/group")["peers"][0]

    def version(self, name):
        intent = self.control[name].get("/api/v1/intent")["in_force"]
        return intent["epoch"], intent["seq"]

    def wait_for_sync(self):
        for name in ADDRESS:
            self.node[name].wait_until(lambda: self.peer(name)["state"] == "in_sync", SYNC_SECONDS,
                                       f"{name}: {self.peer(name)}")

    def explain(self, name, question="ocs.example.net", client="192.0.2.1"):
        return self.control[name].get(f"/api/v1/explain?name={question}&client={client}")

    def answers(self, name, question="ocs.example.net", client="192.0.2.1"):
        return self.explain(name, question, client)["answers"]

    def dig(self, server, *words, at="east"):
        """Over the wire, asked from inside a site."""
        done = program.run(self.site[at].argv(
            machine.debian("dig"), f"@{ADDRESS[server]}", "-p", str(PORT), "+tries=1", "+time=2",
            *words), 10)
        return done.stdout

    def wait_for_answer(self, name, expected, seconds=5, question="ocs.example.net"):
        waiting.until(lambda: self.answers(name, question) == expected, seconds,
                      lambda: f"{name} answers {question} with {self.answers(name, question)}, "
                              f"not {expected}")

    def override(self, name, *words, check=0):
        return self.cli(name, "override", *words, check=check)


class Sync(Group):
    def test_a4_8_domain_information_reaches_the_other_by_itself(self):
        self.wait_for_sync()
        self.apply("east")
        self.wait_for_sync()
        self.assertEqual(self.version("west"), (1, 1))
        # A record that one of them is told is answered by both.
        self.write_intent(zone=ZONE + "new IN A 192.0.2.81\n")
        self.apply("east")
        waiting.until(lambda: "192.0.2.81" in self.dig("west", "+short", "new.example.net"),
                      SYNC_SECONDS, "west answers the new name")
        self.assertIn("192.0.2.81", self.dig("east", "+short", "new.example.net"))
        self.assertEqual(self.version("west"), (1, 2))

    def test_what_is_published_is_checked_and_shown_and_can_be_taken_back(self):
        self.wait_for_sync()
        self.apply("east")
        swapped = INTENT.replace("order: [west, east]", "order: [east, west]")
        self.write_intent(swapped)
        # The self-test of the folder knows better.
        refused = self.apply("east", check=2)
        self.assertIn("golden.json", refused.stderr)
        self.assertEqual(self.version("east"), (1, 1))
        self.write_intent(swapped, golden=[dict(GOLDEN[0], expect=["10.66.1.20"])])
        shown = self.cli("east", "diff", self.intent).stdout
        self.assertIn("+    filters: [override, up, failover: {order: [east, west]}]", shown)
        self.assertIn("- ocs-west (10.66.2.20)", shown)
        self.assertIn("+ ocs-east (10.66.1.20)", shown)
        self.assertEqual(self.answers("east"), ["10.66.2.20"], "diff changes nothing")
        self.apply("east")
        for name in ADDRESS:
            self.wait_for_answer(name, ["10.66.1.20"], SYNC_SECONDS)
        # Wrong files are named by file, line and column, and change nothing.
        self.write_intent(INTENT.replace("interval: 200ms", "interval: soon"))
        wrong = self.apply("east", check=2)
        self.assertRegex(wrong.stderr, r"intent\.yaml:\d+:\d+: \$\.checks\[0\]\.interval")
        # Back, as a new version.
        self.cli("east", "rollback", "1.1", "--reason", "no good")
        for name in ADDRESS:
            self.wait_for_answer(name, ["10.66.2.20"], SYNC_SECONDS)
        self.assertEqual(self.version("east"), (1, 3))
        self.assertIn("in force", self.cli("west", "versions").stdout)
        self.wait_for_sync()

    def test_a_restart_finds_the_published_version_and_not_the_file(self):
        self.wait_for_sync()
        self.write_intent(zone=ZONE + "new IN A 192.0.2.81\n")
        self.apply("east")
        self.wait_for_sync()
        self.node["west"].stop()
        self.start_node("west")
        self.assertIn("192.0.2.81", self.dig("west", "+short", "new.example.net"))
        self.assertEqual(self.version("west"), (1, 1))

    def test_a_member_that_was_away_is_brought_up_to_date(self):
        self.wait_for_sync()
        self.apply("east")
        self.wait_for_sync()
        self.node["west"].stop()
        for number in range(3):
            self.write_intent(zone=ZONE + f"n{number} IN A 192.0.2.9{number}\n")
            self.apply("east")
        self.override("east", "set", "bill", "bill-west", "down", "--reason", "works")
        self.start_node("west")
        self.wait_for_sync()
        self.assertEqual(self.version("west"), (1, 4))
        self.assertEqual(self.answers("west", "bill.example.net"), ["10.66.1.20"])

    def test_a_stranger_is_not_let_in(self):
        self.wait_for_sync()
        self.pki.command("issue", self.pki.folder, "twinsite://east/agent/mallory",
                         "--ip", ADDRESS["east"])
        asked = program.run(self.site["east"].argv(
            "openssl", "s_client", "-connect", f"{ADDRESS['west']}:7700", "-tls1_3",
            "-cert", f"{self.pki.folder}/mallory.crt", "-key", f"{self.pki.folder}/mallory.key",
            "-CAfile", f"{self.pki.folder}/ca.crt"), 20)
        self.assertNotIn("gslb-west\"", asked.stdout, "no hello for a stranger")
        refused = waiting.until(lambda: self.node["west"].events("group_peer_refused"), 5, "told")
        self.assertEqual(refused[0]["identity"], "twinsite://east/agent/mallory")

    def test_a_revoked_member_is_cut_off(self):
        self.wait_for_sync()
        self.pki.revoke("gslb-west")
        waiting.until(lambda: not self.peer("east")["connected"], 10, "the link is gone")
        self.assertEqual(self.answers("east"), ["10.66.2.20"], "answers do not follow")
        self.assertEqual(self.answers("west"), ["10.66.2.20"])


class Cut(Group):
    def clients(self, count=1_000):
        numbers = random.Random(15)
        return [f"10.{numbers.choice((1, 2, 3))}.{numbers.randrange(256)}.{numbers.randrange(256)}"
                for _ in range(count)]

    def explained(self, name, clients):
        """Every explanation as bytes, without the count of this program's own snapshots."""
        out = []
        for client in clients:
            told = self.explain(name, "near.example.net", client)
            number = told.pop("snapshot")
            text = json.dumps(told, sort_keys=True)
            out.append(text.replace(f", snapshot {number}\"", "\""))
        return out

    def test_g_t15_a_cut_link_changes_no_answer_and_heals(self):
        """CUT_SECONDS in the environment makes it longer: 60 s in the long run."""
        self.apply("east")
        self.wait_for_sync()
        before = {name: self.answers(name) for name in ADDRESS}
        # Only the gslbs lose each other; each still reaches all services.
        cut = network.Cut([ADDRESS["east"]], only=[ADDRESS["west"]])
        self.in_site("east", self.rules(cut, "begin"))
        seconds = float(os.environ.get("CUT_SECONDS", "4"))
        for name in ADDRESS:
            waiting.until(lambda: self.peer(name)["state"] == "stale", 10, f"{name} misses it")
        changed = []
        def watch():
            for name in ADDRESS:
                if self.answers(name) != before[name]:
                    changed.append((name, self.answers(name)))
            return self.peer("east")["silent_for_ms"] > seconds * 1000
        waiting.until(watch, seconds + 20, "the cut lasts")
        self.assertEqual(changed, [])
        self.assertRegex(self.cli("east", "peers").stdout, r"stale \d+s")
        # What people do meanwhile at either side is brought together later.
        self.override("east", "set", "bill", "bill-west", "drain", "--reason", "works")
        self.override("west", "set", "ocs", "ocs-east", "drain", "--reason", "works too")
        self.in_site("east", self.rules(cut, "end"))
        self.wait_for_sync()
        for name in ADDRESS:
            listed = self.control[name].get("/api/v1/overrides")["overrides"]
            self.assertEqual([each["object"] for each in listed], ["bill-west", "ocs-east"])
            self.override(name, "clear", "bill" if name == "east" else "ocs",
                          "bill-west" if name == "east" else "ocs-east")
        self.wait_for_sync()
        clients = self.clients()
        self.assertEqual(self.explained("east", clients), self.explained("west", clients))
        for name in ADDRESS:
            waiting.until(lambda: self.peer(name)["answers_differ"] == 0, 10, "answers agree")
            self.assertEqual(self.peer(name)["answers_differ_with_equal_inputs"], 0)

    def rules(self, cut, verb):
        """The nftables script of a cut, to be run in a site."""
        if verb == "end":
            return f"delete table ip {cut.TABLE}\n"
        (of,), (only,) = cut.of, cut.only
        return (f"table ip {cut.TABLE} {{\n"
                "  chain out { type filter hook output priority 0; policy accept;\n"
                f"    ip saddr {of} ip daddr {only} drop\n  }}\n"
                "  chain in { type filter hook input priority 0; policy accept;\n"
                f"    ip saddr {only} ip daddr {of} drop\n  }}\n}}\n")

    def in_site(self, name, script):
        path = f"{self.folder}/{name}.nft"
        gslb.write(path, script)
        program.run(self.site[name].argv(machine.debian("nft"), "-f", path), check=0)

    def test_a_fork_is_refused_and_shown(self):
        self.apply("east")
        self.wait_for_sync()
        self.assertEqual(self.apply("west", check=4).stdout, "")
        self.site["west"].cut()
        waiting.until(lambda: self.peer("east")["state"] == "stale", 10, "cut")
        # The old author goes on; the other one takes over.
        self.write_intent(zone=ZONE + "old IN A 192.0.2.91\n")
        self.apply("east")
        self.write_intent(zone=ZONE + "taken IN A 192.0.2.92\n")
        self.apply("west", "--take-authorship")
        self.assertEqual(self.version("west"), (2, 1))
        self.site["west"].heal()
        self.wait_for_sync()
        self.assertEqual(self.version("east"), (2, 1))
        self.assertEqual(self.dig("east", "+short", "old.example.net").strip(), "")
        self.assertIn("192.0.2.92", self.dig("east", "+short", "taken.example.net"))
        forked = [name for name in ADDRESS if self.node[name].events("intent_forked")]
        self.assertIn("east", forked)
        self.assertIn("FORK: 1.2", self.cli("east", "peers").stdout)
        # The old author may not publish any more.
        refused = self.apply("east", check=4)
        self.assertIn("the author of epoch 2 is gslb-west", refused.stderr)

    def test_a_whole_site_that_is_cut_off_keeps_its_answers(self):
        """West sees nothing of east and cannot know whether east is gone or itself is."""
        self.apply("east")
        self.wait_for_sync()
        self.site["west"].cut()
        for name in ADDRESS:
            waiting.until(lambda: self.peer(name)["state"] == "stale", 10, "cut")
        # Clients inside west still get west.
        self.assertIn(SERVICE["west"], self.dig("west", "+short", "ocs.example.net", at="west"))
        self.site["west"].heal()
        self.wait_for_sync()
        for name in ADDRESS:
            self.wait_for_answer(name, [SERVICE["west"]], 10)


class Requirements(Group):
    """A4.9 to A4.13; A4.8 stands above. IDC1 is east, IDC2 is west."""

    def setUp(self):
        super().setUp()
        self.apply("east")
        self.wait_for_sync()

    def test_a4_9_in_the_normal_state_all_get_idc2(self):
        for server in ADDRESS:
            for at in ADDRESS:
                got = self.dig(server, "+short", "ocs.example.net", at=at).split()
                self.assertEqual(got, [SERVICE["west"]], f"{server} asked from {at}")

    def test_a4_10_idc2_fails_and_idc1_answers_by_itself(self):
        self.node["west"].kill()
        self.service["west"].kill()
        waiting.until(lambda: self.dig("east", "+short", "ocs.example.net").split() ==
                      [SERVICE["east"]], 10, "IDC1 answers with itself")

    def test_a4_10_idc2_loses_all_its_servers(self):
        self.service["west"].kill()
        for server in ADDRESS:
            waiting.until(lambda: self.dig(server, "+short", "ocs.example.net").split() ==
                          [SERVICE["east"]], 10, f"{server} answers with IDC1")

    def test_a4_10_idc2s_gslb_alone_fails_and_its_services_stay(self):
        self.node["west"].kill()
        waiting.until(lambda: self.peer("east")["state"] == "stale", 10, "missed")
        self.assertEqual(self.answers("east"), [SERVICE["west"]], "silence is no failure")

    def test_a4_11_switched_back_to_idc2_when_it_is_well_and_somebody_says_so(self):
        self.service["west"].kill()
        for name in ADDRESS:
            self.wait_for_answer(name, [SERVICE["east"]], 10)
        self.cli("east", "drain", "ocs", "site:west", "--reason", "until it is checked")
        self.start_service("west")
        for name in ADDRESS:
            state = lambda: self.control[name].get("/api/v1/status")["services"][0]["targets"][1]
            waiting.until(lambda: state()["state"] == "up", 10, "well again")
            self.assertEqual(self.answers(name), [SERVICE["east"]], "the way back is a decision")
        # Either of them can be told.
        self.override("west", "clear", "ocs", "site:west")
        for name in ADDRESS:
            self.wait_for_answer(name, [SERVICE["west"]], 10)

    def test_a4_12_one_broken_domain_is_changed_by_hand_on_a_gslb(self):
        self.override("east", "set", "bill", "bill-west", "down", "--reason", "wrong tariffs")
        for name in ADDRESS:
            self.wait_for_answer(name, [SERVICE["east"]], 5, "bill.example.net")
            self.assertEqual(self.answers(name), [SERVICE["west"]], "the others stay")
        # Not the last site: that needs a word more, which is logged.
        refused = self.override("west", "set", "bill", "bill-east", "down", "--reason", "x", check=4)
        self.assertIn("without any site", refused.stderr)
        self.override("west", "set", "bill", "bill-east", "down", "--reason", "x", "--force")
        told = self.node["west"].events("override_set")
        self.assertIn("without any site", told[-1]["forced_past"])

    def test_a4_13_both_gslbs_are_name_servers_and_the_records_point_at_both(self):
        for server in ADDRESS:
            text = self.dig(server, "NS", "example.net")
            self.assertIn("flags: qr aa", text)
            for name, address in (("ns1.example.net.", ADDRESS["east"]),
                                  ("ns2.example.net.", ADDRESS["west"])):
                self.assertIn(name, text)
                self.assertEqual(self.dig(server, "+short", "A", name).split(), [address])
            shown = self.cli(server, "simulate", "--down", "west").stdout
            self.assertIn(SERVICE["east"], shown)
            shown = self.cli(server, "simulate", "--down", "east").stdout
            self.assertIn(SERVICE["west"], shown)


if __name__ == "__main__":
    network.enter_own_network()
    case.main()
