# SPDX-License-Identifier: Apache-2.0
"""Services of others that health checks ask: a Diameter peer, a RADIUS server, a web server."""
import http.server
import os
import ssl
import subprocess
import threading

from support import machine, program
from support.gslb import write


def make_certificate(folder, name, days=30):
    """A certificate that is its own issuer: (certificate, key)."""
    os.makedirs(folder, exist_ok=True)
    files = f"{folder}/{name}.pem", f"{folder}/{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-days", str(days), "-subj", f"/CN={name}",
                    "-addext", f"subjectAltName=DNS:{name}", "-keyout", files[1], "-out", files[0]],
                   check=True, capture_output=True)
    return files


class DiameterPeer(program.Program):
    """freeDiameter as a server that lets in `client`."""

    def __init__(self, case, client):
        self.port = case.net.own_port()  # on all addresses, whatever ListenOn says of loopback
        files = f"{case.folder}/freediameter"
        certificate, key = make_certificate(files, "fd.peer.example.net")
        subprocess.run(["openssl", "genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt",
                        "group:ffdhe2048", "-out", f"{files}/dh.pem"], check=True,
                       capture_output=True)
        write(f"{files}/acl.conf", f"ALLOW_IPSEC {client}\n")
        write(f"{files}/fd.conf", f"""Identity = "fd.peer.example.net";
Realm = "peer.example.net";
Port = {self.port}; SecPort = 0; No_SCTP; No_IPv6;
TLS_Cred = "{certificate}", "{key}";
TLS_CA = "{certificate}";
TLS_DH_File = "{files}/dh.pem";
LoadExtension = "dict_nasreq.fdx";
LoadExtension = "dict_dcca.fdx";
LoadExtension = "acl_wl.fdx" : "{files}/acl.conf";
""")
        super().__init__("freediameter", [machine.debian("freeDiameterd"), "-c",
                                          f"{files}/fd.conf"], files)
        case.own(self)


class RadiusServer(program.Program):
    """FreeRADIUS with nothing but the answer to Status-Server."""

    PORT = 18121

    def __init__(self, case, address, secret):
        files = f"{case.folder}/freeradius"
        write(f"{files}/radiusd.conf", f"""
name = radiusd
prefix = /usr
libdir = /usr/lib/freeradius
logdir = {files}
run_dir = {files}
pidfile = {files}/radiusd.pid
max_requests = 1024
log {{ destination = stdout }}
security {{
    status_server = yes
    allow_vulnerable_openssl = yes
}}
thread pool {{
    start_servers = 1
    max_servers = 2
    min_spare_servers = 1
    max_spare_servers = 1
}}
modules {{
    always ok {{
        rcode = ok
    }}
}}
client everybody {{
    ipaddr = 127.0.0.0/8
    secret = "{secret}"
}}
server status {{
    listen {{
        type = status
        ipaddr = {address}
        port = {self.PORT}
    }}
    authorize {{
        Autz-Type Status-Server {{
            ok
        }}
    }}
}}
""")
        super().__init__("freeradius", [machine.debian("freeradius"), "-f", "-l", "stdout", "-d",
                                        files, "-n", "radiusd", "-D", "/usr/share/freeradius"], files)
        case.own(self)


class WebServer:
    """HTTP or HTTPS; answers every GET with 200 and "alive", and counts them."""

    def __init__(self, case, address, port, certificate=None):
        self.hits = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.hits += 1
                self.send_response(200)
                self.send_header("Content-Length", "5")
                self.end_headers()
                self.wfile.write(b"alive")

            def log_message(self, *words):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                pass  # a client that hangs up after the header

        self.server = Server((address, port), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()
        case.addCleanup(self.stop)

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None
