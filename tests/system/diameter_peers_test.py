#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that are not ours charge sessions through slb; tshark reads along."""
import json
import os
import socket
import subprocess

from support import case, diameter, machine, program, slb
from support.gslb import write

SESSIONS, UPDATES = 1000, 2


class Capture(program.Program):
    """dumpcap on the loopback interface, Diameter of one test's network only.

    The kernel hands packets over in blocks, and those of a block that is not full yet are lost
    when the capture is ended. So `finish` sends a datagram of its own and waits until that is in
    the file: everything before it is there as well."""

    PORT = 9

    def __init__(self, owner):
        self.path = f"{owner.folder}/diameter.pcap"
        self.address = owner.net.address(0, 9)
        net = f"{owner.net.prefix}.0.0/16"
        super().__init__("dumpcap", [
            machine.debian("dumpcap"), "-i", "lo", "-P", "-q", "-B", "64", "-s", "65535", "-w",
            self.path, "-f",
            f"(tcp port {slb.PORT} or udp dst port {self.PORT}) and net {net}"], owner.folder)
        owner.own(self)

    def start(self):
        super().start()
        self.wait_until(lambda: self.sees(b"capture begins"), 10, "the capture has begun")
        return self

    def finish(self):
        self.wait_until(lambda: self.sees(b"capture ends"), 30, "the capture has all")
        self.stop()

    def sees(self, mark):
        """Sends a datagram; true when one with this mark is in the file."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(mark, (self.address, self.PORT))
        if not os.path.exists(self.path):
            return False
        with open(self.path, "rb") as file:
            return mark in file.read()


class DiameterPeers(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.blades = [slb.Blade(self, "b1", 31).start(), slb.Blade(self, "b2", 32).start()]
        self.slb = slb.Slb(self, blades=self.blades).start()

    def check_report(self, report):
        self.say(report)
        self.assertTrue(report["connected"])
        self.assertEqual(report["sessions"], SESSIONS)
        self.assertEqual(report["answers"], SESSIONS * (UPDATES + 2))
        self.assertEqual(report["good"], report["answers"])
        self.assertEqual((report["wrong"], report["lost"], report["moved"]), (0, 0, 0))

    def check_blades(self):
        """Strict blades refuse a session they do not know, so `unknown_session` counts moves."""
        counted = [blade.statistics() for blade in self.blades]
        self.assertEqual(sum(c["requests"] for c in counted), SESSIONS * (UPDATES + 2))
        self.assertEqual([c["unknown_session"] for c in counted], [0, 0])
        self.assertEqual([c["retransmitted"] for c in counted], [0, 0])
        for count in counted:
            self.assertGreater(count["requests"], SESSIONS * (UPDATES + 2) * 0.3, "balanced")

    def check_capture(self, capture, least):
        """No malformed packet, no error of the Diameter dissector, and all messages were there."""
        capture.finish()
        fields = self.tshark(capture, ["-T", "fields", "-e", "diameter.cmd.code", "-e",
                                       "diameter.flags.request"])
        charged = sum(line.split("\t")[0].split(",").count("272") for line in fields if line)
        self.assertGreaterEqual(charged, least, f"credit control messages; {capture.tail()}")
        # Our own datagrams are no Diameter; by their port they may look like anything else.
        broken = self.tshark(capture, ["-V", "-Y", "tcp && (_ws.malformed || _ws.unreassembled || "
                                       "_ws.expert.severity == 0x00800000 || "
                                       "_ws.expert.group == 0x07000000)"])
        self.assertEqual([line for line in broken if line][:40], [])

    def tshark(self, capture, options):
        done = program.run([machine.debian("tshark"), "-r", capture.path, "-d",
                            f"tcp.port=={slb.PORT},diameter", *options], seconds=300, check=0)
        return done.stdout.splitlines()

    def test_freediameter_charges_sessions(self):
        capture = Capture(self).start()
        report_path = f"{self.folder}/freediameter.json"
        client = self.own(program.Program("freediameter", [
            machine.debian("freeDiameterd"), "-c", self.freediameter_config(report_path)],
            self.folder)).start()
        client.process.wait(120)
        self.assertTrue(os.path.exists(report_path), client.tail())
        with open(report_path) as report:
            self.check_report(json.load(report))
        self.check_blades()
        # Each request and each answer is seen on the client's and on the blade's side.
        self.check_capture(capture, 4 * SESSIONS * (UPDATES + 2))

    def freediameter_config(self, report_path):
        # freeDiameter listens on all addresses whatever ListenOn says of a loopback one.
        own = self.net.own_port()
        files = f"{self.folder}/fd"
        os.makedirs(files)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                        "/CN=fd.access.example.net", "-keyout", f"{files}/key.pem", "-out",
                        f"{files}/cert.pem"], check=True, capture_output=True)
        subprocess.run(["openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt",
                        "group:ffdhe2048", "-out", f"{files}/dh.pem"], check=True,
                       capture_output=True)
        write(f"{files}/client.conf", f"sessions {SESSIONS}\nconcurrent 40\nupdates {UPDATES}\n"
                                      f"realm example.net\nreport {report_path}\n")
        write(f"{files}/fd.conf", f"""Identity = "fd.access.example.net";
