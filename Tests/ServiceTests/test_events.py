"""GET /events: order, what a reader that returns gets, and readers that do not read."""

import json
import socket
import time

import pytest

from client import API, raw_socket, wait_until
from eventreader import EventReader, settled
from fileserver import content

URL = "http://127.0.0.1:9/{}"


def paused(name, **more):
    return {"url": URL.format(name), "paused": True, **more}


def request_for_events(service, since=None):
    query = "" if since is None else f"?since={since}"
    return f"GET {API}/events{query} HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\nAuthorization: Bearer {service.token}\r\nConnection: close\r\n\r\n".encode()


def test_hello_and_stats_begin_the_stream(client, read):
    reader = read(client)
    reader.wait_for(lambda event: event.name == "stats", what="stats")
    assert [event.name for event in reader.events[:2]] == ["hello", "stats"]
    hello = reader.events[0].data
    assert hello["change"] == client.page()["change"]
    assert hello["version"] == client.get("/version").json["version"]


def test_each_start_of_the_service_is_another_instance(service, read):
    first = read(service.client(), follows=False)
    service.kill()
    service.start()
    second = read(service.client())
    assert first.events[0].data["instance"] != second.events[0].data["instance"]


def test_changes_come_in_their_order(client, read):
    reader = read(client)
    a = client.add(paused("a"))
    b = client.add(paused("b"))
    b2 = client.patch(f"/downloads/{b['id']}", {"tag": "later"}).json
    client.delete(f"/downloads/{a['id']}")
    reader.wait_for(lambda event: event.name == "removed")
    told = [(event.name, event.data["id"]) for event in reader.named("change", "removed")]
    assert told == [("change", a["id"]), ("change", b["id"]), ("change", b["id"]), ("removed", a["id"])]
    changes = reader.named("change")
    assert changes[0].data == a
    assert changes[2].data == b2


def test_a_whole_download_is_told(client, files, read):
    reader = read(client)
    id = client.add({"url": files.add("/a", content(100_000))})["id"]
    reader.wait_for(lambda event: event.name == "change" and event.data["state"] == "completed")
    states = [event.data["state"] for event in reader.named("change")]
    assert states[0] in ("queued", "running")
    assert states[-1] == "completed" and states.count("completed") == 1
    assert settled(reader.downloads[id]) == settled(client.page()["downloads"][0])


def test_a_setting_that_changes_is_told(client, read):
    reader = read(client)
    settings = client.patch("/settings", {"maximumRunning": 9}).json
    event = reader.wait_for(lambda event: event.name == "settings")
    assert (event.data, event.number) == (settings, settings["change"])


def test_a_reader_that_returns_gets_each_missed_change_once_and_in_order(client, read):
    reader = read(client, follows=False)
    first = client.add(paused("first"))
    reader.wait_for_change(first["change"])
    last = reader.last
    reader.close()
    missed = [client.add(paused(index)) for index in range(20)]
    client.delete(f"/downloads/{missed[3]['id']}")
    client.patch(f"/downloads/{missed[5]['id']}", {"tag": "twice"})
    back = read(client, last=last)
    end = client.add(paused("end"))
    back.wait_for_change(end["change"])
    told = back.named("change", "removed")
    assert not back.named("reset")
    assert [event.number for event in told] == sorted(event.number for event in told)
    # Of a download that changed several times, or was removed, only the latest is told.
    expected = [one["id"] for index, one in enumerate(missed) if index not in (3, 5)] + [missed[3]["id"], missed[5]["id"], end["id"]]
    assert [event.data["id"] for event in told] == expected


def test_changes_before_kill_9_are_told_after_it(service, read):
    reader = read(service.client(), follows=False)
    first = service.client().add(paused("first"))
    reader.wait_for_change(first["change"])
    second = service.client().add(paused("second"))
    last = first["change"]
    service.restart()
    back = read(service.client(), last=last)
    back.wait_for(lambda event: event.name == "change" and event.data["id"] == second["id"])
    assert not back.named("reset")
    assert [event.data["id"] for event in back.named("change")] == [second["id"]]


