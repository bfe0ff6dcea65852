#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One static zone on three servers: twinsite-gslb, BIND and Knot must say the same."""
from support import case, dns, gslb, name_servers

ZONE = "oracle.example"
LONG = " ".join('"%s"' % (chr(97 + i % 26) * 200) for i in range(12))
ZONE_TEXT = f"""$ORIGIN {ZONE}.
$TTL 3600
@ IN SOA ns1 hostmaster.{ZONE}. 2026113001 7200 900 1209600 300
@ IN NS ns1
@ IN NS ns2
@ IN MX 10 mail
@ IN TXT "v=spf1 -all"
@ IN A 192.0.2.10
@ IN AAAA 2001:db8::10
@ IN CAA 0 issue "ca.example"
ns1 IN A 192.0.2.1
ns2 IN A 192.0.2.2
ns2 IN AAAA 2001:db8::2
mail 600 IN A 192.0.2.25
www 60 IN A 192.0.2.80
www 60 IN A 192.0.2.81
www 60 IN AAAA 2001:db8::80
alias IN CNAME www
alias2 IN CNAME alias
outside IN CNAME www.elsewhere.example.
dangling IN CNAME gone
tobelow IN CNAME host.sub
many IN TXT {LONG}
many IN TXT "second"
forty IN A 192.0.2.100
{chr(10).join(f"forty IN A 198.51.100.{i}" for i in range(1, 41))}
_sip._tcp IN SRV 10 60 5060 sip1
_sip._tcp IN SRV 20 10 5060 sip2.{ZONE}.
sip1 IN A 192.0.2.61
a.b.c.deep IN A 192.0.2.90
*.wild IN A 192.0.2.200
*.wild IN TXT "any"
real.wild IN AAAA 2001:db8::200
below.real2.wild IN A 192.0.2.201
*.cwild IN CNAME www
sub IN NS ns.sub
sub IN NS ns.elsewhere.example.
ns.sub IN A 192.0.2.70
UPPER IN A 192.0.2.111
ptr IN PTR www
txt255 IN TXT "{'x' * 255}" "y"
unknown IN TYPE65400 \\# 4 0a000001
"""
A, TCP, NO_EDNS, SMALL = "A", {"tcp": True}, {"edns": False}, {"size": 512}
QUERIES = [
    ("", "SOA", {}), ("", "NS", {}), ("", "MX", {}), ("", "TXT", {}), ("", "A", {}),
    ("", "AAAA", {}), ("", "CAA", {}), ("", "SRV", {}), ("", "CNAME", {}), ("", "DS", {}),
    ("ns1", "A", {}), ("ns1", "AAAA", {}), ("ns2", "AAAA", {}), ("mail", "A", {}),
    ("mail", "MX", {}), ("www", "A", {}), ("www", "AAAA", {}), ("www", "TXT", {}),
    ("www", "A", NO_EDNS), ("www", "A", TCP), ("wWw", "A", {}), ("upper", "A", {}),
    ("alias", "A", {}), ("alias", "AAAA", {}), ("alias", "CNAME", {}), ("alias", "TXT", {}),
    ("alias2", "A", {}), ("alias2", "MX", {}), ("outside", "A", {}), ("outside", "CNAME", {}),
    ("dangling", "A", {}), ("tobelow", "CNAME", {}), ("many", "TXT", NO_EDNS),
    ("many", "TXT", SMALL), ("many", "TXT", TCP), ("forty", "A", NO_EDNS), ("forty", "A", {}),
    ("forty", "A", TCP), ("_sip._tcp", "SRV", {}), ("_sip._tcp", "A", {}), ("_tcp", "SRV", {}),
    ("c.deep", "A", {}), ("deep", "TXT", {}), ("a.b.c.deep", "A", {}), ("x.b.c.deep", "A", {}),
    ("any.wild", "A", {}), ("two.labels.wild", "A", {}), ("any.wild", "AAAA", {}),
    ("any.wild", "TXT", {}), ("wild", "A", {}), ("real.wild", "A", {}), ("x.real.wild", "A", {}),
    ("real2.wild", "A", {}), ("*.wild", "A", {}), ("any.cwild", "A", {}), ("any.cwild", "CNAME", {}),
    ("any.cwild", "MX", {}), ("sub", "NS", {}), ("sub", "A", {}), ("host.sub", "A", {}),
    ("ns.sub", "A", {}), ("sub", "DS", {}), ("gone", "A", {}), ("gone", "A", NO_EDNS),
    ("gone", "SOA", {}), ("x.y.z.gone", "TXT", {}), ("ptr", "PTR", {}), ("txt255", "TXT", {}),
    ("unknown", 65400, {}), ("unknown", "A", {}), ("nothing.elsewhere.example.", "A", {}),
    ("example.", "SOA", {}),
]
CONFIG = gslb.HEAD + f"""sites: [idc1]
zones:
  - {{name: {ZONE}, file: {ZONE}.zone}}
"""


