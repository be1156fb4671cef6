"""Runs the programs on one behaviour, each with a server, a directory and a home of its own."""

import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import wire

# For one run of one program. What takes longer hangs.
LIMIT = 90

# In the order of the page's columns; Pawl comes last.
PEERS = ("curl", "aria2", "wget")

COMMANDS = {
    "curl": ["curl", "-q", "-sS", "-f", "-L", "-J", "-O", "-g"],
    "aria2": ["aria2c", "--no-conf", "--quiet", "--max-tries=2", "--timeout=20", "--file-allocation=none"],
    "wget": [
        "wget",
        "--no-config",
        "-nv",
        "--content-disposition",
        "--tries=2",
        "--waitretry=0",
        "--timeout=20",
        "--no-hsts",
    ],
    "pawl": ["pawl", "get", "-q", "--no-glob", "--retries", "1"],
}


@dataclasses.dataclass
class Outcome:
    """What a program has come to."""

    # "done", "refused", "crashed" or "hung"
    end: str
    # Without those of a program that has not finished.
    files: dict
    said: str
    code: int | None = None

    @property
    def is_done(self):
        return self.end == "done"

    def has_same_files(self, other):
        return self.is_done and other.is_done and self.files == other.files


def run(words, place, environment, limit=LIMIT):
    """Runs a program to its end in `place`, and says how it ended and what it wrote about it."""
    child = subprocess.Popen(
        words,
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        umask=0o022,
    )
    try:
        said, _ = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        child.kill()
        said, _ = child.communicate()
        return "hung", None, said.decode("utf-8", "replace")
    end = "done" if child.returncode == 0 else "refused" if child.returncode > 0 else "crashed"
    return end, child.returncode, said.decode("utf-8", "replace")


def environment(home):
    """A world without settings of the user's."""
    path = os.environ.get("PATH", "/usr/bin:/bin")
    return {
        "PATH": path,
        "HOME": str(home),
        "XDG_STATE_HOME": f"{home}/state",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "NO_COLOR": "1",
    }


def fill(text, places):
    """Puts the places of a server into words of an entry, which may be bytes."""
    if isinstance(text, bytes):
        return re.sub(rb"\{(\w+)\}", lambda match: str(places[match[1].decode()]).encode(), text)
    return re.sub(r"\{(\w+)\}", lambda match: str(places[match[1]]), text)


def tried(entry, program, pawl):
    """Has one program download what a behaviour offers."""
    server = wire.Server(entry.answer, entry.is_raw)
    try:
        with tempfile.TemporaryDirectory(prefix="differential-") as directory:
            return download(entry, program, pawl, server.places(), pathlib.Path(directory))
    finally:
        server.close()


def download(entry, program, pawl, places, directory):
    home, place = directory / "home", directory / "downloads"
    home.mkdir()
    place.mkdir()
    for name, text in entry.home.items():
        (home / name).write_bytes(fill(text if isinstance(text, bytes) else text.encode(), places))
        (home / name).chmod(0o600)
    words = [fill(word, places) for word in [*entry.words.get(program, []), entry.url]]
    given = {name: fill(value, places) for name, value in entry.environment.items()}
    command = [pawl, *COMMANDS["pawl"][1:]] if program == "pawl" else COMMANDS[program]
    end, code, said = run([*command, *words], place, {**environment(home), **given})
    files = {os.fsencode(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    said = said.replace(str(directory), "")
    for port in (places["origin"], places["other"], places["secure"]):
        said = said.replace(port.rsplit(":", 1)[1], "PORT")
    return Outcome(end, {os.fsdecode(name): body for name, body in files.items()} if end == "done" else {}, said, code)


@functools.cache
def version(program):
    """The number of a program's version; none if it is not installed."""
    words = {
        "curl": ["curl", "--version"],
        "aria2": ["aria2c", "--version"],
        "wget": ["wget", "--version"],
        "unzip": ["unzip", "-v"],
        "7z": ["7z"],
        "bsdtar": ["bsdtar", "--version"],
    }[program]
    if not shutil.which(words[0]):
        return ""
    said = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    found = re.search(r"\d+\.\d+(\.\d+)?", said)
    return found[0] if found else ""
