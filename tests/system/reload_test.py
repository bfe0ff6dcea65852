#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""500 reloads under load lose nothing, and a reload with a wrong file changes nothing."""
import json
import signal
import threading
import time

from support import case, dns, gslb, machine, program, slb
from support.gslb import write

RELOADS = 500
ZONE = """$ORIGIN example.net.
$TTL 60
@ IN SOA ns1 hostmaster %d 3600 600 86400 60
@ IN NS ns1
ns1 IN A 192.0.2.1
"""
HOSTS = "".join(f"h{i:05d} IN A 10.0.{i >> 8}.{i & 255}\n" for i in range(200))
CONFIG = gslb.HEAD + """sites: [idc1, idc2]
networks:
  prefixes:
    - {prefix: 10.1.0.0/16, sites: [idc2]}
zones:
  - {name: example.net, file: example.net.zone}
services:
  - name: www
    targets:
      - {name: one, site: idc1, addresses: [203.0.113.1]}
      - {name: two, site: idc2, addresses: [198.51.100.1]}
steered:
  - {name: www.example.net, service: www, ttl: {min: 5s, max: 5s}, filters: [override, up, nearest, failover]}
"""


class Asker(threading.Thread):
    """Asks one server without a pause and keeps what went wrong."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.client, self.over = client, threading.Event()
        self.asked, self.wrong, self.slowest = 0, [], 0.0

    def run(self):
        while not self.over.is_set():
            name, subnet, expected = (
                ("www.example.net", "10.1.2.0/24", ["198.51.100.1"]),
                ("www.example.net", "10.9.2.0/24", ["203.0.113.1"]),
                ("h00077.example.net", None, ["10.0.0.77"]))[self.asked % 3]
            tcp = self.asked % 50 == 49
            start = time.monotonic()
            try:
                got = self.client.ask(name, subnet=subnet, tcp=tcp).addresses()
                if got != expected:
                    self.wrong.append((name, got))
            except (AssertionError, OSError, dns.Malformed) as failure:
                self.wrong.append((name, tcp, repr(failure)))
            self.slowest = max(self.slowest, time.monotonic() - start)
            self.asked += 1

    def finish(self):
        self.over.set()
        self.join(10)


class GslbReload(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.gslb = gslb.Gslb(self, "gslb", CONFIG, {"example.net.zone": ZONE % 1 + HOSTS}).start()

    def test_500_reloads_lose_no_query(self):
        askers = [Asker(self.gslb.client(self.net.address(70, i))) for i in (1, 2)]
        for asker in askers:
            asker.start()
        for number in range(2, RELOADS + 2):
            write(f"{self.gslb.folder}/example.net.zone", ZONE % number + HOSTS)
            self.gslb.control.call("POST", "/api/v1/reload")
        for asker in askers:
            asker.finish()
        self.say(f"{RELOADS} reloads, {sum(a.asked for a in askers)} queries, slowest "
                 f"{max(a.slowest for a in askers) * 1000:.1f} ms")
        self.assertEqual([a.wrong for a in askers], [[], []])
        for asker in askers:
            self.assertGreater(asker.asked, RELOADS)
        soa = self.gslb.client().ask("example.net", "SOA").answer[0]
        self.assertIn((RELOADS + 1).to_bytes(4, "big"), soa.data, "the last serial is served")

    def test_sighup_reloads(self):
        write(f"{self.gslb.folder}/example.net.zone", ZONE % 7 + HOSTS + "new IN A 192.0.2.7\n")
        self.gslb.signal(signal.SIGHUP)
        self.gslb.wait_until(
            lambda: self.gslb.client().ask("new.example.net").addresses() == ["192.0.2.7"], 10,
            "the new name is served")

    def test_wrong_files_change_nothing(self):
        for text in (CONFIG.replace("service: www,", "service: gone,"), "node: ["):
            write(self.gslb.config_path, self.gslb.fill(text, self, self.gslb.folder))
            status, body = self.gslb.control.raw("POST", "/api/v1/reload")
            self.assertEqual(status, 422, body)
            self.assertTrue(json.loads(body)["findings"])
            reply = self.gslb.client().ask("www.example.net", subnet="10.1.2.0/24")
            self.assertEqual(reply.addresses(), ["198.51.100.1"])


class SlbReload(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.blades = [slb.Blade(self, f"b{i}", 30 + i).start() for i in (1, 2)]
        self.slb = slb.Slb(self, blades=self.blades).start()

    def test_500_reloads_lose_no_request(self):
        with open(self.slb.config_path) as config:
            text = config.read()
        load = slb.Load(self, [self.slb.address], "--connections", "4", "--rate", "2000",
                        "--duration", "120s", "--updates", "3").start()
        self.slb.wait_until(lambda: sum(b["requests"] for b in self.slb.blades_now().values()) > 500,
                            10, "load runs")
        for number in range(RELOADS):
            write(self.slb.config_path, text.replace("timeout: 700ms", f"timeout: {700 + number}ms"))
            self.slb.control.call("POST", "/api/v1/reload")
        self.assertTrue(load.alive(), "the load was shorter than the reloads")
        load.signal(signal.SIGTERM)
        report = load.report()
        self.say(f"{RELOADS} reloads, {report['sent']} requests, max latency "
                 f"{report['latency_us']['max'] / 1000:.1f} ms")
        self.assertEqual((report["lost"], report["duplicate"], report["unexpected"],
                          report["sessions_moved"]), (0, 0, 0, 0))
        self.assertEqual(report["answered"], report["sent"])
        self.assertEqual(set(report["result_codes"]), {"2001"})
        self.assertGreater(report["sent"], 1000)

    def test_wrong_files_change_nothing(self):
        with open(self.slb.config_path) as config:
            text = config.read()
        write(self.slb.config_path, text.replace("balance: volume", "balance: guess"))
        status, body = self.slb.control.raw("POST", "/api/v1/reload")
        self.assertEqual(status, 422, body)
        self.assertTrue(json.loads(body)["findings"])
        client = self.slb.client()
        self.addCleanup(client.close)
        self.assertEqual(len(client.charge("s;1;1")), 1)


if __name__ == "__main__":
    case.main()
