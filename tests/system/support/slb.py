# SPDX-License-Identifier: Apache-2.0
"""twinsite-slb, its blades and the load generator as a test starts them."""
import json
import os
import socket

from support import control, diameter, machine, program
from support.gslb import write

PORT = 3868
CONFIG = """node: slb-test
identity: {host: slb.test.example.net, realm: example.net}
listen: ["@ADDRESS@:3868"]
control: {socket: control.sock}
status: {listen: "@ADDRESS@:8440"}
state: {directory: state}
clients: {max_connections: 1024, watchdog: 30s}
applications: [relay]
request: {timeout: 700ms, tries: 3, suspect_after: 400ms}
sessions: {idle: 1h, capacity: 1000000}
balance: volume
blade_link: {watchdog: 6s, reconnect: {min: 100ms, max: 1s}, bind: "@ADDRESS@"}
blades:
@BLADES@"""


def listens(address, port=PORT):
    try:
        socket.create_connection((address, port), 0.5).close()
        return True
    except OSError:
        return False


class Blade(program.Program):
    """A simulated charging blade; its statistics are printed when it ends."""

    def __init__(self, case, name, fourth, *options, strict=True):
        self.address = case.net.address(1, fourth)
        folder = f"{case.folder}/{name}"
        os.makedirs(folder, exist_ok=True)
        argv = [machine.ours("twinsite-blade"), "--listen", f"{self.address}:{PORT}",
                "--host", f"{name}.example.net", "--realm", "example.net", *options]
        super().__init__(name, argv + (["--strict"] if strict else []), folder)
        case.own(self)

    def start(self):
        super().start()
        self.wait_until(lambda: listens(self.address), 10, f"{self.name} listens")
        return self

    def statistics(self):
        """Ends the blade and returns what it counted."""
        self.stop()
        return json.loads([line for line in self.log().splitlines() if line.startswith("{")][-1])


class Slb(program.Program):
    def __init__(self, case, name="slb", blades=(), config=CONFIG, third=1, fourth=20):
        self.address = case.net.address(third, fourth)
        self.folder_path = f"{case.folder}/{name}"
        os.makedirs(self.folder_path, exist_ok=True)
        self.config_path = f"{self.folder_path}/slb.yaml"
        self.control = control.Control(f"{self.folder_path}/control.sock")
        listed = "".join(f"  - {{name: {b.name}, address: \"{b.address}:{PORT}\"}}\n" for b in blades)
        self.blades = list(blades)
        write(self.config_path, config.replace("@ADDRESS@", self.address)
              .replace("@BLADES@", listed).replace("@NET@", case.net.prefix))
        super().__init__(name, [machine.ours("twinsite-slb"), "--config", self.config_path,
                                "--log-format", "json"], self.folder_path)
        case.own(self)

    def start(self):
        super().start()
        self.wait_until(lambda: listens(self.address), 10, "slb listens")
        self.wait_until(lambda: self.open_links() == len(self.blades), 10, "all blades are linked")
        return self

    def open_links(self):
        try:
            return sum(blade["link"] == "open" for blade in self.blades_now().values())
        except OSError:
            return -1

    def blades_now(self):
        """{name: what /api/v1/blades says of it}."""
        return {blade["name"]: blade for blade in self.control.get("/api/v1/blades")["blades"]}

    def client(self, source="", **options):
        """A connected network element that has exchanged capabilities."""
        client = diameter.Client(self.address, PORT, source, **options)
        answer = client.capabilities()
        if answer is None or answer.number(diameter.RESULT_CODE) != 2001:
            raise AssertionError(f"no good CEA: {answer and answer.avps}")
        return client


class Load(program.Program):
    """twinsite-load against one or more targets; `report()` waits for its end."""

    def __init__(self, case, targets, *options, name="load", third=70, fourth=1):
        folder = f"{case.folder}/{name}"
        os.makedirs(folder, exist_ok=True)
        argv = [machine.ours("twinsite-load"), "--target",
                ",".join(f"{target}:{PORT}" for target in targets),
                "--bind", case.net.address(third, fourth), "--realm", "access.example.net",
                "--destination-realm", "example.net", *options]
        super().__init__(name, argv, folder)
        case.own(self)

    def report(self, seconds=60):
        self.process.wait(seconds)
        lines = [line for line in self.log().splitlines() if line.startswith("{")]
        if not lines:
            raise AssertionError(f"the generator printed no report:\n{self.tail()}")
        return json.loads(lines[-1])
