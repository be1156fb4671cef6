"""What the service does when the disk of its database is full, or its database cannot be used."""

import os
import shutil
import sqlite3
import subprocess
import time

import pytest

from client import wait_until
from fileserver import content

needs_root = pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("mount"), reason="mounting takes root")


@pytest.fixture
def small(start):
    """A service whose database has a disk of 8 MiB; how to fill and to free it."""
    service = start(starts=False)
    place = service.state / "pawl"
    place.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m,mode=0700", "tmpfs", place], check=True)
    try:
        service.start()
        yield service, place / "filling"
    finally:
        service.process.kill()
        service.process.wait()
        subprocess.run(["umount", "-l", place], check=True)
        service.process = None


def fill(path):
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


@needs_root
def test_a_full_disk_is_told_and_loses_nothing(small, files):
    service, filling = small
    client = service.client()
    files.add("/runs", content(1 << 20))
    runs = client.add({"url": files.hold("/runs", 1 << 18)})["id"]
    waits = client.add({"url": files.add("/waits", content(1000)), "paused": True})["id"]
    client.wait_for_bytes(runs, 1)
    before = client.show(waits)
    fill(filling)

    def refused(method, path, body=None, **more):
        answer = client.call(method, path, body, **more)
        return answer if answer.status >= 500 else None

    jobs = [{"url": f"{files.origin}/more/{index}?{'x' * 4000}", "paused": True} for index in range(200)]
    answer = wait_until(lambda: refused("POST", "/downloads", jobs))
    assert (answer.status, answer.json["code"]) == (507, "storeFull") and "Free some space" in answer.json["hint"]
    total = client.page()["total"]

    # A small change may still fit into the log of the database, as the one that the service tries each second, and then the database can be
    # written again; in the end none does.
    def is_told():
        if not refused("PATCH", f"/downloads/{waits}", {"tag": "x" * 64, "headers": [["X-Fill", "y" * 8000]]}):
            return False
        time.sleep(2.5)
        health, problem = client.call("GET", "/healthz").status, client.get("/stats").json["problem"]
        return health == 503 and problem and problem["code"] == "storeFull"

    wait_until(is_told)
    assert "cannot be written" in service.log
    listed = service.pawl("ls")
    assert "cannot save changes" in listed.stderr and "Free some space" in listed.stderr, listed
    # What runs goes on: its bytes have a disk of their own.
    files.release_all()
    wait_until(lambda: (service.downloads / "runs").exists(), 60, "the file")
    assert (service.downloads / "runs").read_bytes() == content(1 << 20)

    filling.unlink()
    wait_until(lambda: client.call("GET", "/healthz").status == 200, 60, "the service to be well again")
    assert client.get("/stats").json["problem"] is None and "can be written again" in service.log
    client.wait_for(runs, "completed")
    assert client.page()["total"] == total, "what was refused is not there"
    assert client.show(waits)["state"] == before["state"] == "paused"
    client.act(waits, "resume")
    client.wait_for(waits, "completed")
    service.restart()
    after = service.client()
    assert {after.show(id)["state"] for id in (runs, waits)} == {"completed"}


@needs_root
def test_a_change_that_is_refused_leaves_the_download_as_it_was(small, files):
    service, filling = small
    client = service.client()
    files.add("/runs", content(1 << 20))
    id = client.add({"url": files.hold("/runs", 1 << 18)})["id"]
    client.wait_for_bytes(id, 1)
    fill(filling)
    change = {"connections": 2, "headers": [["X-Fill", "y" * 16000]]}
    wait_until(lambda: client.call("PATCH", f"/downloads/{id}", change).status >= 500)
    filling.unlink()
    wait_until(lambda: client.call("GET", "/healthz").status == 200, 60, "the service to be well again")
    assert client.show(id)["state"] in ("running", "waiting")
    files.release_all()
    assert client.wait_for(id, "completed")["error"] is None
    client.delete(f"/downloads/{id}", query={"files": "delete"})
    assert not os.listdir(service.downloads)


def test_a_database_that_another_program_writes_to_is_waited_for(client, service, files):
    database = sqlite3.connect(service.database_path, isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    id = None
    try:
        answer = client.call("POST", "/downloads", {"url": files.add("/a", b"content")})
    finally:
        database.execute("ROLLBACK")
        database.close()
    assert answer.status == 503 and answer.json["code"] == "storeFailed", answer
    id = wait_until(lambda: (again := client.call("POST", "/downloads", {"url": files.origin + "/a"})).status in (200, 201) and again.json["id"])
    client.wait_for(id, "completed")
    assert client.page()["total"] == 1
