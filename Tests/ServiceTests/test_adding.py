"""POST /downloads: what is accepted, what is refused, and what the same request does twice."""

import hashlib
import os
import threading
import uuid

import pytest

from client import wait_until
from fileserver import content

URL = "http://127.0.0.1:9/{}.bin"
PLAIN = URL.format("x")


def paused(name, **more):
    """A job that stays where it is put: nothing is fetched for a paused one."""
    return {"url": URL.format(name), "paused": True, **more}


def test_one_job_is_answered_with_201_its_snapshot_and_its_place(client):
    answer = client.post("/downloads", paused("one", tag="linux", priority=7), expect=201)
    snapshot = answer.json
    assert answer.headers["Location"] == f"downloads/{snapshot['id']}"
    assert answer.headers["ETag"] == f'"{snapshot["change"]}"'
    assert (snapshot["state"], snapshot["tag"], snapshot["priority"], snapshot["position"]) == ("paused", "linux", 7, 0)
    assert snapshot["url"] == URL.format("one")
    assert str(uuid.UUID(snapshot["id"])) == snapshot["id"]
    detail = client.show(snapshot["id"])
    assert {name: detail[name] for name in snapshot} == snapshot


def test_each_item_of_an_array_is_answered_in_order_and_alone(client, files):
    good = files.add("/good", b"x")
    bad = files.add("/bad", b"x")
    jobs = [{"url": good, "paused": True}, {"url": bad, "bogus": 1}, {"url": "ftp://127.0.0.1/x"}, "text", {"url": bad, "directory": "/etc"}, paused("last")]
    results = client.add_all(jobs)
    assert [one["status"] for one in results] == [201, 422, 422, 422, 403, 201]
    assert [one.get("problem", {}).get("code") for one in results][:5] == [None, "unknownField", "invalidValue", results[3]["problem"]["code"], "outsideRoots"]
    assert results[1]["problem"]["fields"] == ["bogus"]
    assert client.ids(sort="added") == [results[0]["download"]["id"], results[5]["download"]["id"]]
    assert not files.requests_for("/bad")


def test_an_empty_array_adds_nothing(client):
    assert client.add_all([]) == []


@pytest.mark.slow
def test_S13_ten_thousand_jobs_are_accepted_in_one_call_and_one_more_is_refused(client):
    jobs = [{"url": f"http://127.0.0.1:9/{index}", "paused": True} for index in range(10_001)]
    problem = client.post("/downloads", jobs, expect=422).json
    assert problem["code"] == "tooMany"
    assert client.page()["total"] == 0
    results = client.add_all(jobs[1:])
    assert {one["status"] for one in results} == {201}
    assert client.page()["counts"]["paused"] == 10_000
    assert client.ids(sort="added") == [one["download"]["id"] for one in results]


# The same request twice.


def test_the_same_id_and_job_again_is_200_and_the_same_download(client):
    job = paused("a", id=str(uuid.uuid4()))
    first = client.add(job)
    assert first["id"] == job["id"]
    assert client.add(job, expect=200)["id"] == job["id"]
    assert client.page()["total"] == 1


def test_the_same_id_with_another_job_is_a_conflict(client):
    id = str(uuid.uuid4())
    client.add(paused("a", id=id))
    problem = client.add(paused("b", id=id), expect=409)
    assert (problem["code"], problem["id"]) == ("idInUse", id)
    assert client.page()["total"] == 1


def test_an_id_is_known_after_a_restart(service):
    job = paused("a", id=str(uuid.uuid4()))
    service.client().add(job)
    service.restart()
    assert service.client().add(job, expect=200)["id"] == job["id"]
    assert service.client().page()["total"] == 1


@pytest.mark.parametrize("id", ["8D6F2B1E-3C1A-4F0E-9B7D-2F6A5C4E1D00", "1", "", "8d6f2b1e3c1a4f0e9b7d2f6a5c4e1d00", 7])
def test_an_id_that_is_no_lower_case_uuid_is_refused(asker, id):
    problem = asker.add(paused("a", id=id), expect=422)
    assert (problem["code"], problem["fields"]) == ("invalidValue", ["id"])


def test_the_same_idempotency_key_again_gives_the_same_download(client):
    key = {"Idempotency-Key": "once"}
    first = client.add(paused("a"), headers=key)
    assert client.add(paused("a"), headers=key, expect=200)["id"] == first["id"]
    assert client.page()["total"] == 1