Realm = "access.example.net";
Port = {own}; SecPort = 0; No_SCTP; No_IPv6; TcTimer = 1;
TLS_Cred = "{files}/cert.pem", "{files}/key.pem";
TLS_CA = "{files}/cert.pem";
TLS_DH_File = "{files}/dh.pem";
LoadExtension = "dict_nasreq.fdx";
LoadExtension = "dict_dcca.fdx";
LoadExtension = "{machine.tool('peers/ccr_client.fdx')}" : "{files}/client.conf";
ConnectPeer = "slb.test.example.net" {{ No_TLS; No_IPv6; ConnectTo = "{self.slb.address}";
  Port = {slb.PORT}; Realm = "example.net"; }};
""")
        return f"{files}/fd.conf"

    def test_erlang_charges_sessions(self):
        capture = Capture(self).start()
        folder = self.compile_erlang()
        done = program.run([machine.debian("erl"), "-noshell", "-pa", folder, "-run", "ccr_client",
                            "main", "-extra", self.slb.address, str(slb.PORT),
                            self.net.address(70, 3), str(SESSIONS), "40", str(UPDATES)], seconds=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.check_report(json.loads(done.stdout))
        self.check_blades()
        self.check_capture(capture, 4 * SESSIONS * (UPDATES + 2))

    def compile_erlang(self):
        source, folder = f"{machine.SOURCE}/tests/system/peers/erlang", f"{self.folder}/erlang"
        os.makedirs(folder)
        where = program.run([machine.debian("erl"), "-noshell", "-eval",
                             'io:format("~s", [code:lib_dir(diameter)]), halt().'], check=0).stdout
        program.run([machine.debian("escript"), f"{where}/bin/diameterc", "-o", folder,
                     f"{source}/gy.dia"], check=0)
        program.run([machine.debian("erlc"), "-o", folder, f"{folder}/gy.erl",
                     f"{source}/ccr_client.erl"], check=0, folder=folder)
        return folder

    def test_a_plain_client_is_watched_and_says_goodbye(self):
        client = self.slb.client()
        self.addCleanup(client.close)
        self.assertEqual(len(client.charge("plain;1;1")), 1)
        client.send(diameter.DWR, client.origin(), diameter.REQUEST, 0)
        self.assertEqual(client.receive().number(diameter.RESULT_CODE), 2001)
        client.send(diameter.DPR, client.origin() + [diameter.avp(diameter.DISCONNECT_CAUSE, 0)],
                    diameter.REQUEST, 0)
        answer = client.receive()
        self.assertEqual((answer.code, answer.number(diameter.RESULT_CODE)), (diameter.DPR, 2001))
        self.assertIsNone(client.receive(), "the connection is closed after DPA")


if __name__ == "__main__":
    case.main()
