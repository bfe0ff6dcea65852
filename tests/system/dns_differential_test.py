#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random small zones, plain and signed, on four servers: twinsite-gslb, BIND, Knot and NSD must say
the same to every question, or a rule below says why they need not.

    dns_differential_test.py                                 a few thousand questions
    dns_differential_test.py --queries 100000 --seed 7       the long run
"""
import argparse
import collections
import random
import sys
import time

from support import case, dns, gslb, oracles, random_zones
from support.random_zones import TYPE_NUMBERS

OPTIONS = argparse.Namespace(queries=3000, seed=1, zones=0, show=12)
KINDS = ["plain", "plain", "nsec", "nsec3", "optout", "ldns-nsec", "ldns-nsec3", "salted"]
T = TYPE_NUMBERS
PROOFS = {T["NSEC"], T["NSEC3"]}
ASKED = ["A", "AAAA", "TXT", "MX", "NS", "CNAME", "DNAME", "SOA", "DS", "SRV", "SVCB", "HTTPS",
         "TYPE65400", "TYPE999", "DNSKEY", "NSEC", "RRSIG", "ANY", "PTR", "NSEC3PARAM"]


def covered(record):
    """The type an RRSIG covers, else the record's own."""
    return int.from_bytes(record.data[:2], "big") if record.type == T["RRSIG"] else record.type


class Said:
    """What an answer says, as sets: what must be equal."""

    def __init__(self, reply, zone):
        self.reply = reply
        self.rcode, self.aa, self.tc = reply.rcode, reply.aa, reply.tc
        self.answer = {r.key() for r in reply.answer}
        self.repeated = len(self.answer) != len(reply.answer)
        # NS of the apex beside a positive answer is each server's own choice (RFC 1034 section
        # 4.3.2 step 6), and so is what helps behind it.
        apex_ns = reply.aa and reply.rcode == 0
        self.authority = {r.key() for r in reply.authority
                          if not (apex_ns and covered(r) == T["NS"] and r.owner == zone + ".")}
        self.is_referral = not reply.aa and any(r.type == T["NS"] for r in reply.authority)
        self.cut = next((r.owner for r in reply.authority if r.type == T["NS"]), "")
        self.glue = {r.key() for r in reply.additional
                     if self.is_referral and r.owner.endswith(self.cut)}

    def fields(self):
        return {"rcode": self.rcode, "aa": self.aa, "answer": self.answer,
                "authority": self.authority, "glue": self.glue}

    def proofs(self):
        return {key for key in self.authority if key[1] in PROOFS or key[1] == T["RRSIG"]}

    def plain_authority(self):
        return self.authority - self.proofs()


Question = collections.namedtuple("Question", "zone kind name type do tcp edns")


def differing(ours, theirs):
    mine, other = ours.fields(), theirs.fields()
    return {field for field in mine if mine[field] != other[field]}


RULES = []


def rule(reason):
    """A difference that may be: `judge(server, question, ours, theirs, fields)` is true."""
    def keep(judge):
        RULES.append((reason, judge))
        return judge
    return keep


@rule("RFC 8482 section 4.1: ANY is answered with one of the RRsets, and an alias is one")
def minimal_any(server, question, ours, theirs, fields):
    return question.type == "ANY" and ours.rcode == 0 and len(ours.answer) > 0 and \
        fields <= {"answer", "authority", "rcode"}


@rule("RFC 8482: RRSIG may be answered in part, like ANY; Knot gives one")
def minimal_rrsig(server, question, ours, theirs, fields):
    return server == "knotd" and question.type == "RRSIG" and theirs.answer and \
        fields <= {"answer", "authority"}


@rule("RFC 6672 section 3.2: YXDOMAIN ends the answer; Knot adds a SOA or goes on at the target")
def more_beside_yxdomain(server, question, ours, theirs, fields):
    return server == "knotd" and ours.rcode == 6 and "aa" not in fields and \
        ours.answer <= theirs.answer


@rule("RFC 1034 section 3.6.2 leaves open how far a chain is followed; Knot stops after five")
def short_chain(server, question, ours, theirs, fields):
    return server == "knotd" and len(aliases(theirs)) >= 5 and theirs.answer < ours.answer and \
        "aa" not in fields


