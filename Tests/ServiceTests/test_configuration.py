"""How the service is told what to do: file, environment, arguments, signals, systemd, TLS, hooks."""

import contextlib
import http.client
import os
import re
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import threading
import time

import pytest

from client import API, Client, exchange, first_status, wait_until
from fileserver import content


def ask(service, *arguments, environment=None):
    """Runs the program with these arguments alone."""
    return subprocess.run(
        [service.program, *map(str, arguments)], env={**service.variables(), **(environment or {})}, cwd=service.home, text=True, capture_output=True, timeout=60)


def configure(service, text):
    path = service.config / "pawl/config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def idle(start):
    """Not started."""
    return start(starts=False)


# Where an option comes from


def test_the_file_the_environment_and_the_arguments_in_that_order(idle):
    configure(idle, 'log_level = "debug"\n\nport = 7001\nforget_secrets = true\nroot = ["' + str(idle.home) + '"]\n')
    told = ask(idle, "--check", "--directory", idle.downloads, "--no-forget-secrets", environment={"PAWLD_PORT": "7002"})
    assert told.returncode == 0, told.stderr
    assert "forget_secrets: argument" in told.stdout
    assert "port: PAWLD_PORT" in told.stdout
    assert "root: line 5" in told.stdout and "log_level: line 1" in told.stdout
    assert not list(idle.state.iterdir()), "a check makes nothing"


def test_each_way_of_saying_a_port_reaches_the_socket(idle, start):
    port = idle.port
    idle.command = lambda: [idle.program, "--directory", str(idle.downloads)]
    configure(idle, f"port = {port}\n")
    idle.start()
    assert idle.client().get("/version").status == 200
    idle.terminate()
    configure(idle, "port = 1\n")
    idle.environment = {"PAWLD_PORT": str(port)}
    idle.start()
    assert idle.client().get("/version").status == 200


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("port = 6899\nprot = 3\n", r"line 2: “prot” is not an option"),
        ("port = 6899\n[access]\nhost = 3\n", r"line 2: “access” is not an option"),
        ("port = 6899\nretries = 3\n[get]\n", r"line 2: “retries” has no effect here: it is an option of the table \[get\]"),
        ("[get]\nretries = 3\nport = 6899\n", r"line 3: “port” has no effect here: it is an option of the service\. Move it above"),
        ("get = 3\n", r"line 1: “get” is a table"),
        ('port = 6899\nforget_secrets = "yes\n', r"line 2: this is not valid TOML"),
        ('\n\nport = "abc"\n', r"line 3: .*--port"),
        ("forget_secrets = 3\n", r"line 1: “forget_secrets” takes true or false"),
        ("root = [1]\n", r"line 1: “root” takes values in quotes"),
        ("port = [1]\n", r"line 1: “port” takes one value"),
        ("port = 70000\n", r"config.toml, line 1: port: 70000 is not between"),
        ('listen = ["0.0.0.0"]\n', r"line 1: listen: .*nothing would be encrypted.*tls_certificate"),
        ('tls_key = "/tmp/x"\n', r"line 1: tls_key: tls_key requires tls_certificate"),
        ('tls_certificate = "/nowhere.pem"\n', r"line 1: tls_certificate: “/nowhere.pem” cannot be used for TLS. Without tls_key"),
        ('on_complete = "no-such-program x"\n', r"on_complete: “no-such-program” is not an executable program"),
        ("on_complete = 'say \"x'\n", r"line 1: on_complete: It must be a program"),
        ('root = ["/no/such/place"]\n', r"/no/such/place.*is not an existing directory"),
        ('log_level = "loud"\n', r"line 1: log_level: “loud” is not a level"),
        ('public_url = "ftp://x/"\n', r"line 1: public_url: “ftp://x/”"),
        ('proxy = "gopher://x"\n', r"line 1: proxy: "),
    ],
)
def test_a_mistake_is_told_with_its_line_and_nothing_begins(idle, text, sentence):
    configure(idle, text)
    for arguments in (["--check"], []):
        told = ask(idle, *arguments)
        assert told.returncode == 78, told
        assert re.search(sentence, told.stderr), told.stderr
        assert not list(idle.state.iterdir())


