#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The control API of the real programs over mutual TLS: who may, which server counts, what holds
after a restart; and the release of clients, which loses nothing."""
import http.client
import json
import ssl

from support import case, gslb, pki, slb, waiting

ZONE = """$ORIGIN example.net.
$TTL 300
@ IN SOA ns1 hostmaster 1 3600 600 86400 60
@ IN NS ns1
ns1 IN A 192.0.2.1
"""
GSLB = """node: gslb-test
site: east
listen: ["@ADDRESS@:5300"]
control: {socket: control.sock, @CONTROL@}
status: {listen: "@ADDRESS@:8441"}
state: {directory: state}
sites: [east, west]
networks:
  prefixes:
    - {prefix: @NET@.71.0/24, sites: [east]}
    - {prefix: @NET@.72.0/24, sites: [west]}
zones:
  - {name: example.net, file: example.net.zone}
services:
  - name: ocs
    targets:
      - {name: ocs-east, site: east, addresses: ["@NET@.1.20"]}
      - {name: ocs-west, site: west, addresses: ["@NET@.2.20"]}
steered:
  - name: ocs.example.net
    service: ocs
    filters: [override, up, nearest, failover]
"""
PORT = 8440
SWITCHOVER = "twinsite://arbiter/switchover/sw"


def wanted(revision, *objects, generation=1):
    return {"fence": {"generation": generation, "revision": revision}, "server": "not believed",
            "objects": [{"object": name, "state": state, "reason": "run r1: site lost",
                         "since": "2026-11-30T12:00:00Z"} for name, state in objects]}


class ControlCase(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.pki = pki.Authority(f"{self.folder}/pki")
        self.sw = self.pki.issue(SWITCHOVER)
        self.ann = self.pki.issue("twinsite://east/operator/ann")

    def as_who(self, address, name):
        return pki.TlsControl(address, PORT, self.pki.context(name))


class GslbControl(ControlCase):
    def setUp(self):
        super().setUp()
        address = self.net.address(1, 10)
        self.pki.issue("twinsite://east/gslb/gslb-east", address)
        config = GSLB.replace("@CONTROL@", self.pki.listener("gslb-east", address, PORT))
        self.gslb = gslb.Gslb(self, "gslb", config, {"example.net.zone": ZONE}).start()
        self.switchover = self.as_who(address, self.sw)

    def answer(self, third=71):
        """What a client of that network gets."""
        reply = self.gslb.client(self.net.address(third, 9)).ask("ocs.example.net")
        return [record.address() for record in reply.answer]

    def address_of(self, third):
        return [self.net.address(third, 20)]

    def explain(self):
        return self.switchover.get(
            f"/api/v1/explain?name=ocs.example.net&client={self.net.address(71, 9)}")

    def test_a_pin_is_answered_at_once_explained_and_kept(self):
        self.assertEqual(self.answer(), self.address_of(1))
        taken = self.switchover.call("PUT", "/api/v1/desired", wanted(7, ("site:east", "out")))
        self.assertEqual(self.answer(), self.address_of(2), "the very next answer")
        self.assertEqual((taken["changed"], taken["objects"], taken["unknown"]), (True, 1, []))
        why = self.explain()
        self.assertEqual(why["precedence"], "control")
        self.assertEqual(why["text"][-1], f"control: site:east is out by {SWITCHOVER} since "
                                          "2026-11-30T12:00:00Z: run r1: site lost")
        self.assertFalse(self.switchover.call("PUT", "/api/v1/desired",
                                              wanted(7, ("site:east", "out")))["changed"])
        self.gslb.kill()
        self.gslb.start()
        self.assertEqual(self.answer(), self.address_of(2), "the pin survives kill -9")
        shown = self.switchover.get("/api/v1/desired")
        self.assertEqual(shown["fence"], {"generation": 1, "revision": 7})
        self.assertEqual(shown["server"], SWITCHOVER)
        self.assertIsNone(shown["received_age_ms"])
        east = next(site for site in shown["sites"] if site["site"] == "east")
        self.assertEqual((east["control"], east["answering"], east["health"]),
                         ("out", False, "up"))
        status, text = self.switchover.raw("PUT", "/api/v1/desired", wanted(6))
        self.assertEqual((status, json.loads(text)["highest"]),
                         (409, {"generation": 1, "revision": 7}), "and so does the fence")
        self.assertEqual(self.answer(), self.address_of(2))
        self.switchover.call("PUT", "/api/v1/desired", wanted(8))
        self.assertEqual(self.answer(), self.address_of(1))

    def test_an_override_stands_above_and_the_last_site_stays(self):
        self.switchover.call("PUT", "/api/v1/desired", wanted(7, ("site:east", "out")))
        self.gslb.control.call("PUT", "/api/v1/overrides/ocs/site:east",
                               {"state": "up", "reason": "I know better", "author": "ann"})
        self.assertEqual(self.answer(), self.address_of(1))
        self.assertEqual(self.explain()["precedence"], "override")
        self.gslb.control.call("DELETE", "/api/v1/overrides/ocs/site:east")
        self.assertEqual(self.answer(), self.address_of(2))
        status, text = self.switchover.raw(
            "PUT", "/api/v1/desired", wanted(8, ("site:east", "out"), ("site:west", "out")))
        self.assertEqual((status, json.loads(text)["title"]), (409, "last site"))
        self.assertEqual(self.answer(), self.address_of(2), "the list before stays")

    def test_each_role_gets_what_it_may(self):
        monitor = self.as_who(self.gslb.address, self.pki.issue("twinsite://east/monitor/mon"))
        operator = self.as_who(self.gslb.address, self.ann)
        self.assertEqual(monitor.raw("GET", "/readyz")[0], 200)
        self.assertEqual(monitor.raw("GET", "/metrics")[0], 200)
        self.assertEqual(monitor.raw("PUT", "/api/v1/desired", wanted(9))[0], 403)
        self.assertEqual(monitor.raw("GET", "/api/v1/status")[0], 403)
        self.assertEqual(self.switchover.raw("POST", "/api/v1/reload")[0], 403)
        self.assertEqual(operator.raw("POST", "/api/v1/reload")[0], 200)
        self.assertEqual(self.answer(), self.address_of(1))
        refused = self.gslb.events("control_refused")
        self.assertEqual([(event["cause"], event["by"], event["path"]) for event in refused], [
            ("wrong_role", "twinsite://east/monitor/mon", "/api/v1/desired"),
            ("wrong_role", "twinsite://east/monitor/mon", "/api/v1/status"),
            ("wrong_role", SWITCHOVER, "/api/v1/reload")])
        values = operator.metrics()
        self.assertEqual(values['twinsite_gslb_control_refused_total{cause="wrong_role"}'], 3)

    def test_strangers_do_not_come_in(self):
        other = pki.Authority(f"{self.folder}/other")
        other.issue(SWITCHOVER)
        stranger = self.pki.context()
        stranger.load_cert_chain(f"{other.folder}/sw.crt", f"{other.folder}/sw.key")
        for context in (self.pki.context(), stranger):
            with self.assertRaises((ssl.SSLError, OSError, http.client.HTTPException)):
                pki.TlsControl(self.gslb.address, PORT, context).raw("GET", "/healthz")
        plain = http.client.HTTPConnection(self.gslb.address, PORT, timeout=5)
        with self.assertRaises((OSError, http.client.HTTPException)):
            plain.request("GET", "/healthz")
            plain.getresponse()
        self.assertEqual(self.switchover.raw("GET", "/healthz")[0], 200)

    def test_a_revoked_certificate_is_refused_without_a_restart(self):
        self.assertEqual(self.switchover.raw("GET", "/healthz")[0], 200)
        self.pki.revoke(self.sw)

        def refused():
            try:
                self.switchover.raw("PUT", "/api/v1/desired", wanted(1))
                return False
            except (ssl.SSLError, OSError, http.client.HTTPException):
                return True
        waiting.until(refused, 5, "the revocation list is read again")
        self.assertEqual(self.as_who(self.gslb.address, self.ann).raw("GET", "/healthz")[0], 200)


class SlbControl(ControlCase):
    def setUp(self):
        super().setUp()
        address = self.net.address(1, 20)
        self.pki.issue("twinsite://east/slb/slb-east", address)
        self.blades = [slb.Blade(self, f"b{i}", 30 + i).start() for i in (1, 2)]
        config = slb.CONFIG.replace("socket: control.sock", "socket: control.sock, " +
                                    self.pki.listener("slb-east", address, PORT))
        config = config.replace("@ADDRESS@:8440\"}", "@ADDRESS@:8441\"}")
        self.slb = slb.Slb(self, blades=self.blades, config=config).start()
        self.switchover = self.as_who(address, self.sw)

    def release(self, op_id, rate, revision=7):
        return self.switchover.raw("POST", "/api/v1/release", {
            "fence": {"generation": 1, "revision": revision}, "op_id": op_id, "rate_per_s": rate,
            "cause": "REBOOTING"})

    def test_released_clients_come_back_and_lose_nothing(self):
        connections = 8
        load = slb.Load(self, [self.slb.address], "--connections", str(connections), "--rate",
                        "1000", "--duration", "8s", "--updates", "3", "--reconnect").start()
        waiting.until(lambda: self.switchover.get("/api/v1/desired")["clients"] == connections,
                      10, "the clients are there")
        status, text = self.release("run-1-release-1", 4)
        self.assertEqual((status, json.loads(text)),
                         (202, {"op_id": "run-1-release-1", "clients": connections}))
        self.assertEqual(self.release("run-1-release-1", 4), (status, text), "the same operation")
        self.assertEqual(self.release("run-1-release-2", 4)[0], 409, "one at a time")
        self.assertEqual(self.release("run-0-release-1", 4, revision=6)[0], 409, "stale")
        done = waiting.until(lambda: (lambda now: now["state"] == "done" and now)(
            self.switchover.get("/api/v1/release")), 15, "the release is done")
        self.assertEqual((done["released"], done["total"]), (connections, connections))
        report = load.report()
        self.say(f"sent {report['sent']} answered {report['answered']} reconnects "
                 f"{report['reconnects']} retransmits {report['retransmits']}")
        self.assertEqual((report["lost"], report["duplicate"], report["unexpected"]), (0, 0, 0))
        self.assertEqual(report["answered"], report["sent"])
        self.assertEqual(report["reconnects"], connections)
        self.assertEqual(report["retransmits"], 0, "all was answered before the links closed")
        self.assertEqual(set(report["result_codes"]), {"2001"})
        self.assertEqual(report["sessions_failed"], 0)

    def test_a_drain_is_kept_and_an_operator_stands_above(self):
        self.switchover.call("PUT", "/api/v1/desired", wanted(7, ("blade:b1", "drain")))
        self.assertEqual(self.slb.blades_now()["b1"]["state"], "drain")
        self.slb.kill()
        self.slb.start()
        b1 = self.slb.blades_now()["b1"]
        self.assertEqual((b1["state"], b1["control"], b1["operator"]), ("drain", "drain", ""))
        self.slb.control.call("POST", "/api/v1/blades/b1/activate")
        self.assertEqual(self.slb.blades_now()["b1"]["state"], "active")
        shown = self.switchover.get("/api/v1/desired")
        self.assertEqual((shown["ready"], shown["blades"]), (True, {"active": 2, "total": 2}))
        self.assertEqual(self.switchover.raw("POST", "/api/v1/blades/b1/drain")[0], 403)
        self.assertEqual(self.switchover.raw("PUT", "/api/v1/desired", wanted(6))[0], 409)
        self.switchover.call("PUT", "/api/v1/desired", wanted(7))
        self.switchover.call("PUT", "/api/v1/desired", wanted(7, ("blade:b1", "drain")))
        self.assertEqual(self.slb.blades_now()["b1"]["state"], "drain",
                         "the operator's word ended with the drain it overruled")


if __name__ == "__main__":
    case.main()
