"""A server of files that a test steers: how fast, how much of a body, which validators, which status."""

import contextlib
import hashlib
import http.server
import random
import re
import socket
import threading
import time

CHUNK = 16 << 10


def content(size, seed=0):
    """The same bytes for the same size and seed."""
    return random.Random(f"{size} {seed}").randbytes(size)


class File:
    def __init__(self, body, *, etag=None, kind="application/octet-stream", ranges=True, status=200, headers=(), rate=None, location=None, credentials=None, known_length=True):
        self.body, self.kind, self.ranges, self.status, self.headers = body, kind, ranges, status, dict(headers)
        self.etag = etag or f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        self.rate, self.location, self.credentials, self.known_length = rate, location, credentials, known_length
        self.limit = None
        self.sent = 0


class Request:
    def __init__(self, handler):
        self.method, self.path, self.headers = handler.command, handler.path, dict(handler.headers.items())
        self.range = self.headers.get("Range")
        self.sent = 0


class FileServer:
    def __init__(self, host="127.0.0.1"):
        self.files, self.requests = {}, []
        self.changed = threading.Condition()
        self.is_closing = False
        outer = self

        class Handler(FileHandler):
            server_of_files = outer

        self.http = QuietServer((host, 0), Handler)
        self.port = self.http.server_address[1]
        self.origin = f"http://{host}:{self.port}"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    def add(self, path, body=b"", **more):
        """Serves a file; its URL is the answer."""
        self.files[path] = File(body, **more)
        return self.origin + path

    def redirect(self, path, location, status=302):
        self.files[path] = File(b"", status=status, location=location)
        return self.origin + path

    def hold(self, path, after=0):
        """From now on, sends no more than this many bytes of the file in all, until it is released."""
        with self.changed:
            file = self.files[path]
            file.sent, file.limit = 0, after
        return self.origin + path

    def release(self, path):
        with self.changed:
            self.files[path].limit = None
            self.changed.notify_all()

    def release_all(self):
        for path in self.files:
            self.release(path)

    def requests_for(self, path):
        return [one for one in list(self.requests) if one.path.split("?")[0] == path]

    def sent_of(self, path):
        return sum(one.sent for one in self.requests_for(path))

    def close(self):
        with self.changed:
            self.is_closing = True
            self.changed.notify_all()
        self.http.shutdown()
        self.http.server_close()

    def may_send(self, file, number):
        """Waits until the test allows more of the file; how many bytes may go."""
        with self.changed:
            self.changed.wait_for(lambda: self.is_closing or file.limit is None or file.sent < file.limit)
            if self.is_closing:
                return 0
            if file.limit is not None:
                number = min(number, file.limit - file.sent)
            file.sent += number
            return number


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request, client_address):
        pass


class FileHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_files = None

    def setup(self):
        super().setup()
        # What was sent is then what has left, but for little that waits in the system.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHUNK)

    def do_GET(self):
        request = Request(self)
        self.server_of_files.requests.append(request)
        file = self.server_of_files.files.get(self.path.split("?")[0])
        if file is None:
            return self.plain(404)
        if file.credentials and self.headers.get("Authorization") not in file.credentials:
            return self.plain(401, {"WWW-Authenticate": 'Basic realm="files"'})
        if file.location:
            return self.plain(file.status, {"Location": file.location})
        if file.status != 200:
            return self.plain(file.status, file.headers)
        self.file(file, request)

    do_HEAD = do_GET

    def plain(self, status, headers=()):
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def file(self, file, request):
        size = len(file.body)
        first, last, status = 0, size - 1, 200
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if asked and file.ranges and self.headers.get("If-Range") in (None, file.etag):
            if asked[1]:
                first, last = int(asked[1]), min(int(asked[2] or size - 1), size - 1)
            else:
                first = max(0, size - int(asked[2]))
            if first >= size or first > last:
                return self.plain(416, {"Content-Range": f"bytes */{size}"})
            status = 206
        self.send_response(status)
        self.send_header("ETag", file.etag)
        self.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        self.send_header("Content-Type", file.kind)
        for name, value in file.headers.items():
            self.send_header(name, value)
        if file.ranges:
            self.send_header("Accept-Ranges", "bytes")
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        if file.known_length:
            self.send_header("Content-Length", str(last - first + 1))
        else:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command == "GET":
            with contextlib.suppress(OSError):
                self.body(file, request, first, last + 1)

    def body(self, file, request, position, end):
        while position < end:
            number = self.server_of_files.may_send(file, min(CHUNK, end - position))
            if number == 0:
                self.close_connection = True
                return
            self.wfile.write(file.body[position:position + number])
            position += number
            request.sent += number
            if file.rate:
                # A slow server, not a wait for something.
                time.sleep(number / file.rate)
        if not file.known_length:
            self.close_connection = True

    def send_response(self, code, message=None):
        self.send_response_only(code, message)
        self.send_header("Date", self.date_time_string())

    def log_message(self, *_):
        pass
