# SPDX-License-Identifier: Apache-2.0
"""HTTP of the daemons: the control API on a Unix socket and the status listener on TCP."""
import http.client
import json
import socket


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout=10):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def exchange(connection, method, target, body):
    headers = {"Content-Type": "application/json"} if body is not None else {}
    try:
        connection.request(method, target, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


class Control:
    """The control API of one daemon."""

    def __init__(self, path):
        self.path = path

    def raw(self, method, target, body=None, timeout=10):
        return exchange(UnixConnection(self.path, timeout), method, target, body)

    def call(self, method, target, body=None, status=200):
        got, text = self.raw(method, target, body)
        if got != status:
            raise AssertionError(f"{method} {target}: {got}, not {status}: {text}")
        return json.loads(text) if text.strip() else None

    def get(self, target):
        return self.call("GET", target)

    def ready(self):
        try:
            return self.raw("GET", "/readyz", timeout=1)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def metrics(self):
        """{family or series name with its labels: value}."""
        _, text = self.raw("GET", "/metrics")
        values = {}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                values[name] = float(value)
        return values


def fetch(address, port, target, timeout=5):
    """(status, body) from a TCP listener."""
    return exchange(http.client.HTTPConnection(address, port, timeout=timeout), "GET", target, None)
