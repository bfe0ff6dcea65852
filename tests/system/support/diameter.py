# SPDX-License-Identifier: Apache-2.0
"""Diameter on the wire, written for the tests alone: messages, a strict decoder, a small client."""
import itertools
import os
import socket
import struct

CER, CCR, DWR, DPR = 257, 272, 280, 282
SESSION_ID, ORIGIN_HOST, ORIGIN_REALM, DESTINATION_REALM = 263, 264, 296, 283
RESULT_CODE, HOST_IP, VENDOR_ID, PRODUCT, AUTH_APP = 268, 257, 266, 269, 258
CC_TYPE, CC_NUMBER, SERVICE_CONTEXT, DISCONNECT_CAUSE = 416, 415, 461, 273
REQUEST, PROXIABLE, ERROR, RETRANSMIT = 0x80, 0x40, 0x20, 0x10


class Malformed(Exception):
    """The message breaks a rule of RFC 6733."""


def avp(code, value, flags=0x40):
    """`value`: bytes, text or an unsigned 32-bit number."""
    if isinstance(value, int):
        value = struct.pack(">I", value)
    elif isinstance(value, str):
        value = value.encode()
    padding = -len(value) % 4
    return (struct.pack(">IB", code, flags) + (8 + len(value)).to_bytes(3, "big") + value +
            bytes(padding))


def message(code, avps, flags=REQUEST, application=0, hop=0, end=0):
    body = b"".join(avps)
    return (b"\x01" + (20 + len(body)).to_bytes(3, "big") + bytes([flags]) +
            code.to_bytes(3, "big") + struct.pack(">III", application, hop, end) + body)


class Message:
    """A decoded message; `avps` is [(code, flags, value)] in order."""

    def __init__(self, wire):
        if len(wire) < 20 or wire[0] != 1 or int.from_bytes(wire[1:4], "big") != len(wire):
            raise Malformed("header")
        self.wire, self.flags = wire, wire[4]
        self.code = int.from_bytes(wire[5:8], "big")
        self.application, self.hop, self.end = struct.unpack(">III", wire[8:20])
        self.avps, at = [], 20
        while at < len(wire):
            if at + 8 > len(wire):
                raise Malformed("AVP header cut off")
            code, flags = struct.unpack(">IB", wire[at:at + 5])
            length = int.from_bytes(wire[at + 5:at + 8], "big")
            head = 12 if flags & 0x80 else 8
            if length < head or at + length > len(wire):
                raise Malformed("AVP length")
            self.avps.append((code, flags, wire[at + head:at + length]))
            at += (length + 3) // 4 * 4

    is_request = property(lambda self: bool(self.flags & REQUEST))

    def find(self, code):
        return next((value for number, _, value in self.avps if number == code), None)

    def number(self, code):
        value = self.find(code)
        return None if value is None else int.from_bytes(value, "big")

    def text(self, code):
        value = self.find(code)
        return None if value is None else value.decode()


class Client:
    """One connection as a network element. Requests are answered in any order; watchdogs that
    arrive in between are answered on the spot."""

    def __init__(self, address, port=3868, source="", host="probe.access.example.net",
                 realm="access.example.net", timeout=10):
        self.host, self.realm = host, realm
        self.hops = itertools.count(int.from_bytes(os.urandom(3), "big"))
        self.socket = socket.create_connection((address, port), timeout, (source, 0))
        self.source = self.socket.getsockname()[0]
        self.buffer = b""

    def close(self):
        self.socket.close()

    def send(self, code, avps, flags=REQUEST | PROXIABLE, application=4):
        hop = next(self.hops) & 0xffffffff
        self.socket.sendall(message(code, avps, flags, application, hop, hop ^ 0x5a5a5a5a))
        return hop

    def origin(self):
        return [avp(ORIGIN_HOST, self.host), avp(ORIGIN_REALM, self.realm)]

    def capabilities(self):
        """CER; returns the CEA."""
        address = b"\0\1" + socket.inet_aton(self.source)
        self.send(CER, self.origin() + [avp(HOST_IP, address), avp(VENDOR_ID, 0),
                                        avp(PRODUCT, "probe", 0), avp(AUTH_APP, 4)], REQUEST, 0)
        return self.receive()

    def ccr(self, session, kind, number):
        """Sends one CCR; returns its hop-by-hop id."""
        return self.send(CCR, [avp(SESSION_ID, session)] + self.origin() +
                         [avp(DESTINATION_REALM, "example.net"), avp(AUTH_APP, 4),
                          avp(SERVICE_CONTEXT, "32251@3gpp.org"), avp(CC_TYPE, kind),
                          avp(CC_NUMBER, number)])

    def receive(self):
        """The next answer; None at the end of the stream."""
        while True:
            wire = self._read_message()
            if wire is None:
                return None
            got = Message(wire)
            if not got.is_request:
                return got
            self.socket.sendall(message(got.code, [avp(RESULT_CODE, 2001)] + self.origin(), 0,
                                        got.application, got.hop, got.end))

    def charge(self, session, updates=1):
        """One whole session; the Origin-Hosts that answered. AssertionError on a bad answer."""
        blades = set()
        for number in range(updates + 2):
            kind = 1 if number == 0 else 3 if number == updates + 1 else 2
            hop = self.ccr(session, kind, number)
            answer = self.receive()
            if answer is None:
                raise AssertionError("the connection was closed")
            if (answer.hop, answer.text(SESSION_ID), answer.number(RESULT_CODE),
                    answer.number(CC_NUMBER)) != (hop, session, 2001, number):
                raise AssertionError(f"wrong answer to {session} {number}: {answer.avps}")
            blades.add(answer.text(ORIGIN_HOST))
        return blades

    def _read_message(self):
        while True:
            if len(self.buffer) >= 4:
                length = int.from_bytes(self.buffer[1:4], "big")
                if len(self.buffer) >= length:
                    wire, self.buffer = self.buffer[:length], self.buffer[length:]
                    return wire
            part = self.socket.recv(65536)
            if not part:
                return None
            self.buffer += part