def test_since_follows_from_a_list(client, read):
    client.add(paused("a"))
    change = client.page()["change"]
    b = client.add(paused("b"))
    reader = read(client, since=change)
    reader.wait_for_change(b["change"])
    assert [event.data["id"] for event in reader.named("change")] == [b["id"]]


def test_last_event_id_takes_precedence_over_since(client, read):
    client.add(paused("a"))
    change = client.page()["change"]
    b = client.add(paused("b"))
    reader = read(client, since=0, last=change)
    reader.wait_for_change(b["change"])
    assert [event.data["id"] for event in reader.named("change")] == [b["id"]]


@pytest.mark.parametrize("headers, query", [({"Last-Event-ID": "x"}, ""), ({"Last-Event-ID": "-1"}, ""), ({}, "?since=-1"), ({}, "?since=x"), ({}, "?since="), ({}, "?since=9223372036854775808")])
def test_a_place_that_is_none_is_malformed(asker, headers, query):
    asker.get(f"/events{query}", headers=headers, expect=400)


def test_a_place_in_the_future_is_reset(client, read):
    """The database was restored from a copy: what the reader knows is not what the service has."""
    client.add(paused("a"))
    change = client.page()["change"]
    reader = EventReader(client, last=change + 1000, follows=False)
    reader.thread.start()
    reader.wait_for(lambda event: event.name == "reset", what="reset")
    assert reader.named("reset")[0].data["change"] <= client.page()["change"]
    reader.close()


@pytest.mark.slow
def test_a_reader_that_was_away_too_long_reads_the_list_anew(service, read):
    """How many changes are kept is the service's choice. A removed download leaves only its number behind, and these are dropped some day."""
    client = service.client(timeout=300)
    first = client.add(paused("first"))
    reader = read(client, follows=False)
    last = reader.last
    reader.close()
    for round in range(3):
        client.add_all([paused(f"{round}/{index}") for index in range(10_000)])
        client.post("/downloads/actions", {"action": "remove", "filter": {"q": URL.format(f"{round}/")}})
    client.patch(f"/downloads/{first['id']}", {"tag": "end"})
    back = EventReader(client, last=last)
    back.thread.start()
    back.wait_for_change(client.page()["change"], seconds=300)
    back.close()
    # Either everything is still told, or one reset stands in its place; the list is right in both cases.
    removed = len(back.named("removed"))
    assert len(back.named("reset")) == 1 or removed == 30_000
    assert {id: settled(one) for id, one in back.downloads.items()} == {one["id"]: settled(one) for one in client.everything()[0]}


def test_progress_has_no_number_and_comes_at_most_four_times_a_second(client, files, read):
    reader = read(client)
    files.add("/a", content(3 << 20), rate=1 << 20)
    id = client.add({"url": files.origin + "/a", "options": {"connections": 1}})["id"]
    client.wait_for(id, "completed")
    progress = reader.named("progress")
    assert len(progress) >= 3
    assert all(event.number is None for event in progress)
    own = [one for event in progress for one in event.data if one["id"] == id]
    assert [one["bytes"] for one in own] == sorted(one["bytes"] for one in own)
    assert all(one["durable"] <= one["bytes"] <= 3 << 20 for one in own)
    # Measured from the first to the last: a busy machine delays events, but cannot make more of them.
    seconds = progress[-1].time - progress[0].time
    assert len(progress) <= 4 * seconds + 4


def test_what_does_not_move_has_no_progress(client, files, read):
    client.add(paused("a"))
    reader = read(client)
    id = client.add({"url": files.add("/a", content(1000))})["id"]
    reader.wait_for(lambda event: event.name == "change" and event.data["state"] == "completed")
    assert {one["id"] for event in reader.named("progress") for one in event.data} <= {id}


@pytest.mark.slow
def test_an_idle_stream_has_a_comment_every_15_seconds(client, read):
    reader = read(client)
    began = time.monotonic()
    wait_until(lambda: reader.comments, 60)
    assert reader.comments[0] - began < 30