@pytest.mark.parametrize("arguments, environment, place", [(["--port", "0"], {}, "--port"), ([], {"PAWLD_PORT": "0"}, "PAWLD_PORT")])
def test_a_mistake_is_told_with_who_made_it(idle, arguments, environment, place):
    configure(idle, "port = 6899\n")
    told = ask(idle, "--check", *arguments, environment=environment)
    assert told.returncode == 78 and f"pawld: {place}: 0 is not between" in told.stderr, told


@pytest.mark.parametrize("proxy", ["socks4://u:secret@h:1080", "socks4a://h"])
def test_N36_a_socks_4_proxy_is_refused_with_what_to_give_instead(idle, proxy):
    ways = [([], {}, f'proxy = "{proxy}"\n', "line 1: proxy: "), (["--proxy", proxy], {}, "", "--proxy: "), ([], {"PAWLD_PROXY": proxy}, "", "PAWLD_PROXY: ")]
    for arguments, environment, text, place in ways:
        configure(idle, text)
        told = ask(idle, "--check", *arguments, environment=environment)
        assert told.returncode == 78 and place in told.stderr and "socks5://" in told.stderr, told
        assert "secret" not in told.stderr


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["--prot", "3"], "“--prot” is not an option of this command. Did you mean “--port”?"),
        (["--port"], "--port needs a value."),
        (["--port", "--check"], "--port needs a value, and “--check” begins with a hyphen. If that is the value, write --port=VALUE."),
        (["--port=abc"], "--port takes a port from 1 to 65535."),
        (["--no-plain-http=1"], "--no-plain-http takes no value."),
        (["start"], "There is one argument too many."),
    ],
)
def test_an_argument_that_cannot_be_read_is_told_and_nothing_begins(idle, arguments, sentence):
    told = ask(idle, *arguments)
    assert told.returncode == 64 and told.stdout == "", told
    assert told.stderr == f"pawld: {sentence} “pawld --help” lists the options.\n"
    assert not list(idle.state.iterdir())


def test_the_service_leaves_options_of_the_command_to_the_command(idle):
    configure(idle, '[get]\nretries = "often"\nretires = 3\nproxy = "http://p:1"\n')
    told = ask(idle, "--check", "--directory", idle.downloads)
    assert told.returncode == 0 and "proxy" not in told.stdout, told


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_shows_each_option_with_both_forms_of_a_flag(idle, flag):
    told = ask(idle, flag, "--port", "3")
    assert told.returncode == 0 and told.stderr == ""
    assert "\nUSAGE: pawld <options>\n" in told.stdout
    assert "\n  --port <port>           Port on loopback, and on addresses without a port.\n                          (default: 6871)\n" in told.stdout
    assert "\n  --plain-http/--no-plain-http\n" in told.stdout
    assert "\n  -h, --help              Show help information.\n" in told.stdout
    assert "secrets" in told.stdout and not re.search("keep-secrets|print-unit|help-json", told.stdout)


def test_a_file_that_is_named_must_be_there(idle):
    told = ask(idle, "--check", "--config", "/nowhere.toml")
    assert told.returncode == 78 and "/nowhere.toml" in told.stderr


def test_a_variable_that_is_none_of_ours_is_told(idle):
    told = ask(idle, "--check", "--directory", idle.downloads, environment={"PAWLD_PROT": "3"})
    assert told.returncode == 0 and "PAWLD_PROT is not an option" in told.stderr


# Signals


def test_a_hangup_reads_the_configuration_anew(idle, files):
    other = idle.home / "other"
    other.mkdir()
    configure(idle, "")
    idle.start()
    client = idle.client()
    files.add("/held", content(300_000))
    files.hold("/held", after=100_000)
    running = client.add({"url": f"{files.origin}/held"})["id"]
    client.wait_for_bytes(running, 1)
    job = {"url": f"{files.origin}/x", "directory": str(other), "paused": True}
    assert client.call("POST", "/downloads", job).status == 403
    configure(idle, f'root = ["{other}"]\n')
    idle.process.send_signal(signal.SIGHUP)

    def is_allowed():
        with contextlib.suppress(OSError):
            return client.call("POST", "/downloads", job).status == 201

    wait_until(is_allowed, 60, "the new root")
    files.release("/held")
    done = client.wait_for(running, "completed")
    assert (idle.downloads / done["file"]).read_bytes() == content(300_000)


