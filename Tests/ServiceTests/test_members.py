"""Jobs for members of an archive on a server: only these are fetched, outside of the queue."""

import io
import zipfile

import pytest

from client import wait_until
from fileserver import content

BIG = content(4 << 20)


def zip_of(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, body in members.items():
            archive.writestr(name.replace("__", "/"), body)
    return buffer.getvalue()


@pytest.fixture
def archive(files):
    return files.add("/photos.zip", zip_of(small=b"a few bytes", docs__one=b"1", docs__two=b"2", big=BIG))


def test_one_member_becomes_a_file_and_little_else_is_fetched(client, service, files, archive):
    id = client.add({"url": archive, "members": ["small"]})["id"]
    done = client.wait_for(id, "completed")
    assert (done["file"], done["bytes"], done["missing"]) == ("small", 11, False)
    assert (service.downloads / "small").read_bytes() == b"a few bytes"
    assert files.sent_of("/photos.zip") < 256 << 10
    assert client.get(f"/downloads/{id}/file").body == b"a few bytes"
    assert {"started", "members", "completed"} <= {one["code"] for one in client.show(id)["log"]}
    assert client.show(id)["job"]["members"] == ["small"]


def test_several_members_become_a_directory(client, service, archive):
    id = client.add({"url": archive, "members": ["docs/*"]})["id"]
    done = client.wait_for(id, "completed")
    place = service.downloads / done["file"]
    assert sorted(path.read_bytes() for path in place.rglob("*") if path.is_file()) == [b"1", b"2"]
    assert client.get(f"/downloads/{id}/file", expect=409).code == "isDirectory"
    assert not service.restart().client().show(id)["missing"]


def test_they_go_where_the_roots_allow(client, service, archive):
    outside = client.call("POST", "/downloads", {"url": archive, "members": ["docs/*"], "unpacking": {"directory": "../elsewhere"}})
    assert outside.status == 403
    id = client.add({"url": archive, "members": ["docs/*"], "unpacking": {"directory": "mine"}})["id"]
    client.wait_for(id, "completed")
    assert (service.downloads / "mine/docs/one").read_bytes() == b"1"


def test_a_pattern_that_chooses_nothing_and_a_server_without_ranges_are_errors(client, service, files, archive):
    nothing = client.wait_for(client.add({"url": archive, "members": ["nothing"]})["id"], "failed")
    assert nothing["error"]["code"] == "noSuchMember"
    files.add("/whole.zip", zip_of(small=b"a few bytes"), ranges=False)
    failed = client.wait_for(client.add({"url": files.origin + "/whole.zip", "members": ["small"]})["id"], "failed")
    assert failed["error"]["code"] == "rangesNotSupported"
    whole = client.add({"url": files.origin + "/whole.zip", "members": ["small"], "acceptsWholeArchive": True, "directory": str(service.downloads)})["id"]
    done = client.wait_for(whole, "completed")
    assert [path.read_bytes() for path in service.downloads.rglob("small")] == [b"a few bytes"], done


def test_they_pause_and_resume_also_after_a_kill(client, service, files, archive):
    files.hold("/photos.zip", 2 << 20)
    id = client.add({"url": archive, "members": ["big"]})["id"]
    client.wait_for_bytes(id, 1 << 20)
    assert client.show(id)["state"] == "running"
    client.act(id, "pause")
    client.wait_for(id, "paused")
    client = service.restart().client()
    assert client.show(id)["state"] == "paused"
    files.release_all()
    client.act(id, "resume")
    client.wait_for(id, "completed")
    assert (service.downloads / "big").read_bytes() == BIG

    files.hold("/photos.zip", 1 << 20)
    id = client.add({"url": archive, "members": ["big"], "file": "again"})["id"]
    wait_until(lambda: files.sent_of("/photos.zip") >= 1 << 20)
    client = service.restart().client()
    files.release_all()
    client.wait_for(id, "completed")
    assert (service.downloads / "again").read_bytes() == BIG


def test_two_run_at_once_and_the_others_in_their_turn(client, service, files, archive):
    files.hold("/photos.zip", 0)
    ids = [client.add({"url": archive, "members": ["small"], "file": f"file {index}"})["id"] for index in range(5)]
    wait_until(lambda: client.page()["counts"]["running"] == 2)
    client.act(ids[4], "pause")
    client.delete(f"/downloads/{ids[3]}")
    files.release_all()
    for id in ids[:3]:
        client.wait_for(id, "completed")
    assert client.show(ids[4])["state"] == "paused"
    assert {path.name for path in service.downloads.iterdir()} == {"file 0", "file 1", "file 2"}


def test_the_same_again_is_known_and_the_queue_has_no_place_for_it(client, archive):
    job = {"url": archive, "members": ["small"], "paused": True}
    id = client.add(job)["id"]
    assert client.add(job, expect=200)["id"] == id
    assert client.post("/downloads", [{**job, "members": ["big"]}] * 2).json[1]["status"] == 200
    assert client.call("PATCH", f"/downloads/{id}", {"priority": 1}).json["code"] == "notSupported"
    client.delete(f"/downloads/{id}")
