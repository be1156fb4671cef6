"""The bytes: what is stored, the map of it, the finished file, and a download that survives the end of the service."""

import datetime
import re
from urllib.parse import unquote

import pytest

from client import wait_until
from fileserver import FileServer, content

SIZE = 8 << 20


def test_a_download_survives_pause_resume_and_kill_9(service, files):
    body = content(SIZE)
    client = service.client()
    files.add("/big.bin", body)
    id = client.add({"url": files.hold("/big.bin", 2 << 20), "file": "kept.bin"})["id"]
    client.wait_for_bytes(id, 1 << 20)
    client.act(id, "pause")
    client.wait_for(id, "paused")
    files.hold("/big.bin", 2 << 20)
    client.act(id, "resume")
    # What is durable survives; what is merely stored may be fetched again.
    wait_until(lambda: client.show(id)["durable"] >= 1 << 20, what=lambda: f"durable bytes: {client.show(id)}")
    durable = client.show(id)["durable"]
    service.restart()
    client = service.client()
    after = client.show(id)
    assert after["state"] in ("running", "queued")
    assert after["file"] == "kept.bin"
    files.release_all()
    done = client.wait_for(id, "completed")
    assert (done["bytes"], done["complete"], done["total"]) == (SIZE, True, SIZE)
    assert (service.downloads / "kept.bin").read_bytes() == body
    assert sorted(path.name for path in service.downloads.iterdir()) == ["kept.bin"]
    resumed = [one for one in files.requests_for("/big.bin") if one.range and not one.range.startswith("bytes=0-")]
    assert resumed
    assert durable > 0


def test_a_paused_download_stays_paused_after_a_restart(service, files):
    client = service.client()
    files.add("/a", content(1 << 20))
    id = client.add({"url": files.hold("/a", 1000)})["id"]
    client.wait_for(id, "running")
    client.act(id, "pause")
    client.wait_for(id, "paused")
    seen = len(files.requests)
    service.restart()
    other = service.client().add({"url": files.add("/b", b"b")})["id"]
    service.client().wait_for(other, "completed")
    assert service.client().show(id)["state"] == "paused"
    assert not [one for one in files.requests[seen:] if one.path == "/a"]
    files.release_all()


def test_history_and_errors_survive_sigterm(service, files):
    client = service.client()
    done = client.add({"url": files.add("/a", b"content"), "tag": "kept"})["id"]
    failed = client.add({"url": files.origin + "/gone"})["id"]
    before = {done: client.wait_for(done, "completed"), failed: client.wait_for(failed, "failed")}
    service.restart(kills=False)
    for id, snapshot in before.items():
        after = service.client().show(id)
        assert {name: after[name] for name in snapshot} == snapshot


def test_a_file_goes_to_the_directory_that_the_job_names(client, service, files):
    (service.downloads / "iso").mkdir()
    relative = client.add({"url": files.add("/a", b"a"), "directory": "iso"})
    absolute = client.add({"url": files.add("/b", b"b"), "directory": str(service.downloads / "iso")})
    assert relative["directory"] == absolute["directory"] == str(service.downloads / "iso")
    for one in (relative, absolute):
        client.wait_for(one["id"], "completed")
    assert {path.name: path.read_text() for path in (service.downloads / "iso").iterdir()} == {"a": "a", "b": "b"}


def test_the_server_names_the_file_but_not_its_directory(client, service, files):
    url = files.add("/x", b"content", headers={"Content-Disposition": 'attachment; filename="../../etc/<b>name</b>.txt"'})
    done = client.wait_for(client.add({"url": url})["id"], "completed")
    assert "/" not in done["file"] and done["file"] not in (".", "..")
    assert [path.name for path in service.downloads.iterdir()] == [done["file"]]
    assert (service.downloads / done["file"]).read_text() == "content"


def test_redirects_are_followed_and_logged(client, files):
    target = files.add("/target.bin", b"content")
    id = client.add({"url": files.redirect("/start", target)})["id"]
    assert client.wait_for(id, "completed")["bytes"] == 7
    # A download that ends at once may be complete a moment before its notices are written down.
    codes = wait_until(lambda: (codes := [one["code"] for one in client.show(id)["log"]]) and "redirected" in codes and codes, what="the redirect in the log")
    assert codes[0] == "started" and "completed" in codes


def test_a_file_of_unknown_length_has_no_total_until_it_ends(client, files):
    files.add("/stream", content(1 << 20), ranges=False, known_length=False)
    id = client.add({"url": files.hold("/stream", 1 << 19)})["id"]
    running = client.wait_for_bytes(id, 1)
    assert (running["total"], running["secondsLeft"]) == (None, None)
    assert client.get(f"/downloads/{id}/map").json["cells"] == []
    files.release_all()
    assert client.wait_for(id, "completed")["total"] == 1 << 20


