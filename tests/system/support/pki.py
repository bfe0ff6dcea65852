# SPDX-License-Identifier: Apache-2.0
"""An authority made by `twinsite pki`, and the control API over mutual TLS."""
import http.client
import ssl

from support import control, machine, program


class Authority:
    """Its files are DIR/ca.crt, DIR/crl.pem, and NAME.crt and NAME.key of what it issued."""

    def __init__(self, folder):
        self.folder = folder
        self.command("init", folder)

    def command(self, *words):
        return program.run([machine.ours("twinsite"), "pki", *words], check=0)

    def issue(self, identity, address=""):
        """Certificate for "twinsite://SITE/ROLE/NAME"; returns NAME."""
        self.command("issue", self.folder, identity, *(["--ip", address] if address else []))
        return identity.rpartition("/")[2]

    def revoke(self, name):
        self.command("revoke", self.folder, name)

    def context(self, name=""):
        """What a client needs to trust our servers and, with a name, to be known to them."""
        out = ssl.create_default_context(cafile=f"{self.folder}/ca.crt")
        if name:
            out.load_cert_chain(f"{self.folder}/{name}.crt", f"{self.folder}/{name}.key")
        return out

    def listener(self, name, address, port):
        """`control: {...}` of a configuration, beside its socket."""
        files = {"certificate": f"{name}.crt", "key": f"{name}.key", "ca": "ca.crt",
                 "crl": "crl.pem"}
        listed = ", ".join(f"{key}: {self.folder}/{file}" for key, file in files.items())
        return f"listen: \"{address}:{port}\", tls: {{{listed}}}"


class TlsControl(control.Control):
    """The control API as the holder of a certificate sees it; one connection for each call."""

    def __init__(self, address, port, context):
        super().__init__(f"{address}:{port}")
        self.address, self.port, self.context = address, port, context

    def raw(self, method, target, body=None, timeout=10):
        connection = http.client.HTTPSConnection(self.address, self.port, timeout=timeout,
                                                 context=self.context)
        return control.exchange(connection, method, target, body)
