# SPDX-License-Identifier: Apache-2.0
"""Name servers and a resolver of Debian that the tests compare with."""
import os

from support import dns, machine, program
from support.gslb import write


class NameServer(program.Program):
    PORT = 5300

    def __init__(self, case, name, address, port=None):
        self.address = address
        self.port = port or self.PORT
        folder = f"{case.folder}/{name}"
        os.makedirs(folder, exist_ok=True)
        super().__init__(name, self.prepare(folder), folder)
        case.own(self)

    def prepare(self, folder):
        raise NotImplementedError

    def start(self, probe="."):
        super().start()
        client = self.client(timeout=0.2)
        self.wait_until(lambda: client.answers(probe), 20, f"{self.name} answers")
        return self

    def client(self, source="", timeout=2.0):
        return dns.Client(self.address, self.port, source, timeout)


class Named(NameServer):
    """BIND, authoritative for one zone. It listens only on addresses that an interface carries, so
    on 127.0.0.1 and a port of the test's own."""

    def __init__(self, case, zone, zone_text):
        self.zone, self.zone_text = zone, zone_text
        super().__init__(case, "named", "127.0.0.1", case.net.own_port())

    def prepare(self, folder):
        write(f"{folder}/zone", self.zone_text)
        write(f"{folder}/named.conf", f"""options {{
  directory "{folder}"; pid-file "{folder}/pid"; lock-file none;
  session-keyfile "{folder}/session.key";
  listen-on port {self.port} {{ {self.address}; }}; listen-on-v6 {{ none; }};
  recursion no; minimal-responses yes; notify no; allow-transfer {{ none; }};
  dnssec-validation no; max-udp-size 1232; edns-udp-size 1232; nocookie-udp-size 1232;
  answer-cookie no; zero-no-soa-ttl no;
}};
controls {{ }};
zone "{self.zone}" {{ type primary; file "{folder}/zone"; check-names ignore; }};
""")
        return [machine.debian("named"), "-g", "-n", "1", "-c", f"{folder}/named.conf"]


class Knotd(NameServer):
    """Knot DNS, authoritative for one zone."""

    def __init__(self, case, zone, zone_text):
        self.zone, self.zone_text = zone, zone_text
        super().__init__(case, "knotd", case.net.address(2, 2))

    def prepare(self, folder):
        write(f"{folder}/zone", self.zone_text)
        write(f"{folder}/knot.conf", f"""server:
    rundir: "{folder}"
    listen: {self.address}@{self.port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
    udp-max-payload: 1232
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
zone:
  - domain: {self.zone}
    file: "{folder}/zone"
""")
        return [machine.debian("knotd"), "-c", f"{folder}/knot.conf"]


class Unbound(NameServer):
    """A caching resolver with ECS in front of an authoritative server."""

    def __init__(self, case, zones, upstream):
        self.zones, self.upstream = zones, upstream
        super().__init__(case, "unbound", case.net.address(2, 3))

    def prepare(self, folder):
        stubs = "".join(f"stub-zone:\n  name: {zone}\n  stub-addr: {self.upstream}@{self.PORT}\n"
                        for zone in self.zones)
        write(f"{folder}/unbound.conf", f"""server:
  directory: "{folder}"
  chroot: ""
  username: ""
  pidfile: "{folder}/pid"
  use-syslog: no
  interface: {self.address}
  port: {self.port}
  num-threads: 1
  so-reuseport: no
  access-control: 127.0.0.0/8 allow
  do-not-query-localhost: no
  do-ip6: no
  module-config: "subnetcache iterator"
  send-client-subnet: {self.upstream}
  max-client-subnet-ipv4: 24
  min-client-subnet-ipv4: 0
  cache-min-ttl: 0
  qname-minimisation: no
remote-control:
  control-enable: no
{stubs}""")
        return [machine.debian("unbound"), "-d", "-c", f"{folder}/unbound.conf"]
