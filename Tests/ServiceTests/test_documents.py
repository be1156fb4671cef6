"""Runs the commands that README.md and docs/ show, each in a fresh directory, against a local server in place of the hosts they name.

Commands of the service run against a service of the test's own. What `test_recipes.py` runs is left to it, and so is `pawl serve` in a
terminal.
"""

import hashlib
import http.server
import io
import os
import pathlib
import re
import subprocess
import tarfile
import threading
import urllib.parse
import zipfile

import pytest

from pawld import COMMAND, PROGRAM

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
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
            content = metalink(f"http://{self.headers['Host']}/disk.iso")
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


@pytest.fixture(scope="module")
def port():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()


def commands():
    """Of each `sh` block the lines that begin with one of our programs, without the remarks behind them."""
    for page in PAGES:
        if page.name in OTHERS:
            continue
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for line in block.split("\n"):
                line = re.sub(r"\s{2,}#.*|\s+#\s.*", "", line)
                if re.match(r"(pawl|aria2c)\b", line) and "URL" not in line:
                    yield pytest.param(line, id=f"{page.name}: {line}")


def localized(line, port):
    line = re.sub(r"https?://([\w.-]+)(/[^\s\"]*)", rf"http://127.0.0.1:{port}/\1\2", line)
    return re.sub(r"\b9f86d081…|\b[0-9a-f]{64}\b", hashlib.sha256(ISO).hexdigest(), line)


@pytest.mark.parametrize("line", commands())
def test_command(line, port, start, tmp_path):
    programs, place, home = (tmp_path / name for name in ("bin", "place", "home"))
    for directory in (programs, place, home):
        directory.mkdir()
    for name in ("pawl", "aria2c"):
        (programs / name).symlink_to(COMMAND)
    (programs / "pawld").symlink_to(PROGRAM)
    (place / "list.txt").write_text("".join(f"http://127.0.0.1:{port}/{name}.iso\n" for name in ("a", "b", "c")))
    (place / "release.meta4").write_bytes(metalink(f"http://127.0.0.1:{port}/disk.iso"))
    if " verify " in line:
        (place / "disk.iso").write_bytes(ISO[:PIECE] + bytes(PIECE) + ISO[2 * PIECE:])
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


def test_there_are_commands():
    assert len(list(commands())) > 20
