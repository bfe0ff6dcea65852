#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What moves answers, in the real program: health, operators' overrides, restarts and reloads; and
that `explain` tells what dig gets."""
import http.server
import os
import re
import socket
import ssl
import threading
import time
import urllib.parse

from support import case, dns, gslb, machine, program, waiting

ZONE = """$ORIGIN example.net.
$TTL 300
@ IN SOA ns1 hostmaster 1 3600 600 86400 60
@ IN NS ns1
ns1 IN A 192.0.2.1
www IN A 192.0.2.80
txt IN TXT "one" "two \\"quoted\\""
alias IN CNAME ocs
away IN CNAME www.example.org.
*.wild IN MX 10 www
deep.er.empty IN A 192.0.2.9
sub IN NS ns.example.org.
"""
CONFIG = gslb.HEAD.replace("idc1", "east") + """sites: [east, west]
networks:
  prefixes:
    - {prefix: 10.1.0.0/16, sites: [east]}
    - {prefix: 10.1.2.0/24, sites: [west]}
    - {prefix: 10.2.0.0/16, sites: [west]}
    - {prefix: "2001:db8:2::/48", sites: [west]}
zones:
  - {name: example.net, file: example.net.zone}
checks:
  - {name: ready, type: http, port: 8440, path: /readyz, interval: 300ms, timeout: 200ms,
     up_threshold: 2, ok_threshold: 2, down_threshold: 2}
services:
  - name: ocs
    targets:
      - {name: ocs-east, site: east, addresses: ["@NET@.1.20"], checks: [ready]}
      - {name: ocs-west, site: west, addresses: ["@NET@.2.20"], checks: [ready]}
steered:
  - name: ocs.example.net
    service: ocs
    ttl: {min: 5s, max: 30s}
    filters: [override, up, nearest, failover]
  - name: all.example.net
    service: ocs
    filters: [override, up, nearest]
  - name: closed.example.net
    service: ocs
    all_down: closed
    filters: [override, up, failover]