def test_an_idempotency_key_holds_for_an_array_too(client):
    key, jobs = {"Idempotency-Key": "several"}, [paused("a"), paused("b"), {"url": "nothing"}]
    first = client.add_all(jobs, headers=key)
    again = client.add_all(jobs, headers=key)
    assert [one["status"] for one in first] == [201, 201, 422]
    assert [one["status"] for one in again] == [200, 200, 422]
    assert [one["download"]["id"] for one in again[:2]] == [one["download"]["id"] for one in first[:2]]
    assert client.page()["total"] == 2


def test_an_idempotency_key_with_another_body_is_refused(client):
    client.add(paused("a"), headers={"Idempotency-Key": "once"})
    assert client.add(paused("b"), headers={"Idempotency-Key": "once"}, expect=422)["code"] == "keyReused"
    assert client.page()["total"] == 1


def test_an_idempotency_key_is_known_after_kill_9(service):
    first = service.client().add(paused("a"), headers={"Idempotency-Key": "once"})
    service.restart()
    assert service.client().add(paused("a"), headers={"Idempotency-Key": "once"}, expect=200)["id"] == first["id"]


@pytest.mark.parametrize("key", ["", "a b", "x" * 129, "\u00e9"])
def test_an_idempotency_key_that_is_not_1_to_128_visible_ascii_characters_is_malformed(asker, key):
    assert asker.add(paused("a"), headers={"Idempotency-Key": key}, expect=400)["fields"] == ["Idempotency-Key"]


def test_the_same_request_and_target_of_an_unfinished_download_is_that_download(client):
    first = client.add(paused("a", file="a"))
    assert client.add(paused("a", file="a"), expect=200)["id"] == first["id"]
    assert client.page()["total"] == 1


def test_another_job_for_a_target_in_use_is_a_conflict_unless_it_may_be_renamed(client):
    first = client.add(paused("a", file="same", options={"ifExists": "fail"}))
    problem = client.add(paused("b", file="same", options={"ifExists": "fail"}), expect=409)
    assert (problem["code"], problem["id"]) == ("targetInUse", first["id"])
    assert client.add(paused("c", file="same", options={"ifExists": "rename"}))["id"] != first["id"]


def test_a_finished_download_does_not_hold_its_target(client, files):
    url = files.add("/a", b"content")
    first = client.add({"url": url, "file": "a"})
    client.wait_for(first["id"], "completed")
    again = client.add({"url": url, "file": "a", "options": {"ifExists": "replace"}})
    assert again["id"] != first["id"]
    assert client.wait_for(again["id"], "completed")["file"] == "a"


# Its place in the queue.


def test_position_and_priority_decide_the_place(client):
    a = client.add(paused("a"))["id"]
    b = client.add(paused("b"))["id"]
    c = client.add(paused("c", position="top"))["id"]
    d = client.add(paused("d", position={"before": b}))["id"]
    e = client.add(paused("e", position={"after": c}))["id"]
    f = client.add(paused("f", position=1))["id"]
    g = client.add(paused("g", priority=1))["id"]
    h = client.add(paused("h", position="bottom"))["id"]
    assert client.ids() == [g, c, f, e, a, d, b, h]
    assert [one["position"] for one in client.page()["downloads"]] == list(range(8))


# What is refused. Nothing of these is added.

