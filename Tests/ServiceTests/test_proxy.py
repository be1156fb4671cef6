"""The service behind nginx, with TLS and under a prefix: the API, the events, the login and the page."""

import html.parser
import http.client
import re
import shutil
import ssl
import subprocess
from urllib.parse import urljoin, urlsplit

import pytest

from aria2rpc import RPC, WebSocket
from client import Client, wait_until
from contract import ROOT
from eventreader import EventReader
from pawld import COMMAND, free_port

PREFIX = "/downloads-of-ada"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
CONFIGURATION = """
daemon off; pid {home}/nginx.pid; error_log {home}/nginx.log; worker_processes 1;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fastcgi; uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
    {map}
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {home}/certificate.pem; ssl_certificate_key {home}/key.pem;
        client_max_body_size 4m;
        {location}
    }}
}}
"""


def documented(prefix, port):
    """The parts of the block in docs/service.md: the map and the location."""
    block = re.search(r"```nginx\n(.*?)```", (ROOT / "docs/service.md").read_text(), re.DOTALL)[1]
    block = block.replace("/pawl/", f"{prefix}/").replace("127.0.0.1:6871", f"127.0.0.1:{port}")
    start = block.index("location")
    return {"map": block[block.index("map") : start], "location": block[start:]}


class ProxiedClient(Client):
    """Over TLS, under the prefix. Answers are still those of the contract's paths."""

    def connection(self):
        context = ssl.create_default_context(cafile=self.certificate)
        connection = http.client.HTTPSConnection(*self.address, timeout=self.timeout, context=context)
        plain = connection.putrequest
        connection.putrequest = lambda method, target, **more: plain(method, PREFIX + target, **more)
        return connection


class Proxy:
    def __init__(self, start):
        self.port = free_port()
        self.origin = f"https://localhost:{self.port}"
        self.service = start("--public-url", f"{self.origin}{PREFIX}/")
        self.home = self.service.home / "nginx"
        self.home.mkdir()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", self.home / "key.pem", "-out", self.home / "certificate.pem"], check=True, capture_output=True)
        (self.home / "nginx.conf").write_text(CONFIGURATION.format(home=self.home, port=self.port, **documented(PREFIX, self.service.port)))
        self.process = subprocess.Popen([NGINX, "-p", str(self.home), "-c", str(self.home / "nginx.conf")], stderr=subprocess.PIPE)
        wait_until(self.answers, 30, "nginx")

    def answers(self):
        assert self.process.poll() is None, self.process.stderr.read()
        try:
            return self.client(None).send("GET", "/healthz").status == 200
        except OSError:
            return False

    def client(self, token):
        client = ProxiedClient(("localhost", self.port), token)
        client.certificate = str(self.home / "certificate.pem")
        return client

    def websocket(self, **more):
        context = ssl.create_default_context(cafile=self.home / "certificate.pem")
        return WebSocket(("localhost", self.port), f"{PREFIX}/jsonrpc", tls=context, **more)

    def close(self):
        self.process.terminate()
        self.process.wait()


@pytest.fixture
def proxy(start):
    if not NGINX:
        pytest.skip("nginx is not installed")
    proxy = Proxy(start)
    yield proxy
    proxy.close()


def test_a_download_is_added_followed_and_fetched_through_the_proxy(proxy, files):
    client = proxy.client(proxy.service.token)
    reader = EventReader(client).start()
    answer = client.call("POST", "/downloads", {"url": files.add("/a", b"content" * 1000)}, expect=201)
    # Relative, so that it is right under any prefix.
    request = f"{proxy.origin}{PREFIX}/api/v1/downloads"
    assert urljoin(request, answer.headers["Location"]) == f"{request}/{answer.json['id']}"
    reader.wait_for(lambda event: event.name == "change" and event.data["state"] == "completed")
    assert client.get(f"/downloads/{answer.json['id']}/file", headers={"Range": "bytes=7-13"}, expect=206).body == b"content"
    reader.close()


def test_the_login_works_over_tls(proxy):
    stranger = proxy.client(None)
    answer = stranger.call("POST", "/login", {"token": proxy.service.token}, headers={"Origin": proxy.origin}, expect=200)
    # Nothing else behind the proxy gets it.
    assert {"Secure", "HttpOnly", "SameSite=Strict", f"Path={PREFIX}/"} <= {part.strip() for part in answer.headers["Set-Cookie"].split(";")}
    session = {"Cookie": answer.headers["Set-Cookie"].split(";")[0], "X-Pawl-Session-Key": answer.json["key"]}
    own = {**session, "Origin": proxy.origin}
    stranger.call("POST", "/downloads", {"url": "http://127.0.0.1:9/x", "paused": True}, headers=own, expect=201)
    assert stranger.call("GET", "/downloads", headers={**session, "Sec-Fetch-Site": "same-origin"}).json["total"] == 1
    assert stranger.call("POST", "/downloads", {"url": "http://127.0.0.1:9/x"}, headers={**own, "Origin": "https://evil.example"}).code == "foreignOrigin"


