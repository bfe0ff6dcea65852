#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wrong configuration ends with exit code 2 and names file, line, column and key."""
import os
import re

from support import case, machine, program
from support.gslb import write

GSLB = """node: gslb-test
site: east
listen:
  - 127.0.0.1:5399
workers: 1
tcp: {idle: 10s, max_connections: 4096}
control: {socket: control.sock}
state: {directory: state}
sites: [east, west]
networks:
  prefixes:
    - {prefix: 10.1.0.0/16, sites: [east]}
zones:
  - {name: example.net, file: example.net.zone}
checks:
  - {name: web, type: http, port: 8440, path: /readyz, interval: 1s, timeout: 500ms}
services:
  - name: ocs
    targets:
      - {name: a, site: east, addresses: [192.0.2.1], checks: [web]}
      - {name: b, site: west, addresses: [192.0.2.2], weight: 5, checks: [web]}
steered:
  - name: ocs.example.net
    service: ocs
    ttl: {min: 5s, max: 30s}
    all_down: open
    filters: [override, up, nearest, failover]
"""
# What is replaced, by what, and how the finding must begin behind its place: with the key. The
# finding's line is the first one that differs from the good file.
GSLB_CASES = [
    ("node: gslb-test\n", "", "$: key 'node'"),
    ("\nsite: east", "\nsite: north", "$.site"),
    ("127.0.0.1:5399", "127.0.0.1:99999", "$.listen[0]"),
    ("127.0.0.1:5399", "localhost:53", "$.listen[0]"),
    ("workers: 1", "workers: 0", "$.workers"),
    ("idle: 10s", "idle: 10", "$.tcp.idle"),
    ("max_connections", "max_conections", "$.tcp: unknown key 'max_conections'"),
    ("sites: [east, west]", "sites: [east, east]", "$.sites[1]"),
    ("10.1.0.0/16", "10.1.0.0/33", "$.networks.prefixes[0].prefix"),
    ("file: example.net.zone", "file: missing.zone", "$.zones[0].file"),
    ("type: http", "type: icmp", "$.checks[0].type"),
    ("timeout: 500ms", "timeout: 5s", "$.checks[0].timeout"),
    ("addresses: [192.0.2.1]", "addresses: [192.0.2.256]", "$.services[0].targets[0].addresses[0]"),
    ("checks: [web]}\n      - {name: b", "checks: [ping]}\n      - {name: b",
     "$.services[0].targets[0].checks[0]"),
    ("service: ocs", "service: ocx", "$.steered[0].service"),
    ("min: 5s, max: 30s", "min: 40s, max: 30s", "$.steered[0].ttl"),
    ("all_down: open", "all_down: perhaps", "$.steered[0].all_down"),
    ("[override, up, nearest, failover]", "[override, up, closest]", "$.steered[0].filters[2]"),
]
ZONE = "@ 60 IN SOA ns h 1 2 3 4 5\n@ 60 IN NS ns\nns 60 IN A 192.0.2.53\n"

SLB = """node: slb-test
identity: {host: slb.example.net, realm: example.net}
listen: [127.0.0.1:3899]
control: {socket: control.sock}
state: {directory: state}
clients: {max_connections: 1024, watchdog: 30s, hosts: ["*.access.example.net"]}
applications: [relay]
request: {timeout: 700ms, tries: 3, suspect_after: 400ms}
pending_per_blade: 65536
sessions: {idle: 1h, capacity: 1000000}
balance: volume
blade_link: {watchdog: 6s, reconnect: {min: 100ms, max: 5s}}
blades:
  - {name: b1, address: 127.0.0.31:3868}
  - {name: b2, address: 127.0.0.32:3868}
"""
SLB_CASES = [
    ("node: slb-test\n", "", "$: key 'node'"),
    ("host: slb.example.net", 'host: ""', "$.identity.host"),
    ("realm: example.net", "realms: example.net", "$.identity"),
    ("[127.0.0.1:3899]", "[127.0.0.1]", "$.listen[0]"),
    ("[127.0.0.1:3899]", "[]", "$.listen"),
    ("max_connections: 1024", "max_connections: many", "$.clients.max_connections"),
    ("watchdog: 30s", "watchdog: 30", "$.clients.watchdog"),
    ("applications: [relay]", "applications: [fax]", "$.applications[0]"),
    ("timeout: 700ms", "timeout: -1ms", "$.request.timeout"),
    ("tries: 3", "tries: 0", "$.request.tries"),
    ("pending_per_blade: 65536", "pending_per_blade: 0", "$.pending_per_blade"),
    ("capacity: 1000000", "capacity: 1e6x", "$.sessions.capacity"),
    ("balance: volume", "balance: guess", "$.balance"),
    ("min: 100ms, max: 5s", "min: 10s, max: 5s", "$.blade_link.reconnect"),
    ("127.0.0.32:3868", "127.0.0.999:3868", "$.blades[1].address"),
    ("name: b2", "name: b1", "$.blades[1]"),
    ("blades:\n", "balde: 1\nblades:\n", "$: unknown key 'balde'"),
]