REFUSED = {
    "no url": ({}, 422, {"missingField"}, ["url"]),
    "unknown member": ({"bogus": 1}, 422, {"unknownField"}, ["bogus"]),
    "unknown option": ({"url": PLAIN, "options": {"bogus": 1}}, 422, {"unknownField"}, None),
    "url and metalink": ({"url": PLAIN, "metalink": PLAIN}, 422, {"contradiction"}, None),
    "newer version": ({"url": PLAIN, "version": 3}, 422, {"newerVersion"}, None),
    "url is a number": ({"url": 1}, 422, {"invalidValue"}, ["url"]),
    "url without host": ({"url": "http:///x"}, 422, {"invalidValue"}, ["url"]),
    "javascript url": ({"url": "javascript:alert(1)"}, 422, {"invalidValue"}, ["url"]),
    "file url": ({"url": "file:///etc/passwd"}, 422, {"invalidValue"}, ["url"]),
    "gopher url": ({"url": "gopher://127.0.0.1/1"}, 422, {"invalidValue"}, ["url"]),
    "data url": ({"url": "data:,x"}, 422, {"invalidValue"}, ["url"]),
    "relative url": ({"url": "//127.0.0.1/x"}, 422, {"invalidValue"}, ["url"]),
    "url with a line break": ({"url": "http://127.0.0.1/\r\nX: y"}, 422, {"invalidValue"}, ["url"]),
    "mirror of another scheme": ({"url": PLAIN, "mirrors": ["file:///etc/passwd"]}, 422, {"invalidValue"}, None),
    "referer of another scheme": ({"url": PLAIN, "referer": "javascript:1"}, 422, {"invalidValue"}, None),
    "priority too high": ({"url": PLAIN, "priority": 1001}, 422, {"invalidValue"}, ["priority"]),
    "priority is a fraction": ({"url": PLAIN, "priority": 0.5}, 422, {"invalidValue"}, ["priority"]),
    "tag is empty": ({"url": PLAIN, "tag": ""}, 422, {"invalidValue"}, ["tag"]),
    "tag too long": ({"url": PLAIN, "tag": "x" * 65}, 422, {"invalidValue"}, ["tag"]),
    "tag with a control": ({"url": PLAIN, "tag": "a\u0007"}, 422, {"invalidValue"}, ["tag"]),
    "paused is text": ({"url": PLAIN, "paused": "yes"}, 422, {"invalidValue"}, ["paused"]),
    "unknown position": ({"url": PLAIN, "position": "middle"}, 422, {"invalidValue"}, ["position"]),
    "two positions": ({"url": PLAIN, "position": {"before": str(uuid.UUID(int=1)), "after": str(uuid.UUID(int=2))}}, 422, {"invalidValue", "contradiction", "unknownField"}, None),
    "17 connections": ({"url": PLAIN, "options": {"connections": 17}}, 422, {"invalidValue"}, None),
    "max speed 0": ({"url": PLAIN, "options": {"maxSpeed": 0}}, 422, {"invalidValue"}, None),
    "short digest": ({"url": PLAIN, "options": {"checksum": "sha-256:00"}}, 422, {"invalidValue"}, None),
    "digest beside a list": ({"url": PLAIN, "digestList": PLAIN, "options": {"checksum": "md5:" + "0" * 32}}, 422, {"contradiction"}, None),
    "ranges reversed": ({"url": PLAIN, "options": {"range": "9-1"}}, 422, {"invalidValue"}, None),
    "unknown ifExists": ({"url": PLAIN, "options": {"ifExists": "maybe"}}, 422, {"invalidValue"}, None),
    "header with a line break": ({"url": PLAIN, "headers": [["X", "a\r\nY: b"]]}, 422, {"invalidValue"}, None),
    "header name with a blank": ({"url": PLAIN, "headers": [["X y", "a"]]}, 422, {"invalidValue"}, None),
    "user agent with a line break": ({"url": PLAIN, "userAgent": "a\nb"}, 422, {"invalidValue"}, None),
    "headers as an object": ({"url": PLAIN, "headers": {"X": "y"}}, 422, {"invalidValue"}, None),
    "a number": (7, 422, None, None),
    "text": ("http://127.0.0.1/x", 422, None, None),
}


@pytest.mark.parametrize("name", REFUSED)
def test_S08_a_job_that_cannot_be_used_is_refused_by_its_fields(asker, name):
    job, status, codes, fields = REFUSED[name]
    before = asker.page()["total"]
    answer = asker.post("/downloads", job, expect=status)
    assert codes is None or answer.code in codes, answer
    assert fields is None or answer.json["fields"] == fields, answer
    assert asker.page()["total"] == before


FORMER_NAMES = {
    "rate": (1000, "maxSpeed"), "maximumTime": (60, "maxTime"), "retryTime": (60, "retryMaxTime"), "insecureRedirect": (True, "allowInsecureRedirect"), "location": (["de"], "mirrorCountry"),
    "digest": ("md5:" + "0" * 32, "checksum"), "maximumSize": (7, "maxFilesize"), "webPage": (True, "allowWebPage"), "ranges": ("0-9", "range"), "onlyIfNewer": (True, "ifNewer"),
    "adopts": (True, "adopt"), "recordsOrigin": (True, "xattr"),
}


