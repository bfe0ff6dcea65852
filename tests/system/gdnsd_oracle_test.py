#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gdnsd as a live oracle: the same pools, orders, weights, networks and states must give the same
answers and the same scopes, in 10,000 random cases."""
import contextlib
import os
import random
import selectors
import socket
import threading

from support import case, gslb, machine, name_servers

ZONE = "oracle.test"
SITES = ["a", "b", "c"]
CASES, STATES = 10_000, 20
SEED = 20261130
# Members of each site's pool: name, last octet of 127.N.3.x, weight.
POOLS = {"a": [("a1", 1, 10), ("a2", 2, 30), ("a3", 3, 60)],
         "b": [("b1", 4, 1), ("b2", 5, 1)],
         "c": [("c1", 6, 50), ("c2", 7, 25), ("c3", 8, 25), ("c4", 9, 5)]}
MEMBERS = [member for site in SITES for member in POOLS[site]]
# Whole orders, so that both merge the same neighbours.
NETS = {"10.0.0.0/8": "bac", "10.1.0.0/16": "abc", "10.1.2.0/24": "cab", "10.1.2.128/25": "abc",
        "10.64.0.0/10": "cba", "172.16.0.0/12": "cab", "192.0.2.0/24": "bca",
        "198.51.100.0/22": "abc", "203.0.113.7/32": "cba", "2001:db8::/32": "bca",
        "2001:db8:100::/40": "cab", "2001:db8:100:8000::/49": "abc", "2a00:1450::/29": "cba"}
DEFAULT_ORDER = "abc"
ZONE_TEXT = f"""$ORIGIN {ZONE}.
$TTL 3600
@ SOA ns hostmaster ( 1 7200 900 1209600 60 )
@ NS ns
ns A 192.0.2.53
"""
NAMES = ["all", "one", "multi", "order", "geo", "geo-one"]


def v6_of(octet):
    return f"2001:db8:ffff::{octet}"


class Ports:
    """Listeners that accept and close, or do not exist: what a TCP check of ours sees."""

    PORT = 7000

    def __init__(self):
        self.selector, self.open = selectors.DefaultSelector(), {}
        self.lock, self.ended = threading.Lock(), False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ended:
            with self.lock:
                ready = self.selector.select(0) if self.open else []
                for key, _ in ready:
                    with contextlib.suppress(OSError):
                        key.fileobj.accept()[0].close()
            if not ready:
                threading.Event().wait(0.005)

    def set(self, address, up):
        with self.lock:
            if up and address not in self.open:
                one = socket.socket()
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                one.bind((address, self.PORT))
                one.listen(64)
                one.setblocking(False)
                self.selector.register(one, selectors.EVENT_READ)
                self.open[address] = one
            elif not up and address in self.open:
                one = self.open.pop(address)
                self.selector.unregister(one)
                one.close()

    def end(self):
        self.ended = True
        self.thread.join()
        for one in self.open.values():
            one.close()


class Gdnsd(name_servers.NameServer):
    def __init__(self, case):
        super().__init__(case, "gdnsd", case.net.address(2, 9))

    def prepare(self, folder):
        net = self.address.rsplit(".", 2)[0]
        pools = "".join(self.multifo(net, site) for site in SITES)
        weighted = "".join(
            f"    {name} => {{ multi => {multi}, {self.weights(net, site)} }}\n"
            for name, site, multi in (("w_one", "a", "false"), ("w_multi", "c", "true"),
                                      ("one_b", "b", "false"), ("one_c", "c", "false")))
        nets = ", ".join(f"{prefix} => [{', '.join(order)}]" for prefix, order in NETS.items())
        by_pool = "a => %multifo!a, b => %multifo!b, c => %multifo!c"
        by_weight = "a => %weighted!w_one, b => %weighted!one_b, c => %weighted!one_c"
        gslb.write(f"{folder}/config", f"""options => {{
  listen => [ {self.address} ], dns_port => {self.port}
  run_dir => {folder}/run, state_dir => {folder}/state
  udp_threads => 1, tcp_threads => 1
}}
service_types => {{ st => {{ plugin => static, state => up, ttl => 30 }} }}
plugins => {{
  static => {{ }}
  multifo => {{ service_types => [st], up_thresh => 0.01
{pools}    flag => {{ flag => {net}.3.250 }}
    mark => {{ service_types => [up], mark => {net}.3.251 }}
  }}
  weighted => {{ service_types => [st], up_thresh => 0.01
{weighted}  }}
  metafo => {{ resources => {{
    order => {{ datacenters => [b, c, a], dcmap => {{ {by_pool} }} }}
    flag => {{ datacenters => [flag, mark], dcmap => {{ flag => %multifo!flag, mark => %multifo!mark }} }}
  }} }}
  geoip => {{
    maps => {{ m => {{ datacenters => [{', '.join(DEFAULT_ORDER)}], nets => {{ {nets} }} }} }}
    resources => {{
      geo => {{ map => m, dcmap => {{ {by_pool} }} }}
      geo_one => {{ map => m, dcmap => {{ {by_weight} }} }}
    }}
  }}
}}
""")
        gslb.write(f"{folder}/zones/{ZONE}", ZONE_TEXT + """flag 60/5 DYNA metafo!flag
