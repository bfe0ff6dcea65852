# SPDX-License-Identifier: Apache-2.0
"""DNS on the wire, written for the tests alone: a strict decoder that is no part of the product."""
import ipaddress
import os
import socket
import struct

TYPES = {"A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28,
         "SRV": 33, "OPT": 41, "CAA": 257, "ANY": 255, "HTTPS": 65, "DS": 43, "DNAME": 39}
RCODES = {"NOERROR": 0, "FORMERR": 1, "SERVFAIL": 2, "NXDOMAIN": 3, "NOTIMP": 4, "REFUSED": 5,
          "BADVERS": 16}
ECS = 8
# Where RDATA holds names (RFC 1035, 2782): fixed bytes before the first, number of names.
NAMES_IN_RDATA = {2: (0, 1), 5: (0, 1), 12: (0, 1), 15: (2, 1), 6: (0, 2), 33: (6, 1), 39: (0, 1)}


class Malformed(Exception):
    """The message breaks a rule of the wire format."""


def encode_name(name):
    if name in ("", "."):
        return b"\0"
    labels = [label.encode("latin-1") for label in name.rstrip(".").split(".")]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def ecs_option(network, address_bytes=None):
    """Client subnet option of "10.1.0.0/16"."""
    address, bits = network.split("/")
    packed, bits = ipaddress.ip_address(address).packed, int(bits)
    keep = (bits + 7) // 8 if address_bytes is None else address_bytes
    return ECS, struct.pack(">HBB", 1 if len(packed) == 4 else 2, bits, 0) + packed[:keep]


def query(name, qtype="A", *, subnet=None, edns=True, size=1232, options=(), flags=0, ident=None,
          do=False, version=0, opcode=0):
    """One query message; `subnet` implies EDNS."""
    options = list(options) + ([ecs_option(subnet)] if subnet else [])
    additional = b""
    if edns or options:
        data = b"".join(struct.pack(">HH", code, len(value)) + value for code, value in options)
        additional = b"\0" + struct.pack(">HHBBHH", TYPES["OPT"], size, 0, version,
                                         0x8000 if do else 0, len(data)) + data
    ident = int.from_bytes(os.urandom(2), "big") if ident is None else ident
    number = TYPES.get(qtype, qtype)
    return (struct.pack(">HHHHHH", ident, flags | opcode << 11, 1, 0, 0, 1 if additional else 0) +
            encode_name(name) + struct.pack(">HH", number, 1) + additional)


class Record:
    """Owner in lower case with a final dot; `data` is the RDATA with its names expanded and in
    lower case, so that records of different servers compare equal."""

    def __init__(self, owner, rtype, rclass, ttl, data):
        self.owner, self.type, self.rclass, self.ttl, self.data = owner, rtype, rclass, ttl, data

    def key(self):
        return (self.owner, self.type, self.rclass, self.ttl, self.data)

    def address(self):
        return str(ipaddress.ip_address(self.data))

    def __repr__(self):
        return f"{self.owner} {self.ttl} {self.type} {self.data!r}"