def test_a_hangup_with_a_mistake_changes_nothing(idle):
    configure(idle, "")
    idle.start()
    instance = idle.client().get("/version").json
    configure(idle, "prot = 1\n")
    before = len(idle.log)
    idle.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "is not an option that can be set" in idle.log[before:], 60, "the log to say so")
    assert idle.client().get("/version").json == instance


def test_a_configuration_that_fails_only_when_it_starts_gives_way_to_the_old_one(idle):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        configure(idle, "")
        idle.start()
        configure(idle, f'listen = ["127.0.0.1:{taken.getsockname()[1]}"]\n')
        idle.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "the old one stays in force" in idle.log, 60, "the log to say so")
        wait_until(idle.answers, 60, "the service to answer")


def test_a_port_that_is_taken_is_told_in_words(idle):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = ask(idle, "--port", port, "--directory", idle.downloads)
    assert ended.returncode == 1 and f"Port {port} is in use by another program" in ended.stderr and "errno" not in ended.stderr, ended.stderr


def test_a_second_hangup_while_a_new_configuration_fails_does_not_take_it_for_the_old_one(idle):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        configure(idle, "")
        idle.start()
        configure(idle, f'listen = ["127.0.0.1:{taken.getsockname()[1]}"]\n')
        for _ in range(2):
            idle.process.send_signal(signal.SIGHUP)
            time.sleep(0.05)
        wait_until(lambda: "the old one stays in force" in idle.log, 60, "the log to say so")
        wait_until(idle.answers, 60, "the service to answer")


def test_documents_that_are_being_read_do_not_hold_up_the_end(idle, files):
    idle.start()
    client = idle.client()
    place = files.add("/SHA256SUMS", content(10_000))
    files.hold("/SHA256SUMS", after=10)

    def ask_for():
        with contextlib.suppress(OSError, http.client.HTTPException):
            client.call("POST", "/downloads", {"url": files.origin + "/x", "digestList": place})

    asking = threading.Thread(target=ask_for)
    asking.start()
    wait_until(lambda: files.requests_for("/SHA256SUMS"), 60, "the list to be asked for")
    idle.process.send_signal(signal.SIGTERM)
    assert idle.process.wait(15) == 0, "well before the 20 s that a document may take"
    asking.join()


def test_a_setting_that_nobody_made_goes_by_the_configuration(idle, files):
    other = idle.home / "other"
    other.mkdir()
    configure(idle, "")
    idle.start()
    idle.client().patch("/settings", {"maximumRunning": 7})
    idle.options = ["--directory", str(other)]
    idle.restart(kills=False)
    added = idle.client().add({"url": files.add("/a", b"a")})
    assert added["directory"] == str(other)
    assert idle.client().get("/settings").json["maximumRunning"] == 7


def test_a_directory_that_was_set_and_is_gone_gives_way_to_the_configured_one(idle, files):
    inside = idle.downloads / "inside"
    inside.mkdir()
    configure(idle, "")
    idle.start()
    idle.client().patch("/settings", {"directory": str(inside)})
    waits = idle.client().add({"url": files.add("/a", b"a"), "paused": True})["id"]
    idle.kill()
    inside.rmdir()
    idle.start()
    client = idle.client()
    assert client.get("/settings").json["directory"] == str(idle.downloads)
    client.patch(f"/downloads/{waits}", {"priority": 1})
    assert any(str(inside) in line for line in idle.warnings())


# systemd


@pytest.fixture
def notified(idle):
    """A started service, and what it tells systemd."""
    path = str(idle.home / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(path)
        listener.settimeout(60)
        idle.environment = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "200000"}
        yield idle, listener


def told(listener, word):
    while True:
        message = listener.recv(4096).decode()
        if message.startswith(word):
            return message