def first_difference(good, bad):
    lines = zip(good.splitlines() + [""], bad.splitlines() + [""])
    return next(number for number, (a, b) in enumerate(lines, 1) if a != b)


class WrongConfiguration(case.SystemCase):
    def check_all(self, name, good, cases):
        self.assertGreaterEqual(len(cases), 15)
        for number, (old, new, key) in enumerate(cases):
            self.assertEqual(good.count(old), 1, old)
            with self.subTest(program=name, edit=new or f"without {old.strip()}"):
                self.check_one(name, number, good, good.replace(old, new), key)

    def check_one(self, name, number, good, bad, key):
        path = f"{self.folder}/{name}-{number}.yaml"
        write(path, bad)
        for option in ("--check", "--config"):
            done = program.run([machine.ours(name), option, path], seconds=10)
            self.assertEqual(done.returncode, 2, done.stderr)
            findings = re.findall(rf"(?m)^{re.escape(path)}:(\d+):(\d+): (\$\S*): (.+)$", done.stderr)
            self.assertTrue(findings, f"no finding in: {done.stderr}")
            told = [f"{found}: {text}" for _, _, found, text in findings]
            self.assertTrue(any(text.startswith(key) for text in told), told)
            # What is missing is reported where its map begins.
            if "is missing" not in told[0]:
                lines = [int(at) for at, *_ in findings]
                self.assertIn(first_difference(good, bad), lines, findings)
            self.assertTrue(all(int(column) > 0 for _, column, *_ in findings))

    def check_good(self, name, text):
        path = f"{self.folder}/{name}.yaml"
        write(path, text)
        done = program.run([machine.ours(name), "--check", path], seconds=10)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_gslb(self):
        write(f"{self.folder}/example.net.zone", ZONE)
        self.check_good("twinsite-gslb", GSLB)
        self.check_all("twinsite-gslb", GSLB, GSLB_CASES)

    def test_slb(self):
        self.check_good("twinsite-slb", SLB)
        self.check_all("twinsite-slb", SLB, SLB_CASES)

    def test_a_broken_zone_file_is_named_with_its_line(self):
        write(f"{self.folder}/example.net.zone", ZONE + "www 60 IN A 192.0.2.999\n")
        path = f"{self.folder}/gslb.yaml"
        write(path, GSLB)
        done = program.run([machine.ours("twinsite-gslb"), "--check", path], seconds=10)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"example\.net\.zone:4")

    def test_a_file_that_is_not_there_or_not_yaml(self):
        for name in ("twinsite-gslb", "twinsite-slb"):
            gone = program.run([machine.ours(name), "--check", f"{self.folder}/gone.yaml"])
            self.assertEqual(gone.returncode, 2)
            self.assertIn("gone.yaml", gone.stderr)
            path = f"{self.folder}/broken.yaml"
            write(path, "node: [unclosed\nsite: x\n")
            broken = program.run([machine.ours(name), "--check", path])
            self.assertEqual(broken.returncode, 2)
            self.assertRegex(broken.stderr, rf"{re.escape(os.path.basename(path))}:\d+:\d+")


if __name__ == "__main__":
    case.main()
