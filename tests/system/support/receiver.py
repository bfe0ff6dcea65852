# SPDX-License-Identifier: Apache-2.0
"""A server that agents report to: mutual TLS, keeps what it gets, hands out commands."""
import http.server
import json
import ssl
import threading

from support import machine, program


def make_pki(folder, *identities):
    """An authority and a certificate for each (uri, address); files are named by the last word.
    They were made two hours ago, so that a clock that goes back an hour finds them valid."""
    twinsite = machine.ours("twinsite")
    ago = [machine.debian("faketime"), "-f", "-2h"]
    program.run([*ago, twinsite, "pki", "init", folder], check=0)
    for uri, address in identities:
        signing = ["--signing"] if "/switchover/" in uri else []
        program.run([*ago, twinsite, "pki", "issue", folder, uri, "--ip", address, "--out", folder,
                     *signing], check=0)
    return folder


class Receiver:
    def __init__(self, owner, address, port, pki, name):
        self.reports, self.results, self.commands = [], [], []
        self.changed = threading.Condition()
        handler = type("Handler", (_Handler,), {"receiver": self})
        self.server = http.server.ThreadingHTTPServer((address, port), handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{pki}/{name}.crt", f"{pki}/{name}.key")
        context.load_verify_locations(f"{pki}/ca.crt")
        context.verify_mode = ssl.CERT_REQUIRED
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                 do_handshake_on_connect=False)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        owner.own(self)

    def start(self):
        self.thread.start()
        return self

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def wait(self, condition, seconds, what):
        with self.changed:
            if not self.changed.wait_for(condition, seconds):
                raise AssertionError(f"not within {seconds} s: {what}")

    def next_report(self, seconds=20):
        """The first report that arrives from now on."""
        seen = len(self.reports)
        self.wait(lambda: len(self.reports) > seen, seconds, "a report")
        return self.reports[seen]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        receiver = self.receiver
        with receiver.changed:
            if self.path.endswith("/report"):
                receiver.reports.append(body)
            elif self.path.endswith("/results"):
                receiver.results.extend(body["results"])
                done = {result["op_id"] for result in body["results"]}
                receiver.commands = [c for c in receiver.commands if c["op_id"] not in done]
            receiver.changed.notify_all()
        if self.path.endswith("/results"):
            return self.answer(204, b"")
        ack = {"schema": 1, "server": "twinsite://arbiter/switchover/sw", "server_wall_ms": 0,
               "accepted": body["seq"]}
        return self.answer(200, json.dumps(ack).encode())

    def do_GET(self):
        receiver = self.receiver
        with receiver.changed:
            receiver.changed.wait_for(lambda: receiver.commands, 2)
            commands = list(receiver.commands)
        if not commands:
            return self.answer(204, b"")
        return self.answer(200, json.dumps({"schema": 1, "commands": commands}).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def sample(report, collector, instance=""):
    """The sample of a report by collector and instance, with its numbers as a dictionary."""
    for entry in report["samples"]:
        if entry["collector"] == collector and entry.get("instance", "") == instance:
            return entry
    raise AssertionError(f"no sample {collector} {instance} in {report}")