@pytest.mark.parametrize("former", FORMER_NAMES)
def test_a_job_of_version_1_is_added_and_told_in_version_2(client, former):
    value, name = FORMER_NAMES[former]
    id = client.add({"version": 1, "url": f"http://127.0.0.1:9/{former}", "options": {former: value}, "paused": True})["id"]
    options = client.show(id)["job"]["options"]
    assert options[name] == value and former not in options


def test_the_fresh_url_of_a_job_is_accepted(client):
    id = client.add({"url": PLAIN, "freshURL": f"{PLAIN}?fresh", "paused": True})["id"]
    assert client.show(id)["job"]["freshURL"].startswith(PLAIN)


MALFORMED = {
    "nothing": b"", "half": b'{"url":', "words": b"url=http://127.0.0.1/", "two values": b'{"url":"http://127.0.0.1:9/x"} {}', "bad utf-8": b'{"url":"http://127.0.0.1:9/\xff"}',
    "not a number": b'{"url":"http://127.0.0.1:9/x","priority":NaN}', "trailing comma": b'{"url":"http://127.0.0.1:9/x",}', "deep": b"[" * 100_000, "closed deep": b"[" * 100_000 + b"]" * 100_000,
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_body_that_is_not_json_is_malformed(asker, name):
    before = asker.page()["total"]
    answer = asker.send("POST", "/api/v1/downloads", MALFORMED[name], {"Content-Type": "application/json"})
    assert (answer.status, answer.code) == (400, "malformed")
    assert asker.page()["total"] == before


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx"])
def test_another_content_type_is_refused(asker, kind):
    answer = asker.send("POST", "/api/v1/downloads", b'{"url":"http://127.0.0.1:9/x","paused":true}', {"Content-Type": kind})
    assert (answer.status, answer.code) == (415, "wrongType")


def test_a_charset_does_not_change_the_content_type(client):
    body = b'{"url":"http://127.0.0.1:9/x","paused":true}'
    assert client.send("POST", "/api/v1/downloads", body, {"Content-Type": "application/json; charset=utf-8"}).status == 201


def test_null_means_the_default(client):
    names = ["version", "id", "mirrors", "metalink", "select", "directory", "file", "options", "digestList", "authentication", "headers", "userAgent", "referer", "members", "unpacking", "priority", "tag", "position"]
    snapshot = client.add({**paused("a"), **dict.fromkeys(names)})
    assert (snapshot["priority"], snapshot["tag"], snapshot["file"]) == (0, None, None)


def test_text_of_any_language_comes_back_as_it_was(client):
    names = ["смысл", "下载", "e\u0301", "\U0001f40e", "a\u202eb"]
    for index, name in enumerate(names):
        assert client.add(paused(index, tag=name, file=name + ".bin"))["tag"] == name
    assert [one["tag"] for one in client.page(sort="added")["downloads"]] == names
    assert client.page(tag="下载")["total"] == 1


# What a request may not say.


@pytest.mark.parametrize("more", [{"hook": ["/bin/true"]}, {"hook": []}])
def test_S06_hooks_come_from_the_configuration_only(asker, more):
    assert asker.add(paused("a", **more), expect=403)["code"] == "hookNotAllowed"


LOCAL = {
    "password from a file": {"authentication": {"name": "ada", "password": {"file": "/etc/passwd"}}},
    "password from the environment": {"authentication": {"name": "ada", "password": {"environment": "HOME"}}},
    "bearer from a file": {"authentication": {"bearer": {"file": "/etc/passwd"}}},
    "archive password from a file": {"unpacking": {"password": {"file": "/etc/passwd"}}},
    "list of digests at a path": {"digestList": "/etc/passwd"},
    "list of digests at a relative path": {"digestList": "SHA256SUMS"}, "list of digests called auto": {"digestList": "./auto"},
}


@pytest.mark.parametrize("name", LOCAL)
def test_S08_the_service_reads_no_file_for_a_client(asker, name):
    before = asker.page()["total"]
    assert asker.add(paused("a", **LOCAL[name]), expect=403)["code"] == "pathNotAllowed"
    assert asker.page()["total"] == before


def test_a_metalink_at_a_path_is_refused(asker):
    assert asker.add({"metalink": "/etc/passwd", "paused": True}, expect=403)["code"] == "pathNotAllowed"


# Documents that jobs name


def metalink(*files):
    names = "".join(f'<file name="{name}">{"".join(f"<url>{url}</url>" for url in urls)}<hash type="sha-256">{digest}</hash></file>' for name, digest, *urls in files)
    return f'<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">{names}</metalink>'.encode()


def sha256(body):
    return hashlib.sha256(body).hexdigest()


def test_a_list_of_digests_is_read_when_the_job_is_added(client, files):
    body = content(1000)
    url = files.add("/disk.iso", body)
    sums = files.add("/SHA256SUMS", f"{sha256(body)}  disk.iso\n{sha256(b'')}  other.iso\n".encode())
    added = client.add({"url": url, "digestList": sums, "paused": True})
    files.add("/SHA256SUMS", b"", status=404)
    client.act(added["id"], "resume")
    assert client.wait_for(added["id"], "completed")["verified"]


def test_a_file_that_its_list_contradicts_fails(client, files):
    url = files.add("/disk.iso", content(1000))
    sums = files.add("/SHA256SUMS", f"{sha256(b'another')}  disk.iso\n".encode())
    assert client.wait_for(client.add({"url": url, "digestList": sums})["id"], "failed")["error"]["code"] == "digestMismatch"


def test_a_list_that_cannot_be_used_refuses_the_job_and_no_other(client, files):
    url = files.add("/disk.iso", content(1000))
    without = files.add("/SHA256SUMS", f"{sha256(b'x')}  other.iso\n".encode())
    missing = files.origin + "/none"
    jobs = [{"url": url, "digestList": without}, {"url": url, "digestList": missing}, {"url": url, "paused": True}]
    results = client.add_all(jobs)
    assert [result["status"] for result in results] == [422, 422, 201]
    assert "other.iso" in results[0]["problem"]["detail"] or "disk.iso" in results[0]["problem"]["detail"], results[0]
    assert client.page()["total"] == 1


def test_a_metalink_by_url_brings_its_mirrors_and_digest(client, files):
    body = content(200_000)
    good = files.add("/mirror/disk.iso", body)
    place = files.add("/disk.iso.meta4", metalink(("disk.iso", sha256(body), files.origin + "/gone", good)), kind="application/metalink4+xml")
    done = client.wait_for(client.add({"metalink": place})["id"], "completed")
    assert done["file"] == "disk.iso" and done["verified"]


def test_of_a_metalink_with_several_files_one_is_chosen_or_all_are_asked_for(client, files):
    bodies = {name: content(1000, seed) for seed, name in enumerate(("a.iso", "b.iso"))}
    place = files.add("/all.meta4", metalink(*((f"sub/{name}", sha256(body), files.add(f"/{name}", body)) for name, body in bodies.items())))
    refused = client.call("POST", "/downloads", {"metalink": place})
    assert refused.status == 422 and "2 files" in refused.json["detail"] and refused.json["fields"] == ["metalink"]
    one = client.add({"metalink": place, "select": ["b.iso"], "paused": True})
    assert one["file"] == "b.iso" and one["directory"].endswith("/sub")
    none = client.call("POST", "/downloads", {"metalink": place, "select": ["c.iso"]})
    assert none.status == 422 and "c.iso" in none.json["detail"]
    jobs = client.post("/documents", {"metalink": place, "tag": "both"}).json["jobs"]
    assert [job["file"] for job in jobs] == ["a.iso", "b.iso"]
    first = client.post("/downloads", jobs[0], expect=201).json
    assert client.wait_for(first["id"], "completed")["verified"]


def test_a_job_with_documents_is_known_again_by_its_id_and_key(client, files):
    body = content(1000)
    url, sums = files.add("/disk.iso", body), files.add("/SHA256SUMS", f"{sha256(body)}  disk.iso\n".encode())
    job = {"id": str(uuid.uuid4()), "url": url, "digestList": sums, "paused": True}
    client.add(job)
    read = len(files.requests_for("/SHA256SUMS"))
    assert client.add(job, expect=200)["id"] == job["id"]
    assert len(files.requests_for("/SHA256SUMS")) == read
    keyed = {"url": files.add("/other.iso", body), "digestList": files.add("/SUMS", f"{sha256(body)}  other.iso\n".encode()), "paused": True}
    first = client.add(keyed, headers={"Idempotency-Key": "k"})
    assert client.add(keyed, headers={"Idempotency-Key": "k"}, expect=200)["id"] == first["id"]


def test_documents_are_not_fetched_from_denied_addresses(start, files):
    client = start("--deny-private-addresses").client()
    job = {"url": "http://192.0.2.1/disk.iso", "digestList": files.add("/SHA256SUMS", b"x"), "paused": True}
    assert client.call("POST", "/downloads", job).status == 422
    assert client.call("POST", "/documents", {"metalink": files.add("/m.meta4", metalink())}).status == 422
    assert not files.requests


def test_a_key_holds_for_a_job_that_was_there_already_though_its_document_changes(client, files):
    bodies = content(1000), content(1000, 1)
    url = files.add("/disk.iso", bodies[0])
    sums = files.add("/SHA256SUMS", f"{sha256(bodies[0])}  disk.iso\n".encode())
    job = {"url": url, "digestList": sums, "paused": True}
    first = client.add(job)["id"]
    again = client.post("/downloads", [job, {**job, "tag": "x"}], headers={"Idempotency-Key": "k"}).json
    assert [one["status"] for one in again] == [200, 200]
    files.add("/SHA256SUMS", f"{sha256(bodies[1])}  disk.iso\n".encode())
    repeated = client.post("/downloads", [job], headers={"Idempotency-Key": "k"}).json
    assert [(one["status"], one["download"]["id"]) for one in repeated] == [(200, first)]
    assert client.page()["total"] == 1
    other = client.post("/downloads", [{"url": files.origin + "/other"}], headers={"Idempotency-Key": "k"}).json
    assert other[0]["problem"]["code"] == "keyReused"


def test_a_document_that_cannot_be_had_is_named_with_the_cause_and_soon(client):
    refused = client.call("POST", "/downloads", {"url": PLAIN, "digestList": "http://127.0.0.1:9/SHA256SUMS"})
    assert refused.status == 422
    assert "http://127.0.0.1:9/SHA256SUMS" in refused.json["detail"] and "refuse" in refused.json["detail"], refused


def test_a_metalink_that_is_refused_leaves_no_directory(service, client, files):
    place = files.add("/all.meta4", metalink(*((f"sub/{name}", sha256(b"x"), files.add(f"/{name}", b"x")) for name in ("a.iso", "b.iso"))))
    assert client.call("POST", "/downloads", {"metalink": place}).status == 422
    assert not (service.downloads / "sub").exists()


def test_S06_a_link_laid_while_a_metalink_is_read_leads_nowhere(service, client, files):
    outside = service.home / "outside"
    outside.mkdir()
    inside = service.downloads / "inside"
    inside.mkdir()
    place = files.add("/one.meta4", metalink(("sub/a.iso", sha256(b"x"), files.add("/a.iso", b"x"))))
    files.hold("/one.meta4", after=10)
    answers = []
    asking = threading.Thread(target=lambda: answers.append(client.call("POST", "/downloads", {"metalink": place, "directory": str(inside), "paused": True})))
    asking.start()
    wait_until(lambda: files.requests_for("/one.meta4"), 60, "the Metalink to be asked for")
    inside.rmdir()
    os.symlink(outside, inside)
    files.release("/one.meta4")
    asking.join()
    assert answers[0].status >= 400, answers
    assert not list(outside.iterdir())


@pytest.mark.parametrize("by", ["id", "key"])
def test_the_same_request_is_known_although_settings_and_job_were_changed_since(client, service, by):
    job = {"url": PLAIN, "paused": True}
    headers = {"Idempotency-Key": "k"} if by == "key" else {}
    if by == "id":
        job["id"] = str(uuid.uuid4())
    first = client.add(job, headers=headers)["id"]
    (service.downloads / "elsewhere").mkdir()
    client.patch("/settings", {"connections": 3, "ifExists": "fail", "directory": "elsewhere"})
    client.patch(f"/downloads/{first}", {"connections": 2, "maxSpeed": 1000, "headers": [["X-Y", "z"]]})
    assert client.add(job, headers=headers, expect=200)["id"] == first
    service.restart()
    again = service.client().call("POST", "/downloads", job, headers=headers, expect=200)
    assert again.json["id"] == first
    other = service.client().call("POST", "/downloads", {**job, "url": PLAIN + "2"}, headers=headers)
    assert other.json["code"] == ("idInUse" if by == "id" else "keyReused")