"""


class Target:
    """Stands for an slb: answers /readyz, until it is stopped."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    def __init__(self, address):
        self.address = address
        self.server = None

    def start(self):
        self.server = http.server.ThreadingHTTPServer((self.address, 8440), self.Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
        self.server = None


class Control(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.east, self.west = self.net.address(1, 20), self.net.address(2, 20)
        self.targets = [Target(self.east).start(), Target(self.west).start()]
        for target in self.targets:
            self.addCleanup(target.stop)
        self.gslb = gslb.Gslb(self, "gslb", CONFIG, {"example.net.zone": ZONE}).start()

    def answer(self, subnet="10.1.0.0/16"):
        return self.gslb.client().ask("ocs.example.net", subnet=subnet).addresses()

    def wait_for(self, addresses, seconds, what):
        began = time.monotonic()
        self.gslb.wait_until(lambda: self.answer() == addresses, seconds, what)
        return time.monotonic() - began

    def override(self, thing, state="down", status=200, query="", **more):
        body = dict(state=state, reason="test", author="tester", **more)
        return self.gslb.control.call("PUT", f"/api/v1/overrides/ocs/{thing}{query}", body, status)

    # ------------------------------------------------------------ explain

    def dig(self, name, qtype, subnet, source):
        words = [f"+subnet={subnet}"] if subnet else []
        done = program.run([machine.debian("dig"), f"@{self.gslb.address}", "-p", "5300", "-b", source,
                            "+tries=1", "+time=3", "+norecurse", name, qtype, *words], check=0)
        scope = re.search(r"CLIENT-SUBNET: \S+/\d+/(\d+)", done.stdout)
        answer = re.search(r";; ANSWER SECTION:\n(.*?)\n\n", done.stdout, re.S)
        records = [line.split(None, 4) for line in answer[1].splitlines()] if answer else []
        return {"rcode": re.search(r"status: (\w+)", done.stdout)[1],
                "scope": int(scope[1]) if scope else None,
                "answers": [record[4] for record in records],
                "ttl": min((int(record[1]) for record in records), default=None)}

    def explain(self, name, qtype, subnet, source):
        query = {"name": name, "type": qtype, "client": source}
        if subnet:
            query["subnet"] = subnet
        return self.gslb.control.get("/api/v1/explain?" + urllib.parse.urlencode(query))

    STEERED = [("ocs", "A"), ("ocs", "AAAA"), ("all", "A"), ("closed", "A"), ("alias", "A")]

    def compare(self, questions):
        clients = [(subnet, self.net.address(70, 1)) for subnet in
                   (None, "10.1.0.0/16", "10.1.2.0/24", "10.1.9.0/24", "10.2.0.0/16", "10.0.0.0/8",
                    "0.0.0.0/0", "2001:db8:2::/48")]
        for label, qtype in questions:
            name = f"{label}.example.net." if label else "example.net."
            for subnet, source in clients:
                told, seen = (ask(name, qtype, subnet, source) for ask in (self.explain, self.dig))
                where = f"{name} {qtype} {subnet}: {told['text']}"
                self.assertEqual(told["answers"], seen["answers"], where)
                self.assertEqual((told["rcode"], told["scope"]), (seen["rcode"], seen["scope"]), where)
                if seen["ttl"] is not None:
                    self.assertEqual(told["ttl_s"], seen["ttl"], where)

    def test_explain_tells_what_dig_gets_in_every_state(self):
        self.compare(self.STEERED + [
            ("www", "A"), ("txt", "TXT"), ("away", "A"), ("x.wild", "MX"), ("empty", "A"),
            ("none", "A"), ("a.sub", "A"), ("", "SOA"), ("", "NS"), ("ocs", "TXT")])
        self.targets[0].stop()
        self.wait_for([self.west], 3, "west answers for the dead east")
        self.compare(self.STEERED)
        self.override("ocs-east", "up")
        self.compare(self.STEERED)
        self.override("ocs-west", "down", query="?force=1")
        self.override("ocs-east", "drain", query="?force=1")
        self.compare(self.STEERED)

    # ------------------------------------------------------------ health

    def test_a_dead_target_leaves_within_the_probes_bound_and_comes_back(self):
        self.targets[0].stop()
        # down_threshold * interval + timeout + 20 ms of coalescing, and a second for a busy machine.
        gone = self.wait_for([self.west], 1.9, "west answers for the dead east")
        self.targets[0].start()
        back = self.wait_for([self.east], 2.4, "east answers again")
        self.say(f"gone after {gone * 1000:.0f} ms, back after {back * 1000:.0f} ms")
        changes = [(e["target"], e["to"]) for e in self.gslb.events("target_state_changed")
                   if e["from"] != "unknown"]
        self.assertEqual(changes, [("ocs-east", "down"), ("ocs-east", "up")])

    def test_health_is_remembered_over_a_crash(self):
        self.targets[0].stop()
        self.wait_for([self.west], 3, "west answers for the dead east")
        self.gslb.kill()
        seen = []

        def first_answer():
            seen.extend(self.try_answer())
            return seen

        program.Program.start(self.gslb)
        self.gslb.wait_until(first_answer, 5, "an answer")
        self.assertEqual(seen, [self.west], "not all up before the first check")

    def try_answer(self):
        try:
            return self.gslb.client(timeout=0.05).ask("ocs.example.net", subnet="10.1.0.0/16").addresses()
        except (OSError, AssertionError):
            return []

    # ------------------------------------------------------------ overrides

    def test_overrides_steer_survive_a_crash_and_expire(self):
        self.override("site:east", "down", ttl_s=600)
        self.assertEqual(self.answer(), [self.west])
        self.override("ocs-west", "down", status=409)
        self.override("ocs-wets", "down", status=404)
        self.gslb.kill()
        self.gslb.start()
        self.assertEqual(self.answer(), [self.west])
        listed = self.gslb.control.get("/api/v1/overrides")["overrides"]
        self.assertEqual([(o["object"], o["state"], o["author"]) for o in listed],
                         [("site:east", "down", "tester")])
        self.assertTrue(590 <= listed[0]["ttl_s"] <= 600, listed)
        self.gslb.control.call("DELETE", "/api/v1/overrides/ocs/site:east")
        self.assertEqual(self.answer(), [self.east])
        self.override("ocs-east", "drain", ttl_s=1)
        self.assertEqual(self.answer(), [self.west])
        self.wait_for([self.east], 2, "the override ends by itself")
        self.assertEqual(len(self.gslb.events("override_expired")), 1)

    # ------------------------------------------------------------ reload

    def rewrite(self, old, new):
        with open(self.gslb.config_path) as file:
            text = file.read()
        self.assertIn(old, text)
        gslb.write(self.gslb.config_path, text.replace(old, new))

    def reload(self, status=200):
        return self.gslb.control.call("POST", "/api/v1/reload", status=status)

    def test_a_reload_moves_listeners_and_keeps_what_stays(self):
        other = self.net.address(1, 11)
        self.rewrite(f'listen: ["{self.gslb.address}:5300"]',
                     f'listen: ["{self.gslb.address}:5300", "{other}:5301"]')
        self.override("ocs-east", "down")
        self.reload()
        client = dns.Client(other, 5301, timeout=1)
        for tcp in (False, True):
            reply = client.ask("ocs.example.net", tcp=tcp, subnet="10.1.0.0/16")
            self.assertEqual(reply.addresses(), [self.west], "overrides outlive the reload")
        self.rewrite(f'"{self.gslb.address}:5300", ', "")
        self.reload()
        self.assertFalse(dns.Client(self.gslb.address, 5300, timeout=0.2).answers())
        self.assertEqual(client.ask("www.example.net").addresses(), ["192.0.2.80"])

    def test_a_reload_that_cannot_listen_changes_nothing(self):
        taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.addCleanup(taken.close)
        taken.bind((self.net.address(1, 12), 5300))
        taken.listen()
        before = self.gslb.control.get("/api/v1/status")["snapshot"]
        self.rewrite(f'listen: ["{self.gslb.address}:5300"]',
                     f'listen: ["{self.gslb.address}:5300", "{self.net.address(1, 12)}:5300"]')
        problem = self.reload(422)
        self.assertIn(f"{self.net.address(1, 12)}:5300", problem["findings"][0])
        self.assertEqual(self.gslb.control.get("/api/v1/status")["snapshot"], before)
        self.assertEqual(self.answer(), [self.east])

    def make_certificate(self):
        folder = self.gslb.folder
        program.run([machine.debian("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt",
                     "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{folder}/key.pem",
                     "-out", f"{folder}/cert.pem", "-days", "2", "-subj", "/CN=gslb"], check=0)
        with open(f"{folder}/cert.pem") as file:
            return ssl.PEM_cert_to_DER_cert(file.read())

    def shown_certificate(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection((self.gslb.address, 8440), 5) as plain:
            with context.wrap_socket(plain) as secure:
                return secure.getpeercert(True)

    def test_the_status_listener_takes_new_certificates_and_never_broken_ones(self):
        first = self.make_certificate()
        self.rewrite(f'status: {{listen: "{self.gslb.address}:8440"}}',
                     f'status: {{listen: "{self.gslb.address}:8440", '
                     "tls: {certificate: cert.pem, key: key.pem}}")
        self.reload()
        self.assertEqual(self.shown_certificate(), first)
        second = self.make_certificate()
        self.reload()
        self.assertEqual(self.shown_certificate(), second)
        gslb.write(f"{self.gslb.folder}/key.pem", "no key\n")
        self.reload(422)
        self.assertEqual(self.shown_certificate(), second)

    def test_what_needs_a_restart_is_refused_with_the_reason(self):
        self.rewrite("state: {directory: state}", "state: {directory: elsewhere}")
        problem = self.reload(422)
        self.assertIn("$.state.directory", problem["findings"][0])
        self.assertIn("restart", problem["findings"][0])

    def test_a_service_that_is_new_in_a_reload_is_checked_and_answered(self):
        text = ("  - name: two\n    targets:\n"
                f"      - {{name: two-a, site: west, addresses: [{self.west}], checks: [ready]}}\n"
                "steered:\n  - {name: two.example.net, service: two}\n")
        self.rewrite("steered:\n", text)
        self.reload()
        self.assertEqual(self.gslb.client().ask("two.example.net").addresses(), [self.west])
        self.gslb.wait_until(lambda: self.state_of("two") == "up", 3, "the new target is up")

    def state_of(self, service):
        for each in self.gslb.control.get("/api/v1/status")["services"]:
            if each["name"] == service:
                return each["targets"][0]["state"]
        return None


class Start(case.SystemCase):
    def test_silent_targets_hold_the_first_answer_up_for_three_seconds_at_most(self):
        """Nothing is known and nothing answers: the wait for the first round has an end."""
        for third in (1, 2):  # accepts and never answers
            silent = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self.addCleanup(silent.close)
            silent.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            silent.bind((self.net.address(third, 20), 8440))
            silent.listen()
        config = CONFIG.replace("interval: 300ms, timeout: 200ms", "interval: 20s, timeout: 20s")
        daemon = gslb.Gslb(self, "gslb", config, {"example.net.zone": ZONE})
        began = time.monotonic()
        program.Program.start(daemon)
        waiting.until(lambda: daemon.control.raw("GET", "/healthz")[0] == 200
                      if os.path.exists(daemon.control.path) else False, 2, "the API is there")
        self.assertEqual(daemon.control.raw("GET", "/readyz")[0], 503)
        client = dns.Client(daemon.address, daemon.PORT, timeout=0.1)
        daemon.wait_until(client.answers, 5, "DNS is served")
        took = time.monotonic() - began
        self.assertGreater(took, 2.5, "it waited for the first round")
        self.assertLess(took, 4.5)
        self.assertEqual(daemon.control.raw("GET", "/readyz")[0], 200)
        # Unknown is neither up nor down: with nothing better there is an answer all the same.
        self.assertEqual(daemon.client().ask("ocs.example.net").addresses(), [self.net.address(1, 20)])


if __name__ == "__main__":
    case.main()
