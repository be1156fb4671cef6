"""A server that sends any bytes at any pace, and reads requests without judging them."""

import contextlib
import fcntl
import functools
import pathlib
import re
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time

# A busy machine must not fail a test; a client that has gone wrong ends by its own limit.
PATIENCE = 60
SIOCOUTQ = 0x5411


class Connection:
    """One connection of a client. What it reads and sends are bytes; closing says nothing by itself."""

    def __init__(self, stream, listener):
        self.stream, self.listener = stream, listener
        self.reader = stream.makefile("rb")
        self.is_open = True

    def read(self, count):
        return self.reader.read(count)

    def send(self, data):
        self.stream.sendall(data)

    def drip(self, data, pieces, pause):
        """Sends `data` in pieces, with a pause in seconds between two."""
        step = -(-len(data) // pieces)
        for start in range(0, len(data), step):
            if start:
                time.sleep(pause)
            self.send(data[start : start + step])

    def close(self):
        """Ends the connection so that everything sent arrives, with the end that TLS announces."""
        with contextlib.suppress(OSError):
            if isinstance(self.stream, ssl.SSLSocket):
                self.stream.settimeout(2)
                self.stream.unwrap()
        self.cut()

    def cut(self):
        """The same without the end that TLS announces: FIN, then whatever the client still says."""
        self.is_open = False
        with contextlib.suppress(OSError):
            self.stream.shutdown(socket.SHUT_WR)
            self.stream.settimeout(5)
            while self.stream.recv(1 << 16):
                pass

    def reset(self):
        """Ends the connection by RST once all that was sent has been acknowledged."""
        self.is_open = False
        unacknowledged = struct.Struct("i")
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            if unacknowledged.unpack(fcntl.ioctl(self.stream.fileno(), SIOCOUTQ, bytes(4))) == (0,):
                break
            time.sleep(0.005)
        self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def release(self):
        # The stream is not closed before its reader is.
        for each in (self.reader, self.stream):
            with contextlib.suppress(OSError, ValueError):
                each.close()


class Request:
    """One request, and the way to answer it."""

    def __init__(self, lines, number, connection):
        self.number, self.connection = number, connection
        self.method, self.target = (lines[0].split(" ") + [""])[:2]
        # Through a proxy the target is the whole URL.
        self.address = re.sub(r"^[a-zA-Z]+://[^/?#]*", "", self.target) or "/"
        self.path, _, self.query = self.address.partition("?")
        self.fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.fields[name.strip().lower()] = value.strip()

    def field(self, name):
        return self.fields.get(name.lower(), "")

    @property
    def origin(self):
        return self.connection.listener.origin

    @property
    def other_origin(self):
        """The same server at another port."""
        return self.connection.listener.server.others(self.connection.listener).origin

    @property
    def has_range(self):
        return "range" in self.fields

    def span(self, size):
        """The first byte that is asked for, and the one after the last; None without a range."""
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.field("Range"))
        return found and (int(found[1]), min(int(found[2]) + 1, size) if found[2] else size)

    def send(self, data):
        """Answers, and waits for the next request."""
        self.connection.send(data)

    def end(self, data=b""):
        """Answers, and ends the connection."""
        self.connection.send(data)
        self.connection.close()


class Listener:
    def __init__(self, server, host, family=socket.AF_INET, context=None):
        self.server, self.context = server, context
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.bind((host, 0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        name = f"[{host}]" if family == socket.AF_INET6 else host
        self.origin = f"http{'s' if context else ''}://{name}:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                stream, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(stream,), daemon=True).start()

    def serve(self, stream):
        with contextlib.suppress(OSError, ValueError):
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            stream.settimeout(PATIENCE)
            if self.context:
                stream = self.context.wrap_socket(stream, server_side=True)
            connection = Connection(stream, self)
            try:
                self.server.converse(connection)
            finally:
                connection.release()

    def close(self):
        # Closing alone leaves `accept` waiting.
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Server:
    """The server of one behaviour for one program: on IPv4 at two ports, by TLS if there is a certificate, and on IPv6.

    `answer` is the bytes that follow every request, after which the connection ends, or a function of the Request.
    With `is_raw` it is a function of the Connection, and nothing is read for it.
    """

    def __init__(self, answer, is_raw=False):
        self.answer, self.is_raw = answer, is_raw
        self.requests, self.lock = [], threading.Lock()
        self.plain = Listener(self, "127.0.0.1")
        self.second = Listener(self, "127.0.0.1")
        self.secure = Listener(self, "127.0.0.1", context=certificate().context)
        self.six = Listener(self, "::1", socket.AF_INET6) if has_ipv6() else None

    def others(self, listener):
        return self.plain if listener is self.second else self.second

    def converse(self, connection):
        if self.is_raw:
            return self.answer(connection)
        while connection.is_open:
            lines = self.head(connection)
            if not lines:
                return
            with self.lock:
                request = Request(lines, len(self.requests), connection)
                self.requests.append(request)
            self.answer(request) if callable(self.answer) else request.end(self.answer)

    def head(self, connection):
        lines = []
        while (line := connection.reader.readline(1 << 17)) and line.strip():
            lines.append(line.decode("latin-1").rstrip("\r\n"))
        return lines if line else []

    def places(self):
        """What the words of an entry may name in braces."""
        return {
            "origin": self.plain.origin,
            "port": self.plain.port,
            "other": self.second.origin,
            "secure": self.secure.origin,
            "secure_port": self.secure.port,
            "six": self.six.origin if self.six else "",
            "authority": str(certificate().authority),
            "hashed": str(certificate().hashed),
        }

    def close(self):
        for listener in (self.plain, self.second, self.secure, self.six):
            if listener:
                listener.close()


@functools.cache
def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


class Certificate:
    """An authority for this run, and a certificate for 127.0.0.1 and localhost."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="differential-")
        place = pathlib.Path(self.directory.name)
        self.authority, self.hashed = place / "authority.pem", place / "hashed"
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        self.openssl(
            "req",
            "-x509",
            *curve,
            "-keyout",
            place / "authority.key",
            "-out",
            self.authority,
            "-days",
            "30",
            "-subj",
            "/CN=Differential Authority",
        )
        self.openssl(
            "req",
            *curve,
            "-keyout",
            place / "key",
            "-out",
            place / "request",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
        )
        self.openssl(
            "x509",
            "-req",
            "-in",
            place / "request",
            "-CA",
            self.authority,
            "-CAkey",
            place / "authority.key",
            "-CAcreateserial",
            "-out",
            place / "certificate",
            "-days",
            "20",
            "-copy_extensions",
            "copy",
        )
        self.hashed.mkdir()
        (self.hashed / "authority.pem").write_bytes(self.authority.read_bytes())
        self.openssl("rehash", self.hashed)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(place / "certificate", place / "key")

    def openssl(self, *words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


@functools.cache
def certificate():
    return Certificate()
