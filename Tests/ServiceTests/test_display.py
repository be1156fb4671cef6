"""What `pawl get` shows, by `--progress`, `--color` and the width of the terminal; and the directories it makes."""

import fcntl
import hashlib
import os
import pty
import re
import struct
import subprocess
import termios

import pytest

from fileserver import content
from pawld import COMMAND

BODY = content(1 << 20)
ESCAPE = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")


def environment(place, **more):
    return {"PATH": os.environ["PATH"], "HOME": str(place), "XDG_STATE_HOME": str(place / ".state"), "LC_ALL": "C.UTF-8", "TERM": "xterm", **more}


def piped(place, *arguments, **more):
    return subprocess.run(
        [COMMAND, *map(str, arguments)], cwd=place, env=environment(place, **more), capture_output=True, timeout=60, start_new_session=True)


def on_terminal(place, *arguments, columns=100, **more):
    """What a terminal of this width receives."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.chdir(place)
        os.execve(COMMAND, [COMMAND, *map(str, arguments)], environment(place, **more))
    received = b""
    try:
        while chunk := os.read(terminal, 65536):
            received += chunk
    except OSError:
        pass
    os.waitpid(pid, 0)
    os.close(terminal)
    return received


@pytest.fixture
def slow(files):
    """Takes a second and a half, so that there is progress to show."""
    return files.add("/disk.iso", BODY, etag='"1"', rate=700_000)


def test_a_bar_is_drawn_where_it_is_asked_for(tmp_path, slow):
    shown = on_terminal(tmp_path, "get", "-o", "a", slow)
    assert b"\x1b[K" in shown and "━".encode() in shown, shown
    assert b"\x1b[K" not in piped(tmp_path, "get", "-o", "b", slow).stderr
    shown = piped(tmp_path, "get", "--progress", "bar", "-o", "c", slow).stderr
    assert b"\x1b[K" in shown and "━".encode() in shown, shown


@pytest.mark.parametrize("kind", ["plain", "none"])
def test_no_bar_is_drawn_where_lines_or_nothing_is_asked_for(tmp_path, slow, kind):
    shown = on_terminal(tmp_path, "get", "--progress", kind, slow)
    assert not ESCAPE.search(shown) and b"disk.iso: 1.00 MiB in" in shown, shown


@pytest.mark.parametrize(
    "choice, is_terminal, variables, is_coloured",
    [
        (None, True, {}, True), (None, False, {}, False), (None, True, {"NO_COLOR": "1"}, False),
        ("always", False, {}, True), ("always", True, {"NO_COLOR": "1"}, True), ("never", True, {}, False), ("auto", True, {}, True),
    ],
)
def test_errors_are_coloured_where_that_is_asked_for(tmp_path, files, choice, is_terminal, variables, is_coloured):
    words = ["get", *(["--color", choice] if choice else []), "--progress", "none", files.origin + "/missing"]
    shown = on_terminal(tmp_path, *words, **variables) if is_terminal else piped(tmp_path, *words, **variables).stderr
    assert b"error:" in shown, shown
    assert bool(re.search(rb"\x1b\[[0-9;]*m", shown)) == is_coloured, shown


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_messages_break_between_words(tmp_path, files, columns):
    wide = " ".join(on_terminal(tmp_path, "get", "--color", "never", "--progress", "none", files.origin + "/missing", columns=1000).decode().split())
    shown = on_terminal(tmp_path, "get", "--color", "never", "--progress", "none", files.origin + "/missing", columns=columns).decode()
    lines = shown.replace("\r", "").rstrip("\n").split("\n")
    assert " ".join(" ".join(lines).split()) == wide
    assert len(lines) > 1 and all(len(line) <= columns or " " not in line for line in lines), lines


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("words", [["list", "--partial"], ["help", "target"], ["help", "defaults"], ["get", "--help"]])
def test_tables_and_help_break_between_words(tmp_path, files, words, columns):
    (tmp_path / "a.iso.part.orphan-1").write_bytes(b"left")
    shown = on_terminal(tmp_path, *words, columns=columns).decode().replace("\r", "").split("\n")
    wide = [line for line in shown if len(line) > columns]
    assert len(shown) > 1 and all(" " not in line.strip() for line in wide), wide


def test_a_missing_directory_is_an_error_unless_it_may_be_created(tmp_path, files):
    url = files.add("/disk.iso", BODY, etag='"1"')
    for words in (["-d", "isos/new"], ["-o", "isos/new/a.iso"]):
        told = piped(tmp_path, "get", *words, url)
        assert told.returncode not in (0, 1) and b"--create-dirs" in told.stderr, told
        assert not (tmp_path / "isos").exists() and not files.requests_for("/disk.iso")
    assert piped(tmp_path, "get", "--create-dirs", "-d", "isos/new", url).returncode == 0
    assert piped(tmp_path, "get", "--create-dirs", "-o", "more/new/a.iso", url).returncode == 0
    assert (tmp_path / "isos/new/disk.iso").read_bytes() == (tmp_path / "more/new/a.iso").read_bytes() == BODY


def test_defaults_come_from_the_file_that_the_service_reads_too(tmp_path, files):
    url = files.add("/disk.iso", BODY, etag='"1"')
    (tmp_path / ".config/pawl").mkdir(parents=True)
    (tmp_path / "isos").mkdir()
    file = tmp_path / ".config/pawl/config.toml"
    file.write_text('port = 7001\n\n[get]\ndirectory = "~/isos"\nquiet = true\n')
    told = piped(tmp_path, "get", url)
    assert told.returncode == 0 and told.stderr == b"" and (tmp_path / "isos/disk.iso").read_bytes() == BODY, told
    told = piped(tmp_path, "get", "--no-config", url)
    assert told.returncode == 0 and b"disk.iso" in told.stderr and (tmp_path / "disk.iso").exists()
    told = piped(tmp_path, "get", "-o", "-", url)
    assert told.returncode == 0 and told.stdout == BODY
    told = piped(tmp_path, "get", "-o", "b", url, PAWL_USER_AGENT="mine")
    assert told.returncode == 0 and files.requests_for("/disk.iso")[-1].headers["User-Agent"] == "mine"
    file.write_text("[get]\nretries = 'often'\n")
    told = piped(tmp_path, "get", "-o", "c", url)
    assert told.returncode == 64 and b"config.toml, line 2: " in told.stderr and b"--no-config" in told.stderr, told
    assert piped(tmp_path, "get", "--help").returncode == piped(tmp_path, "probe", "--help").returncode == 0


@pytest.mark.parametrize("words, body", [(["-o", "-"], BODY), (["--json"], b"small")])
def test_a_full_disk_behind_stdout_is_an_error(tmp_path, files, words, body):
    url = files.add("/disk.iso", body, etag='"1"')
    with open("/dev/full", "wb") as full:
        told = subprocess.run([COMMAND, "get", *words, url], cwd=tmp_path, env=environment(tmp_path), stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert told.returncode == 7 and told.stderr.count(b"error: stdout cannot be written: No space left on device.") == 1, told


@pytest.mark.parametrize("count", [1, 2])
def test_a_file_that_exists_has_to_match_its_checksum(tmp_path, files, count):
    for number in range(count):
        files.add(f"/{number}.iso", BODY, etag='"1"')
    sums = tmp_path / "sums"
    sums.write_text("".join(f"{hashlib.sha256(BODY).hexdigest()}  {number}.iso\n" for number in range(count)))
    words = ["get", "--if-exists", "skip", "--checksum-file", sums, *[f"{files.origin}/{number}.iso" for number in range(count)]]
    assert piped(tmp_path, *words).returncode == 0
    again = piped(tmp_path, *words)
    assert again.returncode == 0, again
    (tmp_path / "0.iso").write_bytes(BODY[:100])
    told = piped(tmp_path, *words)
    assert told.returncode == 6 and b"0.iso" in told.stderr and (tmp_path / "0.iso").read_bytes() == BODY[:100], told


def test_the_command_that_is_suggested_leaves_a_file_of_which_nobody_knows_whose_it_is(tmp_path, files):
    urls = [files.add(f"/{place}/f.bin", BODY, etag='"1"') for place in "ab"]
    (tmp_path / "f.bin").write_bytes(b"someone's")
    told = piped(tmp_path, "get", *urls)
    assert told.returncode == 9 and (tmp_path / "f.bin").read_bytes() == b"someone's", told
    again = told.stderr.decode().rstrip().splitlines()[-1].split()
    assert again[1:] == ["get", "--if-exists=rename", *urls], told
    assert piped(tmp_path, *again[1:]).returncode == 0
    assert (tmp_path / "f.bin").read_bytes() == b"someone's"
    assert sorted(path.name for path in tmp_path.glob("f*")) == ["f (1).bin", "f (2).bin", "f.bin"]