def test_sigterm_says_goodbye_and_ends_soon(service, files, read):
    client = service.client()
    files.add("/a", content(1 << 20))
    id = client.add({"url": files.hold("/a", 1000)})["id"]
    client.wait_for(id, "running")
    readers = [read(client, follows=False) for _ in range(3)]
    with raw_socket(service.address) as idle:
        seconds, code = service.terminate()
        assert idle.recv(1) == b""
    assert code == 0
    # Two seconds are promised; a busy machine is not the service's fault.
    assert seconds < 10
    for reader in readers:
        reader.thread.join(30)
        assert reader.events[-1].name == "goodbye"
    service.start()
    assert service.client().wait_for(id, {"running", "queued"})["id"] == id
    files.release_all()
    assert service.client().wait_for(id, "completed")["bytes"] == 1 << 20


def test_a_download_ends_and_its_reader_s_state_equals_the_list(client, files, read):
    for index in range(5):
        client.add(paused(f"before{index}"))
    reader = read(client, with_list=True)
    for index in range(10):
        client.add({"url": files.add(f"/{index}", content(20_000, index))})
    gone = client.add(paused("gone"))["id"]
    client.delete(f"/downloads/{gone}")
    client.post("/downloads/actions", {"action": "prioritize", "filter": {"state": ["paused"]}, "priority": 4})
    wait_until(lambda: client.page()["counts"]["completed"] == 10)
    reader.drop()
    client.add(paused("away"))
    downloads, change = client.everything()
    reader.wait_for_change(change)
    assert reader.connections >= 1
    assert {id: settled(one) for id, one in reader.downloads.items()} == {one["id"]: settled(one) for one in downloads}


@pytest.mark.slow
def test_a_stuck_reader_holds_nobody_up(service, client, read):
    """Besides 120 readers, 10 that never read: the others see each change, and the service stays small."""
    client.add_all([paused(f"{index}", tag="x" * 64) for index in range(1000)])
    stuck = []
    for _ in range(10):
        connection = socket.socket()
        # Small buffers fill soon.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(service.address)
        connection.sendall(request_for_events(service))
        stuck.append(connection)
    readers = [read(client, checks=False) for _ in range(120)]
    before = service.status("VmRSS")
    for round in range(20):
        # Each makes a thousand changes, some hundred kilobytes of events for each reader.
        client.post("/downloads/actions", {"action": "prioritize", "filter": {}, "priority": round + 1})
    last = client.add(paused("last"))
    for reader in readers:
        reader.wait_for_change(last["change"], seconds=120)
        assert last["id"] in reader.downloads
    assert service.status("VmRSS") - before < 200 << 10, "kibibytes more than before"
    assert client.get("/version").status == 200
    for connection in stuck:
        connection.close()
    more = client.add(paused("after"))
    for reader in readers:
        reader.wait_for_change(more["change"])


@pytest.mark.slow
def test_a_reader_that_wakes_up_is_told_everything_or_to_read_anew(service, client):
    client.add_all([paused(f"{index}", tag="x" * 64) for index in range(1000)])
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(60)
        connection.connect(service.address)
        connection.sendall(request_for_events(service, since=client.page()["change"]))
        for round in range(20):
            client.post("/downloads/actions", {"action": "prioritize", "filter": {}, "priority": round + 1})
        last = client.add(paused("last"))["change"]
        received = b""
        # The connection ends, or goes on to the last change.
        while f"id: {last}\n".encode() not in received:
            piece = connection.recv(1 << 16)
            if not piece:
                break
            received += piece
    told = {json.loads(line.removeprefix(b"data: "))["id"] for line in received.split(b"\n") if line.startswith(b'data: {"id"') and line.endswith(b"}")}
    is_at_the_end = f"id: {last}\n".encode() in received
    assert not is_at_the_end or b"event: reset" in received or len(told) == 1001
    assert client.page()["total"] == 1001


def test_a_reader_that_leaves_is_forgotten(service, client):
    before = service.open_files()
    for _ in range(50):
        with raw_socket(service.address) as connection:
            connection.sendall(request_for_events(service))
            assert connection.recv(1000)
        client.get("/version")
    for index in range(3):
        client.add(paused(index))
    wait_until(lambda: service.open_files() <= before + 5, what=lambda: f"{before} open files instead of {service.open_files()}")