class Oracles(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.ours = gslb.Gslb(self, "gslb", CONFIG, {f"{ZONE}.zone": ZONE_TEXT}).start()
        self.others = [name_servers.Named(self, ZONE, ZONE_TEXT).start(f"{ZONE}."),
                       name_servers.Knotd(self, ZONE, ZONE_TEXT).start(f"{ZONE}.")]

    @staticmethod
    def summary(reply):
        """What must be equal. A truncated answer says nothing but TC; what a server adds of its
        own accord to the authority or additional section of a positive answer is left out."""
        said = {"rcode": reply.rcode, "aa": reply.aa, "tc": reply.tc, "opt": reply.opt is not None}
        if reply.tc:
            return said
        said["answer"] = sorted(r.key() for r in reply.answer)
        said["soa"] = [r.key() for r in reply.authority if r.type == dns.TYPES["SOA"]]
        if not reply.aa:
            said["referral"] = sorted(r.key() for r in reply.authority if r.type == dns.TYPES["NS"])
        return said

    def test_queries_of_all_kinds_get_the_answers_of_bind_and_knot(self):
        self.assertGreaterEqual(len(QUERIES), 60)
        for label, qtype, options in QUERIES:
            name = label if label.endswith(".") else f"{label}.{ZONE}." if label else f"{ZONE}."
            ours = self.summary(self.ours.client().ask(name, qtype, **options))
            for other in self.others:
                with self.subTest(name=name, type=qtype, options=options, beside=other.name):
                    theirs = self.summary(other.client().ask(name, qtype, **options))
                    self.assertEqual(ours, theirs)

    def test_questions_come_back_byte_for_byte(self):
        client = self.ours.client()
        message = dns.query(f"wWw.OrAcLe.ExAmPlE", ident=0x1234)
        reply = client.udp_raw(message)
        end = message.index(b"\0\0\1\0\1", 12) + 5
        self.assertEqual(reply[12:end], message[12:end])

    def test_what_is_not_a_plain_query_is_refused_as_bind_refuses_it(self):
        client = self.ours.client()
        badvers = dns.Message(client.udp_raw(dns.query(f"www.{ZONE}", version=1)))
        self.assertEqual((badvers.rcode, badvers.answer), (dns.RCODES["BADVERS"], []))
        opcode = dns.Message(client.udp_raw(dns.query(f"www.{ZONE}", opcode=15, flags=0x0100)))
        self.assertEqual(opcode.rcode, dns.RCODES["NOTIMP"])
        two = bytearray(dns.query(f"www.{ZONE}", edns=False))
        two[5] = 2
        self.assertEqual(client.udp_raw(bytes(two) + bytes(two[12:]))[3] & 15,
                         dns.RCODES["FORMERR"])
        answer = bytearray(dns.query(f"www.{ZONE}"))
        answer[2] |= 0x80
        short = self.ours.client(timeout=0.3)
        self.assertIsNone(short.udp_raw(bytes(answer)), "an answer must not be answered")

    def test_pipelined_queries_on_one_connection_are_all_answered(self):
        import socket
        import struct
        with socket.create_connection((self.ours.address, self.ours.PORT), 5) as one:
            names = [f"www.{ZONE}", f"gone.{ZONE}", f"forty.{ZONE}"] * 40
            queries = [dns.query(name, ident=number) for number, name in enumerate(names)]
            one.sendall(b"".join(struct.pack(">H", len(q)) + q for q in queries))
            seen = {dns.Message(dns.read_tcp_message(one)).id for _ in names}
        self.assertEqual(seen, set(range(len(names))))


if __name__ == "__main__":
    case.main()
