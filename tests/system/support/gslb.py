# SPDX-License-Identifier: Apache-2.0
"""twinsite-gslb as a test starts it."""
import os

from support import control, dns, machine, program


class Gslb(program.Program):
    """`config` is YAML with {address} and {status} filled in (braces of YAML doubled); further
    files are written beside it."""

    PORT = 5300
    STATUS_PORT = 8440

    def __init__(self, case, name, config, files, third=1, fourth=10):
        self.address = case.net.address(third, fourth)
        self.port = self.PORT
        folder = f"{case.folder}/{name}"
        os.makedirs(folder, exist_ok=True)
        self.config_path = f"{folder}/gslb.yaml"
        self.control = control.Control(f"{folder}/control.sock")
        for path, text in dict(files, **{"gslb.yaml": config}).items():
            write(f"{folder}/{path}", self.fill(text, case, folder))
        super().__init__(name, [machine.ours("twinsite-gslb"), "--config", self.config_path,
                                "--log-format", "json"], folder)
        case.own(self)

    def fill(self, text, case, folder):
        return (text.replace("@NET@", case.net.prefix).replace("@ADDRESS@", self.address)
                .replace("@FOLDER@", folder))

    def start(self):
        super().start()
        client = dns.Client(self.address, self.PORT, timeout=0.2)
        self.wait_until(lambda: client.answers() and self.control.ready(), 20, "gslb is ready")
        return self

    def client(self, source="", timeout=2.0):
        return dns.Client(self.address, self.PORT, source, timeout)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)


HEAD = """node: gslb-test
site: idc1
listen: ["@ADDRESS@:5300"]
control: {socket: control.sock}
status: {listen: "@ADDRESS@:8440"}
state: {directory: state}
"""