def test_a_speed_limit_holds(client, files):
    files.add("/a", content(4 << 20))
    id = client.add({"url": files.origin + "/a", "paused": True})["id"]
    client.patch(f"/downloads/{id}", {"maxSpeed": 1 << 20})
    client.act(id, "resume")
    done = client.wait_for(id, "completed")
    # A busy machine makes it slower, never faster. Two seconds are left for what is sent at once and for times in whole seconds.
    began, ended = (datetime.datetime.fromisoformat(done[name].replace("Z", "+00:00")) for name in ("started", "ended"))
    assert (ended - began).total_seconds() >= 1


def test_S13_downloads_at_once_are_limited(client, files):
    client.patch("/settings", {"maximumRunning": 2})
    for name in "abcd":
        files.add(f"/{name}", content(100_000, name))
        client.add({"url": files.hold(f"/{name}", 1000)})
    wait_until(lambda: client.page()["counts"]["running"] == 2)
    assert client.page()["counts"]["queued"] + client.page()["counts"]["waiting"] == 2
    client.patch("/settings", {"maximumRunning": 4})
    wait_until(lambda: client.page()["counts"]["running"] == 4)
    files.release_all()
    wait_until(lambda: client.page()["counts"]["completed"] == 4)


# The map


def test_the_map_shows_what_is_stored(client, service, files):
    files.add("/a", content(SIZE))
    id = client.add({"url": files.hold("/a", 3 << 20), "options": {"connections": 1}})["id"]
    client.wait_for_bytes(id, 2 << 20)
    shown = client.get(f"/downloads/{id}/map?cells=8").json
    assert (shown["total"], len(shown["cells"])) == (SIZE, 8)
    assert shown["cells"][:2] == [255, 255]
    assert shown["cells"][4:] == [0, 0, 0, 0]
    assert len(client.get(f"/downloads/{id}/map").json["cells"]) == 256
    client.act(id, "pause")
    assert wait_until(lambda: client.get(f"/downloads/{id}/map?cells=8").json["cells"])[:2] == [255, 255]
    wait_until(lambda: client.show(id)["durable"] >= 2 << 20, 60, "the journal")
    client = service.restart().client()
    assert client.get(f"/downloads/{id}/map?cells=8").json["cells"][:2] == [255, 255]
    files.release_all()
    client.act(id, "resume")
    client.wait_for(id, "completed")
    assert client.get(f"/downloads/{id}/map?cells=4096").json["cells"] == [255] * 4096


def test_a_small_file_has_as_many_cells_as_bytes(client, files):
    id = client.add({"url": files.add("/a", b"abc")})["id"]
    client.wait_for(id, "completed")
    assert client.get(f"/downloads/{id}/map").json == {"total": 3, "bytes": 3, "cells": [255] * 3, "connections": []}


@pytest.mark.parametrize("query", ["cells=0", "cells=4097", "cells=x", "index=-1", "index=x"])
def test_a_map_is_asked_for_within_bounds(client, query):
    id = client.add({"url": "http://127.0.0.1:9/x", "paused": True})["id"]
    assert client.get(f"/downloads/{id}/map?{query}", expect=400).json["fields"] == [query.split("=")[0]]
    assert client.get(f"/downloads/{id}/map?index=1", expect=404).code == "unknownDownload"


# The finished file

BODY = content(100_000)


@pytest.fixture(scope="module")
def fetched(standing):
    """A finished file of the standing service: its path in the API and on disk."""
    server, client = FileServer(), standing.client()
    id = client.add({"url": server.add("/x", BODY), "file": "Grüße & <b>.bin"})["id"]
    client.wait_for(id, "completed")
    server.close()
    yield f"/downloads/{id}/file"
    client.delete(f"/downloads/{id}?files=delete")


def test_the_file_is_sent_as_an_attachment_with_a_strong_validator(asker, fetched):
    answer = asker.get(fetched)
    assert answer.body == BODY
    assert re.fullmatch(r'"[^"]+"', answer.headers["ETag"])
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert int(answer.headers["Content-Length"]) == len(BODY)
    disposition = answer.headers["Content-Disposition"]
    assert disposition.startswith("attachment")
    name = re.search(r"filename\*=UTF-8''([^;]+)", disposition, re.IGNORECASE)[1]
    assert unquote(name) == "Grüße & <b>.bin"
    assert disposition.isascii()
    assert asker.get(fetched).headers["ETag"] == answer.headers["ETag"]


def test_head_is_answered_without_the_file(asker, fetched):
    answer = asker.call("HEAD", fetched, expect=200)
    assert (answer.body, int(answer.headers["Content-Length"])) == (b"", len(BODY))


