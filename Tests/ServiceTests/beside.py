"""Runs aria2 and our aria2c on the same words and the same calls, and tells where they differ."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from aria2rpc import RPC, RPCError
from pawld import COMMAND, free_port

ARIA2 = shutil.which("aria2c")


def our_name(directory):
    """A link by which our program is aria2c."""
    path = pathlib.Path(directory) / "aria2c"
    path.symlink_to(COMMAND)
    return str(path)


class Place:
    """A directory with the same files for each of the two."""

    def __init__(self, files=(), lists=()):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="beside-")).resolve()
        self.downloads = self.path / "d"
        self.downloads.mkdir()
        for name, body in dict(files).items():
            file = self.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
        self.given = [pathlib.Path(name).parts[0] for name in dict(lists)]
        for name, text in dict(lists).items():
            (self.path / name).write_text(text.replace("{place}", str(self.path)))

    def close(self):
        shutil.rmtree(self.path)


IS_WORKING_FILE = re.compile(r"\.(aria2|part|pawl|part\.bad)$|__temp$")


def run(program, words, place, server, *, stdin=None, timeout=60):
    """What one start came to, in facts that can be compared."""
    del server.requests[:]
    environment = {"PATH": os.environ["PATH"], "HOME": str(place.path / "home"), "LANG": "C.UTF-8", "XDG_STATE_HOME": str(place.path / "state")}
    ended = subprocess.run(
        [program, *[word.format(place=place.path, origin=server.origin) for word in words]], cwd=place.path, env=environment, input=stdin, capture_output=True, text=True, timeout=timeout)
    # aria2 colours the words of its levels wherever they go.
    out = re.sub("\x1b\\[[0-9;]*m", "", ended.stdout.replace(str(place.path), "PLACE"))
    rows = [re.match(r"([0-9a-f]{6}|\w{6})\|(\w+) *\|.{11}\|(?: *[\d-]+\|)?(.*)", line) for line in out.splitlines()]
    files = {
        str(path.relative_to(place.path)): hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        for path in sorted(place.path.rglob("*")) if path.is_file() and not IS_WORKING_FILE.search(path.name) and path.relative_to(place.path).parts[0] not in ("state", "home", *place.given)
    }
    asked = {}
    for request in server.requests:
        fields = {name.lower(): value for name, value in request.headers.items()}
        kept = {name: fields[name] for name in ("referer", "authorization", "x-test", "cookie", "user-agent", "cache-control") if name in fields}
        kept = {name: value.rstrip(";") for name, value in kept.items()}
        asked.setdefault(request.path, {"method": request.method, **kept})
    return {
        "status": ended.returncode,
        "files": files,
        "table": sorted((row[2], row[3]) for row in rows if row),
        "complete": sorted(re.findall(r"Download complete: (.*)", out)),
        "errors": sorted(set(re.findall(r"errorCode=(\d+)", out))),
        "is_silent": not out.strip(),
        "complains": bool(ended.stderr.strip()),
        "asked": asked,
    }, ended


def differences(theirs, ours):
    return {name: (theirs[name], ours[name]) for name in theirs if theirs[name] != ours[name]}


class Served:
    """aria2 or our aria2c with its RPC."""

    def __init__(self, program, place, *words):
        self.port, self.place = free_port(), place
        self.address, self.token = ("127.0.0.1", self.port), None
        environment = {"PATH": os.environ["PATH"], "HOME": str(place.path / "home"), "TMPDIR": str(place.path), "XDG_STATE_HOME": str(place.path / "state")}
        words = [word.format(place=place.path) for word in words]
        self.log = open(place.path / "log", "w+")
        self.process = subprocess.Popen(
            [program, "--no-conf", "--enable-rpc", f"--rpc-listen-port={self.port}", f"--dir={place.downloads}", *words], cwd=place.path, env=environment, stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=subprocess.STDOUT)
        self.rpc = RPC(self, token=None)
        end = time.monotonic() + 30
        while True:
            try:
                self.rpc.call("system.listMethods")
                return
            except OSError:
                assert self.process.poll() is None and time.monotonic() < end, pathlib.Path(self.log.name).read_text()
                time.sleep(0.02)

    def ask(self, method, *parameters):
        """The answer, or the error with its HTTP status, with what is of this one alone taken out."""
        try:
            answer = self.rpc.call(method, *parameters)
        except RPCError as error:
            answer = {"code": error.code, "message": error.message, "http": error.status}
        return self.plain(answer)

    def plain(self, value):
        if isinstance(value, dict):
            return {key: self.plain(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.plain(one) for one in value]
        if isinstance(value, str):
            return value.replace(str(self.place.path), "PLACE").replace(str(self.port), "PORT")
        return value

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
