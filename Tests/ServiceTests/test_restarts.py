"""What a restart leaves as it was: everything goes on by itself, whatever a download needs for that."""

import base64
import contextlib
import os
import shutil
import sqlite3
import subprocess

import pytest

from aria2rpc import RPC
from client import wait_until
from fileserver import content

SIZE, SENT = 1 << 20, 1 << 18
LOGIN = ["Basic " + base64.b64encode(b"user:s3cret").decode()]
FIELDS = ["User-Agent: Browser/1.0", "Accept-Language: de", "Cookie: session=c00kie", "Referer: https://page.example/?token=t0ken"]


def fields(request):
    return {name.lower(): value for name, value in request.headers.items()}


def by_api(client, files):
    """Ten kinds; by name, what the request after the restart must have."""
    kinds = {
        "plain": ({}, {}),
        "signed": ({"url": f"{files.origin}/signed?X-Amz-Signature=s1gnature"}, {}),
        "login": ({"authentication": {"name": "user", "password": {"value": "s3cret"}}}, {"authorization": LOGIN[0]}),
        "bearer": ({"authentication": {"bearer": {"value": "t0ken"}}}, {"authorization": "Bearer t0ken"}),
        "header": ({"headers": [["X-Key", "letmein"]]}, {"x-key": "letmein"}),
        "cookie": ({"headers": [["Cookie", "a=c00kie"]]}, {"cookie": "a=c00kie"}),
        "language": ({"headers": [["Accept-Language", "de"]]}, {"accept-language": "de"}),
        "agent": ({"userAgent": "Browser/1.0"}, {"user-agent": "Browser/1.0"}),
    }
    for name, (job, _) in kinds.items():
        files.add(f"/{name}", content(SIZE, len(name)), credentials=LOGIN if name == "login" else None)
        files.hold(f"/{name}", SENT)
        client.add({"url": f"{files.origin}/{name}", "file": name, **job})
    return {name: expected for name, (_, expected) in kinds.items()}


def by_rpc(service, files):
    kinds = {f"rpc-{index}": {"header": [field]} for index, field in enumerate(FIELDS)}
    kinds["rpc-all"] = {"header": FIELDS}
    kinds["rpc-options"] = {"user-agent": "Browser/1.0", "referer": "https://page.example/", "http-user": "user", "http-passwd": "s3cret"}
    for name, options in kinds.items():
        files.add(f"/{name}", content(SIZE, len(name)), credentials=LOGIN if name == "rpc-options" else None)
        RPC(service).addUri([files.hold(f"/{name}", SENT)], {"out": name, **options})
    expected = {name: dict(field.lower().split(": ", 1) for field in options.get("header", ())) for name, options in kinds.items()}
    expected["rpc-options"] = {"user-agent": "browser/1.0", "authorization": LOGIN[0].lower()}
    return expected


@pytest.mark.parametrize("options", [[], ["--keep-secrets"]])
def test_P06_half_done_downloads_of_every_kind_go_on_by_themselves_after_a_kill(start, files, options):
    service = start(*options)
    client = service.client()
    client.patch("/settings", {"maximumRunning": 20, "maximumConnectionsPerHost": 16, "connections": 1})
    expected = {**by_api(client, files), **by_rpc(service, files)}
    ids = {one["file"]: one["id"] for one in client.everything()[0]}
    assert ids.keys() == expected.keys()
    for id in ids.values():
        assert client.wait_for_bytes(id, 1)["notStored"] == []
    service.kill()
    before = {name: len(files.requests_for(f"/{name}")) for name in ids}
    service.start()
    client = service.client()
    files.release_all()
    for name, id in ids.items():
        client.wait_for(id, "completed")
        assert (service.downloads / name).read_bytes() == content(SIZE, len(name)), name
        later = files.requests_for(f"/{name}")[before[name]:]
        assert later, f"{name} was not asked for again"
        sent = {field: value.lower() for field, value in fields(later[-1]).items()}
        for field, value in expected[name].items():
            if field != "referer":
                assert sent.get(field) == value.lower(), (name, field, sent)
    assert all("X-Amz-Signature=s1gnature" in one.path for one in files.requests_for("/signed"))