@pytest.mark.parametrize("asked, first, last", [("bytes=0-0", 0, 0), ("bytes=100-199", 100, 199), ("bytes=99999-", 99_999, 99_999), ("bytes=50000-9999999", 50_000, 99_999), ("bytes=-10", 99_990, 99_999), ("bytes=-9999999", 0, 99_999)])
def test_a_range_is_sent_alone(asker, fetched, asked, first, last):
    answer = asker.get(fetched, headers={"Range": asked}, expect=206)
    assert answer.body == BODY[first:last + 1]
    assert answer.headers["Content-Range"] == f"bytes {first}-{last}/{len(BODY)}"
    assert int(answer.headers["Content-Length"]) == last - first + 1


@pytest.mark.parametrize("asked", ["bytes=100000-", "bytes=200000-200001", "bytes=-0"])
def test_a_range_beyond_the_end_cannot_be_satisfied(asker, fetched, asked):
    answer = asker.get(fetched, headers={"Range": asked}, expect=416)
    assert (answer.code, answer.headers["Content-Range"]) == ("rangeNotSatisfiable", f"bytes */{len(BODY)}")


@pytest.mark.parametrize("asked", ["bytes=5-1", "bytes=x-y", "lines=1-2", "bytes", "bytes=1-2-3"])
def test_a_range_that_is_none_is_ignored(asker, fetched, asked):
    """RFC 9110, 14.2: an invalid ranges-specifier, or a unit that is not known, may be ignored."""
    answer = asker.get(fetched, headers={"Range": asked}, expect={200, 400, 416})
    assert answer.status != 200 or answer.body == BODY


def test_if_range_sends_the_rest_only_of_the_same_file(asker, fetched):
    etag = asker.get(fetched).headers["ETag"]
    assert asker.get(fetched, headers={"Range": "bytes=10-", "If-Range": etag}, expect=206).body == BODY[10:]
    assert asker.get(fetched, headers={"Range": "bytes=10-", "If-Range": '"another"'}).body == BODY
    assert asker.get(fetched, headers={"Range": "bytes=10-", "If-Range": f"W/{etag}"}).body == BODY


def test_conditions_on_the_validator(asker, fetched):
    etag = asker.get(fetched).headers["ETag"]
    assert asker.get(fetched, headers={"If-None-Match": etag}, expect=304).body == b""
    assert asker.get(fetched, headers={"If-None-Match": f'"x", W/{etag}'}, expect=304).body == b""
    assert asker.get(fetched, headers={"If-None-Match": '"x"'}).body == BODY
    assert asker.get(fetched, headers={"If-Match": etag}).body == BODY
    assert asker.get(fetched, headers={"If-Match": '"x"'}, expect=412).code == "changed"


def test_a_file_is_put_together_from_ranges(asker, fetched):
    etag = asker.call("HEAD", fetched).headers["ETag"]
    pieces = [asker.get(fetched, headers={"Range": f"bytes={first}-{first + 9_999}", "If-Range": etag}, expect=206).body for first in range(0, len(BODY), 10_000)]
    assert b"".join(pieces) == BODY


def test_a_file_has_one_index(asker, fetched):
    assert asker.get(fetched + "?index=0").body == BODY
    assert asker.get(fetched + "?index=1", expect=404).code == "unknownDownload"


def test_an_unfinished_file_is_not_sent(client, files):
    files.add("/a", content(1 << 20))
    id = client.add({"url": files.hold("/a", 1000)})["id"]
    client.wait_for(id, "running")
    assert client.get(f"/downloads/{id}/file", expect=409).code == "notCompleted"
    files.release_all()


def meddle_delete(path):
    path.unlink()


def meddle_replace(path):
    path.unlink()
    path.write_bytes(b"another file, of another length")


def meddle_link(path):
    path.unlink()
    path.symlink_to("/etc/hostname")


@pytest.mark.parametrize("meddle", [meddle_delete, meddle_replace, meddle_link])
def test_a_finished_file_that_is_no_longer_there_is_gone(client, service, files, meddle):
    id = client.add({"url": files.add("/a", b"content")})["id"]
    client.wait_for(id, "completed")
    meddle(service.downloads / "a")
    assert client.get(f"/downloads/{id}/file", expect=410).code == "fileMissing"
    assert client.show(id)["missing"] is True
    assert client.show(id)["state"] == "completed"


def test_an_html_file_is_not_shown_as_a_page(client, files):
    id = client.add({"url": files.add("/x.html", b"<script>alert(1)</script>", kind="text/html"), "options": {"allowWebPage": True}})["id"]
    client.wait_for(id, "completed")
    answer = client.get(f"/downloads/{id}/file")
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")
