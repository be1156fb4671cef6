"""HTTP clients of the service, over TCP and over its unix socket. Each answer is checked against the contract."""

import contextlib
import http.client
import json
import re
import socket
import time
from urllib.parse import urlencode

import contract

API = "/api/v1"


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json.get("code")

    def __repr__(self):
        return f"<{self.status} {self.body[:500]!r}>"


def check_protection(headers, what):
    """The headers that every answer has."""
    policy = headers.get("Content-Security-Policy", "")
    directives = dict((part.split() + [""])[:1] + [part.split()[1:]] for part in policy.split(";") if part.strip())
    assert directives.get("default-src") == ["'self'"], f"{what}: Content-Security-Policy: {policy}"
    assert directives.get("frame-ancestors") == ["'none'"], f"{what}: Content-Security-Policy: {policy}"
    assert "unsafe" not in policy, f"{what}: Content-Security-Policy: {policy}"
    assert headers.get("X-Content-Type-Options") == "nosniff", f"{what}: X-Content-Type-Options"
    assert headers.get("Referrer-Policy") == "no-referrer", f"{what}: Referrer-Policy"
    # A browser refuses an answer that has some of them twice, with equal values, too.
    names = [name.lower() for name in headers.keys() if name.lower() != "connection"]
    assert sorted(names) == sorted(set(names)), f"{what}: {names}"


class Client:
    """Speaks to an address (host, port) or to the path of a unix socket. Makes a new connection for each call."""

    def __init__(self, address, token=None, *, timeout=60, origins=()):
        self.address, self.token, self.timeout = address, token, timeout
        # Origins that `--allow-origin` names; any other answer must not mention CORS.
        self.origins = origins

    def connection(self):
        if isinstance(self.address, tuple):
            return http.client.HTTPConnection(*self.address, timeout=self.timeout)
        return UnixConnection(self.address, self.timeout)

    def headers_for(self, headers):
        own = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {**own, **{name: value for name, value in (headers or {}).items() if value is not None}}

    def send(self, method, target, body=None, headers=None):
        """Any request: the path as it is, the body as bytes. A header that is None is left out."""
        connection = self.connection()
        try:
            named = self.headers_for(headers)
            lower = {name.lower() for name in named}
            connection.putrequest(method, target, skip_host="host" in lower, skip_accept_encoding=True)
            for name, value in named.items():
                connection.putheader(name, value)
            if body is not None and "content-length" not in lower:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        finally:
            connection.close()
        what = f"{method} {target} → {answer.status}"
        check_protection(answer.headers, what)
        if not self.origins:
            assert not [name for name in answer.headers if name.lower().startswith("access-control-")], f"{what}: CORS"
        if method != "OPTIONS":
            contract.check_answer(method, target, answer.status, answer.headers, answer.body)
        return answer

    def call(self, method, path, json_body=None, *, headers=None, query=None, expect=None):
        """A call of the API. `expect` is the status, or several, that the answer must have."""
        target = path if path.startswith(("/api", "/healthz", "/metrics")) else API + path
        if query:
            target += "?" + urlencode({name: ",".join(value) if isinstance(value, list) else value for name, value in query.items()})
        body = None
        headers = dict(headers or {})
        if json_body is not None:
            body = json.dumps(json_body).encode()
            headers.setdefault("Content-Type", "application/json")
        answer = self.send(method, target, body, headers)
        if expect is not None:
            allowed = expect if isinstance(expect, (set, tuple)) else (expect,)
            assert answer.status in allowed, f"{method} {target}: {answer.status} instead of {expect}: {answer.body[:800]}"
        return answer

    def get(self, path, *, expect=200, **more):
        return self.call("GET", path, expect=expect, **more)

    def post(self, path, body=None, *, expect=200, **more):
        return self.call("POST", path, body, expect=expect, **more)

    def patch(self, path, body, *, expect=200, **more):
        return self.call("PATCH", path, body, expect=expect, **more)

    def delete(self, path, *, expect=204, **more):
        return self.call("DELETE", path, expect=expect, **more)

    # What most tests do.

    def add(self, job, *, expect=201, **more):
        return self.post("/downloads", job, expect=expect, **more).json

    def add_all(self, jobs, **more):
        return self.post("/downloads", jobs, **more).json

    def show(self, id):
        return self.get(f"/downloads/{id}").json

    def act(self, id, action, *, expect=200):
        return self.post(f"/downloads/{id}/{action}", expect=expect).json

    def page(self, **query):
        return self.get("/downloads", query=query).json

    def everything(self, **query):
        """All downloads of a query by cursor, and the change of the first page, from which events lead on."""
        page = self.page(**{"limit": 1000, **query})
        downloads, change = page["downloads"], page["change"]
        while page["next"] is not None:
            page = self.page(**{"limit": 1000, **query, "cursor": page["next"]})
            downloads += page["downloads"]
        return downloads, change

    def ids(self, **query):
        return [one["id"] for one in self.everything(**query)[0]]

    def wait_for(self, id, state, *, seconds=120):
        """The snapshot once the download is in the state."""
        allowed = {state} if isinstance(state, str) else set(state)
        return wait_until(lambda: (one := self.show(id))["state"] in allowed and one, seconds, lambda: f"{allowed}: {self.show(id)}")

    def wait_for_bytes(self, id, number, *, seconds=120):
        return wait_until(lambda: (one := self.show(id))["bytes"] >= number and one, seconds, lambda: f"{number} bytes: {self.show(id)}")


def wait_until(condition, seconds=60, what="the condition"):
    """The first true value of the condition. The deadline is there for what never happens, so it is far away."""
    deadline = time.monotonic() + seconds
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for {what() if callable(what) else what}")
        time.sleep(0.02)


# Raw connections, for requests that no client library would send.


def raw_socket(address, timeout=60):
    if isinstance(address, tuple):
        return socket.create_connection(address, timeout)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(timeout)
    connection.connect(str(address))
    return connection


def exchange(address, data, *, timeout=60):
    """Sends bytes, and reads all answers until the service closes the connection. Add `Connection: close` to a request that is valid."""
    with raw_socket(address, timeout) as connection:
        received = b""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(data)
        while True:
            try:
                piece = connection.recv(65536)
            except ConnectionResetError:
                break
            if not piece:
                break
            received += piece
    return received


def first_status(address, data, *, timeout=60):
    """The status of the first answer that is final. The service may read the rest of the request, or close the connection."""
    with raw_socket(address, timeout) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(data)
        received = b""
        while not (found := [one for one in statuses(received) if one >= 200]):
            try:
                piece = connection.recv(65536)
            except ConnectionResetError:
                return None
            if not piece:
                return None
            received += piece
    return found[0]


def statuses(received):
    """The status of each answer, one after the other: a body need not end with a line break."""
    return [int(one) for one in re.findall(rb"HTTP/1\.[01] (\d{3}) ", received)]
