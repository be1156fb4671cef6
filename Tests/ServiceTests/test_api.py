"""The other calls: settings, figures, preparing a download, and how errors look."""

import json
import re
import uuid
from datetime import datetime, timedelta

import pytest

import contract
from client import Client, wait_until
from fileserver import content
from pawld import has_ipv6

NOBODY = str(uuid.UUID(int=0))


def test_the_contract_is_served(standing):
    answer = standing.stranger().get("/openapi.json")
    assert answer.json == contract.DOCUMENT


def test_health_needs_no_token(standing):
    assert standing.stranger().get("/healthz").json == {"status": "ok"}


def test_the_version_names_the_program(asker):
    assert (asker.get("/version").json["name"], asker.get("/version").json["api"]) == ("pawld", 1)


# Settings


def test_settings_begin_with_the_directory_and_the_roots(start):
    service = start("--root", "/usr/share")
    settings = service.client().get("/settings").json
    assert settings["directory"] == str(service.downloads)
    assert "/usr/share" in settings["roots"]


SETTINGS = {
    "maximumRunning": 3, "maximumConnectionsPerHost": 2, "connections": 1, "speedLimit": 12_345, "timetable": "08:00,512k 19:00,off", "ifExists": "skip", "historyDays": 30, "historyCount": 500,
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_changes_and_survives_kill_9(service, name):
    client = service.client()
    before = client.get("/settings").json
    answer = client.patch("/settings", {name: SETTINGS[name]})
    after = answer.json
    assert after[name] == SETTINGS[name]
    assert after["change"] > before["change"]
    assert answer.headers["ETag"] == f'"{after["change"]}"'
    assert {one for one in before if before[one] != after[one]} <= {name, "change", "limitNow", "pausedUntil"}
    service.restart()
    kept = service.client().get("/settings").json
    assert kept[name] == SETTINGS[name]


def test_null_lifts_a_limit(client):
    client.patch("/settings", {"speedLimit": 1000, "historyDays": 1, "historyCount": 1})
    after = client.patch("/settings", {"speedLimit": None, "historyDays": None, "historyCount": None}).json
    assert (after["speedLimit"], after["limitNow"], after["historyDays"], after["historyCount"]) == (None, None, None, None)


def test_limit_now_follows_the_speed_limit_and_the_timetable(client):
    assert client.patch("/settings", {"speedLimit": 1000}).json["limitNow"] == 1000
    both = client.patch("/settings", {"timetable": "00:00,512k"}).json
    assert (both["limitNow"], both["speedLimit"]) == (512 << 10, 1000)
    assert client.get("/stats").json["limitNow"] == 512 << 10
    assert client.patch("/settings", {"timetable": None}).json["limitNow"] == 1000


def test_a_pause_of_the_timetable_holds_downloads_and_tells_until_when(client, files):
    now = datetime.now()
    early, late = (f"{(now + timedelta(hours=hours)):%H}:00" for hours in (-1, 2))
    settings = client.patch("/settings", {"timetable": f"{early},pause {late},off"}).json
    until = now.astimezone().replace(minute=0, second=0, microsecond=0) + timedelta(hours=2)
    assert datetime.fromisoformat(settings["pausedUntil"]) == until and settings["limitNow"] is None
    assert client.get("/stats").json["pausedUntil"] == settings["pausedUntil"]
    held, paused = (client.add({"url": files.add(path, b"content")})["id"] for path in ("/held", "/paused"))
    waiting = client.wait_for(held, "waiting")
    assert (waiting["waiting"]["code"], waiting["waiting"]["until"]) == ("timetable", settings["pausedUntil"])
    assert waiting["whyWaiting"] == f"Paused by the timetable until {late}."
    assert client.act(paused, "pause")["state"] == "paused"
    assert not files.requests_for("/held")
    assert client.patch("/settings", {"timetable": None}).json["pausedUntil"] is None
    client.wait_for(held, "completed")
    assert client.show(paused)["state"] == "paused" and not files.requests_for("/paused")


def test_settings_if_match(client):
    etag = client.get("/settings").headers["ETag"]
    client.patch("/settings", {"maximumRunning": 7}, headers={"If-Match": etag})
    assert client.patch("/settings", {"maximumRunning": 8}, headers={"If-Match": etag}, expect=412).code == "changed"
    assert client.get("/settings").json["maximumRunning"] == 7


BAD_SETTINGS = {
    "nothing": ({}, None), "unknown": ({"bogus": 1}, ["bogus"]), "unknown null": ({"bogus": None}, ["bogus"]), "read only": ({"roots": ["/"]}, ["roots"]), "limitNow": ({"limitNow": 5}, ["limitNow"]), "none at once": ({"maximumRunning": 0}, ["maximumRunning"]),
    "101 at once": ({"maximumRunning": 101}, ["maximumRunning"]), "text": ({"maximumRunning": "5"}, ["maximumRunning"]), "null": ({"maximumRunning": None}, ["maximumRunning"]),
    "timetable": ({"timetable": "25:00,1k"}, ["timetable"]), "empty timetable": ({"timetable": ""}, ["timetable"]), "pauses always": ({"timetable": "08:00,pause"}, ["timetable"]), "ifExists": ({"ifExists": "maybe"}, ["ifExists"]), "days": ({"historyDays": -1}, ["historyDays"]),
    "limit 0": ({"speedLimit": 0}, ["speedLimit"]), "list": ([], None),
}


@pytest.mark.parametrize("name", BAD_SETTINGS)
def test_settings_that_cannot_be_used_change_nothing(asker, name):
    patch, fields = BAD_SETTINGS[name]
    before = asker.get("/settings").json
    if isinstance(patch, dict) and name != "nothing":
        patch = {"connections": 1 if before["connections"] != 1 else 2, **patch}
    problem = asker.patch("/settings", patch, expect=422).json
    assert fields is None or problem["fields"] == fields
    assert (problem["code"] == "unknownField") == (name in {"unknown", "unknown null", "read only", "limitNow"})
    assert asker.get("/settings").json == before


@pytest.mark.parametrize("directory", ["/etc", "..", "/", "../../etc"])
def test_the_default_directory_lies_beneath_a_root(asker, directory):
    assert asker.patch("/settings", {"directory": directory}, expect=403).code == "outsideRoots"


def test_ended_downloads_leave_the_list_by_number(client, files):
    ids = []
    for name in "abc":
        ids.append(client.add({"url": files.add(f"/{name}", b"x")})["id"])
        client.wait_for(ids[-1], "completed")
    client.patch("/settings", {"historyCount": 1})
    wait_until(lambda: client.page()["total"] == 1, what=lambda: f"one download: {client.page()}")
    assert client.ids() == ids[-1:]


def test_the_setting_for_existing_files_holds_for_jobs_that_do_not_say(client, service, files):
    (service.downloads / "a").write_text("there before")
    client.patch("/settings", {"ifExists": "skip"})
    done = client.wait_for(client.add({"url": files.add("/a", b"content"), "file": "a"})["id"], "completed")
    assert done["skipped"] is True
    assert (service.downloads / "a").read_text() == "there before"


# Figures


def test_stats_tell_counts_and_what_was_fetched(client, files):
    client.wait_for(client.add({"url": files.add("/a", content(50_000))})["id"], "completed")
    stats = client.get("/stats").json
    assert stats["counts"]["completed"] == 1
    assert stats["fetched"] >= 50_000
    assert (stats["rate"], stats["connections"]) == (0, 0)
    assert stats["freeBytes"] > 0


def metrics(client):
    answer = client.get("/metrics")
    values = {}
    for line in answer.body.decode().splitlines():
        if line and not line.startswith("#"):
            row = re.fullmatch(r'([a-zA-Z_:][a-zA-Z0-9_:]*(?:\{[^{}]*\})?) ([0-9eE+.-]+|NaN|[+-]Inf)( \d+)?', line)
            assert row, f"not in the Prometheus text format: {line}"
            assert row[1] not in values, f"twice: {row[1]}"
            values[row[1]] = float(row[2])
    return values


def test_metrics_agree_with_the_list(client, files):
    client.wait_for(client.add({"url": files.add("/a", b"content")})["id"], "completed")
    client.add({"url": "http://127.0.0.1:9/x", "paused": True})
    values = metrics(client)
    assert values['pawl_downloads{state="completed"}'] == 1
    assert values['pawl_downloads{state="paused"}'] == 1
    assert {name.split("{")[0] for name in values if name.startswith("pawl_")} > {"pawl_downloads"}


# Preparing


def test_a_probe_tells_what_the_server_says_and_fetches_little(client, files):
    url = files.add("/disk.iso", bytes(4 << 20), kind="application/x-iso")
    answer = client.post("/probe", {"url": files.redirect("/start", url)}).json
    assert (answer["name"], answer["total"], answer["redirects"], answer["acceptsRanges"], answer["strongValidator"]) == ("disk.iso", 4 << 20, 1, True, True)
    assert (answer["contentType"], answer["duplicate"], answer["exists"]) == ("application/x-iso", None, False)
    assert client.page()["total"] == 0
    # No more than the buffers of both ends of the connection take.
    assert files.sent_of("/disk.iso") < 4 << 20


def test_a_probe_knows_duplicates_and_existing_files(client, service, files):
    url = files.add("/a.bin", b"content")
    id = client.add({"url": url, "paused": True})["id"]
    (service.downloads / "a.bin").write_text("there")
    answer = client.post("/probe", {"url": url}).json
    assert (answer["duplicate"], answer["exists"]) == (id, True)


def test_a_failed_probe_has_the_code_that_the_download_would_have(client, files):
    url = files.origin + "/gone"
    probed = client.post("/probe", {"url": url}, expect=422).json
    failed = client.wait_for(client.add({"url": url})["id"], "failed")
    assert probed["code"] == failed["error"]["code"] == "notFound"


@pytest.mark.parametrize("job, status, code", [
    ({}, 422, "missingField"), ({"url": "file:///etc/passwd"}, 422, "invalidValue"), ({"url": "http://127.0.0.1:9/", "bogus": 1}, 422, "unknownField"),
    ({"url": "http://127.0.0.1:9/", "hook": ["x"]}, 403, "hookNotAllowed"), ({"url": "http://127.0.0.1:9/", "directory": "/etc"}, 403, "outsideRoots"),
    ({"url": "http://127.0.0.1:9/", "authentication": {"bearer": {"file": "/etc/passwd"}}}, 403, "pathNotAllowed"), ({"url": "http://127.0.0.1:9/"}, 422, "network"),
])
def test_a_probe_refuses_what_adding_refuses(asker, job, status, code):
    assert asker.post("/probe", job, expect=status).code == code


LIST = b"""# two files
http://127.0.0.1:9/a.zip
  out=b.zip
  checksum=sha-256=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
http://127.0.0.1:9/c\thttp://localhost:9/c
"""
METALINK = b"""<?xml version="1.0" encoding="UTF-8"?>
<metalink xmlns="urn:ietf:params:xml:ns:metalink">
  <file name="disk.iso"><size>5</size><hash type="sha-256">9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08</hash>
    <url priority="1">http://127.0.0.1:9/disk.iso</url><url priority="2">http://localhost:9/disk.iso</url></file>
  <file name="second.iso"><url>http://127.0.0.1:9/second.iso</url></file>
</metalink>
"""


def document(client, body, kind="text/plain"):
    return client.send("POST", "/api/v1/documents", body, {"Content-Type": kind})


def test_a_list_becomes_jobs_that_can_be_added(client):
    answer = document(client, LIST).json
    assert answer["problems"] == []
    first, second = answer["jobs"]
    assert (first["url"], first["file"]) == ("http://127.0.0.1:9/a.zip", "b.zip")
    assert first["options"]["checksum"].startswith("sha-256:9f86")
    assert len(second["mirrors"]) == 1
    assert client.page()["total"] == 0
    results = client.add_all([{**job, "paused": True} for job in answer["jobs"]])
    assert [one["status"] for one in results] == [201, 201]


@pytest.mark.parametrize("kind", ["application/metalink4+xml", "application/metalink4+xml; charset=utf-8"])
def test_a_metalink_becomes_jobs_that_can_be_added(client, kind):
    jobs = document(client, METALINK, kind).json["jobs"]
    assert [job["file"] for job in jobs] == ["disk.iso", "second.iso"]
    assert jobs[0]["options"]["size"] == 5
    assert [one["status"] for one in client.add_all([{**job, "paused": True} for job in jobs])] == [201, 201]


def test_a_line_that_cannot_be_used_is_named(asker):
    answer = document(asker, b"http://127.0.0.1:9/a\nfile:///etc/passwd\nhttp://127.0.0.1:9/b\n")
    if answer.status == 200:
        assert [problem["line"] for problem in answer.json["problems"]] == [2]
        assert len(answer.json["jobs"]) == 2
    else:
        assert (answer.status, answer.json["line"]) == (422, 2)


@pytest.mark.parametrize("kind, body", [("application/metalink4+xml", b"<metalink>"), ("application/metalink4+xml", b""), ("application/metalink+xml", LIST), ("text/plain", b"\xff\xfe\0\0")])
def test_a_document_that_is_none_is_unreadable(asker, kind, body):
    answer = document(asker, body, kind)
    assert (answer.status, answer.code) == (422, "unreadable")


def test_a_metalink_reads_no_file_of_the_machine(asker):
    body = b'<?xml version="1.0"?><!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a"><url>http://127.0.0.1:9/&x;</url></file></metalink>'
    answer = document(asker, body, "application/metalink4+xml")
    assert answer.status in (200, 422)
    assert b"root:" not in answer.body


def test_entities_that_multiply_are_refused(asker):
    entities = "".join(f'<!ENTITY e{index} "{f"&e{index - 1};" * 10}">' for index in range(1, 12))
    body = f'<?xml version="1.0"?><!DOCTYPE m [<!ENTITY e0 "xxxxxxxxxx">{entities}]><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="&e11;"/></metalink>'
    assert document(asker, body.encode(), "application/metalink4+xml").code == "unreadable"


def test_a_directory_in_a_document_does_not_leave_the_roots(asker):
    answer = document(asker, b"http://127.0.0.1:9/a\n  dir=/etc\n")
    if answer.status == 200 and answer.json["jobs"]:
        assert asker.add({**answer.json["jobs"][0], "paused": True}, expect=403)["code"] == "outsideRoots"
    else:
        assert answer.status in (200, 422)


def test_directories_beneath_the_roots_are_listed(standing, asker):
    for name in ("films", "iso/debian", ".hidden"):
        (standing.downloads / name).mkdir(parents=True, exist_ok=True)
    (standing.downloads / "file.txt").write_text("x")
    (standing.downloads / "out").symlink_to("/etc")
    roots = asker.get("/directories").json
    assert (roots["path"], roots["parent"]) == (None, None)
    assert [one["path"] for one in roots["directories"]] == [str(standing.downloads)]
    listed = asker.get("/directories", query={"under": str(standing.downloads)}).json
    assert listed["parent"] is None
    assert [(one["name"], one["path"], one["writable"]) for one in listed["directories"]] == [(name, str(standing.downloads / name), True) for name in ("films", "iso")]
    inner = asker.get("/directories", query={"under": "iso"}).json
    assert (inner["path"], inner["parent"]) == (str(standing.downloads / "iso"), str(standing.downloads))
    assert [one["name"] for one in inner["directories"]] == ["debian"]
    assert inner["freeBytes"] > 0
    for outside in ("/etc", "..", "iso/../..", "out", str(standing.downloads) + "/out"):
        assert asker.get("/directories", query={"under": outside}, expect=403).code == "outsideRoots", outside
    for missing in ("nothing", "file.txt"):
        assert asker.get("/directories", query={"under": missing}, expect=404).code == "noSuchDirectory", missing


def test_no_more_than_a_thousand_directories_are_listed(service, client):
    for index in range(1100):
        (service.downloads / f"{index:04}").mkdir()
    names = [one["name"] for one in client.get("/directories", query={"under": "."}).json["directories"]]
    assert names == [f"{index:04}" for index in range(1000)]


@pytest.mark.parametrize("under", ["", "x" * 4097])
def test_under_has_bounds(asker, under):
    assert asker.get(f"/directories?under={under}", expect=400).json["fields"] == ["under"]


# Errors

PATHS = [template.replace("{id}", NOBODY).replace("{action}", "pause").replace("{ticket}", "ticket") for template in contract.DOCUMENT["paths"]]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_lists_its_methods_when_asked_with_another(asker, path):
    item, _ = contract.operation_for("GET", path)
    mine = {method.upper() for method in ("get", "post", "patch", "delete") if method in item}
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - mine:
        answer = asker.send(method, path, b"" if method != "TRACE" else None)
        assert answer.status == 405, f"{method} {path}: {answer}"
        assert answer.code == "wrongMethod"
        allowed = {one.strip() for one in answer.headers["Allow"].split(",")}
        assert allowed - {"HEAD", "OPTIONS"} == mine


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v2/downloads", "/api/v1/downloads/", f"/api/v1/downloads/{NOBODY}/map/more", "/api", "/nothing", "/app/nothing.js"])
def test_a_path_that_is_none_is_not_found(asker, path):
    assert asker.send("GET", path).code == "noSuchPath"


@pytest.mark.parametrize("path", ["/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/app/..%2f..%2f..%2fetc/passwd", "//etc/passwd", "/app/%00", "/..\\..\\etc\\passwd", "/app/....//etc/passwd"])
def test_S10_the_page_s_files_do_not_lead_elsewhere(asker, path):
    answer = asker.send("GET", path)
    assert answer.status in (400, 403, 404), answer
    assert b"root:" not in answer.body


def test_the_page_is_served_with_the_types_of_its_files(standing):
    stranger = standing.stranger()
    kinds = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml"}
    root = contract.ROOT / "Sources/PawlServer/Page"
    for path in sorted(one for one in root.rglob("*") if one.is_file()):
        answer = stranger.send("GET", "/" + str(path.relative_to(root)))
        assert answer.status == 200, path
        assert answer.headers["Content-Type"].split(";")[0] == kinds[path.suffix], path
        assert answer.body == path.read_bytes(), path
    assert stranger.send("GET", "/").body == (root / "index.html").read_bytes()


BODIES = [("POST", "/api/v1/downloads"), ("POST", "/api/v1/downloads/actions"), ("PATCH", f"/api/v1/downloads/{NOBODY}"), ("POST", "/api/v1/probe"), ("PATCH", "/api/v1/settings"), ("POST", "/api/v1/login")]


@pytest.mark.parametrize("method, path", BODIES)
def test_a_body_of_another_type_is_refused_by_each_call(asker, method, path):
    assert asker.send(method, path, b"{}", {"Content-Type": "text/plain"}).status in ({415, 404} if NOBODY in path else {415})


@pytest.mark.parametrize("method, path", BODIES)
def test_a_body_that_is_not_json_is_malformed_for_each_call(asker, method, path):
    assert asker.send(method, path, b"{", {"Content-Type": "application/json"}).status in ({400, 404} if NOBODY in path else {400})


@pytest.mark.parametrize("path, kind", [("/api/v1/downloads", "application/json"), ("/api/v1/documents", "text/plain")])
def test_a_body_of_exactly_2_mib_is_read(asker, path, kind):
    limit = 2 << 20
    body = b'{"url":"http://127.0.0.1:9/' + b"x" * 100 + b'","bogus":"'
    body += b"x" * (limit - len(body) - 2) + b'"}'
    assert asker.send("POST", path, body, {"Content-Type": kind}).status in (200, 422)
    answer = asker.send("POST", path, body + b" ", {"Content-Type": kind})
    assert (answer.status, answer.code) == (413, "tooLarge")


def test_answers_are_the_same_over_tcp_and_the_socket(standing):
    for path in ("/downloads", "/settings", "/version"):
        assert standing.local().get(path).json == standing.client().get(path).json


def test_ipv6_loopback_is_served_too(standing):
    if not has_ipv6():
        pytest.skip("this machine has no ::1")
    assert Client(("::1", standing.port), standing.token).get("/version").json["name"] == "pawld"


def test_numbers_beyond_64_bits_are_refused_and_not_wrapped(asker):
    body = json.dumps({"url": "http://127.0.0.1:9/x", "paused": True, "options": {"size": 1 << 64}}).encode()
    assert asker.send("POST", "/api/v1/downloads", body, {"Content-Type": "application/json"}).status in (400, 422)
