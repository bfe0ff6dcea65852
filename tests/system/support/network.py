# SPDX-License-Identifier: Apache-2.0
"""A network namespace of the test's own, with nothing but loopback in it, and cuts by nftables there.
The demo's programs call from their own addresses, so a rule about addresses is a cut of links."""
import os
import subprocess
import sys

from support import machine

MARK = "TWINSITE_OWN_NETWORK"


def enter_own_network():
    """Runs this program again in a network namespace with its loopback up. Needs root."""
    if os.environ.get(MARK):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        return
    os.execvpe("unshare", ["unshare", "--net", sys.executable, "-B", *sys.argv],
               dict(os.environ, **{MARK: "1"}))


class Cut:
    """Between the addresses `of` and all others (or `only` some), in both directions. Traffic inside
    `of` goes on; `but` are addresses that people call from themselves, like a server's own."""

    TABLE = "twinsite_cut"

    def __init__(self, of, only=None, but=None):
        self.of, self.only, self.but = of, only, but

    def begin(self):
        inside = "{ " + ", ".join(self.of) + " }"
        outside = "{ " + ", ".join(self.only) + " }" if self.only else None
        there = f"ip daddr {outside}" if outside else f"ip daddr != {inside}"
        back = f"ip saddr {outside}" if outside else f"ip saddr != {inside}"
        allowed = ""
        if self.but:  # what a person at that very machine asks, from 127.0.0.1
            own = "{ " + ", ".join(self.but) + " }"
            allowed = (f"    ip saddr 127.0.0.1 ip daddr {own} tcp dport 8444 accept\n"
                       f"    ip saddr {own} tcp sport 8444 ip daddr 127.0.0.1 accept\n")
        self.nft(f"table ip {self.TABLE} {{\n"
                 "  chain cut {\n"
                 "    type filter hook output priority 0; policy accept;\n"
                 f"{allowed}"
                 f"    ip saddr {inside} {there} drop\n"
                 f"    {back} ip daddr {inside} drop\n"
                 "  }\n"
                 "}\n")

    def end(self):
        self.nft(f"delete table ip {self.TABLE}\n")

    @staticmethod
    def nft(script):
        done = subprocess.run([machine.debian("nft"), "-f", "-"], input=script, text=True,
                              capture_output=True)
        if done.returncode != 0:  # a mistyped rule would silently be no cut at all
            raise AssertionError(f"nft: {done.stderr}\n{script}")
