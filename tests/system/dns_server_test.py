#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The DNS server as clients meet it: options of EDNS with dig and kdig, broken queries byte by byte
(G-T4, G-T9, G-T10), TCP, the rate limit, the log of queries, dnstap, and a program that is replaced
while it answers."""
import os
import re
import socket
import stat
import struct
import threading
import time

from support import case, dns, gslb, machine, program, waiting

HEAD = gslb.HEAD + """tcp: {idle: 20s, max_connections: 2000}
edns: {ipv4_payload_bytes: 1232}
identity: {nsid: ns-east, id: east-1, version: "a name server"}
sites: [idc1, idc2]
networks:
  prefixes:
    - {prefix: 10.1.0.0/16, sites: [idc1]}
zones:
  - {name: t.example, file: t.example.zone}
services:
  - name: www
    targets:
      - {name: www1, site: idc1, addresses: [203.0.113.1]}
      - {name: www2, site: idc2, addresses: [198.51.100.1]}
steered:
  - name: www.t.example
    service: www
    ttl: {min: 5s, max: 30s}
    filters: [override, up, nearest, failover]
"""
ZONE = """$ORIGIN t.example.
$TTL 3600
@ IN SOA ns hostmaster 1 3600 600 86400 60
@ IN NS ns
ns IN A 192.0.2.53
host IN A 192.0.2.80
""" + "".join(f"many IN A 10.0.0.{i}\n" for i in range(1, 101))
COOKIE, NSID, KEEPALIVE, EDE = 10, 3, 11, 15


class ServerCase(case.SystemCase):
    EXTRA = ""

    def setUp(self):
        super().setUp()
        self.gslb = gslb.Gslb(self, "gslb", HEAD + self.EXTRA, {"t.example.zone": ZONE}).start()
        self.client = self.gslb.client()

    def dig(self, *words, tool="dig"):
        tries = ["+tries=1", "+time=3"] if tool == "dig" else ["+retry=0", "+timeout=3"]
        done = program.run([machine.debian(tool), f"@{self.gslb.address}", "-p",
                            str(self.gslb.port), *tries, *words], check=0)
        return done.stdout


class Options(ServerCase):
    def test_dig_is_given_a_cookie_and_shows_it_again(self):
        first = self.dig("+cookie", "host.t.example")
        cookie = re.search(r"COOKIE: ([0-9a-f]{48}) \(good\)", first)
        self.assertTrue(cookie, first)
        again = self.dig(f"+cookie={cookie.group(1)}", "host.t.example")
        self.assertRegex(again, r"COOKIE: [0-9a-f]{48} \(good\)")
        self.assertEqual(self.gslb.control.metrics()["twinsite_gslb_cookie_valid_total"], 1)

    def test_kdig_is_told_nsid_and_keepalive(self):
        self.assertIn("ns-east", self.dig("+nsid", "host.t.example", tool="kdig"))
        told = self.dig("+tcp", "+keepopen", "+nsid", "+cookie", "host.t.example", "host.t.example",
                        tool="kdig")
        self.assertEqual(told.count("192.0.2.80"), 2)
        options = dict(self.client.ask("host.t.example", tcp=True, options=[(KEEPALIVE, b"")]).options)
        self.assertEqual(options[KEEPALIVE], struct.pack(">H", 200))
        options = dict(self.client.ask("host.t.example", options=[(KEEPALIVE, b"")]).options)
        self.assertNotIn(KEEPALIVE, options)

    def test_dig_learns_who_we_are_and_why_it_is_refused(self):
        for name, text in (("id.server", "east-1"), ("hostname.bind", "east-1"),
                           ("version.bind", "a name server")):
            self.assertEqual(self.dig("+short", "CH", "TXT", name).strip(), f'"{text}"')
        self.assertIn("REFUSED", self.dig("CH", "TXT", "authors.bind"))
        refused = self.dig("www.elsewhere.test")
        self.assertIn("REFUSED", refused)
        self.assertRegex(refused, r"EDE: 20 \(Not Authoritative\)")

    def test_any_is_answered_with_one_rrset(self):
        reply = self.client.ask("t.example", "ANY")
        self.assertEqual(len({record.type for record in reply.answer}), 1)
        self.assertEqual(len(self.client.ask("t.example", "ANY", tcp=True).answer), 1)

    def test_secrets_change_in_stages_and_no_client_loses_its_cookie(self):
        client = bytes(range(8))

        def ask(cookie):
            return dict(self.client.ask("host.t.example", options=[(COOKIE, cookie)]).options)[COOKIE]

        def valid():
            return self.gslb.control.metrics()["twinsite_gslb_cookie_valid_total"]

        old = ask(client)
        staged = self.gslb.control.call("PUT", "/api/v1/cookies/other", {})
        self.assertRegex(staged["secret"], "^[0-9a-f]{32}$")
        ask(old)
        self.assertEqual(valid(), 1)
        promoted = self.gslb.control.call("POST", "/api/v1/cookies/promote")
        self.assertEqual(promoted["current"], staged["other"])
        new = ask(old)
        self.assertEqual(valid(), 2)
        self.gslb.control.call("DELETE", "/api/v1/cookies/other")
        ask(old)
        self.assertEqual(valid(), 2)
        ask(new)
        self.assertEqual(valid(), 3)
        path = f"{self.folder}/gslb/state/cookie-secrets"
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path) as kept:
            self.assertEqual(kept.read(), staged["secret"] + "\n")
        self.gslb.stop()
        self.gslb.start()
        ask(new)
        self.assertEqual(valid(), 1, "the secret outlives the program")

    def test_the_last_queries_are_told(self):
        self.client.ask("www.t.example", subnet="10.1.0.0/16")
        self.client.ask("gone.t.example", "AAAA", tcp=True)
        queries = self.gslb.control.get("/api/v1/queries?last=50")["queries"]
        steered = next(q for q in queries if q["name"] == "www.t.example.")
        self.assertEqual((steered["type"], steered["rcode"], steered["transport"]),
                         ("A", "NOERROR", "udp"))
        self.assertEqual(steered["steered"], "www.t.example.")
        gone = next(q for q in queries if q["name"] == "gone.t.example.")
        self.assertEqual((gone["rcode"], gone["transport"]), ("NXDOMAIN", "tcp"))
        self.assertTrue(gone["client"].startswith(self.net.prefix) or
                        gone["client"].startswith("127."))


class BrokenQueries(ServerCase):
    def test_G_T4_malformed_client_subnets(self):
        wrong = {"four bytes for /24": struct.pack(">HBB4s", 1, 24, 0, bytes([10, 1, 9, 0])),
                 "/33": struct.pack(">HBB5s", 1, 33, 0, bytes([10, 1, 9, 0, 0])),
                 "bits beyond the length": struct.pack(">HBB3s", 1, 23, 0, bytes([10, 1, 9])),
                 "family 3": struct.pack(">HBB3s", 3, 24, 0, bytes([10, 1, 8])),
                 "scope in a query": struct.pack(">HBB3s", 1, 24, 24, bytes([10, 1, 8]))}
        for what, data in wrong.items():
            for tcp in (False, True):
                reply = self.client.ask("www.t.example", tcp=tcp, options=[(dns.ECS, data)])
                self.assertEqual(reply.rcode, dns.RCODES["FORMERR"], what)
                self.assertIsNotNone(reply.opt, what)
                self.assertIsNone(reply.ecs(), what)

    def test_G_T9_truncation(self):
        plain = self.client.ask("many.t.example", edns=False)
        self.assertTrue(plain.tc)
        self.assertFalse(plain.answer or plain.authority or plain.additional or plain.opt)
        for size in (512, 1232, 4096):
            cut = self.client.ask("many.t.example", size=size)
            self.assertTrue(cut.tc, size)
            self.assertFalse(cut.answer)
            self.assertIsNotNone(cut.opt)
        for options in ({"edns": False}, {"size": 512}, {"size": 1232}):
            whole = self.client.ask("many.t.example", tcp=True, **options)
            self.assertFalse(whole.tc)
            self.assertEqual(len(whole.answer), 100)
        self.assertRegex(self.dig("+ignore", "+bufsize=512", "many.t.example"), r"flags: qr aa tc")
        self.assertEqual(self.dig("+short", "+bufsize=512", "many.t.example").count("10.0.0."), 100)

    def test_G_T10_versions_opcodes_counts_and_case(self):
        reply = self.client.ask("t.example", "SOA", version=1, options=[(65001, b"abc")])
        self.assertEqual(reply.rcode, dns.RCODES["BADVERS"])
        self.assertEqual((reply.opt.ttl >> 16) & 0xff, 0)
        self.assertFalse(reply.answer or reply.options)
        query = bytearray(dns.query("wWw.T.eXample"))
        mixed = self.client.udp_raw(bytes(query))
        self.assertIn(dns.encode_name("wWw.T.eXample"), mixed)
        query[2:4] = struct.pack(">H", 15 << 11 | 0x07f0)
        refused = self.client.udp_raw(bytes(query))
        self.assertEqual(refused[2:], struct.pack(">HHHHH", 0x8000 | 15 << 11 | 4, 0, 0, 0, 0))
        query[2:6] = struct.pack(">HH", 0, 2)
        self.assertEqual(self.client.udp_raw(bytes(query))[3] & 15, dns.RCODES["FORMERR"])
        ignored = self.client.ask("host.t.example", options=[(65001, b"abc"), (65002, b"")])
        self.assertEqual((ignored.rcode, ignored.options), (0, []))


class Tcp(ServerCase):
    def test_pipelined_queries_are_answered_in_order_by_few_writes(self):
        with socket.create_connection((self.gslb.address, self.gslb.port), 5) as one:
            one.sendall(b"".join(struct.pack(">H", len(q)) + q for q in
                                 (dns.query("host.t.example", ident=i) for i in range(100))))
            for ident in range(100):
                self.assertEqual(struct.unpack(">H", dns.read_tcp_message(one)[:2])[0], ident)

    def test_a_burst_of_a_thousand_connections_is_served_at_once(self):
        begin = time.monotonic()
        message = dns.query("host.t.example", ident=7)
        connections = []
        try:
            for _ in range(1000):
                one = socket.socket()
                one.setblocking(False)
                one.connect_ex((self.gslb.address, self.gslb.port))
                connections.append(one)
            for one in connections:
                one.settimeout(5)
                one.sendall(struct.pack(">H", len(message)) + message)
            for one in connections:
                self.assertEqual(dns.read_tcp_message(one)[:2], message[:2])
        finally:
            for one in connections:
                one.close()
        took = time.monotonic() - begin
        self.say(f"1,000 connections in {took * 1000:.0f} ms")
        self.assertLess(took, 1.0, "a full backlog costs a second: the SYN is sent again")

    def test_the_longest_idle_makes_room(self):
        with socket.create_connection((self.gslb.address, self.gslb.port), 5) as idle:
            others = [socket.create_connection((self.gslb.address, self.gslb.port), 5)
                      for _ in range(2000)]
            try:
                self.assertEqual(idle.recv(1), b"")
            finally:
                for one in others:
                    one.close()


class RateLimit(ServerCase):
    EXTRA = "rate_limit: {responses_per_second: 20, slip: 2}\n"

    def test_a_flood_is_cut_but_a_good_cookie_and_tcp_pass(self):
        flood = [dns.query("host.t.example", ident=i) for i in range(300)]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.settimeout(0.5)
            one.connect((self.gslb.address, self.gslb.port))
            whole = cut = 0
            for query in flood:
                one.send(query)
            try:
                while True:
                    reply = dns.Message(one.recv(4096))
                    whole, cut = whole + (not reply.tc), cut + reply.tc
                    self.assertEqual(len(reply.answer), 0 if reply.tc else 1)
                    self.assertIsNotNone(reply.opt)
            except TimeoutError:
                pass
        self.assertLessEqual(whole, 60, "at most three seconds of it")
        self.assertGreater(cut, 80)
        self.assertLess(whole + cut, 250)
        cookie = b""
        for _ in range(40):  # the first must come through too
            raw = self.client.udp_raw(dns.query("host.t.example", options=[(COOKIE, b"12345678")]))
            if raw and dict(dns.Message(raw).options).get(COOKIE):
                cookie = dict(dns.Message(raw).options)[COOKIE]
                break
        for _ in range(100):
            self.assertFalse(self.client.ask("host.t.example", options=[(COOKIE, cookie)]).tc)
        for _ in range(50):
            self.assertEqual(len(self.client.ask("host.t.example", tcp=True).answer), 1)
        metrics = self.gslb.control.metrics()
        self.assertGreaterEqual(metrics['twinsite_gslb_rate_limited_total{action="cut"}'], cut)
        self.assertGreater(metrics['twinsite_gslb_rate_limited_total{action="dropped"}'], 0)


class Dnstap(ServerCase):
    EXTRA = "dnstap: {socket: dnstap.sock}\n"

    def test_a_reader_gets_queries_and_replies_and_may_come_late(self):
        self.client.ask("host.t.example")  # nobody reads yet
        log = f"{self.folder}/out.dnstap"
        reader = program.Program("reader", [machine.debian("fstrm_capture"), "-t",
                                            "protobuf:dnstap.Dnstap", "-u",
                                            f"{self.folder}/gslb/dnstap.sock", "-w", log], self.folder)
        self.own(reader).start()

        def frames_came():
            self.client.ask("host.t.example")
            self.client.ask("many.t.example", tcp=True)
            return os.path.exists(log) and os.path.getsize(log) > 20_000
        waiting.until(frames_came, 20, "frames in the file")
        self.gslb.stop()
        reader.stop()
        text = program.run([machine.debian("dnstap-ldns"), "-q", "-r", log], check=0).stdout
        self.assertRegex(text, r"AQ .* UDP \d+b \"host\.t\.example\.\" IN A")
        self.assertRegex(text, r"AR .* UDP \d+b \"host\.t\.example\.\" IN A")
        self.assertRegex(text, r"AR .* TCP \d+b \"many\.t\.example\.\" IN A")


class Load(threading.Thread):
    """Asks over UDP from several sockets without a pause and counts what is lost."""

    def __init__(self, gslb_):
        super().__init__()
        self.target, self.stopping = (gslb_.address, gslb_.port), threading.Event()
        self.answered = self.lost = 0

    def run(self):
        sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(8)]
        message = dns.query("host.t.example", ident=9)
        for one in sockets:
            one.settimeout(2)
            one.connect(self.target)
        while not self.stopping.is_set():
            for one in sockets:
                one.send(message)
            for one in sockets:
                try:
                    one.recv(4096)
                    self.answered += 1
                except OSError:
                    self.lost += 1
        for one in sockets:
            one.close()

    def finish(self):
        self.stopping.set()
        self.join()


class Replacement(ServerCase):
    EXTRA = "workers: 2\n"

    def successor(self, name, config=None):
        argv = list(self.gslb.argv) + ["--replace"]
        if config:
            argv[argv.index("--config") + 1] = config
        return self.own(program.Program(name, argv, self.gslb.folder)).start()

    def count(self):
        return self.gslb.control.metrics()['twinsite_gslb_queries_total{transport="udp"}']

    def test_a_program_is_replaced_under_load_and_no_query_is_lost(self):
        load = Load(self.gslb)
        load.start()
        self.addCleanup(load.finish)
        current = self.gslb
        for round_ in range(5):
            waiting.until(lambda: load.answered > 500 * (round_ + 1), 20, "some load")
            following = self.successor(f"gslb-{round_}")
            self.assertEqual(current.process.wait(15), 0, current.tail())
            following.wait_until(self.gslb.control.ready, 10, "the successor is ready")
            current = following
        load.finish()
        self.assertEqual(load.lost, 0)
        self.assertGreaterEqual(self.count(), load.answered, "counts are handed over")
        self.say(f"5 replacements, {load.answered} answers, {load.lost} lost")

    def test_the_program_starts_its_own_successor(self):
        load = Load(self.gslb)
        load.start()
        self.addCleanup(load.finish)
        waiting.until(lambda: load.answered > 500, 20, "some load")
        process = self.gslb.control.call("POST", "/api/v1/replace", status=202)["process"]
        self.addCleanup(lambda: os.path.exists(f"/proc/{process}") and os.kill(process, 15))
        self.assertEqual(self.gslb.process.wait(15), 0, self.gslb.tail())
        waiting.until(self.gslb.control.ready, 10, "the successor is ready")
        self.assertTrue(os.path.samefile(f"/proc/{process}/exe", self.gslb.argv[0]))
        load.finish()
        self.assertEqual(load.lost, 0)

    def test_a_successor_that_fails_leaves_the_old_one_serving(self):
        broken = f"{self.gslb.folder}/broken.yaml"
        with open(self.gslb.config_path) as good, open(broken, "w") as out:
            out.write(good.read().replace(f"\"{self.gslb.address}:5300\"",
                                          f"\"{self.gslb.address}:5300\", 192.0.2.77:53"))
        load = Load(self.gslb)
        load.start()
        self.addCleanup(load.finish)
        failed = self.successor("broken", broken)
        self.assertEqual(failed.process.wait(15), 1, failed.tail())
        waiting.until(lambda: self.gslb.events("handover_given_up"), 5, "the old one notices")
        before = load.answered
        waiting.until(lambda: load.answered > before + 500, 20, "it serves on")
        load.finish()
        self.assertEqual(load.lost, 0)
        self.assertTrue(self.gslb.alive())
        self.gslb.control.get("/api/v1/status")
        good = self.successor("good")
        self.assertEqual(self.gslb.process.wait(15), 0)
        good.wait_until(self.gslb.control.ready, 10, "the second try is ready")

    def test_without_a_server_there_is_nothing_to_replace(self):
        self.gslb.stop()
        alone = self.successor("alone")
        self.assertEqual(alone.process.wait(10), 1)
        self.assertIn("cannot take over", alone.log())


if __name__ == "__main__":
    case.main()