def test_systemd_is_told_how_it_goes(notified):
    service, listener = notified
    service.start()
    told(listener, "READY=1")
    for _ in range(3):
        told(listener, "WATCHDOG=1")
    service.process.send_signal(signal.SIGHUP)
    assert re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=\d+", told(listener, "RELOADING"))
    told(listener, "READY=1")
    service.process.send_signal(signal.SIGTERM)
    told(listener, "STOPPING=1")
    assert service.process.wait(60) == 0


def test_the_unit_is_one_that_systemd_takes(idle):
    odd = idle.home / 'a b$%"'
    odd.mkdir()
    written = ask(idle, "--install", "--port", idle.port, "--directory", odd)
    assert written.returncode == 0, written.stderr
    assert "systemctl --user" in written.stdout and "enable-linger" in written.stdout
    unit = idle.config / "systemd/user/pawl.service"
    line = re.search(r"^ExecStart=(.*)$", unit.read_text(), re.MULTILINE)[1]
    assert line.endswith(f'"--port" "{idle.port}" "--directory" "{idle.home}/a b$$%%\\""')
    assert ask(idle, "--install", "--directory", odd).returncode == 0, "our own may be written again"
    if analyze := shutil.which("systemd-analyze"):
        looked = subprocess.run([analyze, "verify", "--user", "--man=no", unit], text=True, capture_output=True, env=idle.variables())
        assert "pawl.service" not in looked.stderr, looked.stderr
    assert f"\nWorkingDirectory=-{idle.home}\n" in unit.read_text(), "relative paths mean the same as now"
    assert "\nKillMode=mixed\n" in unit.read_text(), "programs are not told to end together with the service"
    unit.write_text("[Service]\n")
    refused = ask(idle, "--install", "--directory", odd)
    assert refused.returncode == 78 and "was not written by this program" in refused.stderr
    assert unit.read_text() == "[Service]\n"


# TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    place = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=pawl.test",
         "-addext", "subjectAltName=DNS:pawl.test,IP:127.0.0.1", "-keyout", place / "key.pem", "-out", place / "certificate.pem"],
        check=True, capture_output=True)
    return place


def request(service, text, *, name="127.0.0.1", trust):
    context = ssl.create_default_context(cafile=trust)
    with socket.create_connection(service.address, timeout=60) as plain, context.wrap_socket(plain, server_hostname=name) as encrypted:
        encrypted.sendall(text.encode())
        received = b""
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            while part := encrypted.recv(65536):
                received += part
        return received.decode()


def start_encrypted(service, path=None):
    service.start(is_ready=False)
    local = Client(path or service.socket_path)

    def answers():
        assert service.process.poll() is None, service.log
        with contextlib.suppress(OSError):
            return local.call("GET", "/healthz").status == 200

    wait_until(answers, 120, "the service to answer")


def encryption(service, certificate, key):
    return ["--tls-certificate", str(certificate), "--tls-key", str(key), "--listen", f"0.0.0.0:{service.port}", "--host", "pawl.test"]


@pytest.fixture
def encrypted(idle, certificate):
    idle.options += encryption(idle, certificate / "certificate.pem", certificate / "key.pem")
    start_encrypted(idle)
    return idle


def get(host, path, *fields):
    return "\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", "Connection: close", *fields, "", ""])


def test_over_tls_the_service_answers_and_marks_its_cookie(encrypted, certificate):
    trust = certificate / "certificate.pem"
    authorization = f"Authorization: Bearer {encrypted.token}"
    port = encrypted.port
    for host in (f"127.0.0.1:{port}", f"pawl.test:{port}"):
        assert request(encrypted, get(host, f"{API}/version", authorization), trust=trust).startswith("HTTP/1.1 200")
    assert "403" in request(encrypted, get("other.example", f"{API}/version", authorization), trust=trust).split("\r\n")[0]
    body = f'{{"token":"{encrypted.token}"}}'
    logged = request(
        encrypted,
        f"POST {API}/login HTTP/1.1\r\nHost: pawl.test:{port}\r\nOrigin: https://pawl.test:{port}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}",
        trust=trust)
    assert logged.startswith("HTTP/1.1 200"), logged
    assert re.search(rf"set-cookie: pawl_session\w*{port}=\S+;.*; Secure", logged, re.IGNORECASE), logged


