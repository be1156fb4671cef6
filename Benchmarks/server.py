"""The nginx that benchmarks download from."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import archives

MEGABYTE = 1_000_000
STEADY_RATE = 5 * MEGABYTE
CRAWLING_RATE = MEGABYTE // 5
# What one connection of each mirror brings.
MIRROR_RATES = (8 * MEGABYTE, 4 * MEGABYTE, 2 * MEGABYTE)


class Server:
    """One nginx of our own. `start(crawling=N)` makes the N-th of every eight connections crawl on its second port.

    Beside it runs `distant.c`, by a program and its milliseconds, if they are given."""

    def __init__(self, content, distant=()):
        self.content = content
        self.far = None
        if distant:
            (self.distant,) = free_ports(1)
            self.far = subprocess.Popen([distant[0], str(self.distant), distant[1], str(content)])
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="pawl-race-server-"))
        self.http, self.https, self.steady, self.crawl, self.link, *self.mirrors = free_ports(5 + len(MIRROR_RATES))
        self.process = None
        self.make_certificates()

    def make_certificates(self):
        def openssl(*arguments):
            subprocess.run(["openssl", *arguments], cwd=self.directory, check=True, capture_output=True)

        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Race CA",
                "-addext", "keyUsage=critical,keyCertSign")  # fmt: skip
        openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
        (self.directory / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-out", "server.pem", "-days", "2", "-extfile", "names")  # fmt: skip

    @property
    def authority(self):
        return self.directory / "ca.pem"

    def configuration(self, crawling):
        mirrors = "".join(
            f"server {{ listen 127.0.0.1:{port}; limit_rate {rate}; }}\n" for port, rate in zip(self.mirrors, MIRROR_RATES)
        )
        # $connection counts the connections since nginx started. 1000 is a multiple of 8, so three digits tell the remainder.
        numbers = "|".join(f"{n:03}" for n in range(1000) if n % 8 == crawling % 8)
        short = "|".join(str(n) for n in range(100) if n % 8 == crawling % 8)
        return f"""
            daemon off;
            {"user root;" if os.geteuid() == 0 else ""}
            worker_processes 2;
            pid nginx.pid;
            error_log error.log;
            events {{ worker_connections 1024; }}
            http {{
                access_log off;
                log_format bytes $body_bytes_sent;
                sendfile on;
                tcp_nopush on;
                default_type application/octet-stream;
                client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;
                root {self.content};
                ssl_certificate server.pem;
                ssl_certificate_key server.key;
                ssl_protocols TLSv1.2 TLSv1.3;
                map $connection $rate {{
                    default {STEADY_RATE};
                    "~^({short})$" {CRAWLING_RATE};
                    "~({numbers})$" {CRAWLING_RATE};
                }}
                server {{ listen 127.0.0.1:{self.http}; }}
                server {{ listen 127.0.0.1:{self.https} ssl; }}
                server {{ listen 127.0.0.1:{self.steady}; limit_rate {STEADY_RATE}; }}
                server {{ listen 127.0.0.1:{self.crawl}; limit_rate $rate; }}
                server {{ listen 127.0.0.1:{self.link}; limit_rate {archives.LINK_RATE}; access_log link.log bytes; }}
                {mirrors}
            }}
        """

    def start(self, crawling=8):
        self.stop()
        (self.directory / "nginx.conf").write_text(self.configuration(crawling))
        self.process = subprocess.Popen(
            ["nginx", "-p", str(self.directory), "-c", "nginx.conf", "-e", "error.log"], stderr=subprocess.DEVNULL
        )
        for _ in range(200):
            # Not a connection: that would be counted.
            if (self.directory / "nginx.pid").exists() and listening(self.crawl):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        sys.exit("nginx did not start:\n" + (self.directory / "error.log").read_text())

    def sent(self):
        """Bytes of all bodies sent over the link so far."""
        return sum(map(int, (self.directory / "link.log").read_text().split()))

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
            self.process = None

    def close(self):
        self.stop()
        if self.far:
            self.far.kill()
            self.far.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def listening(port):
    return any(f"0100007F:{port:04X}" in line and " 0A " in line for line in open("/proc/net/tcp", encoding="ascii"))
