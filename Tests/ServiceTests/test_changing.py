"""PATCH and DELETE of a download, and the actions on one and on many."""

import base64
import hashlib
import io
import json
import pathlib
import threading
import uuid
import zipfile

import pytest

from client import API, wait_until
from fileserver import content

URL = "http://127.0.0.1:9/{}"
# Of the file that is held, and how much of it is sent before.
SIZE, SENT = 16 << 20, 12 << 20
NOBODY = str(uuid.UUID(int=0))


def paused(name, **more):
    return {"url": URL.format(name), "paused": True, **more}


@pytest.fixture
def finished(client, files):
    """A finished download with its content."""
    body = content(10_000)
    id = client.add({"url": files.add("/finished.bin", body)})["id"]
    return client.wait_for(id, "completed")


@pytest.fixture
def held(client, files):
    """A running download that has stored some bytes and gets no more."""
    files.add("/held.bin", content(SIZE))
    id = client.add({"url": files.hold("/held.bin", SENT)})["id"]
    yield client.wait_for_bytes(id, SENT // 2)
    files.release_all()


# PATCH


@pytest.mark.parametrize("member, value", [("priority", 5), ("priority", -1000), ("tag", "new"), ("tag", None), ("maxSpeed", 1000), ("maxSpeed", None), ("file", "other.bin")])
def test_a_member_changes_alone_and_is_told(client, member, value):
    before = client.add(paused("a", tag="old", file="a.bin"))
    answer = client.patch(f"/downloads/{before['id']}", {member: value})
    after = answer.json
    assert after[member] == value
    assert answer.headers["ETag"] == f'"{after["change"]}"'
    # The former name of maxSpeed is told, too.
    assert {name for name in before if before[name] != after[name]} <= {member, "change", "whyWaiting"} | ({"speedLimit"} if member == "maxSpeed" else set())
    detail = client.show(before["id"])
    assert {name: detail[name] for name in after} == after


def test_the_former_name_of_max_speed_is_read(client):
    id = client.add(paused("a"))["id"]
    assert client.patch(f"/downloads/{id}", {"speedLimit": 1000}).json["maxSpeed"] == 1000
    assert client.patch(f"/downloads/{id}", {"speedLimit": None}).json["maxSpeed"] is None
    client.patch(f"/downloads/{id}", {"speedLimit": 1000, "maxSpeed": 2000}, expect=422)
    for limit in (1000, None):
        assert client.patch(f"/downloads/{id}", {"speedLimit": limit, "maxSpeed": limit}).json["maxSpeed"] == limit


def test_changes_survive_kill_9(service):
    id = service.client().add(paused("a"))["id"]
    service.client().patch(f"/downloads/{id}", {"priority": 3, "tag": "kept", "maxSpeed": 4096, "file": "b.bin"})
    service.restart()
    after = service.client().show(id)
    assert (after["priority"], after["tag"], after["maxSpeed"], after["file"], after["state"]) == (3, "kept", 4096, "b.bin", "paused")


def test_connections_change(client):
    id = client.add(paused("a", options={"connections": 2}))["id"]
    client.patch(f"/downloads/{id}", {"connections": 5})
    assert client.show(id)["job"]["options"]["connections"] == 5


@pytest.mark.parametrize("position, order", [
    ("top", "dabc"), ("bottom", "abcd"), (1, "adbc"), ({"before": "b"}, "adbc"), ({"after": "a"}, "adbc"), ({"by": -2}, "adbc"), ({"by": -100}, "dabc"), (100, "abcd"),
])
def test_a_download_moves(client, position, order):
    ids = {name: client.add(paused(name))["id"] for name in "abcd"}
    if isinstance(position, dict) and "by" not in position:
        position = {side: ids[other] for side, other in position.items()}
    client.patch(f"/downloads/{ids['d']}", {"position": position})
    assert client.ids() == [ids[name] for name in order]


def test_a_download_adopts_the_priority_of_the_one_it_moves_to(client):
    a = client.add(paused("a", priority=9))["id"]
    b = client.add(paused("b"))["id"]
    assert client.patch(f"/downloads/{b}", {"position": {"before": a}}).json["priority"] == 9
    assert client.ids() == [b, a]


def test_a_fresh_url_is_used_and_stored_bytes_are_kept(client, files):
    body = content(SIZE)
    files.add("/old", body, etag='"same"')
    files.add("/fresh", body, etag='"same"')
    id = client.add({"url": files.hold("/old", SENT), "file": "a.bin"})["id"]
    client.wait_for_bytes(id, SENT // 2)
    client.act(id, "pause")
    client.wait_for(id, "paused")
    assert client.patch(f"/downloads/{id}", {"url": files.origin + "/fresh"}).json["url"] == files.origin + "/fresh"
    assert client.show(id)["bytes"] >= SENT // 2, "what is stored is told until the new run knows better"
    client.act(id, "resume")
    done = client.wait_for(id, "completed")
    assert client.get(f"/downloads/{id}/file").body == body
    assert done["bytes"] == len(body)
    assert files.sent_of("/fresh") < len(body)
    files.release_all()


def test_further_mirrors_are_listed_as_sources(client):
    id = client.add(paused("a", mirrors=["http://localhost:9/first"]))["id"]
    client.patch(f"/downloads/{id}", {"mirrors": ["http://localhost:9/second", {"url": "http://localhost:9/third", "priority": 2}]})
    sources = {one["url"] for one in client.show(id)["sources"]}
    assert {URL.format("a"), "http://localhost:9/first", "http://localhost:9/second", "http://localhost:9/third"} <= sources


def test_credentials_and_header_fields_are_sent_after_a_patch(client, files):
    right = "Basic " + base64.b64encode(b"ada:s3cret-of-a-test").decode()
    url = files.add("/private", b"private", credentials=[right])
    id = client.add({"url": url})["id"]
    assert client.wait_for(id, "failed")["error"]["code"] == "unauthorized"
    client.patch(f"/downloads/{id}", {"authentication": {"name": "ada", "password": {"value": "s3cret-of-a-test"}}, "headers": [["X-Field", "of the test"]]})
    client.act(id, "retry")
    client.wait_for(id, "completed")
    assert files.requests_for("/private")[-1].headers["X-Field"] == "of the test"
    assert "s3cret" not in client.get(f"/downloads/{id}").body.decode()


BAD_PATCHES = {
    "nothing": ({}, None), "unknown member": ({"bogus": 1}, ["bogus"]), "unknown null": ({"bogus": None}, ["bogus"]), "priority too low": ({"priority": -1001}, ["priority"]), "priority null": ({"priority": None}, ["priority"]),
    "max speed 0": ({"maxSpeed": 0}, ["maxSpeed"]), "no connections": ({"connections": 0}, ["connections"]), "url of another scheme": ({"url": "file:///etc/passwd"}, ["url"]),
    "mirror of another scheme": ({"mirrors": ["javascript:1"]}, None), "file with a directory": ({"file": "a/b"}, ["file"]), "file is two dots": ({"file": ".."}, ["file"]),
    "adopt null": ({"adopt": None}, ["adopt"]), "adopt a word": ({"adopt": "yes"}, None), "ifExists unknown": ({"ifExists": "merge"}, None),
    "file with a null": ({"file": "a\0b"}, ["file"]), "tag empty": ({"tag": ""}, ["tag"]), "position nowhere": ({"position": "middle"}, ["position"]), "state": ({"state": "completed"}, ["state"]),
    "list": ([], None), "file too long": ({"file": "x" * 256}, ["file"]),
}


@pytest.mark.parametrize("name", BAD_PATCHES)
def test_a_patch_that_cannot_be_used_changes_nothing(client, name):
    before = client.add(paused("a"))
    patch, fields = BAD_PATCHES[name]
    if isinstance(patch, dict) and name != "nothing":
        patch = {"tag": "half", **patch}
    problem = client.patch(f"/downloads/{before['id']}", patch, expect=422).json
    assert fields is None or problem["fields"] == fields
    detail = client.show(before["id"])
    assert {one: detail[one] for one in before} == before


@pytest.mark.parametrize("patch, status, code", [
    ({"authentication": {"bearer": {"file": "/etc/passwd"}}}, 403, "pathNotAllowed"), ({"authentication": {"name": "a", "password": {"environment": "HOME"}}}, 403, "pathNotAllowed"),
])
def test_a_patch_reads_no_file_for_a_client(client, patch, status, code):
    id = client.add(paused("a"))["id"]
    assert client.patch(f"/downloads/{id}", patch, expect=status).json["code"] == code


def test_if_match_guards_patch_and_delete(client):
    before = client.add(paused("a"))
    path, etag = f"/downloads/{before['id']}", f'"{before["change"]}"'
    changed = client.patch(path, {"tag": "first"}, headers={"If-Match": etag}).json
    problem = client.patch(path, {"tag": "second"}, headers={"If-Match": etag}, expect=412).json
    assert problem["code"] == "changed"
    assert client.delete(path, headers={"If-Match": etag}, expect=412).json["code"] == "changed"
    assert client.show(before["id"])["tag"] == "first"
    client.patch(path, {"tag": "any"}, headers={"If-Match": "*"})
    client.patch(path, {"tag": "bad"}, headers={"If-Match": "4182"}, expect=400)
    current = client.get(path).headers["ETag"]
    assert current != f'"{changed["change"]}"'
    client.delete(path, headers={"If-Match": current})


def test_the_name_of_a_finished_file_is_fixed(client, finished):
    assert client.patch(f"/downloads/{finished['id']}", {"file": "other.bin"}, expect=409).json["code"] == "nameFixed"
    assert client.show(finished["id"])["file"] == finished["file"]


def test_a_finished_download_has_no_place_in_the_queue(client, finished):
    assert client.patch(f"/downloads/{finished['id']}", {"position": "top"}, expect=409).json["code"] == "alreadyCompleted"


def test_a_new_name_must_be_free(client):
    first = client.add(paused("a", file="a.bin", options={"ifExists": "fail"}))["id"]
    second = client.add(paused("b", file="b.bin", options={"ifExists": "fail"}))["id"]
    problem = client.patch(f"/downloads/{second}", {"file": "a.bin"}, expect=409).json
    assert (problem["code"], problem["id"]) == ("targetInUse", first)


def test_a_download_that_has_not_begun_gets_another_name(client, files, service):
    id = client.add({"url": files.add("/a", b"content"), "file": "a.bin", "paused": True})["id"]
    assert client.patch(f"/downloads/{id}", {"file": "renamed.bin"}).json["file"] == "renamed.bin"
    client.act(id, "resume")
    assert client.wait_for(id, "completed")["file"] == "renamed.bin"
    assert (service.downloads / "renamed.bin").read_bytes() == b"content"
    assert not (service.downloads / "a.bin").exists()


def test_the_name_of_one_that_has_begun_stays(client, held):
    assert client.patch(f"/downloads/{held['id']}", {"file": "renamed.bin"}, expect=409).json["code"] == "nameFixed"
    assert client.show(held["id"])["file"] == held["file"]


# DELETE


def test_a_removed_download_is_unknown_and_its_finished_file_stays(client, service, finished):
    path = service.downloads / finished["file"]
    client.delete(f"/downloads/{finished['id']}?files=keep")
    client.get(f"/downloads/{finished['id']}", expect=404)
    assert path.read_bytes() == content(10_000)


def test_a_finished_file_is_deleted_if_asked(client, service, finished):
    client.delete(f"/downloads/{finished['id']}?files=delete")
    assert not list(service.downloads.iterdir())


def test_files_are_kept_unless_asked(client, service, finished):
    client.delete(f"/downloads/{finished['id']}")
    assert (service.downloads / finished["file"]).exists()


def test_deleting_leaves_a_file_that_another_program_put_there(client, service, finished):
    path = service.downloads / finished["file"]
    path.unlink()
    path.write_text("written by somebody else")
    client.delete(f"/downloads/{finished['id']}?files=delete", expect={204, 409})
    assert path.read_text() == "written by somebody else"


def test_an_unfinished_download_is_stopped_and_can_be_resumed_later(client, service, files, held):
    client.delete(f"/downloads/{held['id']}?files=keep")
    assert list(service.downloads.iterdir())
    sent = files.sent_of("/held.bin")
    files.release_all()
    again = client.add({"url": files.origin + "/held.bin"})
    assert again["id"] != held["id"]
    client.wait_for(again["id"], "completed")
    assert client.get(f"/downloads/{again['id']}/file").body == content(SIZE)
    assert files.sent_of("/held.bin") - sent < SIZE - SENT // 4


def test_nothing_of_an_unfinished_download_remains_if_asked(client, service, held):
    client.delete(f"/downloads/{held['id']}?files=delete")
    wait_until(lambda: not list(service.downloads.iterdir()), what=lambda: f"an empty directory: {list(service.downloads.iterdir())}")


def test_files_is_keep_or_delete(client):
    id = client.add(paused("a"))["id"]
    assert client.delete(f"/downloads/{id}?files=burn", expect=400).json["fields"] == ["files"]
    client.show(id)


# Actions on one


def test_pause_keeps_bytes_and_resume_fetches_only_the_rest(client, files, held):
    id = held["id"]
    client.act(id, "pause")
    stopped = client.wait_for(id, "paused")
    assert stopped["bytes"] >= held["bytes"] > 0
    assert client.act(id, "pause")["state"] == "paused"
    sent = files.sent_of("/held.bin")
    files.release_all()
    client.act(id, "resume")
    assert client.wait_for(id, "completed")["bytes"] == SIZE
    assert client.get(f"/downloads/{id}/file").body == content(SIZE)
    # Each connection that was cut may have lost what was on its way.
    assert files.sent_of("/held.bin") - sent < SIZE - SENT // 4


def test_what_is_paused_is_not_started(client, files):
    url = files.add("/a", b"a")
    id = client.add({"url": url, "paused": True})["id"]
    other = client.add({"url": files.add("/b", b"b")})["id"]
    client.wait_for(other, "completed")
    assert client.show(id)["state"] == "paused"
    assert not files.requests_for("/a")
    client.act(id, "resume")
    client.wait_for(id, "completed")


def test_resume_skips_a_wait(client, files):
    files.add("/rests", b"content", status=503, headers={"Retry-After": "3600"})
    id = client.add({"url": files.origin + "/rests"})["id"]
    waiting = client.wait_for(id, "waiting")["waiting"]
    assert waiting["code"] in ("hostRests", "backOff")
    assert waiting["seconds"] > 600
    files.add("/rests", b"content")
    client.act(id, "resume")
    client.wait_for(id, "completed")


def test_a_failed_download_tells_why_and_is_retried(client, files):
    id = client.add({"url": files.origin + "/late"})["id"]
    failed = client.wait_for(id, "failed")
    assert (failed["error"]["code"], failed["error"]["step"]) == ("notFound", "fetch")
    assert "404" in failed["error"]["message"]
    files.add("/late", b"here now")
    client.act(id, "retry")
    done = client.wait_for(id, "completed")
    assert done["error"] is None
    codes = [one["code"] for one in client.show(id)["log"]]
    assert codes.index("failed") < codes.index("completed")


def test_a_digest_is_compared_and_compared_again(client, service, files):
    body = content(5000)
    digest = hashlib.sha256(body).hexdigest()
    id = client.add({"url": files.add("/a", body), "options": {"digest": f"sha-256:{digest}"}})["id"]
    done = client.wait_for(id, "completed")
    assert done["verified"] is True
    detail = client.show(id)
    assert detail["digest"] == {"algorithm": "sha-256", "value": digest, "origin": "job", "matches": True}
    client.act(id, "verify")
    wait_until(lambda: client.show(id)["step"] is None)
    assert client.show(id)["state"] == "completed"


def test_a_wrong_digest_fails_the_download(client, files, service):
    id = client.add({"url": files.add("/a", b"content"), "options": {"digest": "md5:" + "0" * 32}})["id"]
    assert client.wait_for(id, "failed")["error"]["code"] == "digestMismatch"
    assert not (service.downloads / "a").exists()


def zip_of(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def test_an_archive_is_extracted_on_request(client, files):
    id = client.add({"url": files.add("/photos.zip", zip_of(one="1", two="2"))})["id"]
    assert client.wait_for(id, "completed")["unpacked"] is None
    client.act(id, "extract")
    done = wait_until(lambda: (one := client.show(id))["unpacked"] and one["state"] == "completed" and one)
    place = pathlib.Path(done["unpacked"])
    assert {path.name: path.read_text() for path in place.iterdir()} == {"one": "1", "two": "2"}


def test_a_step_that_runs_already_is_not_waited_for(client, service, files):
    body = content(24 << 20)
    digest = hashlib.sha256(body).hexdigest()
    ids = [client.add({"url": files.add(f"/{name}", body), "options": {"digest": f"sha-256:{digest}"}})["id"] for name in "ab"]
    for id in ids:
        client.wait_for(id, "completed")
    # Twice the same: the second finds it running, or done.
    twice = client.post("/downloads/actions", {"action": "extract", "ids": [ids[0], ids[0]]}).json["results"]
    assert {one["problem"]["code"] for one in twice if "problem" in one} == {"notAnArchive"}
    verified = client.post("/downloads/actions", {"action": "verify", "ids": [ids[1], ids[1]]}).json["results"]
    assert [one["status"] for one in verified] == [200, 200]
    answer = client.call("POST", f"/downloads/{ids[1]}/extract", expect=409)
    assert answer.json["code"] in ("busy", "notAnArchive")


def test_an_archive_is_unpacked_with_the_job(client, files):
    id = client.add({"url": files.add("/photos.zip", zip_of(one="1")), "unpacking": {}})["id"]
    assert client.wait_for(id, "completed")["unpacked"].endswith("/photos")


def test_an_archive_that_cannot_be_unpacked_fails_in_that_step(client, files, service):
    id = client.add({"url": files.add("/broken.zip", b"PK\3\4" + bytes(100)), "unpacking": {}})["id"]
    failed = client.wait_for(id, "failed")
    assert failed["error"]["step"] == "unpack"
    assert failed["unpacked"] is None
    # Nothing is fetched again for a second attempt.
    assert (service.downloads / "broken.zip").read_bytes() == b"PK\3\4" + bytes(100)


@pytest.mark.parametrize("action", ["pause", "resume", "retry"])
def test_a_finished_download_has_ended(client, finished, action):
    assert client.act(finished["id"], action, expect=409)["code"] in {"alreadyCompleted", "notFailed"} - ({"notFailed"} if action != "retry" else set())


def test_actions_that_the_state_does_not_allow(client, finished, held):
    waiting = client.add(paused("a"))["id"]
    expected = [
        (finished["id"], "verify", "noDigest"), (finished["id"], "extract", "notAnArchive"), (waiting, "verify", "notCompleted"), (waiting, "extract", "notCompleted"),
        (waiting, "retry", "notFailed"), (held["id"], "retry", "notFailed"), (held["id"], "verify", "notCompleted"),
    ]
    for id, action, code in expected:
        assert client.act(id, action, expect=409)["code"] == code, action


def test_verifying_a_file_that_is_gone(client, service, files):
    id = client.add({"url": files.add("/a", b"content"), "options": {"digest": "md5:9a0364b9e99bb480dd25e1f0284c8555"}})["id"]
    client.wait_for(id, "completed")
    (service.downloads / "a").unlink()
    assert client.act(id, "verify", expect=409)["code"] == "fileMissing"
    assert client.show(id)["missing"] is True


@pytest.mark.parametrize("method, path", [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/pause"), ("POST", "/retry"), ("GET", "/map"), ("GET", "/file")])
def test_a_download_that_is_not_listed_is_unknown(asker, method, path):
    answer = asker.call(method, f"/downloads/{NOBODY}{path}", {"tag": "x"} if method == "PATCH" else None, expect=404)
    assert answer.code == "unknownDownload"


@pytest.mark.parametrize("id", ["1", "8D6F2B1E-3C1A-4F0E-9B7D-2F6A5C4E1D00", "..", "%2e%2e", "%00", "x" * 300])
def test_an_id_that_is_none_is_not_found_or_malformed(asker, id):
    asker.get(f"/downloads/{id}", expect={400, 404})


def test_an_unknown_action_is_refused(asker, standing):
    asker.post(f"/downloads/{NOBODY}/explode", expect={400, 404})


# Actions on many


def test_each_id_is_answered_in_order(client, finished):
    a, b = (client.add(paused(name))["id"] for name in "ab")
    answer = client.post("/downloads/actions", {"action": "pause", "ids": [b, NOBODY, finished["id"], a]}).json
    assert [(one["id"], one["status"]) for one in answer["results"]] == [(b, 200), (NOBODY, 404), (finished["id"], 409), (a, 200)]
    assert [one.get("problem", {}).get("code") for one in answer["results"]] == [None, "unknownDownload", "alreadyCompleted", None]


def test_a_filter_is_answered_with_counts(client, finished):
    for index in range(6):
        client.add(paused(index, tag="even" if index % 2 == 0 else "odd"))
    kept = client.ids(tag="odd")[0]
    answer = client.post("/downloads/actions", {"action": "pause", "filter": {}}).json
    assert (answer["matched"], answer["done"], answer["notPossible"]) == (7, 6, 1)
    answer = client.post("/downloads/actions", {"action": "remove", "filter": {"tag": "odd", "except": [kept]}}).json
    assert (answer["matched"], answer["done"]) == (2, 2)
    assert client.ids(tag="odd") == [kept]
    answer = client.post("/downloads/actions", {"action": "remove", "filter": {"state": ["completed", "failed"]}, "files": "delete"}).json
    assert (answer["matched"], answer["done"]) == (1, 1)
    assert client.page()["total"] == 4
    assert answer["change"] == client.page()["change"]


def test_removing_by_a_filter_deletes_files_only_if_asked(client, service, finished):
    client.post("/downloads/actions", {"action": "remove", "filter": {"q": "finished"}})
    assert (service.downloads / finished["file"]).exists()


def test_all_are_paused_and_resumed(client, files):
    files.add("/a", content(1 << 20))
    files.add("/b", content(1 << 20, 1))
    for path in ("/a", "/b"):
        client.add({"url": files.hold(path, 1000)})
    client.post("/downloads/actions", {"action": "pause", "filter": {}})
    wait_until(lambda: client.page()["counts"]["paused"] == 2)
    files.release_all()
    client.post("/downloads/actions", {"action": "resume", "filter": {"state": ["paused"]}})
    wait_until(lambda: client.page()["counts"]["completed"] == 2)


def test_all_that_failed_are_retried(client, files):
    for name in "abc":
        client.add({"url": f"{files.origin}/{name}"})
    wait_until(lambda: client.page()["counts"]["failed"] == 3)
    for name in "abc":
        files.add(f"/{name}", b"x")
    answer = client.post("/downloads/actions", {"action": "retry", "filter": {"state": ["failed"]}}).json
    assert answer["done"] == 3
    wait_until(lambda: client.page()["counts"]["completed"] == 3)


def test_several_keep_their_order_when_they_move(client):
    ids = {name: client.add(paused(name))["id"] for name in "abcdef"}
    answer = client.post("/downloads/actions", {"action": "prioritize", "ids": [ids["e"], ids["b"], ids["d"]], "position": "top"}).json
    assert {one["status"] for one in answer["results"]} == {200}
    assert client.ids() == [ids[name] for name in "bdeacf"]
    client.post("/downloads/actions", {"action": "prioritize", "ids": [ids["f"]], "priority": 10})
    assert client.ids()[0] == ids["f"]


BAD_ACTIONS = {
    "nothing": {}, "no choice": {"action": "pause"}, "two choices": {"action": "pause", "ids": [NOBODY], "filter": {}}, "unknown action": {"action": "explode", "ids": [NOBODY]},
    "no ids": {"action": "pause", "ids": []}, "bad id": {"action": "pause", "ids": ["1"]}, "unknown state": {"action": "pause", "filter": {"state": ["bogus"]}},
    "unknown member": {"action": "pause", "ids": [NOBODY], "bogus": 1}, "unknown filter": {"action": "pause", "filter": {"bogus": 1}}, "bad files": {"action": "remove", "ids": [NOBODY], "files": "burn"},
    "bad priority": {"action": "prioritize", "ids": [NOBODY], "priority": 9999}, "ids and null": {"action": "pause", "ids": None}, "list": [],
}


@pytest.mark.parametrize("name", BAD_ACTIONS)
def test_an_action_that_cannot_be_used_is_refused(asker, name):
    asker.post("/downloads/actions", BAD_ACTIONS[name], expect=422)


def test_an_action_takes_no_more_than_ten_thousand_ids(asker):
    ids = [str(uuid.UUID(int=index)) for index in range(10_001)]
    assert asker.post("/downloads/actions", {"action": "pause", "ids": ids}, expect=422).code == "tooMany"
    results = asker.post("/downloads/actions", {"action": "pause", "ids": ids[:-1]}).json["results"]
    assert [one["id"] for one in results] == ids[:-1]


# Several at once


def together(*actions):
    answers = [None] * len(actions)

    def run(index):
        answers[index] = actions[index]()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def test_of_changes_to_one_state_only_one_is_made(service, client):
    id = client.add(paused("one"))["id"]
    etag = f'"{client.show(id)["change"]}"'
    answers = together(*[lambda index=index: service.client().call("PATCH", f"/downloads/{id}", {"tag": f"tag {index}"}, headers={"If-Match": etag}) for index in range(8)])
    assert sorted(answer.status for answer in answers) == [200] + [412] * 7
    [made] = [answer for answer in answers if answer.status == 200]
    assert client.show(id)["tag"] == made.json["tag"]
    etag = client.get("/settings").headers["ETag"]
    answers = together(*[lambda index=index: service.client().call("PATCH", "/settings", {"maximumRunning": index + 10}, headers={"If-Match": etag}) for index in range(8)])
    assert sorted(answer.status for answer in answers) == [200] + [412] * 7


def test_a_download_removed_while_it_gets_another_url_is_gone(service, client, files):
    for round in range(12):
        url = files.add(f"/{round}.bin", content(1 << 20))
        files.hold(f"/{round}.bin", 1 << 18)
        id = client.add({"url": url})["id"]
        client.wait_for_bytes(id, 1)
        fresh = files.add(f"/fresh-{round}.bin", content(1 << 20))
        changed, removed = together(
            lambda: service.client().call("PATCH", f"/downloads/{id}", {"url": fresh}),
            lambda: service.client().call("DELETE", f"/downloads/{id}", query={"files": "delete"}))
        assert changed.status in (200, 404) and removed.status == 204, (changed, removed)
        # Nothing holds its name, and nothing is left of it.
        wait_until(lambda: not [path for path in service.downloads.iterdir() if path.name.startswith(f"{round}.bin")], 60, "its files to be deleted")
        again = client.add({"url": url, "file": f"{round}.bin", "paused": True, "options": {"ifExists": "fail"}})["id"]
        client.delete(f"/downloads/{again}")
        files.release_all()


def test_a_filter_that_the_database_would_cut_off_is_refused(client):
    refused = client.call("POST", "/downloads/actions", {"action": "remove", "filter": {"q": "\0x"}}, expect=422)
    assert refused.json["fields"] == ["filter.q"]


# What an earlier run has left


def test_what_lacks_its_password_after_a_restart_says_that_it_waits_for_it(start, files):
    service = start("--forget-secrets")
    client = service.client()
    for name in "ab":
        files.add(f"/{name}", content(1 << 20), credentials=["Basic " + base64.b64encode(b"user:secret").decode()])
    job = {"authentication": {"name": "user", "password": {"value": "secret"}}}
    ids = [client.add({**job, "url": files.hold(f"/{name}", 1 << 18)})["id"] for name in "ab"]
    for id in ids:
        assert client.wait_for_bytes(id, 1)["notStored"] == ["authentication"]
    told = service.pawl("add", "--user", "user:secret", "-o", "told", "--paused", files.add("/told", b"x"))
    assert "it needs these again: the login" in told.stderr, told
    client.delete(f"/downloads/{told.stdout.strip()}")
    client = service.restart().client()
    for id in ids:
        waiting = wait_until(lambda: (one := client.show(id))["state"] == "waiting" and one["waiting"])
        assert waiting["code"] == "credentials"
    refused = client.call("POST", f"/downloads/{ids[0]}/resume")
    assert (refused.status, refused.code) == (409, "lacksCredentials"), "there is nothing to go on with"
    told = service.pawl("resume", "--all")
    assert "Resumed 0 of 2" in told.stderr, told
    for lacking in ({"connections": 2}, {"mirrors": ["http://127.0.0.1:9/b"]}):
        refused = client.call("PATCH", f"/downloads/{ids[0]}", lacking)
        assert (refused.status, refused.code) == (409, "lacksCredentials"), "it would go on without them"
    assert client.show(ids[0])["state"] == "waiting"
    assert f"(pawl change {ids[0][:8]}, with --user" in service.pawl("show", ids[0]).stdout
    files.release_all()
    client.patch(f"/downloads/{ids[0]}", {"authentication": job["authentication"]})
    client.wait_for(ids[0], "completed")
    told = service.pawl("change", ids[1][:8], "--user", "user:secret")
    assert told.returncode == 0 and "Changed b: " in told.stderr, told
    client.wait_for(ids[1], "completed")


def test_a_link_that_has_expired_is_replaced_by_what_the_command_says(service, client, files):
    body = content(SIZE)
    files.add("/expired", body, etag='"same"')
    files.add("/fresh", body, etag='"same"')
    id = client.add({"url": files.hold("/expired", SENT), "file": "a.bin"})["id"]
    client.wait_for_bytes(id, SENT // 2)
    client.act(id, "pause")
    files.files["/expired"].status = 403
    client.act(id, "resume")
    client.wait_for(id, "failed")
    shown = service.pawl("show", id).stdout
    assert f"(pawl change {id[:8]} --url URL)" in shown, shown
    told = service.pawl("change", id[:8], "--url", files.origin + "/fresh", "--json")
    assert told.returncode == 0 and json.loads(told.stdout)["id"] == id, told
    assert client.wait_for(id, "completed")["file"] == "a.bin"
    assert (service.downloads / "a.bin").read_bytes() == body
    assert files.sent_of("/fresh") < len(body)
    assert [one["url"] for one in client.show(id)["sources"]] == [files.origin + "/fresh"]


@pytest.mark.parametrize("words", ["--adopt", "--if-exists replace"])
def test_a_url_of_what_may_be_another_file_is_used_as_the_command_says(service, client, files, words):
    body = content(SIZE)
    files.add("/old", body, etag='"old"')
    id = client.add({"url": files.hold("/old", SENT), "file": "a.bin"})["id"]
    client.wait_for_bytes(id, SENT // 2)
    client.act(id, "pause")
    client.wait_for(id, "paused")
    # The former length shows the same file, another one a different file.
    body = body if words == "--adopt" else content(SIZE + 1)
    files.add("/new", body, etag='"new"')
    client.patch(f"/downloads/{id}", {"url": files.origin + "/new"})
    client.act(id, "resume")
    failed = client.wait_for(id, "failed")
    assert "Nothing was changed" in failed["error"]["message"] and files.sent_of("/new") <= 65536, failed
    assert "(pawl change" in service.pawl("show", id).stdout
    told = service.pawl("change", id, *words.split())
    assert told.returncode == 0, told
    client.wait_for(id, "completed")
    assert (service.downloads / "a.bin").read_bytes() == body
    assert (service.downloads / "a.bin.part.orphan-1").exists() == (words != "--adopt")
    assert words != "--adopt" or files.sent_of("/new") < len(body)
    files.release_all()


@pytest.mark.parametrize("patch", [{"headers": [["A", "b\nc"]]}, {"headers": [["Range", "bytes=0-1"]]}, {"authentication": {"bearer": {"value": "two\nlines"}}}])
def test_what_no_request_can_have_changes_nothing(client, held, patch):
    id = held["id"]
    before = client.show(id)
    refused = client.call("PATCH", f"/downloads/{id}", patch)
    assert refused.status == 422, refused
    after = client.show(id)
    assert after["state"] == "running" and after["job"] == before["job"] and after["bytes"] >= before["bytes"]


def test_a_change_that_is_refused_says_why(service, client, finished):
    told = service.pawl("change", finished["id"], "--url", "http://127.0.0.1:9/x")
    assert told.returncode != 0 and "completed" in told.stderr, told
    told = service.pawl("change", finished["id"], "--url", "ftp://127.0.0.1/x")
    assert told.returncode != 0 and "ftp" in told.stderr, told


def test_what_is_resumed_by_its_journal_is_named_and_can_be_deleted(service, client, files):
    url = files.add("/again.bin", content(SIZE))
    files.hold("/again.bin", SENT)
    id = client.add({"url": url})["id"]
    client.wait_for_bytes(id, SENT // 2)
    client.delete(f"/downloads/{id}")
    wait_until(lambda: (service.downloads / "again.bin.pawl").exists(), 60, "the journal")
    id = client.add({"url": url})["id"]
    assert wait_until(lambda: client.show(id)["file"]) == "again.bin"
    client.act(id, "pause")
    client.delete(f"/downloads/{id}", query={"files": "delete"})
    wait_until(lambda: not list(service.downloads.iterdir()), 60, "the files to be deleted")
    files.release_all()


def test_a_list_that_cannot_be_used_is_told_in_words_and_without_its_secrets(client):
    text = b"ht!tp://bogus line\n  header=X: SECRET456\nhttp://u:SECRET789@127.0.0.1:99999/x\n"
    answer = client.send("POST", f"{API}/documents", text, {"Content-Type": "text/plain"})
    assert answer.status in (200, 422)
    assert b"SECRET" not in answer.body and b"PawlJobs" not in answer.body, answer.body
