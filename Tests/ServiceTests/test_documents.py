"""Runs the commands that README.md and docs/ show, each in a fresh directory.

Those of README.md are pasted as they stand, in network and mount namespaces of their own: there, the hosts that they name are this machine.
Only a digest that they give is replaced by that of the server's file. In the commands of docs/, a local server takes the place of the hosts,
and commands of the service run against a service of the test's own. What `test_recipes.py` runs is left to it, and so is `pawl serve` in a
terminal.
"""

import gzip
import hashlib
import http.server
import io
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import urllib.parse
import zipfile

import pytest

from pawld import COMMAND, PROGRAM

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
OTHERS = {"integrations.md"}
ISO = bytes(range(256)) * 1024
PIECE = 65536


def archive(name):
    if name.endswith(".zip"):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
            for member in ("tables/a.csv", "tables/b.csv", "more/notes.txt"):
                file.writestr(member, f"{member} of {name}\n" * 50)
        return packed.getvalue()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as file:
        entry = tarfile.TarInfo("src/main.c")
        entry.size = 13
        file.addfile(entry, io.BytesIO(b"int main() {}"))
    return packed.getvalue()


def metalink(url):
    pieces = "".join(f"<hash>{hashlib.sha256(ISO[at:at + PIECE]).hexdigest()}</hash>" for at in range(0, len(ISO), PIECE))
    return (
        '<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="disk.iso">'
        f'<size>{len(ISO)}</size><hash type="sha-256">{hashlib.sha256(ISO).hexdigest()}</hash>'
        f'<pieces type="sha-256" length="{PIECE}">{pieces}</pieces><url>{url}</url></file></metalink>'
    ).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        name = urllib.parse.urlsplit(self.path).path
        if name.endswith(".meta4"):
            content = metalink(f"{self.server.scheme}://{self.headers['Host']}/disk.iso")
        elif name.endswith((".zip", ".tar.xz")):
            content = archive(name)
        else:
            content = ISO
        found = re.fullmatch(r"bytes=(\d+)-(\d*)|bytes=-(\d+)", self.headers.get("Range", ""))
        first, last = 0, len(content) - 1
        if found:
            first = int(found[1]) if found[1] else max(0, len(content) - int(found[3]))
            last = min(last, int(found[2])) if found[2] else last
        self.send_response(206 if found else 200)
        if found:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("ETag", f'"{hashlib.md5(content).hexdigest()}"')
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        self.wfile.write(content[first:last + 1])

    def log_message(self, *_):
        pass


