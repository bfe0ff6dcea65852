# SPDX-License-Identifier: Apache-2.0
"""BIND, Knot and NSD serving the same many zones, asked over sockets that stay open."""
import os
import socket
import struct

from support import dns, machine
from support.gslb import write
from support.name_servers import NameServer


class Oracle(NameServer):
    """`zones` maps origins (without the final dot) to master file text."""

    def __init__(self, case, name, address, zones, port=None):
        self.zones = zones
        super().__init__(case, name, address, port)

    def write_zones(self, folder):
        for origin, text in self.zones.items():
            write(f"{folder}/{origin}.zone", text)


class Bind(Oracle):
    def __init__(self, case, zones):
        super().__init__(case, "named", "127.0.0.1", zones, case.net.own_port())

    def prepare(self, folder):
        self.write_zones(folder)
        zones = "".join(f'zone "{origin}" {{ type primary; file "{folder}/{origin}.zone"; '
                        "check-names ignore; check-integrity no; };\n" for origin in self.zones)
        write(f"{folder}/named.conf", f"""options {{
  directory "{folder}"; pid-file "{folder}/pid"; lock-file none;
  session-keyfile "{folder}/session.key";
  listen-on port {self.port} {{ {self.address}; }}; listen-on-v6 {{ none; }};
  recursion no; minimal-responses yes; minimal-any no; notify no; allow-transfer {{ none; }};
  dnssec-validation no; max-udp-size 4096; edns-udp-size 4096; nocookie-udp-size 4096;
  answer-cookie no; zero-no-soa-ttl no;
}};
controls {{ }};
{zones}""")
        return [machine.debian("named"), "-g", "-n", "1", "-c", f"{folder}/named.conf"]


class Knot(Oracle):
    def __init__(self, case, zones):
        super().__init__(case, "knotd", case.net.address(2, 2), zones)

    def prepare(self, folder):
        self.write_zones(folder)
        zones = "".join(f'  - domain: {origin}\n    file: "{folder}/{origin}.zone"\n'
                        for origin in self.zones)
        write(f"{folder}/knot.conf", f"""server:
    rundir: "{folder}"
    listen: {self.address}@{self.port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
    udp-max-payload: 4096
    answer-rotation: off
database:
    storage: "{folder}"
log:
  - target: stderr
    any: info
template:
  - id: default
    storage: "{folder}"
    zonefile-sync: -1
    journal-content: none
    semantic-checks: off
zone:
{zones}""")
        return [machine.debian("knotd"), "-c", f"{folder}/knot.conf"]


class Nsd(Oracle):
    def __init__(self, case, zones):
        super().__init__(case, "nsd", case.net.address(2, 4), zones)

    def prepare(self, folder):
        self.write_zones(folder)
        zones = "".join(f'zone:\n  name: {origin}\n  zonefile: "{folder}/{origin}.zone"\n'
                        for origin in self.zones)
        write(f"{folder}/nsd.conf", f"""server:
  ip-address: {self.address}@{self.port}
  server-count: 1
  username: ""
  chroot: ""
  zonesdir: "{folder}"
  database: ""
  pidfile: "{folder}/pid"
  xfrdfile: "{folder}/xfrd"
  zonelistfile: "{folder}/zonelist"
  xfrdir: "{folder}"
  minimal-responses: yes
  refuse-any: no
  round-robin: no
  ipv4-edns-size: 4096
  tcp-query-count: 0
  tcp-timeout: 600
  rrl-ratelimit: 0
remote-control:
  control-enable: no
{zones}""")
        return [machine.debian("nsd"), "-d", "-c", f"{folder}/nsd.conf"]


class Line:
    """Questions to one server: one UDP socket, one TCP connection that is made anew when it ends."""

    def __init__(self, address, port, timeout=5.0):
        self.place, self.timeout = (address, port), timeout
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.settimeout(timeout)
        self.udp.connect(self.place)
        self.tcp = None

    def close(self):
        self.udp.close()
        if self.tcp:
            self.tcp.close()

    def send(self, message):
        self.udp.send(message)

    def receive(self, message):
        while True:
            reply = self.udp.recv(65535)
            if reply[:2] == message[:2]:
                return dns.Message(reply)

    def ask_tcp(self, message):
        for _ in range(2):
            if self.tcp is None:
                self.tcp = socket.create_connection(self.place, self.timeout)
            try:
                self.tcp.sendall(struct.pack(">H", len(message)) + message)
                reply = dns.read_tcp_message(self.tcp)
            except OSError:
                reply = None
            if reply is not None:
                return dns.Message(reply)
            self.tcp.close()
            self.tcp = None
        raise AssertionError(f"{self.place}: no answer over TCP")