def test_P06_fields_that_prove_nothing_survive_where_secrets_are_forgotten(start, files):
    service = start("--forget-secrets")
    client = service.client()
    files.add("/a", content(SIZE))
    id = client.add({"url": files.hold("/a", SENT), "headers": [["User-Agent", "Browser/1.0"], ["Accept-Language", "de"]]})["id"]
    assert client.wait_for_bytes(id, 1)["notStored"] == []
    client = service.restart().client()
    files.release_all()
    client.wait_for(id, "completed")
    assert fields(files.requests_for("/a")[-1])["accept-language"] == "de"


def test_P06_what_was_forgotten_is_paused_for_aria2_clients_and_unpause_says_what_it_needs(start, files):
    service = start("--forget-secrets")
    rpc = RPC(service)
    files.add("/a", content(SIZE))
    gid = rpc.addUri([files.hold("/a", SENT)], {"header": ["Cookie: session=c00kie"]})
    wait_until(lambda: int(rpc.tellStatus(gid)["completedLength"]) > 0)
    assert rpc.tellStatus(gid)["notStored"] == ["headers"]
    service.restart()
    rpc = RPC(service)
    assert rpc.wait(gid, "paused")["status"] == "paused"
    with pytest.raises(Exception, match="not kept across a restart"):
        rpc.unpause(gid)


# What is forgotten


def holding(service, secret):
    """The files of the service's state that have this in them."""
    return [path.name for path in service.database_path.parent.iterdir() if path.is_file() and secret in path.read_bytes()]


def test_P07_secrets_are_overwritten_once_a_download_is_completed(service, client, files):
    secret = b"c00kie-that-nobody-may-see"
    files.add("/a", content(SIZE))
    id = client.add({"url": files.hold("/a", SENT), "headers": [["Cookie", secret.decode()]]})["id"]
    client.wait_for_bytes(id, 1)
    wait_until(lambda: holding(service, secret), 60, "the secret to be stored")
    files.release_all()
    client.wait_for(id, "completed")
    wait_until(lambda: not holding(service, secret), 60, lambda: f"the secret to be gone: {holding(service, secret)}")


def test_P07_turning_secrets_off_removes_them_at_the_start(service, client, files):
    secret = b"c00kie-that-nobody-may-see"
    job = {"headers": [["Cookie", secret.decode()]], "paused": True}
    id = client.add({**job, "url": files.add("/a", content(SIZE))})["id"]
    service.kill()
    assert holding(service, secret)
    service.options += ["--forget-secrets"]
    client = service.start().client()
    wait_until(lambda: not holding(service, secret), 60, lambda: f"the secret to be gone: {holding(service, secret)}")
    assert client.show(id)["notStored"] == ["headers"], "this process still knows it"
    client = service.restart().client()
    refused = client.call("POST", f"/downloads/{id}/resume")
    assert (refused.status, refused.code) == (409, "lacksCredentials"), refused


# Roots


def test_P11_what_was_accepted_under_former_roots_is_not_stored_there(service, client, files):
    former, other = service.downloads, service.home / "other"
    other.mkdir()
    files.add("/runs", content(SIZE))
    runs = client.add({"url": files.hold("/runs", SENT)})["id"]
    waits = client.add({"url": files.add("/waits", content(1000)), "paused": True})["id"]
    client.wait_for_bytes(runs, 1)
    service.terminate()
    service.downloads = other
    before = len(files.requests)
    client = service.start().client()
    failed = client.wait_for(runs, "failed")
    assert str(former) in failed["error"]["message"] and "root" in failed["error"]["message"], failed
    for id, action in ((waits, "resume"), (runs, "retry")):
        refused = client.call("POST", f"/downloads/{id}/{action}")
        assert (refused.status, refused.code) == (403, "outsideRoots"), refused
    files.release_all()
    assert len(files.requests) == before, "nothing was asked for"
    service.terminate()
    service.options += ["--root", str(former)]
    client = service.start().client()
    client.act(runs, "retry")
    client.act(waits, "resume")
    for id in (runs, waits):
        client.wait_for(id, "completed")
    assert (former / "runs").read_bytes() == content(SIZE)


# The database