all 60/5 DYNA multifo!c
one 60/5 DYNA weighted!w_one
multi 60/5 DYNA weighted!w_multi
order 60/5 DYNA metafo!order
geo 60/5 DYNA geoip!geo
geo-one 60/5 DYNA geoip!geo_one
""")
        for name in ("run", "state"):
            os.makedirs(f"{folder}/{name}", exist_ok=True)
        self.conf = folder
        return [machine.debian("gdnsd"), "-c", folder, "start"]

    @staticmethod
    def multifo(net, site):
        v4 = ", ".join(f"{name} => {net}.3.{octet}" for name, octet, _ in POOLS[site])
        v6 = ", ".join(f"{name} => {v6_of(octet)}" for name, octet, _ in POOLS[site])
        return f"    {site} => {{ addrs_v4 => {{ {v4} }}, addrs_v6 => {{ {v6} }} }}\n"

    @staticmethod
    def weights(net, site):
        v4 = ", ".join(f"{name} => [{net}.3.{octet}, {weight}]"
                       for name, octet, weight in POOLS[site])
        v6 = ", ".join(f"{name} => [{v6_of(octet)}, {weight}]"
                       for name, octet, weight in POOLS[site])
        return f"addrs_v4 => {{ {v4} }}, addrs_v6 => {{ {v6} }}"

    def force(self, wanted):
        """{address: up}; returns when the answers follow. States reach the workers together, up to
        a second after they are known, so a flag that changes each time tells when."""
        flag = self.address.rsplit(".", 2)[0] + ".3.250"
        self.flag_up = not getattr(self, "flag_up", True)
        lines = "".join(f"{address}/st => {'UP' if up else 'DOWN'}\n"
                        for address, up in {**wanted, flag: self.flag_up}.items())
        gslb.write(f"{self.conf}/state/admin_state.new", lines)
        os.rename(f"{self.conf}/state/admin_state.new", f"{self.conf}/state/admin_state")
        expected = [flag if self.flag_up else flag.replace(".250", ".251")]
        self.wait_until(lambda: self.client().ask(f"flag.{ZONE}").addresses() == expected, 20,
                        "the answers of gdnsd follow the states")


def service(name, site_names):
    out = f"  - name: {name}\n    targets:\n"
    for site in site_names:
        for member, octet, weight in POOLS[site]:
            out += (f"      - {{name: {member}, site: {site}, weight: {weight}, checks: [port], "
                    f"addresses: [\"@NET@.3.{octet}\", \"{v6_of(octet)}\"], "
                    f"check_addresses: [\"@NET@.3.{octet}\"]}}\n")
    return out


def config():
    prefixes = "".join(f"    - {{prefix: \"{prefix}\", sites: [{', '.join(order)}]}}\n"
                       for prefix, order in NETS.items())
    out = gslb.HEAD.replace("site: idc1", "site: a") + f"""sites: [{', '.join(DEFAULT_ORDER)}]