class Message:
    """A decoded answer. Everything must be consumed and every pointer must point backwards."""

    def __init__(self, wire):
        self.wire = wire
        if len(wire) < 12:
            raise Malformed("shorter than a header")
        self.id, self.flags, questions, *counts = struct.unpack(">HHHHHH", wire[:12])
        self.at = 12
        self.questions = [self._question() for _ in range(questions)]
        self.answer, self.authority, additional = (
            [self._record() for _ in range(count)] for count in counts)
        if self.at != len(wire):
            raise Malformed(f"{len(wire) - self.at} bytes behind the last record")
        self.opt = next((r for r in additional if r.type == TYPES["OPT"]), None)
        self.additional = [r for r in additional if r.type != TYPES["OPT"]]
        self.options = self._options() if self.opt else []
        self.rcode = (self.flags & 15) | ((self.opt.ttl >> 24) << 4 if self.opt else 0)

    aa = property(lambda self: bool(self.flags & 0x0400))
    tc = property(lambda self: bool(self.flags & 0x0200))
    qr = property(lambda self: bool(self.flags & 0x8000))

    def ecs(self):
        """(family, source bits, scope bits, address bytes) or None."""
        for code, value in self.options:
            if code == ECS:
                family, source, scope = struct.unpack(">HBB", value[:4])
                return family, source, scope, value[4:]
        return None

    def addresses(self):
        return sorted(r.address() for r in self.answer if r.type in (TYPES["A"], TYPES["AAAA"]))

    def _bytes(self, count):
        if self.at + count > len(self.wire):
            raise Malformed("cut off")
        out = self.wire[self.at:self.at + count]
        self.at += count
        return out

    def _name(self):
        name, self.at = expand(self.wire, self.at)
        return name

    def _question(self):
        name = self._name()
        return (name, *struct.unpack(">HH", self._bytes(4)))

    def _record(self):
        owner = self._name()
        rtype, rclass, ttl, length = struct.unpack(">HHIH", self._bytes(10))
        start, end = self.at, self.at + length
        if end > len(self.wire):
            raise Malformed("RDATA cut off")
        self.at = end
        return Record(owner, rtype, rclass, ttl, self._rdata(rtype, start, end))

    def _rdata(self, rtype, start, end):
        if rtype not in NAMES_IN_RDATA:
            return self.wire[start:end]
        fixed, names = NAMES_IN_RDATA[rtype]
        out, at = self.wire[start:start + fixed], start + fixed
        for _ in range(names):
            name, at = expand(self.wire, at)
            out += encode_name(name)
        if at > end:
            raise Malformed("a name leaves its RDATA")
        return out + self.wire[at:end]

    def _options(self):
        out, data, at = [], self.opt.data, 0
        while at < len(data):
            if at + 4 > len(data):
                raise Malformed("EDNS option cut off")
            code, length = struct.unpack(">HH", data[at:at + 4])
            if at + 4 + length > len(data):
                raise Malformed("EDNS option cut off")
            out.append((code, data[at + 4:at + 4 + length]))
            at += 4 + length
        return out


def expand(wire, at):
    """(name in lower case with a final dot, offset behind it)."""
    labels, end, limit = [], None, at
    while True:
        if at >= len(wire):
            raise Malformed("name cut off")
        length = wire[at]
        if length >= 0xC0:
            if at + 1 >= len(wire):
                raise Malformed("pointer cut off")
            target = (length & 0x3F) << 8 | wire[at + 1]
            if target >= limit:
                raise Malformed("pointer does not point backwards")
            end = at + 2 if end is None else end
            at = limit = target
        elif length > 63:
            raise Malformed("label type")
        elif length == 0:
            end = at + 1 if end is None else end
            return ".".join(labels).lower() + ".", end
        else:
            labels.append(wire[at + 1:at + 1 + length].decode("latin-1"))
            at += 1 + length


class Client:
    """Asks one server from one address."""

    def __init__(self, address, port=5300, source="", timeout=2.0):
        self.address, self.port, self.source, self.timeout = address, port, source, timeout

    def udp_raw(self, message):
        """The answer's bytes, or None when there was none in time."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.settimeout(self.timeout)
            one.bind((self.source, 0))
            one.connect((self.address, self.port))
            one.send(message)
            try:
                while True:
                    reply = one.recv(65535)
                    if reply[:2] == message[:2]:
                        return reply
            except OSError:
                return None

    def tcp_raw(self, message):
        with socket.create_connection((self.address, self.port), self.timeout,
                                      (self.source, 0)) as one:
            one.sendall(struct.pack(">H", len(message)) + message)
            return read_tcp_message(one)

    def ask(self, name, qtype="A", tcp=False, **options):
        message = query(name, qtype, **options)
        reply = self.tcp_raw(message) if tcp else self.udp_raw(message)
        if reply is None:
            raise AssertionError(f"{self.address}: no answer to {name} {qtype}")
        return Message(reply)

    def answers(self, name="."):
        """True when anything with the right id comes back."""
        try:
            return self.udp_raw(query(name)) is not None
        except OSError:
            return False


def read_tcp_message(connection):
    """One length-prefixed message, or None at the end of the stream."""
    head = _read_exactly(connection, 2)
    return _read_exactly(connection, struct.unpack(">H", head)[0]) if head else None


def _read_exactly(connection, count):
    out = b""
    while len(out) < count:
        part = connection.recv(count - len(out))
        if not part:
            return None
        out += part
    return out
