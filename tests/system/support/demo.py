# SPDX-License-Identifier: Apache-2.0
"""The demo as a whole: two sites, an arbiter, and traffic that follows DNS."""
import contextlib
import http.client
import json
import os
import ssl

from support import dns, machine, program, waiting

SERVICE = "ocs.example.net"
SUBNETS = {"east": "10.1.0.0/16", "west": "10.2.0.0/16"}
PARTS_OF_A_SITE = 7  # two blades, slb, gslb, site monitor, two agents
ENDED = ("SUCCEEDED", "SUCCEEDED_WARN", "FAILED", "CANCELLED", "TIMED_OUT")


class Api:
    """The machine port, over one connection that is opened anew when it broke."""

    def __init__(self, place):
        self.host, self.port = place.server.split(":")
        pki = f"{place.state}/pki"
        self.context = ssl.create_default_context(cafile=f"{pki}/ca.crt")
        self.context.load_cert_chain(f"{pki}/operator.crt", f"{pki}/operator.key")
        self.connection = None

    def call(self, method, path, body=None, key=None):
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        try:
            if self.connection is None:
                self.connection = http.client.HTTPSConnection(
                    self.host, int(self.port), timeout=5, context=self.context)
            self.connection.request(method, path, json.dumps(body) if body else None, headers)
            answer = self.connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        except (OSError, http.client.HTTPException):
            self.connection = None
            return 0, None


class Demo:
    """In a folder of its own; ends with the test like a program."""

    def __init__(self, owner):
        self.owner, self.state, self.net = owner, f"{owner.folder}/demo", owner.net
        self.server = f"{self.net.address(3, 30)}:8444"
        owner.own(self)
        self.command("start", "--net", self.net.prefix, seconds=90)
        self.api = Api(self)

    def command(self, *words, seconds=60, check=0):
        return program.run([machine.ours("twinsite"), "demo", *words, "--state", self.state],
                           seconds=seconds, check=check)

    def stop(self):
        self.command("stop", seconds=60)

    def pid_of(self, part):
        with open(f"{self.state}/run/{part}.json") as record:
            return json.load(record)["pid"]

    def pids_of(self, site):
        names = [name[:-5] for name in os.listdir(f"{self.state}/run") if name.endswith(".json")]
        return [self.pid_of(name) for name in names
                if name.endswith("-" + site) or f"-{site}-" in name]

    def site_for(self, client, server="west"):
        """What the name server of a site answers to clients of another."""
        at = self.net.address(1 if server == "east" else 2, 10)
        reply = dns.Client(at, 5300, timeout=1).ask(SERVICE, subnet=SUBNETS[client])
        sites = {self.net.address(1, 20): "east", self.net.address(2, 20): "west"}
        return sites[reply.addresses()[0]]

    def get(self, path):
        """An answer of the switchover server, waited for: it may be starting."""
        def answered():
            status, body = self.api.call("GET", path)
            return status == 200 and (body,)
        return waiting.until(answered, 20, f"GET {path} is answered")[0]

    def overview(self):
        return self.get("/api/v1/overview")

    def why(self, scenario):
        return self.get(f"/api/v1/scenarios/{scenario}/why")

    def audit_is_whole(self):
        return self.get("/api/v1/audit/verify")["ok"]

    def site(self, name):
        return next(site for site in self.overview()["sites"] if site["name"] == name)

    def runs(self, scenario=None):
        return [run for run in self.get("/api/v1/runs")["runs"]
                if scenario in (None, run["scenario"])]

    def run(self, number):
        return self.get(f"/api/v1/runs/{number}")

    def wait_for_end(self, scenario, seconds=60):
        """The last run of the scenario once it has ended."""
        def ended():
            runs = self.runs(scenario)
            return runs and runs[0]["state"] in ENDED and self.run(runs[0]["id"])
        return waiting.until(ended, seconds, lambda: f"{scenario} ends: {self.runs()}")

    def wait_until_well(self, seconds=60):
        """Both sites OK, as the switchover server sees them."""
        waiting.until(lambda: all(site["state"].lower() == "ok" for site in self.overview()["sites"]),
                      seconds, lambda: f"both sites are well: {self.overview()['sites']}")

    def fail_back(self, site, reason="the site is well again"):
        """By an operator's command, once the site is ready."""
        name = f"failback-{site}"
        def started():
            done = program.run(
                [machine.ours("twinsite"), "run", "start", name, "--reason", reason, "-o", "json",
                 "--server", self.server, "--tls", f"{self.state}/pki/operator.crt"], seconds=30)
            return done.returncode == 0
        waiting.until(started, 60, lambda: f"{name} may start: {self.why(name)}")
        return self.wait_for_end(name, 180)


class Traffic(program.Program):
    """One network element for each site, that resolves, connects and charges."""

    def __init__(self, owner, demo, seconds):
        self.seconds = seconds
        super().__init__("traffic", [
            machine.ours("twinsite"), "demo", "traffic", "--state", demo.state, "--seconds",
            str(seconds), "-o", "json"], owner.folder)
        owner.own(self)

    def lines(self, kind):
        found = []
        for line in self.log().splitlines():
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return [line for line in found if line["kind"] == kind]

    def start(self):
        super().start()
        self.wait_until(lambda: len(self.lines("second")) >= 4, 20,
                        "clients of both sites are served")
        return self

    def summaries(self):
        self.process.wait(self.seconds + 30)
        return {line["client"]: line for line in self.lines("summary")}
