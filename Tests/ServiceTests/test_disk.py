"""What the service does when the disk of its database is full, or its database cannot be used."""

import contextlib
import os
import shutil
import sqlite3
import subprocess

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


def fill(path, *, leaving=0):
    """Takes all of the disk but `leaving` bytes. The service never finds it fuller than that, not even for a moment."""
    room = os.statvfs(path.parent)
    with open(path, "wb", buffering=0) as file:
        if leaving:
            return os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - leaving)
        with contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))


@needs_root
def test_a_full_disk_is_told_and_loses_nothing(small, files):
    service, filling = small
    client = service.client()
    files.add("/runs", content(1 << 20))
    runs = client.add({"url": files.hold("/runs", 1 << 18)})["id"]
    waits = client.add({"url": files.add("/waits", content(1000)), "paused": True})["id"]
    client.wait_for_bytes(runs, 1)
    before, total = client.show(waits), client.page()["total"]

    # Changing a tag takes about 10 pages, and each of these jobs about 100. Some 60 are left: enough for a few tags, and for no job.
    fill(filling, leaving=256 << 10)
    jobs = [
        {"url": f"{files.origin}/more/{job}", "mirrors": [f"{files.origin}/{job}/{mirror}/{'x' * 8000}" for mirror in range(50)], "paused": True}
        for job in range(2)
    ]

    def check_refusal():
        answer = client.call("POST", "/downloads", jobs)
        assert (answer.status, answer.code) == (507, "storeFull") and "Free some space" in answer.json["hint"], answer
        check_told()

    def check_told():
        assert client.call("GET", "/healthz").status == 503
        assert client.get("/stats").json["problem"]["code"] == "storeFull"

    check_refusal()
    # Smaller changes are saved, and the service does not call itself well for that. Once they have filled the log, nothing is saved.
    saved = 0
    while (answer := client.call("PATCH", f"/downloads/{waits}", {"tag": f"change {saved}"})).status == 200:
        check_told()
        if saved < 2:
            check_refusal()
        saved += 1
        assert saved < 100, "the log of the database grows on a full disk"
    assert saved > 0 and (answer.status, answer.code) == (507, "storeFull"), (saved, answer)
    check_refusal()
    listed = service.pawl("ls")
    assert "cannot save changes" in listed.stderr and "Free some space" in listed.stderr, listed
    # What runs goes on: its bytes have a disk of their own.
    files.release_all()
    wait_until(lambda: (service.downloads / "runs").exists(), 60, "the file")
    assert (service.downloads / "runs").read_bytes() == content(1 << 20)
    check_refusal()

    filling.unlink()
    wait_until(lambda: client.call("GET", "/healthz").status == 200, 60, "the service to be well again")
    assert client.get("/stats").json["problem"] is None
    client.wait_for(runs, "completed")
    assert client.page()["total"] == total, "what was refused is not there"
    assert client.show(waits)["state"] == before["state"] == "paused"
    # The log has every change of the state: one failure, one recovery, and nothing between them.
    wait_until(lambda: "can be written again" in service.log, 60, "the recovery in the log")
    assert [service.log.count(words) for words in ("cannot be written", "can be written again")] == [1, 1]
    # What was refused fits now.
    client.add(jobs[0])
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
    client.patch(f"/downloads/{id}", {"connections": 2, "headers": [["X-Fill", "y" * 16000]]}, expect=507)
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
