# SPDX-License-Identifier: Apache-2.0
"""What stands between clients and blades in the `diameter` benches."""
import os
import socket
import subprocess
import time

from measure import process


def _write(path, text):
    with open(path, "w") as out:
        out.write(text)


def wait_for_port(address, port, owner, seconds=30):
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection((address, port), timeout=0.5).close()
            return
        except OSError:
            if owner.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"nothing listens on {address}:{port}") from None
            time.sleep(0.02)


class Box:
    """One process that takes Diameter on `target` and hands it to the blades [(host, address)]."""

    def __init__(self, name, address, folder, blades, port=3868):
        self.name, self.address, self.folder, self.blades = name, address, folder, blades
        self.port = port
        self.target = f"{address}:{port}"
        self.process = None
        os.makedirs(folder, exist_ok=True)

    @property
    def pid(self):
        return self.process.pid

    def argv(self):
        raise NotImplementedError

    def start(self):
        with open(f"{self.folder}/log", "w") as log:
            self.process = process.start(self.argv(), process.SERVER_CPU, log, self.folder,
                                         process.Priority.SHARED)
        wait_for_port(self.address, self.port, self.process)

    def stop(self):
        if self.process:
            process.stop(self.process)


class RelayFloor(Box):
    def __init__(self, address, folder, blades, tools):
        super().__init__("relay-floor", address, folder, blades)
        self.tools = tools

    def argv(self):
        return [f"{self.tools}/relay_floor", self.target] + [f"{b}:3868" for _, b in self.blades]


class Haproxy(Box):
    """Bytes only, in TCP mode: what a general proxy costs that never looks at a message."""

    def __init__(self, address, folder, blades):
        super().__init__("haproxy", address, folder, blades)

    def argv(self):
        servers = "".join(f"  server {host.split('.')[0]} {b}:3868\n" for host, b in self.blades)
        _write(f"{self.folder}/haproxy.cfg", f"""global
  nbthread 1
  maxconn 4000
defaults
  mode tcp
  timeout connect 5s
  timeout client 10m
  timeout server 10m
listen diameter
  bind {self.target}
  balance roundrobin
{servers}""")
        return ["/usr/sbin/haproxy", "-db", "-f", f"{self.folder}/haproxy.cfg"]


class FreeDiameter(Box):
    """freeDiameter as a relay with rt_load_balance. It does not keep sessions on a blade by itself,
    and the bench asks only for the cost of a request."""

    def __init__(self, address, folder, blades, client_pattern):
        # It listens on all addresses whatever ListenOn says of a loopback one: a port of its own.
        super().__init__("freediameter", address, folder, blades, 20_000 + os.getpid() % 10_000)
        self.client_pattern = client_pattern

    def _credentials(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
                        "/CN=relay.bench.example.net", "-keyout", f"{self.folder}/key.pem",
                        "-out", f"{self.folder}/cert.pem"], check=True, capture_output=True)
        subprocess.run(["openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt",
                        "group:ffdhe2048", "-out", f"{self.folder}/dh.pem"], check=True,
                       capture_output=True)

    def argv(self):
        self._credentials()
        _write(f"{self.folder}/acl.conf", f"ALLOW_IPSEC {self.client_pattern}\n")
        peers = "".join(f'ConnectPeer = "{host}" {{ No_TLS; No_IPv6; ConnectTo = "{b}"; '
                        f'Port = 3868; Realm = "example.net"; }};\n' for host, b in self.blades)
        _write(f"{self.folder}/fd.conf", f"""Identity = "relay.bench.example.net";
Realm = "bench.example.net";
Port = {self.port}; SecPort = 0; No_SCTP; No_IPv6; TcTimer = 1;
AppServThreads = 4;
TLS_Cred = "{self.folder}/cert.pem", "{self.folder}/key.pem";
TLS_CA = "{self.folder}/cert.pem";
TLS_DH_File = "{self.folder}/dh.pem";
LoadExtension = "acl_wl.fdx" : "{self.folder}/acl.conf";
LoadExtension = "rt_load_balance.fdx";
{peers}""")
        return ["freeDiameterd", "-c", f"{self.folder}/fd.conf"]


class Twinsite(Box):
    def __init__(self, address, folder, blades, programs):
        super().__init__("twinsite-slb", address, folder, blades)
        self.programs = programs

    def argv(self):
        blades = "".join(f"  - {{name: {host.split('.')[0]}, address: '{b}:3868'}}\n"
                         for host, b in self.blades)
        _write(f"{self.folder}/slb.yaml", f"""node: slb-bench
identity: {{host: slb.bench.example.net, realm: example.net}}
listen: ['{self.target}']
control: {{socket: slb.sock}}
state: {{directory: state}}
clients: {{max_connections: 1024, watchdog: 30s}}
applications: [relay]
request: {{timeout: 2s, tries: 3, suspect_after: 1s}}
balance: volume
blades:
{blades}""")
        return [f"{self.programs}/twinsite-slb", "--config", f"{self.folder}/slb.yaml"]
