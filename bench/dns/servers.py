# SPDX-License-Identifier: Apache-2.0
"""The name servers of the `dns` benches: zones by the rule in query_mix.hpp, and their processes."""
import ipaddress
import os
import socket
import struct
import time

from measure import process

STATIC_NAMES = 100_000
STEERED_NAMES = 1_000
NETWORKS = 64
STATIC_ZONE = "static.example"
STEERED_ZONE = "steered.example"
HEAD = """$TTL 300
@ IN SOA ns1 hostmaster 1 3600 600 86400 60
@ IN NS ns1
ns1 IN A 192.0.2.53
"""


def steered_addresses(index, site):
    return (f"10.{100 + site}.{index >> 8}.{index & 255}",
            str(ipaddress.ip_address(f"2001:db8:{site}::{index:x}")))


def _write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)


def write_static_zone(path):
    hosts = (f"h{i:05d} IN A 10.{i >> 16}.{i >> 8 & 255}.{i & 255}\n" for i in range(STATIC_NAMES))
    _write(path, HEAD + "".join(hosts))


class Server:
    """One process that answers DNS on address:port."""

    def __init__(self, name, address, folder, port=5300):
        self.name, self.address, self.port, self.folder = name, address, port, folder
        os.makedirs(folder, exist_ok=True)
        self.target = f"{address}:{port}"
        self.process = None

    @property
    def pid(self):
        return self.process.pid

    def argv(self):
        raise NotImplementedError

    def start(self, question):
        with open(f"{self.folder}/log", "w") as log:
            self.process = process.start(self.argv(), process.SERVER_CPU, log, self.folder)
        deadline = time.monotonic() + 60
        while not self.answers(question):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{self.name} does not answer; see {self.folder}/log")

    def answers(self, name):
        labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
        query = b"\x12\x34\0\0\0\1\0\0\0\0\0\0" + labels + b"\0" + struct.pack(">HH", 1, 1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.settimeout(0.1)
            try:
                one.connect((self.address, self.port))
                one.send(query)
                return one.recv(4096)[:2] == query[:2]
            except OSError:
                time.sleep(0.01)
                return False

    def stop(self):
        if self.process:
            process.stop(self.process)


class EchoFloor(Server):
    def __init__(self, address, folder, tools):
        super().__init__("echo-floor", address, folder)
        self.tools = tools

    def argv(self):
        return [f"{self.tools}/echo_floor", self.address, str(self.port)]


class Gdnsd(Server):
    def __init__(self, address, folder):
        super().__init__("gdnsd", address, folder)

    def argv(self):
        write_static_zone(f"{self.folder}/zones/{STATIC_ZONE}")
        names = "".join(f"s{i:03d} 30 DYNA geoip!r{i}\n" for i in range(STEERED_NAMES))
        _write(f"{self.folder}/zones/{STEERED_ZONE}", HEAD + names)
        _write(f"{self.folder}/geoip/nets", "".join(
            f"10.{n}.0.0/16 => [ {'dc2, dc1' if n % 2 else 'dc1, dc2'} ]\n"
            for n in range(NETWORKS)))
        resources = "".join(self._resource(i) for i in range(STEERED_NAMES))
        _write(f"{self.folder}/config", f"""options => {{
  listen => {{ {self.address}:{self.port} => {{ udp_threads = 1, tcp_threads = 1,
    udp_rcvbuf = 1048576, udp_sndbuf = 1048576 }} }}
  run_dir = {self.folder}/run
  state_dir = {self.folder}/state
}}
plugins => {{ geoip => {{
  maps => {{ m => {{ datacenters => [ dc1, dc2 ], nets => nets }} }}
  resources => {{
{resources}  }}
}} }}
""")
        return ["/usr/sbin/gdnsd", "-c", self.folder, "start"]

    @staticmethod
    def _resource(index):
        sites = ", ".join("dc%d => { addrs_v4 => [ %s ], addrs_v6 => [ %s ] }" %
                          (site, *steered_addresses(index, site)) for site in (1, 2))
        return f"    r{index} => {{ map => m, service_types => up, dcmap => {{ {sites} }} }}\n"


class Twinsite(Server):
    def __init__(self, address, folder, programs):
        super().__init__("twinsite-gslb", address, folder)
        self.programs = programs

    def argv(self):
        write_static_zone(f"{self.folder}/{STATIC_ZONE}.zone")
        _write(f"{self.folder}/{STEERED_ZONE}.zone", HEAD)
        _write(f"{self.folder}/networks.txt", "".join(
            f"10.{n}.0.0/16 {'dc2,dc1' if n % 2 else 'dc1,dc2'}\n" for n in range(NETWORKS)))
        services, steered = [], []
        for index in range(STEERED_NAMES):
            targets = "".join(
                f"      - {{name: t{index}-{site}, site: dc{site}, "
                f"addresses: [{', '.join(repr(a) for a in steered_addresses(index, site))}]}}\n"
                for site in (1, 2))
            services.append(f"  - name: v{index}\n    targets:\n{targets}")
            steered.append(f"  - {{name: s{index:03d}.{STEERED_ZONE}, service: v{index}, "
                           "ttl: {min: 30s, max: 30s}, "
                           "filters: [override, up, nearest, failover]}\n")
        _write(f"{self.folder}/gslb.yaml", f"""node: bench
site: dc1
listen: ["{self.target}"]
control: {{socket: gslb.sock}}
state: {{directory: state}}
sites: [dc1, dc2]
networks: {{file: networks.txt}}
zones:
  - {{name: {STATIC_ZONE}, file: {STATIC_ZONE}.zone}}
  - {{name: {STEERED_ZONE}, file: {STEERED_ZONE}.zone}}
services:
{''.join(services)}steered:
{''.join(steered)}""")
        return [f"{self.programs}/twinsite-gslb", "--config", f"{self.folder}/gslb.yaml"]
