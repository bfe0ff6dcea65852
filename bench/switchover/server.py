# SPDX-License-Identifier: Apache-2.0
"""One twinsite-switchover with a configuration that knows all agents, and what it tells an operator."""
import http.client
import json
import os
import socket
import ssl
import subprocess
import time

from measure import process

PORT = 8444
NODE = "sw-bench"


def agent(index):
    """(site, name) by the rule of agent_identity in agents.cpp."""
    return "west" if index % 2 else "east", f"h{index:04d}"


def configuration(address, agents):
    lines = [f"  - {{site: {site}, name: {name}, kind: processing}}"
             for site, name in map(agent, range(agents))]
    return f"""node: {NODE}
site: arbiter
machine:
  listen: {address}:{PORT}
  tls: {{certificate: pki/{NODE}.crt, key: pki/{NODE}.key, ca: pki/ca.crt}}
  max_connections: {2 * agents + 64}
signing: {{certificate: pki/{NODE}.sign.crt, key: pki/{NODE}.sign.key}}
state: {{directory: state}}
sites:
  - {{name: east}}
  - {{name: west}}
agents:
""" + "\n".join(lines) + """
scenarios: {directory: scenarios}
"""


class Switchover:
    def __init__(self, address, folder, options):
        self.address, self.folder, self.agents = address, folder, options.agents
        self.program = f"{options.programs}/twinsite-switchover"
        self.tool = f"{options.tools}/bench_agents"
        self.pki = f"{folder}/pki"
        self.target = f"{address}:{PORT}"
        self.process = None

    @property
    def pid(self):
        return self.process.pid

    def start(self):
        for name in (self.pki, f"{self.folder}/scenarios"):
            os.makedirs(name, exist_ok=True)
        made = subprocess.run([self.tool, "certificates", "--folder", self.pki, "--server",
                               self.address, "--agents", str(self.agents)],
                              capture_output=True, text=True)
        if made.returncode != 0:
            raise RuntimeError(f"no certificates: {made.stderr.strip()}")
        with open(f"{self.folder}/switchover.yaml", "w") as out:
            out.write(configuration(self.address, self.agents))
        with open(f"{self.folder}/log", "w") as log:
            self.process = process.start(
                [self.program, "--config", f"{self.folder}/switchover.yaml"], process.SERVER_CPU,
                log, self.folder, process.Priority.SHARED)
        self._wait_until_it_listens()

    def _wait_until_it_listens(self):
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection((self.address, PORT), timeout=0.5).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    with open(f"{self.folder}/log") as log:
                        raise RuntimeError(f"twinsite-switchover: {log.read()[-2000:]}") from None
                time.sleep(0.05)

    def ask(self, path):
        """The text of a GET by an operator."""
        trust = ssl.create_default_context(cafile=f"{self.pki}/ca.crt")
        trust.load_cert_chain(f"{self.pki}/bench.crt", f"{self.pki}/bench.key")
        connection = http.client.HTTPSConnection(self.address, PORT, context=trust, timeout=30)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {text[:200]}")
        return text

    def fresh_hosts(self):
        """Agents that the server has heard and does not hold for stale."""
        hosts = json.loads(self.ask("/api/v1/hosts"))["hosts"]
        return sum(1 for host in hosts if host["stale"] is False and host["seq"])

    def metrics(self):
        """{sample as it is written: value}."""
        pairs = (line.rsplit(" ", 1) for line in self.ask("/metrics").splitlines()
                 if line and not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    def memory_mib(self):
        """(now, the most there was) of resident memory."""
        with open(f"/proc/{self.pid}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
        return tuple(int(fields[key].split()[0]) / 1024 for key in ("VmRSS", "VmHWM"))

    def stop(self):
        if self.process:
            process.stop(self.process)
