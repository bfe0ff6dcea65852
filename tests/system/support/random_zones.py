# SPDX-License-Identifier: Apache-2.0
"""Small random zones that hold all that is hard about answering: aliases of both kinds, wildcards,
cuts, names that are only there because of others, and types that nobody knows. And their signing."""
import os
import re

from support import machine, program
from support.gslb import write

LABELS = ["a", "b", "c", "d", "w", "x-1", "long" + "g" * 59]
TYPES = ["A", "AAAA", "TXT", "MX", "SRV", "SVCB", "HTTPS", "CAA", "PTR", "NAPTR", "TYPE65400",
         "TYPE1234"]
TYPE_NUMBERS = {"A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28,
                "SRV": 33, "NAPTR": 35, "DNAME": 39, "DS": 43, "RRSIG": 46, "NSEC": 47,
                "DNSKEY": 48, "NSEC3": 50, "NSEC3PARAM": 51, "SVCB": 64, "HTTPS": 65, "ANY": 255,
                "CAA": 257, "TYPE1234": 1234, "TYPE65400": 65400, "TYPE999": 999}
DS = "12345 13 2 " + "0123456789abcdef" * 4


class Zone:
    """`records` are (owner, ttl, type, rdata) in absolute names without the final dot."""

    def __init__(self, random, origin):
        self.random, self.origin, self.records = random, origin, []
        self.types = {}  # owner -> set of types
        self.make()

    def add(self, owner, rtype, rdata, ttl=None):
        self.types.setdefault(owner, set()).add(rtype)
        ttl = ttl or {"SOA": 3600, "NS": 3000}.get(rtype, 300 + 10 * (len(owner) % 7))
        self.records.append((owner, ttl, rtype, rdata))

    def name(self, depth=3, wildcards=0.0):
        """A random name below the origin."""
        labels = [self.random.choice(LABELS[:-1]) for _ in range(self.random.randint(1, depth))]
        if self.random.random() < wildcards:
            labels[self.random.choice([0, 0, len(labels) - 1])] = "*"
        return ".".join(labels + [self.origin])

    def below(self, owner, rtype):
        """Whether a record of the type stands at an ancestor of `owner` inside the zone."""
        at = owner
        while at != self.origin:
            at = at.split(".", 1)[1]
            if rtype in self.types.get(at, ()) and not (rtype == "NS" and at == self.origin):
                return True
        return False

    def target(self):
        """Where an alias may lead: to names of the zone, below them, or away."""
        pick = self.random.random()
        if pick < 0.15:
            return f"{self.random.choice(LABELS)}.elsewhere.test"
        if pick < 0.6 and self.types:
            return self.random.choice(list(self.types)).replace("*", "q")
        if pick < 0.7 and self.types:
            return "q." + self.random.choice(list(self.types)).replace("*", "q")
        return self.name()

    def rdata(self, rtype):
        number = self.random.randint(1, 250)
        host = self.target() + "."
        return {"A": f"192.0.2.{number}", "AAAA": f"2001:db8::{number:x}",
                "TXT": f'"text {number}" "{"t" * number}"', "MX": f"{number} {host}",
                "SRV": f"{number} 5 5060 {host}", "PTR": host,
                "SVCB": f"{number} {host} alpn=h2 port={number}",
                "HTTPS": f"{number} . ipv4hint=192.0.2.{number}",
                "CAA": f'0 issue "ca{number}.test"',
                "NAPTR": f'{number} 10 "s" "SIP+D2U" "" {host}',
                "TYPE65400": f"\\# 3 0a00{number:02x}", "TYPE1234": "\\# 0"}[rtype]

    def make(self):
        origin, random = self.origin, self.random
        self.add(origin, "SOA", f"ns1.{origin}. host.{origin}. {random.randint(1, 1000)} 7200 900 "
                                f"1209600 {random.choice([60, 300, 7200])}")
        self.add(origin, "NS", f"ns1.{origin}.")
        self.add(origin, "NS", "ns2.elsewhere.test.")
        self.add(f"ns1.{origin}", "A", "192.0.2.53")
        for _ in range(random.randint(1, 4)):
            self.make_cut()
        for _ in range(random.randint(1, 3)):
            self.make_dname()
        for _ in range(random.randint(6, 20)):
            self.make_data()
        for _ in range(random.randint(3, 10)):
            self.make_cname()
        if random.random() < 0.5:
            self.make_long_chain()

    def is_free(self, owner):
        return owner not in self.types and not self.below(owner, "NS") and \
            not self.below(owner, "DNAME")

    def has_below(self, owner):
        return any(other.endswith("." + owner) for other in self.types)

    def make_cut(self):
        owner = self.name(2)
        if not self.is_free(owner) or self.has_below(owner):
            return
        for number in range(self.random.randint(1, 2)):
            server = self.random.choice([f"ns{number}.{owner}", f"ns1.{self.origin}",
                                         f"ns{number}.elsewhere.test", owner])
            self.add(owner, "NS", server + ".")
            if server.endswith(owner):
                self.add(server, "A", f"192.0.2.{self.random.randint(1, 250)}")
                if self.random.random() < 0.5:
                    self.add(server, "AAAA", f"2001:db8::{self.random.randint(1, 250):x}")
        if self.random.random() < 0.5:
            self.add(owner, "DS", DS)
        if self.random.random() < 0.2:
            self.add(f"hidden.{owner}", "TXT", '"below the cut"')

    def make_dname(self):
        owner = self.name(2) if self.random.random() < 0.8 else self.name(1)
        if not self.is_free(owner) or self.has_below(owner):
            return
        pick = self.random.random()
        long_name = ".".join([LABELS[-1]] * 3 + [self.origin])
        self.add(owner, "DNAME", (long_name if pick < 0.25 else self.target()) + ".")
        if self.random.random() < 0.4:
            self.add(owner, "TXT", '"beside the DNAME"')

    def make_data(self):
        owner = self.origin if self.random.random() < 0.1 else self.name(4, 0.3)
        if self.below(owner, "NS") or self.below(owner, "DNAME"):
            return
        present = self.types.get(owner, set())
        if "CNAME" in present or ("NS" in present and owner != self.origin):
            return
        for rtype in self.random.sample(TYPES, self.random.randint(1, 4)):
            if rtype in present:
                continue
            for _ in range(1 if rtype in ("TYPE1234",) else self.random.randint(1, 3)):
                self.add(owner, rtype, self.rdata(rtype))

    def make_cname(self):
        owner = self.name(3, 0.4)
        if self.is_free(owner):
            self.add(owner, "CNAME", self.target() + ".")

    def make_long_chain(self):
        names = [f"chain{i}.{self.origin}" for i in range(self.random.randint(3, 12))]
        for one, after in zip(names, names[1:]):
            self.add(one, "CNAME", after + ".")
        self.add(names[-1], "A", "192.0.2.99")

    def text(self):
        seen, lines = set(), [f"$ORIGIN {self.origin}."]
        for record in self.records:
            if record not in seen:
                seen.add(record)
                owner, ttl, rtype, rdata = record
                lines.append(f"{owner}. {ttl} IN {rtype} {rdata}")
        return "\n".join(lines) + "\n"

    def names_to_ask(self):
        """Each name of the zone, its ancestors, a neighbour and what is below."""
        out = set()
        for owner in self.types:
            at = owner
            while at.endswith(self.origin):
                out |= {at, f"q.{at}", f"*.{at}", f"p.q.{at}", f"0{at}", f"q.*.{at}"}
                at = at.split(".", 1)[1]
        out |= {f"{LABELS[-1]}.{LABELS[-1]}.{owner}" for owner, types in self.types.items()
                if "DNAME" in types}
        return sorted(name for name in out if len(name) < 250 and
                      all(len(label) < 64 for label in name.split(".")))

    def random_name(self):
        return self.name(4, 0.1)


