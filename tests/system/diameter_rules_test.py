#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages on the edge of RFC 6733, byte by byte, against the running balancer. The names S-T1 ... are
those of docs/developer/cases.md."""
import socket
import struct
import time

from support import case, diameter, slb

HOST = "c.x"
SESSION_FIRST = "00000107" "4000000d" "633b313b31000000"     # Session-Id "c;1;1"
ORIGIN = "00000108" "4000000b" "632e7800"                    # Origin-Host "c.x"
FAILED_AVP, ROUTE_RECORD = 279, 282


def request(tail, flags="c0", hop=1, end=2):
    body = bytes.fromhex(tail)
    return (b"\x01" + (20 + len(body)).to_bytes(3, "big") + bytes.fromhex(flags) +
            (272).to_bytes(3, "big") + struct.pack(">III", 4, hop, end) + body)


class DiameterRules(case.SystemCase):
    def setUp(self):
        super().setUp()
        self.blades = [slb.Blade(self, f"b{i}", 30 + i, strict=False).start() for i in (1, 2)]
        self.slb = slb.Slb(self, blades=self.blades).start()
        self.bystander = self.client(host="bystander.x")

    def client(self, **options):
        client = self.slb.client(**options)
        self.addCleanup(client.close)
        return client

    def exchange(self, wire, host=HOST):
        client = self.client(host=host)
        client.socket.sendall(wire)
        return client, client.receive()

    def tearDown(self):
        self.assertEqual(len(self.bystander.charge("bystander;1;1")), 1, "other links go on")
        self.assertTrue(self.slb.alive())
        self.assertEqual(self.slb.open_links(), 2)

    def expect_end(self, client):
        self.assertIsNone(client.receive(), "the connection is closed")

    def test_st1_st2_a_length_below_the_header_or_not_of_four_ends_the_link(self):
        for wire in ("01000005800001010000000011111111" "22222222",
                     "0100001f80000118000000000000000100000002000001084000000b632e7800"):
            client, answer = self.exchange(bytes.fromhex(wire))
            if answer is not None:
                self.assertEqual(answer.number(diameter.RESULT_CODE), 5015)
                self.expect_end(client)

    def test_st3_st4_a_wrong_avp_length_is_5014_with_the_avp(self):
        for tail in ("00000107" "40000000" "633b313b31000000" + ORIGIN,
                     SESSION_FIRST + "000001c0" "80000008" "000028af"):
            client, answer = self.exchange(request(tail))
            self.assertIsNotNone(answer, tail)
            self.assertEqual(answer.number(diameter.RESULT_CODE), 5014)
            self.assertIsNotNone(answer.find(FAILED_AVP))
            self.assertEqual((answer.hop, answer.end), (1, 2))

    def test_st5_padding_that_is_not_zero_is_accepted(self):
        padded = SESSION_FIRST.replace("31000000", "31ffffff")
        _, answer = self.exchange(request(padded + ORIGIN))
        self.assertEqual((answer.hop, answer.end, answer.text(diameter.SESSION_ID)), (1, 2, "c;1;1"))

    def test_st6_three_and_a_half_requests_in_one_segment_then_byte_by_byte(self):
        client = self.client(host=HOST)
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        four = [request(SESSION_FIRST + ORIGIN, hop=number, end=number) for number in range(1, 5)]
        for cut in (1, 3, 19, 20, 21, 47):
            client.socket.sendall(b"".join(four[:3]) + four[3][:cut])
            self.assertEqual(sorted(client.receive().hop for _ in range(3)), [1, 2, 3])
            for byte in four[3][cut:]:
                client.socket.sendall(bytes([byte]))
            self.assertEqual(client.receive().hop, 4)

    def test_st7_a_session_id_of_nul_bytes_is_a_key_like_any_other(self):
        _, answer = self.exchange(request("00000107" "4000000f" "0000633b313b3100" + ORIGIN))
        self.assertEqual(answer.find(diameter.SESSION_ID), b"\0\0c;1;1")

    def test_st8_the_session_id_may_come_second_or_not_at_all(self):
        hosts = set()
        for _ in range(4):
            _, answer = self.exchange(request(ORIGIN + SESSION_FIRST))
            hosts.add(answer.text(diameter.ORIGIN_HOST))
        self.assertEqual(len(hosts), 1, "sticky")
        _, answer = self.exchange(request(ORIGIN))
        self.assertIsNotNone(answer)

    def test_st9_equal_ids_of_two_clients_do_not_meet(self):
        one, two = self.client(host="one.x"), self.client(host="two.x")
        for number in range(50):
            for client, name in ((one, "one"), (two, "two")):
                client.socket.sendall(diameter.message(
                    diameter.CCR, [diameter.avp(diameter.SESSION_ID, f"{name};{number}")] +
                    client.origin() + [diameter.avp(diameter.DESTINATION_REALM, "example.net"),
                                       diameter.avp(diameter.CC_TYPE, 1),
                                       diameter.avp(diameter.CC_NUMBER, 0)],
                    0xc0, 4, hop=1, end=2))
            for client, name in ((two, "two"), (one, "one")):
                answer = client.receive()
                self.assertEqual((answer.hop, answer.end, answer.text(diameter.SESSION_ID)),
                                 (1, 2, f"{name};{number}"))

    def test_st13_a_vendor_specific_application_and_a_list_find_the_common_one(self):
        client = diameter.Client(self.slb.address, host="vsai.x")
        self.addCleanup(client.close)
        vsai = bytes.fromhex("000001044000002c0000010a4000000c000028af0000010a4000000c00003435"
                             "000001024000000c00000004")
        lists = [diameter.avp(diameter.AUTH_APP, number) for number in (1, 3, 4)]
        client.send(diameter.CER, client.origin() + [
            diameter.avp(diameter.HOST_IP, b"\0\1\x7f\0\0\1"), diameter.avp(diameter.VENDOR_ID, 0),
            diameter.avp(diameter.PRODUCT, "x", 0), vsai, *lists], diameter.REQUEST, 0)
        self.assertEqual(client.receive().number(diameter.RESULT_CODE), 2001)
        self.assertEqual(len(client.charge("vsai;1;1")), 1)

    def test_st14_dpr_is_answered_before_the_end(self):
        client = self.client(host=HOST)
        hops = {client.ccr(f"dpr;{number}", 1, 0) for number in range(20)}
        goodbye = client.send(diameter.DPR, client.origin() + [
            diameter.avp(diameter.DISCONNECT_CAUSE, 0)], diameter.REQUEST, 0)
        seen = []
        while (answer := client.receive()) is not None:
            seen.append(answer.hop)
        self.assertIn(goodbye, seen)
        self.assertEqual(hops - set(seen), set(), "answers that were pending are delivered")

    def test_st17_a_route_record_of_ours_is_a_loop(self):
        record = diameter.avp(ROUTE_RECORD, "slb.test.example.net")
        _, answer = self.exchange(request(SESSION_FIRST + ORIGIN + record.hex()))
        self.assertEqual(answer.number(diameter.RESULT_CODE), 3005)
        self.assertTrue(answer.flags & diameter.ERROR)

    def test_st20_request_and_error_bit_together_are_3008(self):
        _, answer = self.exchange(request(SESSION_FIRST + ORIGIN, flags="e0"))
        self.assertEqual(answer.number(diameter.RESULT_CODE), 3008)

    def test_without_any_blade_a_request_is_3002_at_once_and_readyz_says_so(self):
        for blade in self.blades:
            blade.kill()
        self.slb.wait_until(lambda: self.slb.open_links() == 0, 5, "both links are gone")
        start = time.monotonic()
        _, answer = self.exchange(request(SESSION_FIRST + ORIGIN))
        self.assertIn(answer.number(diameter.RESULT_CODE), (3002, 3004))
        self.assertTrue(answer.flags & diameter.ERROR)
        self.assertLess(time.monotonic() - start, 4)
        self.assertFalse(self.slb.control.ready())
        for blade in self.blades:
            blade.start()
        self.slb.wait_until(lambda: self.slb.open_links() == 2, 10, "both blades are back")
        self.assertTrue(self.slb.control.ready())

    def test_a_request_before_capabilities_ends_the_link(self):
        client = diameter.Client(self.slb.address, host="early.x")
        self.addCleanup(client.close)
        client.ccr("early;1", 1, 0)
        answer = client.receive()
        if answer is not None:
            self.assertNotEqual(answer.number(diameter.RESULT_CODE), 2001)
            self.expect_end(client)

    def test_no_application_in_common_is_5010(self):
        narrow = slb.Slb(self, "narrow", self.blades, third=3, config=slb.CONFIG.replace(
            "applications: [relay]", "applications: [4]")).start()
        client = diameter.Client(narrow.address, host="gx.x")
        self.addCleanup(client.close)
        client.send(diameter.CER, client.origin() + [
            diameter.avp(diameter.HOST_IP, b"\0\1\x7f\0\0\1"), diameter.avp(diameter.VENDOR_ID, 0),
            diameter.avp(diameter.PRODUCT, "x", 0), diameter.avp(diameter.AUTH_APP, 16777238)],
            diameter.REQUEST, 0)
        self.assertEqual(client.receive().number(diameter.RESULT_CODE), 5010)
        self.expect_end(client)


if __name__ == "__main__":
    case.main()
