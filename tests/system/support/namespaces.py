# SPDX-License-Identifier: Apache-2.0
"""Sites as network namespaces, joined by a bridge; the links between them can be cut. Needs root."""
import os
import subprocess

from support import machine


def ip(*words, check=True):
    done = subprocess.run([machine.debian("ip"), *words], capture_output=True, text=True)
    if check and done.returncode != 0:
        raise AssertionError(f"ip {' '.join(words)}: {done.stderr}")
    return done


class Site:
    """One namespace with an Ethernet link to the bridge. `addresses` are all at that link."""

    def __init__(self, wide, name, addresses):
        self.wide, self.addresses = wide, addresses
        self.space = f"tw{os.getpid()}{name}"
        self.near = f"tw{os.getpid() % 100_000}{name}"[:15]  # our end, at the bridge
        ip("netns", "add", self.space)
        ip("link", "add", self.near, "type", "veth", "peer", "name", "wan", "netns", self.space)
        ip("link", "set", self.near, "master", wide.BRIDGE, "up")
        ip("-n", self.space, "link", "set", "lo", "up")
        for address in addresses:
            ip("-n", self.space, "address", "add", f"{address}/16", "dev", "wan")
        ip("-n", self.space, "link", "set", "wan", "up")

    def argv(self, *words):
        """A command line that runs in this site."""
        return [machine.debian("ip"), "netns", "exec", self.space, *words]

    def cut(self):
        ip("link", "set", self.near, "down")

    def heal(self):
        ip("link", "set", self.near, "up")

    def remove(self):
        ip("link", "delete", self.near, check=False)
        ip("netns", "delete", self.space, check=False)


class Wide:
    """The network between the sites; the test itself is at 10.66.9.1."""

    BRIDGE = "twbridge"
    OWN = "10.66.9.1"

    def __init__(self):
        self.sites = []
        ip("link", "add", self.BRIDGE, "type", "bridge")
        ip("address", "add", f"{self.OWN}/16", "dev", self.BRIDGE)
        ip("link", "set", self.BRIDGE, "up")

    def site(self, name, *addresses):
        self.sites.append(Site(self, name, addresses))
        return self.sites[-1]

    def remove(self):
        for site in self.sites:
            site.remove()
        ip("link", "delete", self.BRIDGE, check=False)