@rule("RFC 1034 section 3.6.2: CNAME loops are errors of the zone; BIND calls them SERVFAIL")
def loop(server, question, ours, theirs, fields):
    owners = {owner for owner, _ in aliases(ours)}
    closes = any(target in owners for _, target in aliases(ours))
    return closes and "aa" not in fields and (theirs.rcode == 2 or ours.rcode == theirs.rcode)


@rule("RFC 4034 sections 3, 4: NSEC and RRSIG are data beside a CNAME, not behind it; NSD follows")
def nsec_at_alias(server, question, ours, theirs, fields):
    return server == "nsd" and question.type in ("NSEC", "RRSIG") and len(aliases(theirs)) > 0


@rule("RFC 4035 section 3.1.4.1: a cut answers DS itself and refers the rest; BIND answers NSEC too")
def nsec_at_cut(server, question, ours, theirs, fields):
    return server == "named" and question.type in ("NSEC", "RRSIG") and ours.is_referral


@rule("RFC 5155 section 7.2.5, RFC 4035 section 3.1.3.4: NSD proves less or more of a wildcard, as "
      "to an asterisk in the question or behind a DNAME")
def nsd_proofs(server, question, ours, theirs, fields):
    return server == "nsd" and fields == {"authority"} and \
        ours.plain_authority() == theirs.plain_authority() and \
        (ours.authority < theirs.authority or ours.authority > theirs.authority) and \
        ("*" in question.name or any(r[1] == T["DNAME"] for r in ours.answer))


@rule("RFC 4592 section 2.1.3: an asterisk in the question is a label like others; Knot takes it "
      "for the wildcard itself and leaves out a proof")
def asterisk_asked(server, question, ours, theirs, fields):
    return server == "knotd" and fields == {"authority"} and \
        ("*" in question.name or question.type == "NSEC") and \
        theirs.authority < ours.authority and ours.plain_authority() == theirs.plain_authority()


@rule("RFC 4035 section 3.1.3.4: that a wildcard without records has none wants an NSEC too; BIND "
      "and Knot leave it out")
def empty_wildcard(server, question, ours, theirs, fields):
    return server in ("named", "knotd") and fields == {"authority"} and \
        ours.authority > theirs.authority and \
        [r[1] for r in sorted(ours.authority - theirs.authority)] == [T["RRSIG"], T["NSEC"]]


def aliases(said):
    """(owner, target) of the CNAMEs."""
    return [(owner, dns.expand(data, 0)[0]) for owner, rtype, _, _, data in said.answer
            if rtype == T["CNAME"]]


def judge(server, question, ours, theirs):
    """None: equal. A reason: allowed. "": neither."""
    fields = differing(ours, theirs)
    if not fields:
        return None
    for reason, allows in RULES:
        if allows(server, question, ours, theirs, fields):
            return reason
    return ""