def sign(folder, origin, text, how):
    """The zone's text signed with keys of its own: `how` is "nsec", "nsec3" or "optout", with
    "ldns-" in front for another signer."""
    os.makedirs(folder, exist_ok=True)
    write(f"{folder}/{origin}.zone", text)
    if how.startswith("ldns-"):
        key = program.run([machine.debian("ldns-keygen"), "-a", "ECDSAP256SHA256", "-k", origin],
                          folder=folder, check=0).stdout.strip()
        options = [] if how == "ldns-nsec" else ["-n", "-t", "0", "-s", "-"]
        if how == "ldns-nsec3":
            options = ["-n", "-t", "0"]
        program.run([machine.debian("ldns-signzone"), *options, "-o", origin, "-f",
                     f"{folder}/signed", f"{folder}/{origin}.zone", key], folder=folder, check=0)
    else:
        for flags in ([], ["-f", "KSK"]):
            program.run([machine.debian("dnssec-keygen"), "-q", "-a", "ECDSAP256SHA256", *flags,
                         origin], folder=folder, check=0)
        options = {"nsec": [], "nsec3": ["-3", "-", "-H", "0"],
                   "optout": ["-3", "-", "-H", "0", "-A"], "salted": ["-3", "beef", "-H", "3"]}
        program.run([machine.debian("dnssec-signzone"), "-q", "-S", "-d", folder, "-O", "full",
                     *options[how], "-o", origin, "-f", f"{folder}/signed",
                     f"{folder}/{origin}.zone"], folder=folder, check=0)
    with open(f"{folder}/signed") as done:
        return re.sub(r"(?m)^;.*\n", "", done.read())
