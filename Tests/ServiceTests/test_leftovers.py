"""`pawl list --partial` and `pawl clean`: what downloads leave in a directory, and what of it is removed."""

import contextlib
import fcntl
import json
import os
import pty
import shutil
import signal
import subprocess
import time

import pytest

from client import wait_until
from fileserver import content
from pawld import COMMAND

BODY = content(3 << 20)


def pawl(place, *arguments, **more):
    environment = {"PATH": os.environ["PATH"], "HOME": str(place), "XDG_STATE_HOME": str(place / ".state"), "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        [COMMAND, *map(str, arguments)], cwd=place, env=environment, text=True, capture_output=True, timeout=60, start_new_session=True, **more)


def listed(place, *arguments):
    told = pawl(place, "list", "--partial", "--json", *arguments)
    assert told.returncode == 0, told.stderr
    return {one["path"]: one for one in map(json.loads, told.stdout.splitlines())}


def names(place):
    return sorted(path.name for path in place.iterdir() if not path.name.startswith("."))


@contextlib.contextmanager
def held(place, files, name="disk.iso"):
    """A download that is running, and has stored some of its bytes."""
    files.add(f"/{name}", BODY, etag='"1"')
    files.hold(f"/{name}", after=2 << 20)
    process = subprocess.Popen(
        [COMMAND, "get", "-q", "-x1", f"{files.origin}/{name}"], cwd=place, start_new_session=True,
        env={"PATH": os.environ["PATH"], "HOME": str(place), "XDG_STATE_HOME": str(place / ".state")})
    try:
        wait_until(lambda: (listed(place).get(name) or {"status": None})["status"] and listed(place)[name]["status"]["resumableBytes"] > 1 << 20)
        yield process
    finally:
        process.kill()
        process.wait()
        files.release_all()


USELESS = ["a.iso.part.orphan-1", "a.iso.part.orphan-12", "b.bin.part.bad", "b.bin.part.bad-3"]


def leave(path):
    """As a run of Pawl leaves it."""
    path.write_bytes(b"left")
    os.setxattr(path, "user.pawl.aside", b"1")


@pytest.fixture
def leftovers(tmp_path):
    """Files that no run uses, and some that only look so."""
    for name in USELESS:
        leave(tmp_path / name)
    for name in ("c.part", "c.part.bad-x", "c.part.orphan", "orphan-1", "c.bad", "c.pawl", "a.iso.part.orphan-1.txt", ".part.bad"):
        (tmp_path / name).write_bytes(b"a user's own")
    (tmp_path / "d.part.bad").mkdir()
    (tmp_path / "e.part.bad").symlink_to(tmp_path / "c.part")
    return tmp_path


def test_what_is_left_is_listed_with_what_it_is(leftovers):
    found = listed(leftovers)
    assert {path: one["kind"] for path, one in found.items()} == {
        "c.pawl": "damaged", **{name: "setAside" if "orphan" in name else "mismatched" for name in USELESS}}
    text = pawl(leftovers, "list", "--partial").stdout
    assert "b.bin.part.bad-3" in text and "the checksum did not match" in text


def test_only_useless_files_are_removed_and_only_when_that_is_said(leftovers):
    before = names(leftovers)
    told = pawl(leftovers, "clean")
    assert told.returncode == 64 and "--yes" in told.stderr and "a.iso.part.orphan-12" in told.stderr, told
    assert names(leftovers) == before
    told = pawl(leftovers, "clean", "--dry-run")
    assert told.returncode == 0 and "a.iso.part.orphan-12" in told.stderr and names(leftovers) == before
    told = pawl(leftovers, "clean", "--yes")
    assert told.returncode == 0 and "Removed 4 files" in told.stderr, told
    assert names(leftovers) == [name for name in before if name not in USELESS]
    told = pawl(leftovers, "clean", "--yes")
    assert told.returncode == 0 and "Nothing to remove" in told.stderr


@pytest.mark.parametrize("answer, is_removed", [("n", False), ("", False), ("y", True), ("yes", True), ("yno", False)])
def test_it_asks_at_the_terminal(leftovers, answer, is_removed):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(leftovers)
        os.execve(COMMAND, [COMMAND, "clean"], {"PATH": os.environ["PATH"], "HOME": str(leftovers), "LC_ALL": "C.UTF-8", "TERM": "xterm"})
    shown = b""
    while b"[y/N] " not in shown:
        shown += os.read(terminal, 4096)
    os.write(terminal, answer.encode() + b"\n")
    with contextlib.suppress(OSError):
        while chunk := os.read(terminal, 4096):
            shown += chunk
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, shown
    assert b"Remove 4 files, " in shown and (b"Removed 4 files" if is_removed else b"Nothing was removed") in shown, shown
    assert ("b.bin.part.bad" in names(leftovers)) != is_removed


def test_age_and_directories_beneath(leftovers):
    beneath = leftovers / "sub/deeper"
    beneath.mkdir(parents=True)
    (leftovers / "way").symlink_to(beneath)
    leave(beneath / "old.part.bad")
    os.utime(beneath / "old.part.bad", (1, 1))
    assert "sub/deeper/old.part.bad" in listed(leftovers, "-r") and "sub/deeper/old.part.bad" not in listed(leftovers)
    assert not any(path.startswith("way") for path in listed(leftovers, "-r"))
    told = pawl(leftovers, "clean", "--yes", "-r", "--older-than", "1d")
    assert told.returncode == 0 and "Removed 1 file" in told.stderr, told
    assert names(beneath) == [] and "b.bin.part.bad" in names(leftovers)


def test_an_unfinished_download_goes_on_or_goes_and_one_that_runs_stays(tmp_path, files):
    with held(tmp_path, files) as process:
        assert listed(tmp_path)["disk.iso"]["status"]["locked"]
        assert "being downloaded" in pawl(tmp_path, "list", "--partial").stdout
        told = pawl(tmp_path, "clean", "--yes", "--unfinished")
        assert told.returncode == 0 and "Nothing to remove" in told.stderr, told
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert names(tmp_path) == ["disk.iso.part", "disk.iso.pawl"]
    text = pawl(tmp_path, "list", "--partial").stdout
    assert "disk.iso" in text and "unfinished, " in text and "of 3.00 MiB" in text, text
    assert pawl(tmp_path, "clean", "--yes").returncode == 0
    assert names(tmp_path) == ["disk.iso.part", "disk.iso.pawl"], "an unfinished download can be resumed"
    told = pawl(tmp_path, "clean", "--yes", "--unfinished")
    assert told.returncode == 0 and "Removed 1 file" in told.stderr, told
    assert names(tmp_path) == []
    told = pawl(tmp_path, "get", f"{files.origin}/disk.iso")
    assert told.returncode == 0 and (tmp_path / "disk.iso").read_bytes() == BODY


def test_a_partial_file_that_its_journal_does_not_describe_stays(tmp_path, files):
    with held(tmp_path, files):
        pass
    part = tmp_path / "disk.iso.part"
    part.unlink()
    part.write_bytes(b"a user's own")
    assert listed(tmp_path)["disk.iso.pawl"]["kind"] == "otherFile"
    told = pawl(tmp_path, "clean", "--yes", "--unfinished")
    assert told.returncode == 0 and part.read_bytes() == b"a user's own", told
    part.unlink()
    assert listed(tmp_path)["disk.iso.pawl"]["kind"] == "journal"
    told = pawl(tmp_path, "clean", "--yes")
    assert told.returncode == 0 and names(tmp_path) == [], told


def test_a_copy_of_an_unfinished_download_is_not_listed_as_one(tmp_path, files):
    (tmp_path / "a").mkdir()
    with held(tmp_path / "a", files):
        pass
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    assert [one["kind"] for one in listed(tmp_path, "-r").values()] == ["unfinished", "otherFile"]
    assert "Nothing to remove" in pawl(tmp_path, "clean", "-r", "--unfinished", "--yes", "b").stderr


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["clean", "nowhere"], "“nowhere” cannot be listed: there is no such directory"),
        (["list", "--partial", "nowhere"], "“nowhere” cannot be listed: there is no such directory"),
        (["get", "-o", "/dev/null", "http://127.0.0.1:9/"], "-o - >/dev/null"),
        (["clean", ""], "is empty"),
        (["clean", "--older-than", "soon"], "--older-than takes"),
        (["clean", "--older-than", "3"], "12h"),
        (["list"], "--partial"),
        (["list", "-r", "a.zip"], "-r goes with --partial"),
    ],
)
def test_a_mistake_is_told(tmp_path, arguments, sentence):
    told = pawl(tmp_path, *arguments)
    assert told.returncode == 64 and sentence in told.stderr, told
    assert "--create-dirs" not in told.stderr