def test_without_tls_nothing_is_answered_where_tls_is_spoken(encrypted):
    received = exchange(encrypted.address, get("127.0.0.1", "/healthz").encode())
    assert b"HTTP/" not in received


def test_the_unix_socket_needs_no_tls(encrypted):
    assert encrypted.local().get("/version").status == 200


@pytest.mark.skipif(sys.platform == "darwin", reason="APFS takes names in UTF-8 only")
@pytest.mark.parametrize("name", [None, b"\x83\x5c.sock"])
def test_M19_the_socket_the_certificate_and_the_key_may_have_names_that_are_not_utf8(idle, certificate, name):
    odd = idle.home / os.fsdecode(b"caf\xe9")
    odd.mkdir(mode=0o700)
    chain, key = (odd / os.fsdecode(b"\xc4\xe3" + end) for end in (b"certificate.pem", b"key.pem"))
    shutil.copy(certificate / "certificate.pem", chain)
    shutil.copy(certificate / "key.pem", key)
    idle.options += encryption(idle, chain, key)
    idle.runtime = odd
    path = idle.socket_path
    if name:
        path = odd / os.fsdecode(name)
        idle.options += ["--socket", str(path)]
    # The second start finds the socket of a killed service.
    for _ in range(2):
        start_encrypted(idle, path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert [there for there in os.listdir(path.parent) if there.startswith(".")] == []
        answer = request(
            idle, get(f"127.0.0.1:{idle.port}", f"{API}/version", f"Authorization: Bearer {idle.token}"), trust=certificate / "certificate.pem")
        assert answer.startswith("HTTP/1.1 200"), answer
        if not name:
            listed = idle.pawl("ls")
            assert listed.returncode == 0, listed.stderr
        others = {"XDG_STATE_HOME": str(idle.home / "others")}
        other = ask(idle, "--directory", idle.downloads, *idle.options, environment=others)
        assert other.returncode != 0 and "Another service is listening" in other.stderr, other.stderr
        idle.kill()
    path.unlink()
    path.write_text("mine")
    refused = ask(idle, "--directory", idle.downloads, *idle.options)
    assert refused.returncode != 0 and "is not a socket" in refused.stderr, refused.stderr
    assert path.read_text() == "mine"


def test_S02_on_all_addresses_any_address_is_known_but_no_name(start):
    service = start(starts=False)
    service.options += ["--plain-http", "--listen", f"0.0.0.0:{service.port}"]
    service.start()
    fields = f"Authorization: Bearer {service.token}"
    for host, status in (("192.0.2.7:80", 200), ("[2001:db8::1]", 200), ("localhost", 200), ("rebound.example", 403), ("192.0.2.7.example", 403), ("", 403)):
        assert first_status(service.address, get(host, f"{API}/version", fields).encode()) == status, host


# Hooks


def test_the_program_runs_after_each_download_and_is_told_its_id(start, files):
    service = start(starts=False)
    told = service.home / "told"
    script = service.home / "hook"
    script.write_text(f'#!/bin/sh\nprintf "%s %s %s %s\\n" "$1" "$PAWL_ID" "$PAWL_STATUS" "$PAWL_FILE" >> {told}\n')
    script.chmod(0o755)
    service.options += ["--on-complete", f"{script} 'a word'"]
    service.start()
    client = service.client()
    files.add("/good", content(1000))
    files.add("/gone", b"", status=404)
    good, gone = client.add({"url": f"{files.origin}/good"})["id"], client.add({"url": f"{files.origin}/gone"})["id"]
    client.wait_for(good, "completed")
    client.wait_for(gone, "failed")
    lines = wait_until(lambda: told.exists() and len(found := told.read_text().splitlines()) == 2 and sorted(found), 60, "both lines")
    assert lines == sorted([f"a word {good} completed {service.downloads}/good", f"a word {gone} failed "])
    refused = client.call("POST", "/downloads", {"url": f"{files.origin}/x", "hook": ["/bin/true"]})
    assert refused.status == 403 and refused.code == "hookNotAllowed"