def test_S23_aria2_s_websocket_comes_through_the_documented_proxy(proxy):
    rpc = RPC(proxy.service)
    socket, stranger = proxy.websocket(), proxy.websocket(headers=["Origin: https://elsewhere.example"])
    assert (socket.status, stranger.status) == (101, 101)
    # It comes from this machine, but its client does not: nothing is told before the token is shown.
    rpc.addUri(["http://127.0.0.1:9/before"])
    for one in (socket, stranger):
        one.send({"id": 1, "method": "aria2.getVersion"})
        assert one.receive()["error"]["message"] == "Unauthorized"
        one.send(rpc.request("aria2.getVersion"))
        # From here on it may hear of the first download, too.
        while "id" not in (answer := one.receive()):
            pass
        assert answer["result"]["version"] == "1.37.0"
    gid = rpc.addUri(["http://127.0.0.1:9/after"])
    for one in (socket, stranger):
        while (told := one.receive())["params"] != [{"gid": gid}]:
            assert "id" not in told
        assert told["method"] == "aria2.onDownloadStart"


def test_S23_a_proxy_that_names_nobody_is_not_taken_for_a_program_of_this_machine(start):
    """Only the public name in `Host` shows that there is one."""
    service = start("--public-url", "https://pawl.example/", "--host", "other.example")
    for host in ("pawl.example", "other.example"):
        socket = WebSocket(service.address, host=host)
        RPC(service).addUri([f"http://127.0.0.1:9/{host}"])
        socket.send({"id": 1, "method": "aria2.getVersion"})
        assert socket.receive()["error"]["message"] == "Unauthorized"


class References(html.parser.HTMLParser):
    """What a page loads."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.found |= {named[name] for name in ("src", "href") if name in named and tag in ("script", "link", "img")}


def test_the_page_and_all_that_it_loads_come_under_the_prefix(proxy):
    client = proxy.client(None)
    waiting, loaded = ["/", "/login.html"], set()
    while waiting:
        path = waiting.pop()
        if path in loaded:
            continue
        loaded.add(path)
        answer = client.send("GET", path)
        assert answer.status == 200, path
        text = answer.body.decode()
        if answer.headers["Content-Type"].startswith("text/html"):
            references = References()
            references.feed(text)
            found = references.found
        elif path.endswith(".js"):
            found = set(re.findall(r"""(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']""", text))
        else:
            found = set(re.findall(r"url\(([^)]+)\)", text)) if path.endswith(".css") else set()
        for reference in found:
            assert not reference.startswith(("/", "http")), f"{path} loads {reference}, which leaves the prefix"
            waiting.append(urlsplit(urljoin(f"http://x{path}", reference)).path)
    assert {"/app/main.js", "/app/api.js", "/style/base.css"} <= loaded


def test_a_request_past_the_proxy_is_not_trusted_for_its_headers(proxy):
    """Whoever reaches the service directly cannot pretend to be the proxy."""
    direct = proxy.service.stranger()
    for headers in ({"X-Forwarded-Host": "localhost"}, {"Forwarded": f"host=localhost:{proxy.port};proto=https"}, {"X-Real-IP": "127.0.0.1"}):
        assert direct.call("GET", "/downloads", headers=headers).status == 401
        assert direct.send("GET", "/healthz", headers={"Host": "evil.example", **headers}).code == "unknownHost"


def test_the_reader_returns_after_the_proxy_lost_the_service(proxy, files):
    client = proxy.client(proxy.service.token)
    reader = EventReader(client)
    reader.start()
    # While the service is away the proxy answers 502, which is not of the contract.
    proxy.service.kill()
    proxy.service.start()
    added = proxy.service.client().add({"url": "http://127.0.0.1:9/x", "paused": True})
    reader.wait_for(lambda event: event.name == "change" and event.data["id"] == added["id"])
    reader.close()


def pawl(proxy, *words, trust=True):
    """Runs the command against the service behind nginx."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(proxy.home), "LC_ALL": "C.UTF-8", "PAWL_TOKEN": proxy.service.token}
    if trust:
        environment["SSL_CERT_FILE"] = str(proxy.home / "certificate.pem")
    words = [COMMAND, *words, "--service", f"{proxy.origin}{PREFIX}/"]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)


def test_N30_pawl_calls_a_service_behind_a_proxy_with_tls_and_a_prefix(proxy, files):
    added = pawl(proxy, "add", files.add("/b", b"content" * 1000))
    assert added.returncode == 0, added.stderr
    watched = pawl(proxy, "watch", added.stdout.strip(), "--json")
    assert watched.returncode == 0 and '"completed"' in watched.stdout, watched.stderr
    listed = pawl(proxy, "ls", "--json")
    assert listed.returncode == 0 and added.stdout.strip() in listed.stdout, listed.stderr


def test_N30_pawl_does_not_give_its_token_to_a_server_whose_certificate_it_does_not_trust(proxy):
    refused = pawl(proxy, "ls", trust=False)
    assert refused.returncode == 3, refused
    assert "not trusted" in refused.stderr and refused.stdout == ""