def test_what_is_only_named_so_is_listed_and_stays(tmp_path):
    (tmp_path / "notes.part.bad").write_bytes(b"a user's own")
    assert not listed(tmp_path)["notes.part.bad"]["ours"]
    told = pawl(tmp_path, "clean", "--yes", "--unfinished")
    assert "Nothing to remove" in told.stderr and (tmp_path / "notes.part.bad").exists(), told


def test_what_a_wrong_checksum_and_a_changed_file_leave_is_removed(tmp_path, files):
    files.add("/disk.iso", BODY, etag='"1"')
    for _ in range(2):
        assert pawl(tmp_path, "get", "--checksum", "0" * 64, f"{files.origin}/disk.iso").returncode == 6
    assert names(tmp_path) == ["disk.iso.part.bad"]
    with held(tmp_path, files):
        pass
    files.add("/disk.iso", BODY[::-1], etag='"2"')
    assert pawl(tmp_path, "get", f"{files.origin}/disk.iso").returncode == 0
    assert "disk.iso.part.orphan-1" in names(tmp_path)
    told = pawl(tmp_path, "clean", "--yes")
    assert told.returncode == 0 and "Removed 2 files" in told.stderr, told
    assert names(tmp_path) == ["disk.iso"] and (tmp_path / "disk.iso").read_bytes() == BODY[::-1]


