# SPDX-License-Identifier: Apache-2.0
"""BIND, Knot and NSD as primaries and secondaries, and a primary of our own that misbehaves."""
import socket
import struct
import threading

from support import dns, machine
from support.gslb import write
from support.name_servers import NameServer

KEY = "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI="
WRONG = "d3Jvbmd3cm9uZ3dyb25nd3Jvbmd3cm9uZ3dyb25nd3I="
ALGORITHM = "hmac-sha256"


class ZoneServer(NameServer):
    """One zone. `gslb` (ADDRESS) is the other side on port 5300; a secondary of it, or with
    `zone_text` its primary. Every message is signed with `secret`."""

    KIND = ""

    def __init__(self, case, name, address, zone, gslb, zone_text=None, port=None, secret=KEY,
                 algorithm=ALGORITHM):
        self.zone, self.gslb, self.zone_text = zone, gslb, zone_text
        self.secret, self.algorithm = secret, algorithm
        super().__init__(case, name, address, port)

    def serial(self):
        """Of the zone as it answers it; None: no answer with authority."""
        try:
            reply = self.client(timeout=0.5).ask(self.zone, "SOA")
        except (OSError, AssertionError, dns.Malformed):
            return None
        return soa_serial(reply)

    def wait_for_serial(self, serial, seconds=20):
        self.wait_until(lambda: self.serial() == serial, seconds,
                        lambda: f"{self.name} has serial {serial}, not {self.serial()}")

    def change(self, zone_text):
        """Another zone file, taken by the running primary."""
        self.zone_text = zone_text
        write(f"{self.folder}/zone", zone_text)
        self.reload()

    def reload(self):
        self.signal(1)


def soa_serial(reply):
    for record in reply.answer:
        if record.type == dns.TYPES["SOA"]:
            return struct.unpack(">I", record.data[-20:-16])[0]
    return None


class NamedZone(ZoneServer):
    def __init__(self, case, zone, gslb, **options):
        super().__init__(case, "named", "127.0.0.1", zone, gslb, port=case.net.own_port(),
                         **options)

    def prepare(self, folder):
        zone = f'''type secondary; primaries {{ {self.gslb} port 5300 key k; }};
  masterfile-format text; allow-notify {{ any; }}; request-ixfr yes; ixfr-from-differences no;'''
        if self.zone_text is not None:
            write(f"{folder}/zone", self.zone_text)
            zone = f'''type primary; also-notify {{ {self.gslb} port 5300 key k; }};
  notify explicit; allow-transfer {{ key k; }}; ixfr-from-differences yes;'''
        write(f"{folder}/named.conf", f"""key k {{ algorithm {self.algorithm}; secret "{self.secret}"; }};
options {{
  directory "{folder}"; pid-file "{folder}/pid"; lock-file none; session-keyfile "{folder}/skey";
  listen-on port {self.port} {{ {self.address}; }}; listen-on-v6 {{ none; }};
  recursion no; minimal-responses yes; dnssec-validation no; min-refresh-time 1;
  min-retry-time 1; notify-delay 0; serial-query-rate 100; notify-rate 100; startup-notify-rate 100;
}};
controls {{ }};
zone "{self.zone}" {{ file "{folder}/zone"; {zone} }};
""")
        return [machine.debian("named"), "-g", "-n", "1", "-c", f"{folder}/named.conf"]


class KnotZone(ZoneServer):
    def __init__(self, case, zone, gslb, **options):
        super().__init__(case, "knotd", case.net.address(2, 2), zone, gslb, **options)

    def prepare(self, folder):
        if self.zone_text is not None:
            write(f"{folder}/zone", self.zone_text)
        role = "master: gslb\n    acl: notify_in" if self.zone_text is None else (
            "notify: gslb\n    acl: transfer_out\n    zonefile-load: difference\n"
            "    journal-content: changes")
        write(f"{folder}/knot.conf", f"""server:
    rundir: "{folder}"
    listen: {self.address}@{self.port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: "{folder}"
log:
  - target: stderr
    any: info
key:
  - id: k
    algorithm: {self.algorithm}
    secret: {self.secret}
remote:
  - id: gslb
    address: {self.gslb}@5300
    via: {self.address}
    key: k
acl:
  - id: notify_in
    address: 127.0.0.0/8
    key: k
    action: notify
  - id: transfer_out
    address: 127.0.0.0/8
    key: k
    action: transfer
zone:
  - domain: {self.zone}
    file: "{folder}/zone"
    storage: "{folder}"
    zonefile-sync: -1
    refresh-min-interval: 2
    retry-min-interval: 1
    {role}
""")
        return [machine.debian("knotd"), "-c", f"{folder}/knot.conf"]


