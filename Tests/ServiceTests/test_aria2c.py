"""`aria2c`, our program by that name: what it leaves behind, how it is stopped, and who may speak to it."""

import ctypes
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time

import pytest

import beside
from aria2rpc import RPC, RPCError, WebSocket
from beside import Place, Served
from client import wait_until
from fileserver import content

BIG = content(3_000_000)


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return beside.our_name(tmp_path_factory.mktemp("name"))


@pytest.fixture
def place():
    place = Place()
    yield place
    place.close()


def start(program, place, *words, **more):
    environment = {"PATH": os.environ["PATH"], "HOME": str(place.path / "home"), "XDG_STATE_HOME": str(place.path / "state"), "TMPDIR": str(place.path), "LANG": "C.UTF-8"}
    return subprocess.Popen([program, "--no-conf", *words], cwd=place.path, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def ended(process, seconds=60):
    out, complaints = process.communicate(timeout=seconds)
    print(out, complaints)
    return process.returncode, out, complaints


def served(program, place, *words):
    return Served(program, place, *words)


# ---- Stopping and resuming


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_saves_and_the_same_words_resume(number, ours, place, files):
    url = files.add("/big", BIG)
    files.hold("/big", 1_000_000)
    process = start(ours, place, "-dd", url, "--save-session=left")
    wait_until(lambda: files.sent_of("/big") >= 1_000_000)
    wait_until(lambda: list(place.downloads.glob("*.part")) and list(place.downloads.glob("*.part"))[0].stat().st_blocks * 512 >= 900_000)
    process.send_signal(number)
    status, out, _ = ended(process)
    assert status == 7
    assert "|INPR|" in out and "not complete" in out
    assert re.fullmatch(rf"{re.escape(url)}\n gid=[0-9a-f]{{16}}\n dir=d\n", (place.path / "left").read_text())
    files.release_all()
    before = files.sent_of("/big")
    # From what was saved, and with the same GID.
    status, out, _ = ended(start(ours, place, "--input-file=left", "--save-session=left"))
    assert status == 0
    assert (place.downloads / "big").read_bytes() == BIG
    assert files.sent_of("/big") - before < len(BIG) - 500_000
    assert (place.path / "left").read_text() == ""


def test_kill_and_resume(ours, place, files):
    url = files.add("/big", BIG)
    files.hold("/big", 2_000_000)
    process = start(ours, place, "-dd", url)
    wait_until(lambda: list(place.downloads.glob("*.part")) and list(place.downloads.glob("*.part"))[0].stat().st_blocks * 512 >= 1_900_000)
    time.sleep(2.5)  # A checkpoint is made every two seconds.
    process.kill()
    process.communicate()
    files.release_all()
    before = files.sent_of("/big")
    assert ended(start(ours, place, "-dd", url))[0] == 0
    assert (place.downloads / "big").read_bytes() == BIG
    assert files.sent_of("/big") - before < len(BIG) - 500_000


def test_in_the_background(ours, place, files):
    url = files.add("/big", BIG)
    status, out, complaints = ended(start(ours, place, "-D", "-dd", url))
    assert (status, out, complaints) == (0, "", "")
    wait_until(lambda: (place.downloads / "big").exists())
    assert (place.downloads / "big").read_bytes() == BIG


def test_it_stops_with_another_process(ours, place, files):
    url = files.add("/big", BIG)
    files.hold("/big", 1000)
    other = subprocess.Popen(["sleep", "60"])
    process = start(ours, place, "-dd", url, f"--stop-with-process={other.pid}")
    wait_until(lambda: files.requests_for("/big"))
    other.kill()
    other.wait()
    assert ended(process)[0] == 7


@pytest.mark.parametrize("allocation", ["none", "prealloc", "falloc", "trunc"])
def test_what_aria2_has_begun_is_taken_over(allocation, ours, place, files):
    big = content(8 << 20)
    url = files.add("/big", big)
    files.hold("/big", 5_000_000)
    theirs = start(beside.ARIA2, place, "-q", "-dd", "-x1", f"--file-allocation={allocation}", url)
    wait_until(lambda: files.sent_of("/big") >= 5_000_000)
    theirs.send_signal(signal.SIGINT)
    time.sleep(0.5)
    files.release_all()
    assert ended(theirs)[0] == 7
    assert (place.downloads / "big.aria2").exists()
    del files.requests[:]
    status, out, complaints = ended(start(ours, place, "-dd", url))
    assert status == 0
    assert (place.downloads / "big").read_bytes() == big
    assert [path.name for path in place.downloads.iterdir()] == ["big"]
    assert files.sent_of("/big") < len(big) - 3_000_000, files.sent_of("/big")


def test_what_aria2_has_begun_and_cannot_be_taken_over_is_left_alone(ours, place, files):
    url = files.add("/big", BIG)
    (place.downloads / "big").write_bytes(BIG[:100_000])
    (place.downloads / "big.aria2").write_bytes(b"torn")
    status, out, _ = ended(start(ours, place, "-dd", url))
    assert status == 15
    assert "big.aria2" in out
    assert (place.downloads / "big").read_bytes() == BIG[:100_000] and (place.downloads / "big.aria2").read_bytes() == b"torn"


# ---- Hooks, logs


def test_hooks_get_the_gid_and_the_file(ours, place, files):
    url, none = files.add("/big", BIG), files.origin + "/none"
    hook = place.path / "hook"
    hook.write_text('#!/bin/sh\nprintf "%s\\n" "$*" >>"$0.$(basename "$0" | cut -c5-)said"\n')
    hook.chmod(0o755)
    words = [f"--on-download-{event}={hook}" for event in ("start", "complete", "error")]
    status, out, _ = ended(start(ours, place, "-dd", "-Z", url, none, *words))
    said = (place.path / "hook.said").read_text().splitlines()
    assert status == 3
    gids = re.findall(r"^([0-9a-f]{6})\|(\w+)", out, re.M)
    ok, bad = next(gid for gid, word in gids if word == "OK"), next(gid for gid, word in gids if word == "ERR")
    assert sorted(line[:6] + line[16:] for line in said) == sorted([f"{ok} 1 d/big", f"{bad} 1 d/none", f"{ok} 1 d/big", f"{bad} 1 {none}"])


def test_a_log_has_the_lines_that_quiet_keeps_from_the_console(ours, place, files):
    url = files.add("/big", BIG)
    assert ended(start(ours, place, "-q", "-dd", "--log=log", url))[:2] == (0, "")
    assert re.search(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[NOTICE\] Download complete: d/big$", (place.path / "log").read_text(), re.M)


def test_a_directory_that_cannot_be_made(ours, place, files):
    (place.path / "file").write_text("")
    status, _, complaints = ended(start(ours, place, "-dfile/x", files.add("/big", BIG)))
    assert status == 18
    assert "file/x" in complaints
    assert not files.requests


# ---- The RPC


def test_without_a_secret_programs_of_this_machine_may_call_and_no_page(ours, place, files):
    service = served(ours, place)
    try:
        rpc = service.rpc
        gid = rpc.addUri([files.add("/big", BIG)])
        assert rpc.wait(gid, "complete")["files"][0]["path"] == str(place.downloads / "big")
        call = json.dumps(rpc.request("aria2.getVersion"))
        for origin in ("http://evil.example", "null", f"http://evil.example:{service.port}", "file://"):
            assert rpc.send(call, headers={"Origin": origin})[0] == 403
            assert WebSocket(service.address, headers=[f"Origin: {origin}"]).status == 403
        assert rpc.send(call, headers={"Origin": f"http://127.0.0.1:{service.port}"})[0] == 200
        # What a picture or a link of any page asks for.
        assert rpc.send(None, "GET", "/jsonrpc?method=aria2.getVersion&id=1")[0] == 403
        assert rpc.send(call, headers={"Host": "evil.example"})[0] == 403
        # The page and its API have a token that nobody knows.
        assert rpc.send(None, "GET", "/api/v1/downloads")[0] == 401
    finally:
        service.close()


def test_with_a_secret_and_any_origin(ours, place):
    service = served(ours, place, "--rpc-secret=a word", "--rpc-allow-origin-all")
    try:
        call = json.dumps(service.rpc.request("aria2.getVersion"))
        status, _, body = service.rpc.send(call)
        assert status == 400 and json.loads(body)["error"]["message"] == "Unauthorized"
        own = RPC(service, token="a word")
        status, fields, _ = own.send(json.dumps(own.request("aria2.getVersion")), headers={"Origin": "http://ariang.example"})
        # The origin itself and never all of them.
        assert status == 200 and {name.lower(): value for name, value in fields.items()}["access-control-allow-origin"] == "http://ariang.example"
        preflight = {"Origin": "http://ariang.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        assert own.send(None, "OPTIONS", headers=preflight)[0] in (200, 204)
        with pytest.raises(RPCError, match="Unauthorized"):
            RPC(service, token="other").getVersion()
        assert own.getVersion()["version"] == "1.37.0"
    finally:
        service.close()


def test_files_go_beneath_the_directory_and_those_of_its_own_list(ours, files):
    place = Place(lists={"list": f"{files.add('/big', BIG)}\n dir={{place}}/elsewhere\n pause=true\n"})
    service = served(ours, place, "--input-file={place}/list")
    try:
        with pytest.raises(RPCError, match=re.escape(str(place.downloads))):
            service.rpc.addUri([files.origin + "/big"], {"dir": "/tmp/outside"})
        with pytest.raises(RPCError):
            service.rpc.changeGlobalOption({"save-session": "/tmp/outside"})
        service.rpc.unpauseAll()
        wait_until(lambda: (place.path / "elsewhere" / "big").exists())
        service.rpc.addUri([files.origin + "/big"], {"dir": str(place.path / "elsewhere" / "more")})
        wait_until(lambda: (place.path / "elsewhere" / "more" / "big").exists())
    finally:
        service.close()
        place.close()


def test_what_is_left_is_saved_and_what_was_kept_for_it_is_gone(ours, place, files):
    url = files.add("/big", BIG)
    files.hold("/big", 1000)
    service = served(ours, place, "--save-session={place}/left", "--rpc-secret=s")
    try:
        rpc = RPC(service, token="s")
        one = rpc.addUri([url, files.origin + "/other"], {"header": ["X-Test: 1", "X-More: 2"], "out": "name", "http-user": "me", "http-passwd": "word"})
        two = rpc.addUri([files.origin + "/none"], {"pause": "true", "dir": str(place.downloads / "sub")})
        three = rpc.addUri([files.origin + "/none"])
        rpc.wait(three, "error")
        rpc.shutdown()
        assert service.process.wait(30) == 3
    finally:
        service.close()
    left = (place.path / "left").read_text()
    assert left.index(three) < left.index(one) < left.index(two)
    assert f"{url}\t{files.origin}/other\n gid={one}\n" in left
    assert " header=X-Test: 1\n header=X-More: 2\n" in left and " out=name\n" in left and " http-passwd=word\n" in left
    assert f" gid={two}\n pause=true\n" in left and f" dir={place.downloads}/sub\n" in left
    assert (place.path / "left").stat().st_mode & 0o077 == 0, "it has passwords"
    assert not list(place.path.glob("pawl-aria2-*"))
    files.release_all()
    again = served(ours, place, "--input-file={place}/left")
    try:
        assert again.rpc.tellStatus(two, ["status"]) == {"status": "paused"}
        assert again.rpc.wait(one, "complete")["files"][0]["path"] == str(place.downloads / "name")
    finally:
        again.close()
    # It was killed: the next one clears up, after a while.
    (dead,) = place.path.glob("pawl-aria2-*")
    os.utime(dead, (0, 0))
    third = served(ours, place)
    try:
        assert not dead.exists()
    finally:
        third.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify(7)")
def test_D35_the_lock_of_what_a_service_keeps_is_closed_before_it_is_removed(ours, place):
    # FUSE and NFS keep a deleted file as long as it is open, and with it the directory.
    closed_writable, deleted = 0x8, 0x200
    service = served(ours, place)
    try:
        (kept,) = place.path.glob("pawl-aria2-*")
        libc = ctypes.CDLL(None, use_errno=True)
        watch = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert watch >= 0 and libc.inotify_add_watch(watch, os.fsencode(kept), closed_writable | deleted) >= 0
        service.rpc.shutdown()
        assert service.process.wait(60) == 0
        data, events = os.read(watch, 1 << 20), []
        os.close(watch)
        while data:
            _, mask, _, length = struct.unpack_from("iIII", data)
            if data[16:16 + length].rstrip(b"\0") == b"running":
                events.append(mask)
            data = data[16 + length:]
        assert events == [closed_writable, deleted], events
        assert not kept.exists()
    finally:
        service.close()


def test_a_port_that_is_taken(ours, place):
    first = served(ours, place)
    try:
        status, _, complaints = ended(start(ours, place, "--enable-rpc", f"--rpc-listen-port={first.port}"))
        assert status == 1
        assert "port" in complaints
    finally:
        first.close()


def test_it_keeps_the_name_that_it_was_called_by(ours, place):
    service = served(ours, place)
    try:
        words = pathlib.Path(f"/proc/{service.process.pid}/cmdline").read_bytes().split(b"\0")
        assert words[0].decode() == ours and b"--no-conf" in words
    finally:
        service.close()


def test_metalinks_of_the_machine_and_of_the_web(ours, files):
    text = """<?xml version="1.0" encoding="UTF-8"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="one"><url>{0}/big</url></file><file name="sub/two"><url>{0}/big</url></file></metalink>"""
    url = files.add("/m.meta4", text.format(files.origin).encode(), kind="application/metalink4+xml")
    files.add("/big", BIG)
    place = Place(lists={"m": text.format(files.origin)})
    try:
        assert ended(start(ours, place, "-dd", "-M", "m"))[0] == 0
        assert ended(start(ours, place, "-de", url))[0] == 0
        for directory in ("d", "e"):
            assert (place.path / directory / "one").read_bytes() == BIG == (place.path / directory / "sub/two").read_bytes()
        service = served(ours, place, "-M", "{place}/m", "--gid=00000000000000aa", "-d{place}/f")
        try:
            assert service.rpc.wait("00000000000000aa", "complete")["files"][0]["path"] == str(place.path / "f" / "one")
        finally:
            service.close()
    finally:
        place.close()


# ---- Places, lists and sessions


def test_relative_places_start_at_the_working_directory(ours, files):
    place = Place(lists={"list": f"{files.add('/big', BIG)}\n{files.add('/two', BIG)}\n dir=sub\n"})
    process = None
    try:
        for _ in range(2):
            service = Served(ours, place, "--input-file=list", "--save-session=list", "-d", "../" + place.path.name + "/rel")
            process = service.process
            wait_until(lambda: (place.path / "rel/big").exists() and (place.path / "sub/two").exists())
            service.rpc.addUri([files.origin + "/none-yet"], {"pause": "true"})
            service.rpc.shutdown()
            assert process.wait(30) in (0, 7)
            left = (place.path / "list").read_text()
            assert left.count("none-yet") == 1 and "/big" not in left
            service.close()
        assert sorted(path.name for path in (place.path / "rel").iterdir()) == ["big"]
    finally:
        place.close()


def test_a_list_from_standard_input_with_the_rpc(ours, place, files):
    url = files.add("/big", BIG)
    port = beside.free_port()
    environment = {"PATH": os.environ["PATH"], "HOME": str(place.path), "TMPDIR": str(place.path)}
    process = subprocess.Popen([ours, "--no-conf", "-q", "--enable-rpc", f"--rpc-listen-port={port}", "-dd", "-i-"], cwd=place.path, env=environment, stdin=subprocess.PIPE, text=True)
    try:
        process.stdin.write(url + "\n")
        process.stdin.close()
        wait_until(lambda: (place.downloads / "big").exists())
    finally:
        process.kill()
        process.wait()
    assert ended(start(ours, place, "-D", "-i-"))[0] == 28


def test_files_of_one_path_have_the_names_that_their_server_gives(ours, files):
    files.add("/get.php", BIG, headers=[("Content-Disposition", 'attachment; filename="film.bin"')])
    place = Place(lists={"list": f"{files.origin}/get.php?id=1\n gid=00000000000000a1\n{files.origin}/get.php?id=2\n gid=00000000000000a2\n{files.origin}/get.php?id=2\n gid=00000000000000a3\n"})
    service = Served(ours, place, "--input-file=list")
    try:
        names = {pathlib.Path(service.rpc.wait(f"00000000000000a{number}", "complete")["files"][0]["path"]).name for number in (1, 2, 3)}
        assert names == {"film.bin", "film (1).bin", "get (1).php"}
    finally:
        service.close()
        place.close()


def test_one_that_cannot_be_added_keeps_no_other(ours, files):
    place = Place(lists={"list": f"{files.add('/big', BIG)}\n out=one\n{files.origin}/big\n out=one\n{files.origin}/none.meta4\n{files.origin}/big\n out=two\n"})
    service = Served(ours, place, "--input-file=list")
    try:
        wait_until(lambda: (place.downloads / "one").exists() and (place.downloads / "two").exists())
        wait_until(lambda: pathlib.Path(service.log.name).read_text().count("[ERROR]") >= 2)
    finally:
        service.close()
        place.close()


def test_a_metalink_is_saved_until_all_of_its_files_are_there(ours, files):
    text = """<?xml version="1.0" encoding="UTF-8"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="one"><url>{0}/big</url></file><file name="two"><url>{0}/none</url></file></metalink>"""
    files.add("/big", BIG)
    place = Place(lists={"m.meta4": text.format(files.origin)})
    try:
        assert ended(start(ours, place, "-dd", "-M", "m.meta4", "--save-session=left"))[0] == 3
        assert (place.downloads / "one").exists()
        assert (place.path / "left").read_text().startswith("m.meta4\n")
    finally:
        place.close()


def test_a_session_is_saved_before_hooks_are_waited_for(ours, place, files):
    url = files.add("/big", BIG)
    files.hold("/big", 1000)
    hook = place.path / "hook"
    hook.write_text("#!/bin/sh\nsleep 20\n")
    hook.chmod(0o755)
    process = start(ours, place, "-dd", url, "--save-session=left", f"--on-download-stop={hook}")
    wait_until(lambda: files.requests_for("/big"))
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(15) == 7
    assert time.monotonic() - began < 10
    assert url in (place.path / "left").read_text()


@pytest.mark.parametrize("mode", ["command", "service"])
def test_an_entry_that_has_no_place_is_told_and_left_for_another_time(mode, ours, files):
    url = files.add("/big", BIG)
    place = Place(lists={"list": f"{url}\n dir=/proc/none\n{url}\n out={'x' * 300}\nmagnet:?xt=x\n{url}\n out=name\n"})
    try:
        if mode == "command":
            status, out, _ = ended(start(ours, place, "-dd", "-ilist", "--save-session=left"))
            assert status == 28 and "/proc/none" in out and "255" in out and out.count("|ERR |") == 3
        else:
            service = Served(ours, place, "-ilist", "--save-session=left")
            wait_until(lambda: (place.downloads / "name").exists())
            service.rpc.shutdown()
            assert service.process.wait(30) == 28
            service.close()
        assert (place.downloads / "name").read_bytes() == BIG
        left = (place.path / "left").read_text()
        assert left.count(url) == 2 and " dir=/proc/none\n" in left and "x" * 300 in left and "magnet:?xt=x\n" in left and "out=name" not in left
    finally:
        place.close()


def test_a_session_is_saved_while_it_runs(ours, place, files):
    url = files.add("/big", BIG)
    files.hold("/big", 1000)
    process = start(ours, place, "-dd", url, "--save-session=left", "--save-session-interval=1")
    wait_until(lambda: (place.path / "left").exists())
    process.kill()
    process.communicate()
    assert (place.path / "left").read_text().startswith(url)


def test_why_it_waits_is_told(ours, place, files):
    process = start(ours, place, "-dd", files.add("/broken", status=503))
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    status, out, _ = ended(process)
    assert status == 7 and "503" in out and "[WARN]" in out


def test_a_proxy_of_one_download_is_refused(ours, place, files):
    url = files.add("/big", BIG)
    service = served(ours, place)
    try:
        for options in ({"all-proxy": "http://127.0.0.1:9"}, {"no-netrc": "true"}):
            with pytest.raises(RPCError, match="applies to all"):
                service.rpc.addUri([url], options)
        service.rpc.addUri([url], {"all-proxy": "", "no-netrc": "false"})
    finally:
        service.close()
