"""Clients of aria2's RPC, over HTTP and over WebSocket (RFC 6455)."""

import base64
import hashlib
import http.client
import json
import os
import socket
import struct
import time


class RPCError(Exception):
    def __init__(self, error, status=None):
        super().__init__(f"{error} {status or ''}")
        self.code, self.message, self.status = error["code"], error["message"], status


class RPC:
    """Sends calls by POST, as aria2's clients do: any content type, the token in front of the parameters."""

    def __init__(self, service, token=True):
        self.address = service.address
        self.token = service.token if token is True else token

    def send(self, body, method="POST", target="/jsonrpc", headers=None):
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        try:
            connection.request(method, target, body, {"Content-Type": "application/x-www-form-urlencoded", **(headers or {})})
            answer = connection.getresponse()
            names = [name for name, _ in answer.getheaders()]
            assert len(names) == len(set(names)), names
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def request(self, method, *parameters):
        own = [f"token:{self.token}"] if self.token and method.startswith("aria2.") else []
        return {"jsonrpc": "2.0", "id": "x", "method": method, "params": [*own, *parameters]}

    def call(self, method, *parameters):
        status, _, body = self.send(json.dumps(self.request(method, *parameters)))
        answer = json.loads(body)
        if "error" in answer:
            raise RPCError(answer["error"], status)
        assert status == 200, body
        return answer["result"]

    def __getattr__(self, name):
        return lambda *parameters: self.call("aria2." + name, *parameters)

    def wait(self, gid, *states, seconds=60):
        """Until the download has one of these states; its status then."""
        end = time.monotonic() + seconds
        while True:
            status = self.tellStatus(gid)
            if status["status"] in states:
                return status
            assert time.monotonic() < end, f"{gid} is {status} and not {states}"
            time.sleep(0.02)


class WebSocket:
    def __init__(self, address, path="/jsonrpc", headers=(), version="13", tls=None, host=None):
        self.socket = socket.create_connection(address, timeout=30)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname=address[0])
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'{address[0]}:{address[1]}'}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", f"Sec-WebSocket-Version: {version}", *headers]  # fmt: skip
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            more = self.socket.recv(4096)
            assert more, self.buffer
            self.buffer += more
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self.head = head.decode()
        self.status = int(head.split()[1])
        if self.status == 101:
            proof = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
            assert f"sec-websocket-accept: {proof}".lower() in self.head.lower(), self.head

    def take(self, count):
        while len(self.buffer) < count:
            more = self.socket.recv(65536)
            if not more:
                raise EOFError
            self.buffer += more
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def frame(self):
        first, length = self.take(2)
        assert not length & 0x80, "a server does not mask"
        if length == 126:
            (length,) = struct.unpack(">H", self.take(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", self.take(8))
        return first & 15, self.take(length)

    def write(self, opcode, body, final=True):
        mask = os.urandom(4)
        size = len(body)
        length = bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size) if size < 65536 else bytes([0x80 | 127]) + struct.pack(">Q", size)
        self.socket.sendall(bytes([(0x80 if final else 0) | opcode]) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body)))

    def send(self, value):
        self.write(1, json.dumps(value).encode())

    def receive(self, seconds=30):
        self.socket.settimeout(seconds)
        opcode, body = self.frame()
        assert opcode == 1, (opcode, body)
        return json.loads(body)

    def close(self):
        self.socket.close()