def test_P12_a_row_that_cannot_be_read_is_named_and_the_rest_goes_on(service, client, files):
    names = ["spec", "state", "record", "well"]
    for name in names:
        files.add(f"/{name}", content(SIZE, len(name)))
    ids = {name: client.add({"url": files.hold(f"/{name}", SENT)})["id"] for name in names}
    for id in ids.values():
        client.wait_for_bytes(id, 1)
    service.kill()
    database = sqlite3.connect(service.database_path, isolation_level=None)
    rows = {name: database.execute("SELECT number, download FROM jobs WHERE id = ?", (id,)).fetchone() for name, id in ids.items()}
    database.execute("UPDATE jobs SET spec = '{\"version\":1' WHERE id = ?", (ids["spec"],))
    database.execute("UPDATE jobs SET state = 'dreaming' WHERE id = ?", (ids["state"],))
    database.execute("UPDATE downloads SET record = x'00ff' WHERE id = ?", (rows["record"][1],))
    database.close()
    client = service.start().client()
    for name in ("record", "well"):
        files.release(f"/{name}")
    for name in ("record", "well"):
        client.wait_for(ids[name], "completed")
        assert (service.downloads / name).read_bytes() == content(SIZE, len(name))
    for name in ("spec", "state"):
        shown = client.wait_for(ids[name], "failed")
        assert f"Row {rows[name][0]} " in shown["error"]["message"] and str(service.database_path) in shown["error"]["message"]
        assert client.call("POST", f"/downloads/{ids[name]}/retry").status == 503
        assert not (service.downloads / name).exists()
    for table, number in (("jobs", rows["spec"][0]), ("jobs", rows["state"][0]), ("downloads", rows["record"][1])):
        assert [line for line in service.warnings() if f"row={number}" in line and f"table={table}" in line and "jobs.sqlite" in line], (table, number, service.log)
    client.delete(f"/downloads/{ids['spec']}")
    client = service.restart().client()
    assert sorted(client.ids()) == sorted(ids[name] for name in ("state", "record", "well"))


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("mkfs.ext4"), reason="mounting takes root, and a file system ext4")
def test_P13_a_full_disk_of_small_blocks_is_told_at_the_start(start, files):
    service = start(starts=False)
    place, image = service.state / "pawl", service.home / "image"
    place.mkdir(mode=0o700)
    with open(image, "wb") as file:
        file.truncate(12 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-b", "1024", image], check=True)
    if subprocess.run(["mount", "-o", "loop", image, place]).returncode:
        pytest.skip("no loop device")
    try:
        id = service.start().local().add({"url": files.add("/a", b"content"), "paused": True})["id"]
        service.kill()
        filling = place / "filling"
        with open(filling, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1024))
        service.start(is_ready=False)
        assert service.process.wait(60) == 1, service.log[-2000:]
        assert "jobs.sqlite" in service.log.splitlines()[-1] and "space" in service.log.splitlines()[-1], service.log[-2000:]
        filling.unlink()
        assert service.start().local().show(id)["state"] == "paused"
    finally:
        if service.process.poll() is None:
            service.kill()
        service.process = None
        subprocess.run(["umount", "-l", place], check=True)


# The start


def test_P15_a_path_of_the_socket_that_is_too_long_is_named_with_the_limit(start):
    service = start(starts=False)
    path = service.runtime / ("x" * 120) / "pawl.sock"
    told = subprocess.run([*service.command(), "--socket", str(path), "--check"], env=service.variables(), capture_output=True, text=True, timeout=60)
    assert told.returncode == 78 and str(path) in told.stderr and "107" in told.stderr and "socket" in told.stderr, told


@pytest.mark.parametrize("length", [103, 104, 107])
def test_P15_a_path_of_the_socket_may_be_as_long_as_the_system_allows(start, length):
    service = start(starts=False)
    path = service.runtime / ("x" * (length - len(str(service.runtime)) - 1))
    process = subprocess.Popen([*service.command(), "--socket", str(path)], env=service.variables(), stderr=subprocess.PIPE, text=True)
    try:
        assert any("listening" in line and str(path) in line for line in process.stderr)
        assert path.is_socket()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_P15_the_program_tells_its_version(start):
    service = start(starts=False)
    told = subprocess.run([service.program, "--version"], capture_output=True, text=True, timeout=60)
    assert told.returncode == 0 and told.stdout.startswith("pawld "), told