def test_a_journal_beside_its_finished_file_and_one_that_cannot_be_read_stay(tmp_path, files):
    with held(tmp_path, files):
        pass
    (tmp_path / "disk.iso.part").rename(tmp_path / "disk.iso")
    assert "disk.iso.pawl" not in listed(tmp_path)
    (tmp_path / "disk.iso").rename(tmp_path / "disk.iso.part")
    journal = tmp_path / "disk.iso.pawl"
    journal.write_bytes(bytes(journal.stat().st_size))
    assert listed(tmp_path)["disk.iso.pawl"]["kind"] == "damaged"
    assert "cannot be read" in pawl(tmp_path, "list", "--partial", "./").stdout
    told = pawl(tmp_path, "clean", "--yes", "--unfinished")
    assert "Nothing to remove" in told.stderr and names(tmp_path) == ["disk.iso.part", "disk.iso.pawl"], told


MARK = "pawl unpacks here. When no pawl runs, this directory was left by a crash and may be removed.\n"


def leave_unpacking(place):
    """As a run of Pawl leaves it that was killed."""
    (place / "new").mkdir(mode=0o700, parents=True)
    (place / "new/x.part.bad").write_bytes(content(100_000))
    (place / "pawl").write_text(MARK)


def test_Z20_what_a_killed_unpacking_left_is_listed_and_removed_like_files(leftovers):
    dead, runs, foreign = (leftovers / name for name in ("dead.part", "runs.part", "foreign.part"))
    for place in (dead, runs, foreign):
        leave_unpacking(place)
    (foreign / "pawl").write_text("mine")
    with open(runs / "pawl", "r+") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        found = listed(leftovers, "-r")
        assert found["dead.part"]["kind"] == found["runs.part"]["kind"] == "unpacking"
        assert found["dead.part"]["bytes"] >= 100_000 and "dead.part/new/x.part.bad" not in found and "foreign.part" not in found
        text = pawl(leftovers, "list", "--partial").stdout
        assert "left by an unpacking that was killed" in text and "being unpacked" in text, text
        told = pawl(leftovers, "clean", "--dry-run")
        assert "dead.part" in told.stderr and "runs.part" not in told.stderr and "foreign.part" not in told.stderr, told
        assert dead.exists()
        assert pawl(leftovers, "clean", "--yes", "--older-than", "1d").returncode == 0 and dead.exists()
        told = pawl(leftovers, "clean", "--yes")
        assert told.returncode == 0 and "Removed 4 files and 1 directory" in told.stderr, told
        assert not dead.exists() and (runs / "new/x.part.bad").exists() and (foreign / "new/x.part.bad").exists()
    told = pawl(leftovers, "clean", "--yes")
    assert told.returncode == 0 and "Removed 1 directory" in told.stderr, told
    assert not runs.exists() and foreign.exists()
