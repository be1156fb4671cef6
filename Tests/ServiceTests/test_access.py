"""Who may ask: each attack on the service that docs/faults.md names, as an attacker would send it."""

import base64
import contextlib
import io
import json
import os
import re
import socket
import stat
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest

from aria2rpc import RPC, RPCError, WebSocket
from client import API, Client, exchange, first_status, raw_socket, statuses, wait_until
from contract import DOCUMENT, ROOT
from fileserver import content
from pawld import Service

JOB = {"url": "http://127.0.0.1:9/x", "paused": True}
LIST = f"{API}/downloads"


def log_in(service, token=None, headers=None):
    return service.stranger().call("POST", "/login", {"token": token or service.token}, headers={"Origin": service.origin, **(headers or {})})


def cookie_of(answer):
    return re.match(r"pawl_session(_[0-9]+)?=[^;]+", answer.headers["Set-Cookie"])[0]


def session_of(answer):
    """The header fields by which the page shows its session."""
    return {"Cookie": cookie_of(answer), "X-Pawl-Session-Key": answer.json["key"]}


@pytest.fixture
def session(service):
    answer = log_in(service)
    assert answer.status == 200
    return session_of(answer)


# The token


def test_S01_files_belong_to_their_owner_alone(standing):
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (standing.token_path, standing.socket_path, standing.database_path)}
    assert set(modes.values()) == {0o600}, modes
    for path in standing.database_path.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert stat.S_IMODE(standing.database_path.parent.stat().st_mode) & 0o077 == 0
    assert stat.S_IMODE(standing.socket_path.parent.stat().st_mode) & 0o077 == 0


def test_modes_do_not_depend_on_the_umask(start):
    before = os.umask(0)
    try:
        service = start()
    finally:
        os.umask(before)
    for path in (service.token_path, service.socket_path, *service.database_path.parent.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_S01_the_token_has_256_bits_and_stays(start):
    service, other = start(), start()
    token = service.token
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}|[0-9a-f]{64}", token)
    assert token != other.token
    service.restart()
    assert service.token == token


def test_S25_an_empty_token_file_is_made_anew(start):
    """A kill between the making of the file and the writing of the token has left it so."""
    service = start(starts=False)
    service.token_path.parent.mkdir(parents=True, mode=0o700)
    service.token_path.touch(0o600)
    service.start()
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", service.token)
    assert service.client().get("/version").status == 200
    assert [path.name for path in service.token_path.parent.iterdir() if path.name.startswith("token")] == ["token"]


def test_S01_the_service_listens_on_loopback_alone(standing):
    addresses = set()
    for family in ("tcp", "tcp6"):
        with contextlib.suppress(FileNotFoundError):
            with open(f"/proc/{standing.process.pid}/net/{family}") as table:
                rows = [line.split() for line in table.readlines()[1:]]
            addresses |= {row[1].rpartition(":")[0] for row in rows if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == standing.port}
    assert addresses <= {"0100007F", "00000000000000000000000001000000"}
    assert "0100007F" in addresses


GUARDED = [
    (method.upper(), template.replace("{id}", "8d6f2b1e-3c1a-4f0e-9b7d-2f6a5c4e1d00").replace("{action}", "pause"))
    for template, item in DOCUMENT["paths"].items() for method, operation in item.items() if method in ("get", "post", "patch", "delete") and operation.get("security") != []
]


@pytest.mark.parametrize("method, path", GUARDED)
def test_S01_nothing_is_answered_without_a_token(standing, method, path):
    stranger = standing.stranger()
    body = b"{}" if method in ("POST", "PATCH") else None
    answer = stranger.send(method, path, body, {"Content-Type": "application/json"})
    assert (answer.status, answer.code) == (401, "tokenRequired")


def test_a_token_in_the_query_is_none(standing):
    for name in ("token", "access_token"):
        assert standing.stranger().send("GET", f"{LIST}?{name}={standing.token}").status == 401


@pytest.mark.parametrize("value", ["Basic {}", "Bearer", "Bearer ", "{}", "Bearer {}x", "Bearer {} {}"])
def test_only_the_whole_token_as_bearer_is_valid(start, value):
    service = start()
    answer = service.stranger().send("GET", LIST, headers={"Authorization": value.format(service.token, service.token)})
    assert answer.status == 401


def test_parts_of_the_token_are_wrong(start):
    service = start()
    for wrong in (service.token[:-1], service.token[1:], service.token.swapcase(), ""):
        assert Client(service.address, wrong or " ").send("GET", LIST).status in (400, 401)


def test_S12_ten_wrong_tokens_a_minute_are_answered_with_429(service):
    # Each takes a second.
    with ThreadPoolExecutor(50) as pool:
        seen = list(pool.map(lambda index: Client(service.address, f"wrong{index}").send("GET", LIST).status, range(200)))
    # A minute may pass on a busy machine, and then ten more are tried.
    assert seen.count(401) in range(10, 200, 10) and set(seen) == {401, 429}
    # The page's login counts, too.
    assert log_in(service, "wrong").status == 429
    # On the socket nobody guesses, so nobody is kept out.
    assert service.local().get("/version").status == 200
    # Only wrong ones are counted: whoever has the token is not locked out by others on this machine.
    assert service.client().get("/version").status == 200


def test_wrong_logins_are_counted(service):
    seen = [log_in(service, f"wrong{index}").status for index in range(11)]
    assert seen == [401] * 10 + [429]


def test_requests_without_a_token_are_not_counted(service):
    assert {service.stranger().send("GET", LIST).status for _ in range(30)} == {401}
    assert service.client().get("/version").status == 200


def test_on_the_socket_no_token_is_needed(standing):
    assert standing.local().get("/downloads").status == 200


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user")
def test_S14_another_user_does_not_get_through_the_socket(service):
    """Even if the directories were opened: the service asks the kernel who has connected."""
    for path in (service.home, service.runtime, service.socket_path.parent):
        path.chmod(0o777)
    service.socket_path.chmod(0o777)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgid(65534)
            os.setuid(65534)
            received = exchange(service.socket_path, f"GET {LIST} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(), timeout=30)
            status = 0 if 200 not in statuses(received) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# Host


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "localhost.evil.example", "0.0.0.0:{port}", "[::ffff:7f00:1]:{port}", "", "localhost:{port}@evil.example", "evil.example#127.0.0.1:{port}"])
@pytest.mark.parametrize("path", [LIST, "/healthz", "/", f"{API}/login", f"{API}/openapi.json"])
def test_S02_another_host_is_refused_before_anything_else(standing, host, path):
    """DNS rebinding: a page of evil.example whose name now leads here."""
    answer = standing.client().send("GET", path, headers={"Host": host.format(port=standing.port)})
    assert answer.status in (400, 403), answer
    assert answer.status == 400 or answer.code == "unknownHost"


def test_our_own_names_are_known(standing):
    for host in ("127.0.0.1", "[::1]", "localhost", "LOCALHOST"):
        assert standing.client().send("GET", LIST, headers={"Host": f"{host}:{standing.port}"}).status == 200, host