class NsdZone(ZoneServer):
    def __init__(self, case, zone, gslb, **options):
        super().__init__(case, "nsd", case.net.address(2, 4), zone, gslb, **options)

    def prepare(self, folder):
        if self.zone_text is not None:
            write(f"{folder}/zone", self.zone_text)
        role = (f"request-xfr: {self.gslb}@5300 k\n  allow-notify: 127.0.0.0/8 k\n"
                "  min-refresh-time: 1\n  min-retry-time: 1\n  store-ixfr: yes")
        if self.zone_text is not None:
            role = (f"notify: {self.gslb}@5300 k\n  provide-xfr: 127.0.0.0/8 k\n"
                    f"  outgoing-interface: {self.address}\n  create-ixfr: yes\n  store-ixfr: yes")
        write(f"{folder}/nsd.conf", f"""server:
  ip-address: {self.address}
  port: {self.port}
  server-count: 1
  username: ""
  chroot: ""
  zonesdir: "{folder}"
  database: ""
  pidfile: "{folder}/pid"
  xfrdfile: "{folder}/xfrd.state"
  xfrdir: "{folder}"
  zonelistfile: "{folder}/zone.list"
  xfrd-reload-timeout: 0
  verbosity: 2
remote-control:
  control-enable: no
key:
  name: k
  algorithm: {self.algorithm}
  secret: "{self.secret}"
zone:
  name: {self.zone}
  zonefile: zone
  {role}
""")
        return [machine.debian("nsd"), "-d", "-c", f"{folder}/nsd.conf"]


ALL = (NamedZone, KnotZone, NsdZone)


def name_bytes(name):
    return dns.encode_name(name)


def record(owner, rtype, data, ttl=60):
    return name_bytes(owner) + struct.pack(">HHIH", rtype, 1, ttl, len(data)) + data


def address_record(owner, text):
    return record(owner, 1, socket.inet_aton(text))


class ScriptedPrimary:
    """A primary over TCP that tells a serial and sends the messages it is given. Lists of records
    make a message each; None ends the connection there."""

    def __init__(self, address, zone, port=5300):
        self.address, self.zone, self.port = address, zone, port
        self.serial, self.refresh, self.retry, self.expire = 1, 1, 1, 3
        self.messages = [[]]
        self.asked = []
        self.held = threading.Event()
        self.held.set()
        self.listener = None

    def soa(self, serial=None):
        data = name_bytes("ns1." + self.zone) + name_bytes("host." + self.zone) + struct.pack(
            ">IIIII", self.serial if serial is None else serial,
            self.refresh, self.retry, self.expire, 60)
        return record(self.zone, 6, data)

    def whole(self, *records):
        ns = record(self.zone, 2, name_bytes("ns1." + self.zone))
        return [self.soa(), ns, address_record("ns1." + self.zone, "192.0.2.1"), *records,
                self.soa()]

    def start(self):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((self.address, self.port))
        self.listener.listen(16)
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()
        return self

    def stop(self):
        if self.listener:
            self.listener.shutdown(socket.SHUT_RDWR)
            self.listener.close()
            self.listener = None

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                while True:
                    query = dns.read_tcp_message(connection)
                    if query is None:
                        return
                    rtype = self._type(query)
                    self.asked.append(rtype)
                    if rtype == 6:
                        self._send(connection, query, [self.soa()])
                        continue
                    for message in self.messages:
                        if message is None:
                            return
                        self._send(connection, query, message)
                        self.held.wait(20)
            except OSError:
                return

    @staticmethod
    def _type(query):
        at = 12
        while query[at]:
            at += 1 + query[at]
        return struct.unpack(">H", query[at + 1:at + 3])[0]

    def _send(self, connection, query, records):
        at = 12
        while query[at]:
            at += 1 + query[at]
        reply = query[:2] + struct.pack(">HHHHH", 0x8400, 1, len(records), 0, 0) + \
            query[12:at + 5] + b"".join(records)
        connection.sendall(struct.pack(">H", len(reply)) + reply)