networks:
  prefixes:
{prefixes}zones:
  - {{name: {ZONE}, file: {ZONE}.zone}}
checks:
  - {{name: port, type: tcp, port: {Ports.PORT}, interval: 100ms, timeout: 90ms, up_threshold: 1,
     ok_threshold: 1, down_threshold: 1}}
services:
"""
    out += service("pool-a", "a") + service("pool-c", "c") + service("sites", SITES)
    out += "steered:\n"
    for name, of, filters in (
            ("all", "pool-c", "override, up, all"),
            ("one", "pool-a", "override, up, weighted"),
            ("multi", "pool-c", "override, up, weighted: {pick: multi}"),
            ("order", "sites", "override, up, failover: {order: [b, c, a]}"),
            ("geo", "sites", "override, up, nearest, failover"),
            ("geo-one", "sites", "override, up, nearest, failover, weighted")):
        out += f"  - {{name: {name}.{ZONE}, service: {of}, filters: [{filters}]}}\n"
    return out


class Oracle(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        self.ports = Ports()
        self.addCleanup(self.ports.end)
        self.address = {name: self.net.address(3, octet) for name, octet, _ in MEMBERS}
        for address in self.address.values():
            self.ports.set(address, True)
        self.theirs = Gdnsd(self).start(f"{ZONE}.")
        self.ours = gslb.Gslb(self, "gslb", config(), {f"{ZONE}.zone": ZONE_TEXT}).start()

    def our_states(self):
        out = {}
        for each in self.ours.control.get("/api/v1/status")["services"]:
            for target in each["targets"]:
                up = target["state"] == "up"
                name = target["name"]
                out[name] = up if out.get(name, up) == up else None
        return out

    def put(self, up):
        """{member: up} at both servers."""
        for name, state in up.items():
            self.ports.set(self.address[name], state)
        octets = {name: octet for name, octet, _ in MEMBERS}
        self.theirs.force({address: state for name, state in up.items()
                           for address in (self.address[name], v6_of(octets[name]))})
        self.ours.wait_until(lambda: self.our_states() == up, 20, "we have the states")

    def draw_states(self, number):
        if number == 0:
            return {name: True for name, _, _ in MEMBERS}
        if number == 1:
            return {name: False for name, _, _ in MEMBERS}
        share = self.random.choice([0.2, 0.5, 0.8])
        up = {name: self.random.random() < share for name, _, _ in MEMBERS}
        if self.random.random() < 0.4:  # a whole site
            for name, _, _ in POOLS[self.random.choice(SITES)]:
                up[name] = False
        return up

    def draw_subnet(self):
        """A client subnet: around the networks of the table as often as anywhere."""
        kind = self.random.random()
        if kind < 0.1:
            return None
        if kind < 0.15:
            return "0.0.0.0/0"
        bits = self.random.getrandbits
        if kind < 0.7:
            length = self.random.randint(1, 32)
            near = self.random.choice([n for n in NETS if ":" not in n]).split("/")[0]
            number = (int.from_bytes(socket.inet_aton(near), "big") ^ bits(self.random.randint(0, 20))
                      if self.random.random() < 0.7 else bits(32))
            number = number >> (32 - length) << (32 - length)
            return f"{socket.inet_ntoa(number.to_bytes(4, 'big'))}/{length}"
        length = self.random.randint(3, 64)
        near = self.random.choice([n for n in NETS if ":" in n]).split("/")[0]
        number = int.from_bytes(socket.inet_pton(socket.AF_INET6, near), "big")
        if self.random.random() < 0.7:
            number ^= bits(self.random.randint(1, 100))
        else:
            number = 1 << 125 | bits(125)
        number = number >> (128 - length) << (128 - length)
        if number >> 96 == 0x20010000 or number >> 112 == 0x2002:
            return None  # Teredo and 6to4, which gdnsd looks up as IPv4
        return f"{socket.inet_ntop(socket.AF_INET6, number.to_bytes(16, 'big'))}/{length}"

    @staticmethod
    def weight_of(address):
        octet = int(address.replace("::", ".").rsplit(".", 1)[1], 10)
        return next(weight for _, number, weight in MEMBERS if number == octet)

    def possible(self, name, qtype, subnet):
        """What a drawn answer may hold: our own candidates, by explain."""
        target = f"/api/v1/explain?name={name}.{ZONE}&type={qtype}&client={self.source}"
        if subnet:
            target += f"&subnet={subnet}"
        kept = self.ours.control.get(target)["stages"][-1]["kept"]
        pick = {member: octet for member, octet, _ in MEMBERS}
        if qtype == "A":
            return {self.address[member] for member in kept}
        return {v6_of(pick[member]) for member in kept}

    def compare(self, name, qtype, subnet):
        ours, theirs = (server.client(self.source).ask(f"{name}.{ZONE}", qtype, subnet=subnet)
                        for server in (self.ours, self.theirs))
        said = f"{name} {qtype} subnet {subnet}: ours {ours.addresses()}, theirs {theirs.addresses()}"
        self.assertEqual((ours.rcode, ours.ecs()), (theirs.rcode, theirs.ecs()), said)
        if name in ("all", "order", "geo"):
            self.assertEqual(ours.addresses(), theirs.addresses(), said)
            return
        candidates = self.possible(name, qtype, subnet)
        for reply in (ours, theirs):
            got = set(reply.addresses())
            self.assertLessEqual(got, candidates, said)
            if name != "multi" and not self.all_down:
                self.assertEqual(len(got), 1, said)
        if name == "multi" and not self.all_down:
            most = max(self.weight_of(each) for each in candidates)
            heaviest = {each for each in candidates if self.weight_of(each) == most}
            for reply in (ours, theirs):
                self.assertLessEqual(heaviest, set(reply.addresses()), said)

    def test_ten_thousand_random_cases_agree(self):
        self.source = self.net.address(9, 1)
        differences = []
        for number in range(STATES):
            up = self.draw_states(number)
            self.put(up)
            # With every member of a pool down gdnsd answers all of them, we draw as if all were up.
            for _ in range(CASES // STATES):
                name = self.random.choice(NAMES)
                self.all_down = not any(up.values()) or (
                    name in ("one", "multi") and
                    not any(up[member] for member, _, _ in POOLS["a" if name == "one" else "c"]))
                try:
                    self.compare(name, self.random.choice(["A", "AAAA"]), self.draw_subnet())
                except AssertionError as difference:
                    differences.append(f"up {[m for m in up if up[m]]}: {difference}")
            if len(differences) > 20:
                break
        self.assertEqual(differences, [], "\n".join(differences[:20]))

    def test_draws_have_the_same_odds(self):
        self.source = self.net.address(9, 1)
        for up in ({"a1", "a2", "a3"}, {"a1", "a3"}):
            self.put({name: name in up or name[0] != "a" for name, _, _ in MEMBERS})
            weights = {self.address[name]: weight for name, _, weight in POOLS["a"] if name in up}
            for server in (self.ours, self.theirs):
                count, seen = 3000, dict.fromkeys(weights, 0)
                for _ in range(count):
                    (one,) = server.client(self.source).ask(f"one.{ZONE}").addresses()
                    seen[one] += 1
                whole = sum(weights.values())
                chi2 = sum((seen[each] - count * weight / whole) ** 2 / (count * weight / whole)
                           for each, weight in weights.items())
                self.assertLess(chi2, {3: 13.8, 2: 10.8}[len(weights)],  # p > 0.001
                                f"{server.name}: {seen}")


if __name__ == "__main__":
    case.main()