def serving(port, certificate=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.scheme = "https" if certificate else "http"
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def port():
    server = serving(0)
    yield server.server_address[1]
    server.shutdown()


@pytest.fixture
def programs(tmp_path):
    """A directory with the programs by all their names."""
    place = tmp_path / "bin"
    place.mkdir()
    for name, target in (("pawl", COMMAND), ("aria2c", COMMAND), ("pawld", PROGRAM)):
        (place / name).symlink_to(target)
    return place


def fill(place, url, line):
    """The files that commands read."""
    (place / "list.txt").write_text("".join(f"{url}/{name}.iso\n" for name in ("a", "b", "c")))
    shutil.copy(place / "list.txt", place / "urls.txt")
    if re.search(r" (work|manifest) birds", line):
        (place / "birds/shards").mkdir(parents=True)
        shard = "".join(f'{{"url":"{url}/{name}.iso"}}\n' for name in ("a", "b", "c"))
        (place / "birds/shards/00000.ndjson.gz").write_bytes(gzip.compress(shard.encode()))
        (place / "birds/plan.json").write_text(f'{{"batch":"{"0" * 32}","shards":1}}')
    (place / "release.meta4").write_bytes(metalink(f"{url}/disk.iso"))
    if " verify " in line:
        (place / "disk.iso").write_bytes(ISO[:PIECE] + bytes(PIECE) + ISO[2 * PIECE:])


def commands(pages):
    """Of each `sh` block the lines that begin with one of our programs, without the remarks behind them."""
    for page in pages:
        if page.name in OTHERS:
            continue
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for line in block.split("\n"):
                line = re.sub(r"\s{2,}#.*|\s+#\s.*", "", line)
                if re.match(r"(pawl|aria2c)\b", line) and "URL" not in line:
                    yield pytest.param(line, id=f"{page.name}: {line}")


def with_digest(line):
    return re.sub(r"\b[0-9a-f]{64}\b", hashlib.sha256(ISO).hexdigest(), line)


def localized(line, port):
    return with_digest(re.sub(r"https?://([\w.-]+)(/[^\s\"]*)", rf"http://127.0.0.1:{port}/\1\2", line))


@pytest.mark.parametrize("line", commands(PAGES))
def test_command(line, port, start, programs, tmp_path):
    place, home = (tmp_path / name for name in ("place", "home"))
    for directory in (place, home):
        directory.mkdir()
    fill(place, f"http://127.0.0.1:{port}", line)
    environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "dumb"}

    words = line.split()
    if words[1] == "serve" and "--install" not in words:
        pytest.skip("runs until it is stopped; the tests of the service do that")
    if words[1] in ("add", "ls", "watch", "show", "token", "limit"):
        service = start()
        environment["PAWL_SOCKET"] = str(service.socket_path)
    if words[1] == "watch":
        line = "timeout --preserve-status -s INT 3 " + line
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", localized(line, port)], cwd=place, env=environment, capture_output=True, text=True, timeout=120)
    assert result.returncode == (130 if words[1] == "watch" else 0), result.stderr


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("unshare"), reason="namespaces take root")
@pytest.mark.parametrize("line", commands([README]))
def test_command_of_the_readme(line, programs, tmp_path):
    # The path of a socket has 103 bytes at most, and pytest's directories are deep.
    with tempfile.TemporaryDirectory(prefix="pawl-") as home:
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": home, "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        result = subprocess.run(
            ["unshare", "--net", "--mount", sys.executable, "-B", __file__, line], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr


def paste(line):
    """In the namespaces: runs the line where its hosts are this machine, and the service where the line is about it."""
    hosts = sorted(set(re.findall(r"https://([\w.-]+)/", README.read_text(encoding="utf-8"))))
    certificate, place = pathlib.Path("certificate.pem"), pathlib.Path("place")
    names = ",".join(f"DNS:{host}" for host in hosts)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
         "-addext", f"subjectAltName={names}", "-keyout", certificate, "-out", "public.pem"], check=True, capture_output=True)
    pathlib.Path("hosts").write_text("".join(f"127.0.0.1 {name}\n" for name in ("localhost", *hosts)))
    for ours, theirs in (("hosts", "/etc/hosts"), ("public.pem", "/etc/ssl/certs/ca-certificates.crt")):
        subprocess.run(["mount", "--bind", ours, pathlib.Path(theirs).resolve()], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    certificate.write_text(certificate.read_text() + pathlib.Path("public.pem").read_text())
    serving(443, certificate)

    place.mkdir()
    fill(place, "https://example.org", line)
    word = line.split()[1]
    script = with_digest(line)
    if word in ("serve", "add", "watch"):
        begin = script if word == "serve" else "pawl serve &"
        again = {
            "serve": "pawl ls",
            "add": f"{script} && until pawl ls | grep completed; do sleep 0.1; done",
            "watch": f"timeout --preserve-status -s INT 3 {script} || [ $? = 130 ]",
        }[word]
        script = f"{begin}\ntrap 'kill $!' EXIT\nuntil pawl ls; do kill -0 $! || exit; sleep 0.1; done\n{again}"
    return subprocess.run(["bash", "-o", "pipefail", "-c", script], cwd=place, timeout=60).returncode


def test_there_are_commands():
    assert len(list(commands([README]))) > 10 and len(list(commands([README, *PAGES]))) > 20


if __name__ == "__main__":
    sys.exit(paste(sys.argv[1]))