class Differential(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(OPTIONS.seed)
        count = OPTIONS.zones or max(len(KINDS), min(64, OPTIONS.queries // 400))
        self.kinds, self.zones, texts = {}, {}, {}
        for number in range(count):
            origin = f"z{number}.test"
            self.kinds[origin] = KINDS[number % len(KINDS)]
            self.zones[origin] = random_zones.Zone(self.random, origin)
            texts[origin] = self.zones[origin].text()
            if self.kinds[origin] != "plain":
                texts[origin] = random_zones.sign(f"{self.folder}/keys-{number}", origin,
                                                  texts[origin], self.kinds[origin])
        ours = self.start_ours(texts)
        self.servers = [ours] + [one(self, texts).start("z0.test.") for one in
                                 (oracles.Bind, oracles.Knot, oracles.Nsd)]
        self.lines = [oracles.Line(one.address, one.port) for one in self.servers]
        for line in self.lines:
            self.addCleanup(line.close)

    def start_ours(self, texts):
        listed = "".join(f"  - {{name: {origin}, file: {origin}.zone}}\n" for origin in texts)
        config = gslb.HEAD + "sites: [idc1]\nudp_payload_bytes: 4096\nzones:\n" + listed
        return gslb.Gslb(self, "gslb", config,
                         {f"{origin}.zone": text for origin, text in texts.items()}).start()

    def questions(self):
        """First each name with each type once, in random order; then random names."""
        systematic = [(origin, name, qtype) for origin, zone in self.zones.items()
                      for name in zone.names_to_ask() for qtype in ASKED]
        self.random.shuffle(systematic)
        for number in range(OPTIONS.queries):
            if number < len(systematic) and number % 5 != 4:
                origin, name, qtype = systematic[number]
            else:
                origin = self.random.choice(list(self.zones))
                name = self.zones[origin].random_name()
                qtype = self.random.choice(ASKED)
            pick = self.random.random()
            yield Question(origin, self.kinds[origin], name, qtype, pick < 0.6,
                           self.random.random() < 0.15, pick < 0.85)

    def ask(self, question, tcp):
        message = dns.query(question.name, TYPE_NUMBERS[question.type], do=question.do,
                            edns=question.edns, size=4096)
        if tcp:
            replies = [line.ask_tcp(message) for line in self.lines]
        else:
            for line in self.lines:
                line.send(message)
            replies = [line.receive(message) for line in self.lines]
        return [Said(reply, question.zone) for reply in replies]

    def compare(self, question):
        said = self.ask(question, question.tcp)
        if any(one.tc for one in said):
            # Where it does not fit is a matter of compression; whether it does, of the limit.
            self.counts["truncated, asked again over TCP"] += 1
            said = self.ask(question, True)
        self.assertFalse(said[0].repeated, f"a record twice: {question}")
        for server, theirs in zip(self.servers[1:], said[1:]):
            reason = judge(server.name, question, said[0], theirs)
            if reason is None:
                self.counts[f"equal to {server.name}"] += 1
            elif reason:
                self.counts[f"{server.name}: {reason}"] += 1
            else:
                self.differences.append((server.name, question, said[0], theirs))

    def test_every_answer_is_that_of_bind_knot_and_nsd_or_explained(self):
        self.counts, self.differences = collections.Counter(), []
        begin = time.monotonic()
        for number, question in enumerate(self.questions()):
            self.compare(question)
        self.say(f"{OPTIONS.queries} questions, seed {OPTIONS.seed}, {len(self.zones)} zones, "
                 f"{time.monotonic() - begin:.0f} s")
        for what, count in sorted(self.counts.items()):
            self.say(f"{count:7} {what}")
        for server, question, ours, theirs in self.differences[:OPTIONS.show]:
            print(f"DIFFERENT from {server}: {tuple(question)}\n{describe(ours, theirs)}",
                  file=sys.stderr)
        self.assertEqual(len(self.differences), 0, "differences without a reason")


NAMES = {number: name for name, number in TYPE_NUMBERS.items()}


def shown(keys):
    """Records in short: signatures by what they cover."""
    out = []
    for owner, rtype, _, ttl, data in sorted(keys):
        name = NAMES.get(rtype, str(rtype))
        if rtype == T["RRSIG"]:
            covers = int.from_bytes(data[:2], "big")
            text = NAMES.get(covers, str(covers))
        else:
            text = "" if rtype == T["SOA"] else data[:40]
        out.append(f"{owner} {ttl} {name} {text}")
    return out


def describe(ours, theirs):
    out = []
    for field in sorted(differing(ours, theirs)):
        mine, other = ours.fields()[field], theirs.fields()[field]
        if isinstance(mine, set):
            out += [f"  {field}: only ours   {one}" for one in shown(mine - other)]
            out += [f"  {field}: only theirs {one}" for one in shown(other - mine)]
        else:
            out.append(f"  {field}: ours {mine}, theirs {other}")
    return "\n".join(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--queries", type=int, default=OPTIONS.queries)
    parser.add_argument("--seed", type=int, default=OPTIONS.seed)
    parser.add_argument("--zones", type=int, default=OPTIONS.zones)
    parser.add_argument("--show", type=int, default=OPTIONS.show)
    OPTIONS, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    case.main()
