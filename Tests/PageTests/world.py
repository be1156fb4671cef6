"""Servers with files of any size for the real service, behind one proxy, so that the page shows the names of hosts."""

import contextlib
import hashlib
import http.server
import itertools
import math
import re
import threading
import time
import urllib.parse

PIECE = 64 << 10
BLOCK = bytes(itertools.islice(itertools.cycle(range(251)), PIECE + 251))


def bytes_at(position, number):
    """The content of every file: the position modulo 251."""
    start = position % 251
    return BLOCK[start:start + number]


def digest(size):
    whole = hashlib.sha256()
    for position in range(0, size, PIECE):
        whole.update(bytes_at(position, min(PIECE, size - position)))
    return whole.hexdigest()


class File:
    """Sends `quick` bytes at once, then `rate` bytes per second on each connection; a rate of 0 sends no more."""

    def __init__(self, size, *, quick=None, rate=0, status=200, retry_after=None, knows_size=True):
        self.size, self.rate, self.status, self.retry_after, self.knows_size = size, rate, status, retry_after, knows_size
        self.quick = math.inf if quick is None else quick
        self.sent = 0


class World:
    """An HTTP proxy that answers for all hosts."""

    def __init__(self):
        self.files = {}
        self.is_closing = threading.Event()
        self.lock = threading.Lock()
        world = self

        class Proxy(Handler):
            pass

        Proxy.world = world
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None
        self.origin = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def add(self, url, size=0, **more):
        self.files[url] = File(size, **more)
        return url

    def take(self, file, number):
        """Whether these bytes may go at once."""
        with self.lock:
            file.sent += number
            return file.sent <= file.quick

    def close(self):
        self.is_closing.set()
        self.http.shutdown()
        self.http.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    world = None

    def do_GET(self):
        file = self.world.files.get(urllib.parse.unquote(self.path))
        if file is None or file.status != 200:
            return self.refuse(file)
        first, last = self.asked(file)
        is_part = "Range" in self.headers and file.knows_size
        self.send_response(206 if is_part else 200)
        self.send_header("ETag", f'"{file.size}"')
        if is_part:
            self.send_header("Content-Range", f"bytes {first}-{last}/{file.size}")
        if file.knows_size:
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Length", str(last - first + 1))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        if self.command == "GET":
            with contextlib.suppress(OSError):
                self.send_body(file, first, last + 1)

    do_HEAD = do_GET

    def asked(self, file):
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")) if file.knows_size else None
        return (int(found[1]), min(int(found[2] or file.size - 1), file.size - 1)) if found else (0, file.size - 1)

    def refuse(self, file):
        self.send_response(file.status if file else 404)
        if file and file.retry_after:
            self.send_header("Retry-After", str(file.retry_after))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send_body(self, file, position, end):
        phase = (position / file.size) * 2 * math.pi
        while position < end and not self.world.is_closing.is_set():
            number = min(PIECE, end - position)
            if not self.world.take(file, number):
                while file.rate == 0 and not self.world.is_closing.wait(0.1):
                    pass
                # Real servers are not steady.
                wave = 1 + 0.25 * math.sin(time.monotonic() / 5 + phase) + 0.1 * math.sin(time.monotonic() * 1.7 + phase)
                self.world.is_closing.wait(number / (file.rate * wave))
            self.wfile.write(bytes_at(position, number))
            position += number

    def log_message(self, *_):
        pass