def test_our_own_names_are_known_at_the_port_of_a_tunnel(standing):
    """`ssh -L 8080:localhost:6871`: a page that a browser opens at that port is ours, too."""
    for host in ("127.0.0.1", "[::1]", "localhost"):
        assert standing.client().send("GET", LIST, headers={"Host": f"{host}:1"}).status == 200, host


def test_two_hosts_are_malformed(standing):
    request = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{standing.port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert set(statuses(exchange(standing.address, request.encode()))) <= {400, 403}


def test_S02_another_host_in_the_target_is_refused(standing):
    """RFC 9112, 3.2.2: the host of an absolute target takes precedence over the field."""
    absolute = f"GET http://evil.example/healthz HTTP/1.1\r\nHost: 127.0.0.1:{standing.port}\r\nConnection: close\r\n\r\n"
    assert 200 not in statuses(exchange(standing.address, absolute.encode()))


def test_the_public_url_is_known_and_its_origin_is_ours(start):
    service = start("--public-url", "https://pawl.example/downloads/")
    assert service.client().send("GET", LIST, headers={"Host": "pawl.example"}).status == 200
    assert service.client().send("GET", LIST, headers={"Host": "other.example"}).status == 403
    answer = service.stranger().call("POST", "/login", {"token": service.token}, headers={"Host": "pawl.example", "Origin": "https://pawl.example"})
    assert answer.status == 200
    assert "Secure" in answer.headers["Set-Cookie"]
    own = {"Host": "pawl.example", **session_of(answer), "Origin": "https://pawl.example"}
    assert service.stranger().call("POST", "/downloads", JOB, headers=own).status == 201
    assert service.stranger().call("POST", "/downloads", JOB, headers={**own, "Origin": "http://pawl.example"}).code == "foreignOrigin"


# Cookies and other sites


def test_the_login_gives_a_cookie_that_scripts_and_other_sites_do_not_get(service):
    attributes = [part.strip() for part in log_in(service).headers["Set-Cookie"].split(";")]
    assert attributes[0].startswith(f"pawl_session_{service.port}=")
    assert {"HttpOnly", "SameSite=Strict"} <= set(attributes)
    assert "Path=/" in attributes and not [one for one in attributes if one.startswith("Domain")]
    # 256 bits by themselves, and not the token.
    value = attributes[0].partition("=")[2]
    assert len(value) >= 22 and service.token not in value


def test_a_session_opens_the_api_until_the_logout(service, session):
    own = {**session, "Sec-Fetch-Site": "same-origin"}
    stranger = service.stranger()
    assert stranger.call("GET", "/downloads", headers=own).status == 200
    answer = stranger.call("POST", "/logout", headers={**own, "Origin": service.origin}, expect=204)
    assert re.search(r"Max-Age=0|Expires=Thu, 01 Jan 1970", answer.headers["Set-Cookie"], re.IGNORECASE)
    assert stranger.call("GET", "/downloads", headers=own).status == 401
    stranger.call("POST", "/logout", headers={"Origin": service.origin}, expect=204)


def test_a_logout_ends_one_session_alone(service, session):
    other = session_of(log_in(service))
    service.stranger().call("POST", "/logout", headers={**session, "Origin": service.origin}, expect=204)
    assert service.stranger().call("GET", "/downloads", headers={**other, "Sec-Fetch-Site": "same-origin"}).status == 200


def test_a_cookie_that_was_made_up_is_wrong(service):
    for value in ("x", "x" * 43, service.token):
        answer = service.stranger().call("GET", "/downloads", headers={"Cookie": f"pawl_session_{service.port}={value}", "X-Pawl-Session-Key": value, "Sec-Fetch-Site": "same-origin"})
        assert answer.status == 401


@pytest.mark.parametrize("headers", [
    {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": "https://127.0.0.1:{port}"}, {"Origin": "http://127.0.0.1:1"}, {"Origin": "http://localhost.evil.example:{port}"},
    {"Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
])
@pytest.mark.parametrize("method, path, body", [("POST", LIST, b'{"url":"http://127.0.0.1:9/x","paused":true}'), ("GET", LIST, None), ("GET", f"{API}/events", None), ("POST", f"{API}/logout", None)])
def test_S03_a_request_of_another_site_with_the_cookie_is_refused(service, session, headers, method, path, body):
    named = {name: value.format(port=service.port) for name, value in headers.items()}
    answer = service.stranger().send(method, path, body, {**session, "Content-Type": "application/json", **named})
    assert (answer.status, answer.code) == (403, "foreignOrigin")
    assert service.client().page()["total"] == 0


def test_a_session_without_origin_and_sec_fetch_site_changes_nothing(service, session):
    answer = service.stranger().call("POST", "/downloads", JOB, headers=session)
    assert (answer.status, answer.code) == (403, "foreignOrigin")


def test_S03_a_form_of_another_site_cannot_log_in(service):
    """Login CSRF: a form can send text/plain without asking first."""
    answer = service.stranger().send("POST", f"{API}/login", b'{"token":"' + service.token.encode() + b'"}', {"Content-Type": "text/plain", "Origin": "http://evil.example"})
    assert answer.status in (403, 415)
    assert "Set-Cookie" not in answer.headers


def test_S03_sessions_do_not_make_a_simple_request_enough(service, session):
    own = {**session, "Origin": service.origin}
    for kind in ("text/plain", "application/x-www-form-urlencoded", None):
        assert service.stranger().send("POST", LIST, b'{"url":"http://127.0.0.1:9/x"}', {**own, "Content-Type": kind}).status == 415
    assert service.client().page()["total"] == 0


def test_S03_a_get_changes_nothing(service):
    id = service.client().add(JOB)["id"]
    for path in (f"{LIST}/{id}/pause", f"{LIST}?url=http://127.0.0.1:9/y", f"{API}/logout"):
        service.client().send("GET", path)
    assert service.client().page()["total"] == 1


# What a cookie is worth. Browsers send it to every port of the host: another user's server on this machine gets it.


@pytest.mark.parametrize("path", [LIST, f"{API}/events", f"{API}/settings", f"{API}/downloads/8d6f2b1e-3c1a-4f0e-9b7d-2f6a5c4e1d00/file", "/metrics"])
def test_S20_the_cookie_alone_opens_nothing(service, session, path):
    others = session_of(log_in(service))["X-Pawl-Session-Key"]
    for key in (None, "", others, session["Cookie"].partition("=")[2]):
        for site in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": service.origin}):
            headers = {"Cookie": session["Cookie"], "X-Pawl-Session-Key": key, **site}
            assert service.stranger().send("GET", path, headers=headers).status == 401
    assert service.stranger().send("GET", f"{path}?key={session['X-Pawl-Session-Key']}", headers={"Cookie": session["Cookie"]}).status == 401


def test_S20_the_key_alone_opens_nothing(service, session):
    assert service.stranger().call("GET", "/downloads", headers={"X-Pawl-Session-Key": session["X-Pawl-Session-Key"]}).status == 401


def test_S20_the_cookie_alone_adds_nothing_and_logs_nobody_out(service, session):
    thief = {"Cookie": session["Cookie"], "Origin": service.origin, "Sec-Fetch-Site": "same-origin"}
    assert service.stranger().call("POST", "/downloads", JOB, headers=thief).status == 401
    service.stranger().call("POST", "/logout", headers=thief, expect=204)
    assert service.stranger().call("GET", "/downloads", headers={**session, "Sec-Fetch-Site": "same-origin"}).json["total"] == 0


def test_S20_a_link_to_a_finished_file_has_a_key_that_opens_files_alone(service, files):
    answer = log_in(service)
    client = service.client()
    id = client.add({"url": files.add("/a", b"content")})["id"]
    client.wait_for(id, "completed")
    stranger, own = service.stranger(), {"Cookie": cookie_of(answer), "Sec-Fetch-Site": "same-origin"}
    key, file_key = answer.json["key"], answer.json["fileKey"]
    path = f"{LIST}/{id}/file"
    assert stranger.send("GET", f"{path}?key={file_key}", headers=own).body == b"content"
    assert stranger.send("GET", f"{path}?key={file_key}", headers={**own, "Range": "bytes=3-"}).body == b"tent"
    assert stranger.send("GET", path, headers={**own, "X-Pawl-Session-Key": key}).status == 200
    for query, headers in ((file_key, {}), (key, own), ("x", own)):
        assert stranger.send("GET", f"{path}?key={query}", headers=headers).status == 401
    # Not in place of the other.
    assert stranger.send("GET", LIST, headers={**own, "X-Pawl-Session-Key": file_key}).status == 401
    stranger.call("POST", "/logout", headers={**own, "X-Pawl-Session-Key": key, "Origin": service.origin}, expect=204)
    assert stranger.send("GET", f"{path}?key={file_key}", headers=own).status == 401


def test_S20_two_services_on_one_host_keep_their_sessions_apart(start):
    """A browser has one jar for all ports of a host."""
    jar, sessions = {}, []
    for service in (start(), start()):
        answer = log_in(service)
        name, _, value = cookie_of(answer).partition("=")
        jar[name] = value
        sessions.append((service, answer.json["key"]))
    cookies = "; ".join(f"{name}={value}" for name, value in jar.items())
    for service, key in sessions:
        own = {"Cookie": cookies, "X-Pawl-Session-Key": key, "Sec-Fetch-Site": "same-origin"}
        assert service.stranger().call("GET", "/downloads", headers=own).status == 200


@pytest.mark.parametrize("public_url, path", [("https://pawl.example/downloads/", "/downloads/"), ("https://pawl.example/downloads", "/downloads/"), ("https://pawl.example", "/")])
def test_S20_the_cookie_has_the_path_of_the_public_url(start, public_url, path):
    service = start("--public-url", public_url)
    answer = service.stranger().call("POST", "/login", {"token": service.token}, headers={"Host": "pawl.example", "Origin": "https://pawl.example"})
    name, *attributes = [part.strip() for part in answer.headers["Set-Cookie"].split(";")]
    assert name.startswith("pawl_session=") and f"Path={path}" in attributes
    own = {"Host": "pawl.example", **session_of(answer), "Origin": "https://pawl.example"}
    gone = service.stranger().call("POST", "/logout", headers=own, expect=204).headers["Set-Cookie"]
    assert f"Path={path}" in [part.strip() for part in gone.split(";")]
    # Who comes past the proxy finds the page at the root.
    assert "Path=/" in [part.strip() for part in log_in(service).headers["Set-Cookie"].split(";")]


def attributes_of(answer):
    return [part.strip() for part in answer.headers["Set-Cookie"].split(";")[1:]]


@pytest.mark.parametrize("public_url", ["https://pawl.example/downloads/", "https://localhost:8443/downloads/"])
def test_S29_the_cookie_is_secure_only_where_the_browser_came_over_tls(start, public_url):
    """A browser keeps no `Secure` cookie of plain http: who came past the proxy had no session."""
    service = start("--public-url", public_url)
    public = urlsplit(public_url).netloc
    stranger = service.stranger()
    places = {public: (f"https://{public}", True), f"localhost:{service.port}": (f"http://localhost:{service.port}", False), f"127.0.0.1:{service.port}": (service.origin, False)}
    for host, (origin, is_secure) in places.items():
        own = {"Host": host, "Origin": origin}
        answer = stranger.call("POST", "/login", {"token": service.token}, headers=own, expect=200)
        own = {**own, **session_of(answer)}
        assert stranger.call("POST", "/downloads", JOB, headers=own).status in (200, 201)
        for one in (answer, stranger.call("POST", "/logout", headers=own, expect=204)):
            assert ("Secure" in attributes_of(one), "Path=/downloads/" in attributes_of(one)) == (is_secure, is_secure), host
        # A page of one has no business at the other.
        for other, _ in places.values():
            if other not in (origin, f"https://{public}"):
                assert stranger.call("POST", "/login", {"token": service.token}, headers={"Host": host, "Origin": other}).code == "foreignOrigin"


@pytest.mark.parametrize("host, is_secure", [("127.0.0.1:{port}", False), ("pawl.example", True), ("pawl.example:443", True)])
def test_S29_the_cookie_of_a_link_that_logs_in_goes_by_its_host(start, host, is_secure):
    service = start("--open", "--public-url", "https://pawl.example/downloads/")
    link = wait_until(lambda: re.search(r"http://[^/]+(/api/v1/login/\S+)", service.log), 10, lambda: service.log)[1]
    answer = service.stranger().send("GET", link, headers={"Host": host.format(port=service.port)})
    assert answer.status == 303
    assert ("Secure" in attributes_of(answer)) == is_secure


# What was revoked


def events_of(service, headers):
    """An open stream of events, and what it has sent so far."""
    connection = raw_socket(service.address)
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    connection.sendall(f"GET {API}/events HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\n{fields}\r\n".encode())
    received = b""
    while b"event: hello" not in received:
        piece = connection.recv(65536)
        assert piece, received
        received += piece
    assert received.startswith(b"HTTP/1.1 200")
    return connection


def rest_of(connection):
    """All that comes until the service ends the connection."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(65536):
            received += piece
    connection.close()
    return received


def test_S18_a_logout_ends_the_streams_of_its_session(service, session):
    own = {**session, "Sec-Fetch-Site": "same-origin"}
    mine, again = events_of(service, own), events_of(service, own)
    others = events_of(service, {**session_of(log_in(service)), "Sec-Fetch-Site": "same-origin"})
    programs = events_of(service, {"Authorization": f"Bearer {service.token}"})
    service.stranger().call("POST", "/logout", headers={**session, "Origin": service.origin}, expect=204)
    id = service.client().add(JOB)["id"]
    for stream in (mine, again):
        assert id.encode() not in rest_of(stream)
    for stream in (others, programs):
        received = b""
        while id.encode() not in received:
            received += (piece := stream.recv(65536))
            assert piece, received
        stream.close()


def test_S18_another_token_ends_all_that_the_former_one_opened(service, session, files):
    client = service.client()
    files.add("/big", content(64 << 20))
    big = client.add({"url": files.origin + "/big"})["id"]
    client.wait_for(big, "completed")
    streams = [events_of(service, {"Authorization": f"Bearer {service.token}"}), events_of(service, {**session, "Sec-Fetch-Site": "same-origin"})]
    socket_ = WebSocket(service.address)
    socket_.send(RPC(service).request("aria2.getVersion"))
    assert socket_.receive()["result"]
    with socket.socket() as file:
        # So little is buffered that most of it is still to come.
        file.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        file.settimeout(60)
        file.connect(service.address)
        file.sendall(request(service, f"GET {LIST}/{big}/file HTTP/1.1"))
        assert file.recv(100)
        assert service.pawl("token", "--renew").returncode == 0
        id = service.client().add({**JOB, "paused": False})["id"]
        for stream in streams:
            assert id.encode() not in rest_of(stream)
        assert len(rest_of(file)) < 32 << 20
    # Neither a notification nor anything else but the end.
    assert socket_.frame() == (8, b"\x03\xf0")
    assert client.call("GET", "/downloads").status == 401
    assert service.stranger().call("GET", "/downloads", headers={**session, "Sec-Fetch-Site": "same-origin"}).status == 401
    # The new one opens the same.
    assert service.client().get("/version").status == 200
    events_of(service, {"Authorization": f"Bearer {service.token}"}).close()


def test_S18_a_link_that_logs_in_ends_with_the_token(start):
    service = start("--open")
    link = wait_until(lambda: re.search(r"http://\S+(/api/v1/login/\S+)", service.log), 30, "the link")[1]
    assert service.pawl("token", "--renew").returncode == 0
    answer = service.stranger().send("GET", link)
    assert answer.status == 303 and "Set-Cookie" not in answer.headers


def test_a_ticket_that_is_unknown_leads_to_the_login(standing):
    answer = standing.stranger().send("GET", f"{API}/login/unknown-ticket")
    assert answer.status == 303
    assert "login" in answer.headers["Location"]
    assert "Set-Cookie" not in answer.headers


def test_a_ticket_logs_in_once(start):
    """`pawld --open` prints or opens a link; here a script stands for the browser and keeps it."""
    service = start(starts=False)
    browser, kept = service.home / "browser", service.home / "link"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {kept}.new && mv {kept}.new {kept}\n')
    browser.chmod(0o755)
    (service.home / "xdg-open").symlink_to(browser)
    service.environment = {"BROWSER": str(browser), "PATH": f"{service.home}:{os.environ['PATH']}", "DISPLAY": ":0"}
    service.options.append("--open")
    service.start()
    link = wait_until(lambda: kept.exists() and kept.read_text() or (found := re.search(r"http://\S+/api/v1/login/\S+", service.log)) and found[0], 30, "the link")
    path = link[link.index("/api/"):]
    first = service.stranger().send("GET", path)
    assert first.status == 303
    keys = parse_qs(urlsplit(first.headers["Location"]).fragment)
    own = {"Cookie": cookie_of(first), "Sec-Fetch-Site": "same-origin"}
    assert service.stranger().call("GET", "/downloads", headers=own).status == 401
    assert service.stranger().call("GET", "/downloads", headers={**own, "X-Pawl-Session-Key": keys["key"][0]}).status == 200
    second = service.stranger().send("GET", path)
    assert second.status == 303 and "Set-Cookie" not in second.headers


def test_S15_a_request_for_a_websocket_is_one_like_any_other(standing):
    upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13"]
    for path in ("/api/v1/events", "/api/v1/downloads", "/"):
        for origin in ([], ["Origin: http://other.example"]):
            text = "\r\n".join([f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{standing.port}", *upgrade, *origin, "", ""])
            status = first_status(standing.address, text.encode())
            assert status in ((200,) if path == "/" else (401, 404)), (path, status)


# CORS


def test_S04_no_other_origin_may_read_answers(standing):
    preflight = {"Origin": "http://other.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    # The client checks that no answer mentions CORS.
    assert standing.client().send("OPTIONS", LIST, headers=preflight).status in (204, 403, 405)
    standing.client().send("GET", LIST, headers={"Origin": "http://other.example"})


def test_a_named_origin_may_come_with_the_token(start):
    service = start("--allow-origin", "https://other.example")
    origin = "https://other.example"
    stranger = service.stranger(origins=[origin])
    preflight = stranger.send("OPTIONS", LIST, headers={"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"})
    assert preflight.status in (200, 204)
    assert preflight.headers["Access-Control-Allow-Origin"] == origin
    allowed = preflight.headers["Access-Control-Allow-Headers"].lower()
    assert "authorization" in allowed and "content-type" in allowed
    assert "POST" in preflight.headers["Access-Control-Allow-Methods"]
    assert "Access-Control-Allow-Credentials" not in preflight.headers
    answer = service.client(origins=[origin]).send("GET", LIST, headers={"Origin": origin})
    assert answer.headers["Access-Control-Allow-Origin"] == origin
    assert "origin" in answer.headers.get("Vary", "").lower()
    # Others are as strange as before, and so is a cookie.
    other = service.client(origins=[origin]).send("GET", LIST, headers={"Origin": "https://third.example"})
    assert "Access-Control-Allow-Origin" not in other.headers
    assert service.stranger(origins=[origin]).send("GET", LIST, headers={"Origin": origin, **session_of(log_in(service))}).code == "foreignOrigin"


@pytest.mark.parametrize("path", [LIST, f"{API}/events", "/jsonrpc"])
@pytest.mark.parametrize("origin", ["https://other.example", "http://other.example:8080", "null", "file://", "moz-extension://d5b42de0-9f9d-4b6a-9c5d-6f6f8d5d0c11"])
def test_S17_an_allowed_origin_is_named_once_in_each_answer(start, origin, path):
    """A browser refuses an answer that names it twice."""
    service = start("--allow-origin", origin)
    asking = {"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    answers = [service.stranger(origins=[origin]).send("OPTIONS", path, headers=asking)]
    if path == LIST:
        answers += [service.client(origins=[origin]).send("GET", path, headers={"Origin": origin}), service.stranger(origins=[origin]).send("GET", path, headers={"Origin": origin})]
    for answer in answers:
        assert answer.headers.get_all("Access-Control-Allow-Origin") == [origin], answer.headers.items()


@pytest.mark.parametrize("text, word", [
    ("*", "each origin"), ("other.example", "scheme"), ("https://other.example/page", "scheme"), ("https://", "scheme"), ("https://a b", "scheme"), ("https://ada@other.example", "scheme"), ("https://*.example", "scheme"), ("", "scheme"),
])
def test_S17_an_origin_that_no_browser_sends_is_refused_with_a_sentence(start, text, word):
    service = start("--allow-origin", text, starts=False)
    service.start(is_ready=False)
    assert service.process.wait(60) == 78
    service.process = None
    assert word in service.log and "allow-origin" in service.log, service.log


@pytest.mark.parametrize("written", ["https://other.example/", "HTTPS://Other.Example", "https://other.example:443"])
def test_S17_an_origin_is_compared_as_browsers_write_it(start, written):
    service, origin = start("--allow-origin", written), "https://other.example"
    answer = service.client(origins=[origin]).send("GET", LIST, headers={"Origin": origin})
    assert answer.headers.get_all("Access-Control-Allow-Origin") == [origin]


# Where files may go


@pytest.mark.parametrize("directory", ["..", "../", "../outside", "a/../../outside", "/etc", "/", "/dev", "/proc/self", "link", "link/inner", "./link", "/tmp", "missing/../.."])
def test_S05_a_directory_outside_the_roots_is_refused(service, directory):
    outside = service.home / "outside"
    (outside / "inner").mkdir(parents=True)
    (service.downloads / "link").symlink_to(outside)
    assert service.client().add({**JOB, "directory": directory}, expect=403)["code"] == "outsideRoots"
    assert service.client().page()["total"] == 0


@pytest.mark.parametrize("directory", ["missing", "~", "file"])
def test_a_directory_must_exist(service, directory):
    (service.downloads / "file").write_text("no directory")
    problem = service.client().add({**JOB, "directory": directory}, expect=422)
    assert (problem["code"], problem["fields"]) == ("invalidValue", ["directory"])


def test_the_names_of_the_root_do_not_open_its_neighbours(service):
    neighbour = service.home / "downloads-of-others"
    neighbour.mkdir()
    assert service.client().add({**JOB, "directory": str(neighbour)}, expect=403)["code"] == "outsideRoots"


def test_a_root_may_be_named_and_no_other(start):
    service = start(starts=False)
    for name in ("music", "films"):
        (service.home / name).mkdir()
    service.options += ["--root", str(service.home / "music")]
    service.start()
    service.client().add({**JOB, "directory": str(service.home / "music")})
    service.client().add({**JOB, "directory": str(service.home / "films")}, expect=403)


@pytest.mark.parametrize("file", ["../x", "a/b", "..", ".", "", "/etc/passwd", "a\0b", "x" * 256])
def test_S05_a_file_name_is_one_name(standing, asker, file):
    assert asker.add({**JOB, "file": file}, expect=422)["fields"] == ["file"]


def test_S05_a_directory_that_becomes_a_link_later_is_not_followed(service, files):
    outside = service.home / "outside"
    outside.mkdir()
    (service.downloads / "inner").mkdir()
    client = service.client()
    id = client.add({"url": files.add("/a", b"content"), "directory": "inner", "paused": True})["id"]
    (service.downloads / "inner").rmdir()
    (service.downloads / "inner").symlink_to(outside)
    assert client.post(f"/downloads/{id}/resume", expect=403).json["type"].endswith("#outsideRoots")
    assert not list(outside.iterdir())


@pytest.mark.parametrize("kind", ["link", "fifo", "directory"])
def test_a_target_that_is_no_file_is_not_written_to(service, files, kind):
    outside = service.home / "precious"
    outside.write_text("precious")
    target = service.downloads / "a"
    {"link": lambda: target.symlink_to(outside), "fifo": lambda: os.mkfifo(target), "directory": target.mkdir}[kind]()
    client = service.client()
    id = client.add({"url": files.add("/x", b"content"), "file": "a", "options": {"ifExists": "replace"}})["id"]
    client.wait_for(id, {"failed", "completed"})
    assert outside.read_text() == "precious"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_S05_a_device_is_not_written_to(service, files):
    """/dev/full: whatever reached it would fail with ENOSPC, and the device would be gone if it were replaced."""
    with contextlib.suppress(PermissionError):
        os.mknod(service.downloads / "a", stat.S_IFCHR | 0o666, os.makedev(1, 7))
        client = service.client()
        id = client.add({"url": files.add("/x", b"content"), "file": "a", "options": {"ifExists": "replace"}})["id"]
        client.wait_for(id, {"failed", "completed"})
        assert stat.S_ISCHR((service.downloads / "a").stat().st_mode) or client.show(id)["state"] == "completed"
    assert service.process.poll() is None


def test_an_archive_does_not_leave_its_directory(service, files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../../escaped.txt", "escaped")
    client = service.client()
    id = client.add({"url": files.add("/a.zip", buffer.getvalue()), "unpacking": {}})["id"]
    assert client.wait_for(id, "failed")["error"]["step"] == "unpack"
    assert not list(service.home.rglob("escaped.txt"))


def archive_of(name):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, "inside")
    return buffer.getvalue()


def test_Z13_an_archive_is_not_unpacked_into_a_directory_that_became_a_link(service, files):
    outside = service.home / "outside"
    outside.mkdir()
    (service.downloads / "place").mkdir()
    client = service.client()
    unpacking = {"directory": "place/out", "removesArchive": True}
    id = client.add({"url": files.add("/a.zip", archive_of("x")), "unpacking": unpacking, "paused": True})["id"]
    (service.downloads / "place").rmdir()
    (service.downloads / "place").symlink_to(outside)
    assert client.post(f"/downloads/{id}/resume", expect=403).json["type"].endswith("#outsideRoots")
    assert not list(outside.iterdir())


def test_Z13_a_finished_file_is_not_read_unpacked_or_served_through_a_link(service, files):
    outside = service.home / "outside"
    (service.downloads / "inner").mkdir()
    client = service.client()
    body = archive_of("x")
    id = client.add({"url": files.add("/a.zip", body), "directory": "inner"})["id"]
    client.wait_for(id, "completed")
    # The same file, by its own inode, elsewhere; a link leads there.
    (service.downloads / "inner").rename(outside)
    (service.downloads / "inner").symlink_to(outside)
    client.call("POST", f"/downloads/{id}/extract")
    assert client.get(f"/downloads/{id}/file", expect=410).code == "fileMissing"
    wait_until(lambda: not client.show(id).get("step"), what="the end of the unpacking")
    assert client.show(id)["unpacked"] is None
    assert [path.name for path in outside.iterdir()] == ["a.zip"]
    assert (outside / "a.zip").read_bytes() == body


@pytest.mark.parametrize("directory", ["../outside", "/etc/pawl-test", "link/new"])
def test_an_archive_is_unpacked_beneath_the_roots(service, directory):
    (service.home / "outside").mkdir()
    (service.downloads / "link").symlink_to(service.home / "outside")
    assert service.client().add({**JOB, "unpacking": {"directory": directory}}, expect=403)["code"] == "outsideRoots"


# Where downloads may come from


@pytest.fixture
def walled(start):
    return start("--deny-private-addresses")


PRIVATE = [
    "http://127.0.0.1:{port}/x", "http://[::1]:{port}/x", "http://localhost:{port}/x", "http://169.254.169.254/latest/meta-data/", "http://0.0.0.0:{port}/x", "http://[::ffff:127.0.0.1]:{port}/x",
    "http://10.0.0.1/x", "http://192.168.0.1/x", "http://172.16.0.1/x", "http://100.64.0.1/x", "http://[fd00::1]/x", "http://[fe80::1]/x", "http://[::]:{port}/x", "http://127.1:{port}/x", "http://2130706433:{port}/x",
    "http://0x7f.0.0.1:{port}/x", "http://127.0.0.1.:{port}/x", "http://[64:ff9b::7f00:1]:{port}/x", "http://[2002:7f00:1::]:{port}/x",
]


@pytest.mark.parametrize("url", PRIVATE)
def test_S07_a_private_address_is_not_asked_if_these_are_denied(walled, files, url):
    files.add("/x", b"internal")
    client = walled.client()
    url = url.format(port=files.port)
    answer = client.call("POST", "/downloads", {"url": url}, expect={201, 403, 422})
    if answer.status == 201:
        failed = client.wait_for(answer.json["id"], "failed")
        assert failed["bytes"] == 0
    probe = client.call("POST", "/probe", {"url": url}, expect={403, 422})
    assert b"internal" not in probe.body
    assert not files.requests


def test_private_addresses_are_asked_unless_denied(service, files):
    client = service.client()
    client.wait_for(client.add({"url": files.add("/x", b"content")})["id"], "completed")


# How requests are read


def request(service, *lines, body=b"", token=True):
    head = [lines[0], f"Host: 127.0.0.1:{service.port}"]
    if token:
        head.append(f"Authorization: Bearer {service.token}")
    return "\r\n".join([*head, *lines[1:], "", ""]).encode() + body


def test_S09_3_mib_are_too_large(standing):
    answer = standing.client().send("POST", LIST, b" " * (3 << 20), {"Content-Type": "application/json"})
    assert (answer.status, answer.code) == (413, "tooLarge")


def test_a_body_that_claims_to_be_too_large_is_refused_unread(standing):
    head = request(standing, f"POST {LIST} HTTP/1.1", "Content-Type: application/json", f"Content-Length: {3 << 20}", "Expect: 100-continue")
    assert first_status(standing.address, head) == 413


def test_a_body_in_chunks_is_bounded_too(standing):
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    data = request(standing, f"POST {LIST} HTTP/1.1", "Content-Type: application/json", "Transfer-Encoding: chunked", body=chunk * 48 + b"0\r\n\r\n")
    # The answer is lost if the service closes the connection while more arrives.
    assert first_status(standing.address, data) in (413, None)
    assert standing.client().get("/version").status == 200


@pytest.mark.parametrize("head", [["X-Long: " + "x" * (70 << 10)], [f"X-{index}: " + "x" * 1000 for index in range(70)]])
def test_70_kib_of_header_are_too_large(standing, head):
    received = exchange(standing.address, request(standing, f"GET {LIST} HTTP/1.1", *head, "Connection: close"))
    assert statuses(received) in ([431], [400], [])
    assert b"200 OK" not in received


def test_30_kib_of_header_are_fine(standing):
    received = exchange(standing.address, request(standing, f"GET {API}/version HTTP/1.1", *[f"X-{index}: " + "x" * 1000 for index in range(30)], "Connection: close"))
    assert statuses(received) == [200]


def test_a_long_target_is_refused(standing):
    received = exchange(standing.address, request(standing, f"GET {LIST}?q={'x' * (70 << 10)} HTTP/1.1", "Connection: close"))
    assert not {200, 500} & set(statuses(received))


SMUGGLED = f"GET {API}/version HTTP/1.1\r\nHost: smuggled\r\n\r\n".encode()


@pytest.mark.parametrize("lines, body", [
    (["Content-Length: 0", f"Content-Length: {len(SMUGGLED)}"], SMUGGLED),
    ([f"Content-Length: {len(SMUGGLED)}", "Content-Length: 0"], SMUGGLED),
    (["Content-Length: 0, 5"], SMUGGLED),
    (["Content-Length: 4", "Transfer-Encoding: chunked"], b"0\r\n\r\n" + SMUGGLED),
    (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], b"0\r\n\r\n" + SMUGGLED),
    (["Transfer-Encoding: xchunked"], b"0\r\n\r\n" + SMUGGLED),
    (["Content-Length: +4"], b"{}  " + SMUGGLED),
    (["Content-Length: 0x4"], b"{}  " + SMUGGLED),
    (["Content-Length: -1"], SMUGGLED),
    (["Content-Length : 4"], b"{}  " + SMUGGLED),
    (["Transfer-Encoding : chunked"], b"0\r\n\r\n" + SMUGGLED),
    (["X: y\r\n folded: Z", "Content-Length: 0"], b""),
    (["X: a\rb", "Content-Length: 0"], b""),
    (["X: a\0b", "Content-Length: 0"], b""),
    ([" leading: blank", "Content-Length: 0"], b""),
    (["no colon", "Content-Length: 0"], b""),
    (["Transfer-Encoding: chunked"], b"1\n{\n0\n\n" + SMUGGLED),
    (["Transfer-Encoding: chunked"], b"-1\r\n{}\r\n0\r\n\r\n" + SMUGGLED),
    (["Transfer-Encoding: chunked"], b"fffffffffffffffff\r\n{}\r\n0\r\n\r\n" + SMUGGLED),
])
def test_S09_a_request_that_two_readers_would_read_differently_is_refused(standing, lines, body):
    """Either the request is malformed and the connection ends, or exactly one answer comes: never one to the hidden request."""
    # A request that is whole but for its end is cut off by us, so that the service does not wait for more.
    with raw_socket(standing.address) as connection:
        connection.sendall(request(standing, f"POST {LIST} HTTP/1.1", "Content-Type: application/json", *lines, body=body))
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                received += piece
    assert len(statuses(received)) <= 1, received
    assert not {200, 201, 500} & set(statuses(received)), received
    assert b"unknownHost" not in received
    assert b"pawld\"" not in received


@pytest.mark.parametrize("data", [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), b"GET / HTTP/9.9\r\n\r\n", b"GET /\r\n\r\n", b"\r\n" * 1000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\0" * 5000, b"SSH-2.0-x\r\n", b"G" * 100_000])
def test_what_is_not_http_is_answered_with_an_error_or_the_end(standing, data):
    with raw_socket(standing.address) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        received = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := connection.recv(65536):
                received += piece
    assert not {200, 500} & set(statuses(received)), received[:300]
    assert standing.client().get("/version").status == 200


def test_a_request_without_host_is_refused(standing):
    assert set(statuses(exchange(standing.address, f"GET {LIST} HTTP/1.1\r\nAuthorization: Bearer {standing.token}\r\nConnection: close\r\n\r\n".encode()))) <= {400, 403}


def drip(connection, data, seconds):
    """Sends a byte every half second until the other side gives up; how long that took, and what it said."""
    began, received = time.monotonic(), b""
    connection.settimeout(0.5)
    for byte in data:
        if time.monotonic() - began > seconds:
            raise AssertionError(f"still open after {seconds} s")
        try:
            connection.sendall(bytes([byte]))
            piece = connection.recv(65536)
            if not piece:
                break
            received += piece
        except TimeoutError:
            continue
        except (BrokenPipeError, ConnectionResetError):
            break
    return time.monotonic() - began, received


@pytest.mark.slow
@pytest.mark.parametrize("part", ["body", "header", "request line"])
def test_S09_a_client_that_sends_a_byte_at_a_time_is_closed(standing, part):
    data = request(standing, f"POST {LIST} HTTP/1.1", "Content-Type: application/json", "Content-Length: 1000")
    with raw_socket(standing.address) as connection:
        if part == "body":
            connection.sendall(data)
            data = b" " * 1000
        elif part == "header":
            connection.sendall(data[:60])
            data = b"X: " + b"x" * 1000
        _, received = drip(connection, data, 150)
    assert set(statuses(received)) <= {408, 400}
    assert standing.client().get("/version").status == 200


@pytest.mark.slow
def test_a_client_that_says_nothing_is_closed(standing):
    with raw_socket(standing.address, 180) as connection:
        assert statuses(connection.recv(1000)) in ([], [408])


@pytest.mark.slow
def test_S09_a_client_that_does_not_read_is_closed(service, files):
    """It asks for a big file and takes none of it."""
    client = service.client()
    id = client.add({"url": files.add("/big", content(16 << 20))})["id"]
    client.wait_for(id, "completed")
    before = service.open_files()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(service.address)
        connection.sendall(request(service, f"GET {LIST}/{id}/file HTTP/1.1"))
        wait_until(lambda: service.open_files() > before, 30, "the file to be opened")
        assert service.status("VmRSS") < 1 << 20
        wait_until(lambda: service.open_files() <= before, 180, "the connection to be closed")
    assert client.get("/version").status == 200


@pytest.mark.slow
def test_S09_2000_connections_leave_the_service_working(service):
    """512 are held; the rest wait or are refused, and the socket is served meanwhile."""
    held = []
    try:
        for _ in range(2000):
            connection = socket.socket()
            connection.settimeout(10)
            try:
                connection.connect(service.address)
            except OSError:
                connection.close()
                continue
            held.append(connection)
        assert len(held) > 400
        assert service.local().get("/version").json["name"] == "pawld"
        # Standard streams, listeners, the database and the like take some.
        assert service.open_files() <= 512 + 100
    finally:
        for connection in held:
            connection.close()
    wait_until(lambda: answers(service), 60, "an answer over TCP")
    assert service.client().page()["total"] == 0


def answers(service):
    try:
        return service.client(timeout=10).call("GET", "/version").status == 200
    except OSError:
        return False


def test_many_requests_on_one_connection_are_answered_in_order(standing):
    paths = [f"{API}/version", "/healthz", f"{API}/nothing", f"{API}/version"]
    data = b"".join(request(standing, f"GET {path} HTTP/1.1") for path in paths * 50) + request(standing, "GET /healthz HTTP/1.1", "Connection: close")
    assert statuses(exchange(standing.address, data)) == [200, 200, 404, 200] * 50 + [200]


# Other addresses


def test_S01_another_address_needs_tls_or_the_words_plain_http(start):
    service = start("--listen", "0.0.0.0", starts=False)
    service.start(is_ready=False)
    assert service.process.wait(60) != 0
    assert "tls_certificate" in service.log and "plain_http" in service.log
    service.process = None
    service.options.append("--plain-http")
    service.start()
    assert service.client().get("/version").status == 200


# What is told of secrets


SECRET = "s3cret-of-a-test"


def test_S11_secrets_appear_in_no_answer_and_no_log(start, files, read):
    service = start("--log-level", "trace")
    client = service.client()
    reader = read(client)
    basic = "Basic " + base64.b64encode(f"ada:{SECRET}1".encode()).decode()
    files.add("/private", content(1000), credentials=[basic])
    files.redirect("/signed", f"{files.origin}/private?signature={SECRET}6")
    jobs = [
        {"url": f"{files.origin}/private?token={SECRET}0", "authentication": {"name": "ada", "password": {"value": f"{SECRET}1"}}, "file": "a"},
        {"url": f"http://ada:{SECRET}2@127.0.0.1:{files.port}/gone", "file": "b"},
        {"url": f"{files.origin}/gone", "headers": [["X-Key", f"{SECRET}3"], ["Cookie", f"id={SECRET}4"]], "file": "c"},
        {"url": f"{files.origin}/signed", "authentication": {"bearer": {"value": f"{SECRET}5"}}, "file": "d"},
        {"url": "http://127.0.0.1:9/e", "mirrors": [f"http://localhost:9/e?key={SECRET}7"], "unpacking": {"password": {"value": f"{SECRET}8"}}, "paused": True},
        {"url": "file:///x?y=" + SECRET, "authentication": {"bearer": {"value": SECRET}}},
    ]
    results = client.add_all(jobs)
    ids = [one["download"]["id"] for one in results if "download" in one]
    assert len(ids) >= 4
    for one in ids[:4]:
        if client.show(one)["state"] != "paused":
            client.wait_for(one, {"completed", "failed", "waiting"})
    client.post("/probe", {"url": f"{files.origin}/gone?key={SECRET}9"}, expect=422)
    Client(service.address, SECRET).send("GET", f"{LIST}?q={SECRET}")
    reader.wait_for_change(client.page()["change"])
    told = "".join(client.get(f"/downloads/{id}").body.decode() for id in ids) + client.get("/downloads").body.decode() + str([event.data for event in reader.events])
    told += str(results[:5]) + client.get("/metrics").body.decode()
    for text in (told, service.log):
        assert SECRET not in text, text[max(0, text.index(SECRET) - 300):][:400]
        assert basic.split()[1] not in text
        assert service.token not in text
    # So much for words; the server got them.
    assert [one for one in files.requests if one.headers.get("Authorization") == basic]


def test_secrets_that_are_not_kept_are_asked_for_after_a_restart(start, files):
    """The owner has said that they are forgotten, so the job waits, and PATCH gives them again."""
    service = start("--forget-secrets")
    right = "Basic " + base64.b64encode(f"ada:{SECRET}".encode()).decode()
    url = files.add("/private", content(1 << 20), credentials=[right])
    files.hold("/private", 1000)
    authentication = {"name": "ada", "password": {"value": SECRET}}
    id = service.client().add({"url": url, "authentication": authentication})["id"]
    service.client().wait_for(id, "running")
    service.restart()
    for path in service.database_path.parent.iterdir():
        assert SECRET.encode() not in path.read_bytes(), path
    client = service.client()
    assert client.wait_for(id, "waiting")["waiting"]["code"] == "credentials"
    files.release_all()
    client.patch(f"/downloads/{id}", {"authentication": authentication})
    assert client.wait_for(id, "completed")["bytes"] == 1 << 20


def test_requests_are_logged_with_method_path_and_status(service):
    id = service.client().add(JOB)["id"]
    service.client().send("GET", f"{API}/nothing")
    wait_until(lambda: re.search(r"GET\W.*/api/v1/nothing\W.*404", service.log), 10, lambda: service.log)
    assert re.search(r"POST\W.*/api/v1/downloads\W.*201", service.log)
    assert id in service.log


@pytest.mark.parametrize("attack", ["host", "origin", "token", "directory"])
def test_S02_S12_refused_attacks_are_logged_as_warnings(service, attack):
    session = session_of(log_in(service))
    after = len(service.log)
    {
        "host": lambda: service.client().send("GET", LIST, headers={"Host": "evil.example"}),
        "origin": lambda: service.stranger().call("POST", "/downloads", JOB, headers={**session, "Origin": "http://evil.example"}),
        "token": lambda: Client(service.address, "wrong").send("GET", LIST),
        "directory": lambda: service.client().add({**JOB, "directory": "/etc"}, expect=403),
    }[attack]()
    wait_until(lambda: service.warnings(after), 10, lambda: f"a warning: {service.log[after:]}")


def test_line_breaks_in_a_request_make_no_lines_in_the_log(service):
    service.client().send("GET", f"{API}/x%0d%0aforged%20warning%0aline")
    service.client().get("/downloads", query={"q": "a\nforged warning"}, expect={200, 400})
    service.client().get("/version")
    assert not [line for line in service.log.splitlines() if line.startswith("forged")]


def test_S11_a_core_dump_does_not_hold_secrets(standing):
    """PR_SET_DUMPABLE 0: then the files of the process in /proc belong to root, and others may not attach."""
    if os.geteuid() == 0:
        pytest.skip("the owner of the files in /proc tells nothing to root")
    assert os.stat(f"/proc/{standing.process.pid}/environ").st_uid == 0


def test_one_database_has_one_service(service):
    second = Service()
    second.state = service.state
    second.start(is_ready=False)
    assert second.process.wait(60) != 0
    assert second.log
    second.process = None
    second.close()
    assert service.client().get("/version").status == 200


def test_S09_who_has_not_shown_that_he_may_sends_little(service):
    answer = service.stranger().call("POST", "/login", {"token": "x" * 5000}, headers={"Origin": service.origin})
    assert answer.status == 413


def test_the_login_form_never_puts_the_token_into_an_address(service):
    form = re.search(rb"<form[^>]*>", service.stranger().send("GET", "/login.html").body)[0]
    assert b'method="post"' in form, "what the form does before its script has come"

# ---- What the log says of callers


def failregex():
    """The pattern of docs/service.md, as fail2ban reads it."""
    text = (ROOT / "docs/service.md").read_text()
    return re.compile(re.search(r"^failregex = (.*)$", text, re.MULTILINE)[1].replace("<HOST>", r"(?P<host>\S+)"))


def banned(service, after=0):
    return [found["host"] for line in service.log[after:].splitlines() if (found := failregex().search(line))]


@pytest.mark.parametrize("way", ["API", "login", "POST", "WebSocket", "large message"])
def test_S22_a_wrong_token_is_logged_with_the_address_as_fail2ban_reads_it(service, way):
    for _ in range(2):
        if way == "API":
            Client(service.address, "wrong").send("GET", LIST, headers={"Origin": service.origin})
        elif way == "login":
            log_in(service, "wrong")
        elif way == "WebSocket":
            with contextlib.closing(WebSocket(service.address)) as socket_:
                socket_.send(RPC(service, token="wrong").request("aria2.getVersion"))
                socket_.receive()
        else:
            call = RPC(service, token="wrong").request("aria2.addMetalink", "A" * (20_000 if way == "large message" else 1))
            RPC(service).send(json.dumps(call))
    wait_until(lambda: banned(service) == ["127.0.0.1"] * 2, 10, lambda: service.log)


def test_S22_requests_without_a_token_ban_nobody(service):
    service.stranger().send("GET", LIST)
    with pytest.raises(RPCError):
        RPC(service, token=None).getVersion()
    service.client().get("/version")
    wait_until(lambda: "tokenRequired" in service.log and "/version" in service.log, 10)
    assert banned(service) == []


def test_S22_nobody_forges_the_address_of_a_line(service):
    forged = "x warning pawld: address=203.0.113.9 code=wrongToken"
    for headers in ({"Origin": forged}, {"X-Forwarded-For": "203.0.113.9"}, {"User-Agent": forged}, {"Referer": forged}):
        Client(service.address, "wrong").send("GET", LIST, headers=headers)
    exchange(service.address, f"GET /{forged.replace(' ', '%20')} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    wait_until(lambda: len(banned(service)) >= 3, 10, lambda: service.log)
    assert set(banned(service)) == {"127.0.0.1"}


def test_S22_behind_a_proxy_of_this_machine_the_log_has_the_proxy_s_clients(start):
    service = start("--public-url", "https://pawl.example/")

    def guess(**headers):
        after = len(service.log)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        status = Client(service.address, "wrong").send("GET", LIST, headers=named).status
        return status, wait_until(lambda: banned(service, after), 10, lambda: service.log[after:])

    assert guess(Host="pawl.example", X_Forwarded_For="203.0.113.9") == (401, ["203.0.113.9"])
    # The last is the proxy's own word.
    assert guess(Host="pawl.example", X_Forwarded_For="192.0.2.1, 2001:db8::1") == (401, ["2001:db8::1"])
    # No address, no proxy, or another way in.
    for headers in ({"Host": "pawl.example", "X_Forwarded_For": "elsewhere"}, {"Host": "pawl.example"}, {"X_Forwarded_For": "203.0.113.9"}):
        assert guess(**headers) == (401, ["127.0.0.1"])
    # Each of them has ten a minute.
    assert {guess(Host="pawl.example", X_Forwarded_For="203.0.113.7")[0] for _ in range(10)} == {401}
    assert guess(Host="pawl.example", X_Forwarded_For="203.0.113.7")[0] == 429
    assert guess(Host="pawl.example", X_Forwarded_For="203.0.113.8")[0] == 401


def test_S22_the_log_says_who_did_what_to_which_download(service):
    id = service.client().add(JOB)["id"]
    service.client().post(f"/downloads/{id}/pause", expect={200, 409}, headers={"Origin": service.origin})
    rpc = RPC(service)
    gid = rpc.addUri(["http://127.0.0.1:9/y"], {"pause": "true"})
    with contextlib.closing(WebSocket(service.address, headers=["Origin: https://elsewhere.example"])) as socket_:
        socket_.send(rpc.request("aria2.remove", gid))
        socket_.receive()
    for pattern in (
        rf"info pawld: address=127\.0\.0\.1 id={id} .*method=POST .*path=/api/v1/downloads status=201",
        rf"address=127\.0\.0\.1 .*id={id} .*method=POST .*origin={re.escape(service.origin)} path=/api/v1/downloads/{id}/pause",
        rf"info pawld: address=127\.0\.0\.1 id={gid} method=aria2\.addUri",
        rf"info pawld: address=127\.0\.0\.1 id={gid} method=aria2\.remove origin=https://elsewhere\.example",
    ):
        wait_until(lambda: re.search(pattern, service.log), 10, lambda: f"{pattern} in {service.log}")
