"""aria2's RPC (docs/aria2.md), as its clients speak it."""

import base64
import json
import time
from urllib.parse import quote

import pytest

from aria2rpc import RPC, RPCError, WebSocket
from fileserver import content


@pytest.fixture
def rpc(service):
    return RPC(service)


def refusal(call, *parameters):
    with pytest.raises(RPCError) as caught:
        call(*parameters)
    return caught.value


# Messages.


def test_a_call_without_the_right_token_is_unauthorized(service):
    for token in (None, "wrong"):
        began = time.monotonic()
        error = refusal(RPC(service, token=token).getVersion)
        assert (error.code, error.message, error.status) == (1, "Unauthorized", 400)
        assert time.monotonic() - began >= 1
    assert RPC(service, token=None).call("system.listMethods")[0] == "aria2.addUri"
    assert len(RPC(service, token=None).call("system.listMethods")) == 36
    assert "aria2.onDownloadStart" in RPC(service, token=None).call("system.listNotifications")


def test_no_token_is_needed_on_the_unix_socket(service):
    answer = service.local().send("POST", "/jsonrpc", b'{"id": 1, "method": "aria2.getVersion"}', {})
    assert answer.status == 200, answer
    assert answer.json["result"]["version"] == "1.37.0"


def test_ids_come_back_as_they_are(rpc):
    for id in (0, -1, "a", "", None, 1.5):
        status, _, body = rpc.send(json.dumps({"json-rpc": 2.0, "id": id, "method": "system.listNotifications"}))
        assert (status, json.loads(body)["id"]) == (200, id)


@pytest.mark.parametrize(
    ("body", "code", "message", "status", "id"),
    [
        ("{", -32700, "Parse error.", 500, None),
        ("3", -32600, "Invalid Request.", 400, None),
        ('{"method": "aria2.getVersion"}', -32600, "Invalid Request.", 400, None),
        ('{"id": 7, "method": 1}', -32600, "Invalid Request.", 400, 7),
        ('{"id": 7, "method": "aria2.getVersion", "params": {}}', -32602, "Invalid params.", 500, 7),
    ],
)
def test_what_is_no_call_is_answered_as_aria2_does(rpc, body, code, message, status, id):
    got, headers, text = rpc.send(body)
    answer = json.loads(text)
    assert (got, answer["error"], answer["id"]) == (status, {"code": code, "message": message}, id)
    assert headers["content-type"] == "application/json-rpc"


def test_errors_have_the_texts_that_clients_look_for(rpc):
    for call, message in [
        (("nothing",), "No such method: aria2.nothing"),
        (("tellStatus",), "The parameter at 0 is required but missing."),
        (("tellStatus", 3), "The parameter at 0 has wrong type."),
        (("tellStatus", "invalid gid"), "Invalid GID invalid gid"),
        (("tellStatus", "0" * 17), "Invalid GID " + "0" * 17),
        (("pause", "2089b05ecca3d829"), "GID 2089b05ecca3d829 is not found"),
        (("addUri", []), "URI is not provided."),
        (("addUri", ["http://127.0.0.1/"], {}, -1), "Position must be greater than or equal to 0."),
        (("tellWaiting", 0, -1), "The integer parameter at 1 has invalid value: the value must be greater than or equal to 0."),
        (("addUri", ["http://127.0.0.1/"], {"split": "0"}), "We encountered a problem while processing the option '--split'."),
        (("addUri", ["http://127.0.0.1/"], {"gid": "xyz"}), "xyz is invalid for GID."),
    ]:  # fmt: skip
        error = refusal(getattr(rpc, call[0]), *call[1:])
        assert (error.code, error.message, error.status) == (1, message, 400)
    assert "ftp" in refusal(rpc.addUri, ["ftp://127.0.0.1/file"]).message
    assert "BitTorrent" in refusal(rpc.addTorrent, "").message


def test_several_calls_in_one_message(rpc):
    status, _, body = rpc.send(json.dumps([rpc.request("aria2.getVersion"), 5, rpc.request("aria2.nothing")]))
    first, second = json.loads(body)
    assert (status, first["result"]["version"], second["error"]["message"]) == (200, "1.37.0", "No such method: aria2.nothing")
    token = f"token:{rpc.token}"
    results = rpc.call(
        "system.multicall",
        [
            {"methodName": "aria2.getVersion", "params": [token]},
            {"methodName": "aria2.getVersion"},
            {"methodName": "system.listNotifications"},
            {"methodName": "system.multicall"},
            {},
            4,
        ],
    )
    assert results[0][0]["version"] == "1.37.0"
    assert results[1] == {"code": 1, "message": "Unauthorized"}
    assert isinstance(results[2], list)
    assert [result["message"] for result in results[3:]] == ["Recursive system.multicall forbidden.", "Missing methodName.", "system.multicall expected struct."]


def test_calls_by_get(rpc):
    parameters = quote(base64.b64encode(json.dumps([f"token:{rpc.token}"]).encode()))
    status, headers, body = rpc.send(None, "GET", f"/jsonrpc?method=aria2.getVersion&id=foo&params={parameters}&jsoncallback=take")
    assert (status, headers["content-type"]) == (200, "text/javascript")
    assert body.startswith(b"take({") and json.loads(body[5:-1])["id"] == "foo"
    batch = quote(base64.b64encode(json.dumps([rpc.request("aria2.getVersion")]).encode()))
    assert json.loads(rpc.send(None, "GET", f"/jsonrpc?params={batch}")[2])[0]["result"]["version"] == "1.37.0"
    # Not a name: no script of another's choice.
    assert rpc.send(None, "GET", f"/jsonrpc?method=aria2.getVersion&id=foo&params={parameters}&jsoncallback=alert(1)//")[2].startswith(b"{")


def test_other_sites_read_nothing_unless_they_are_allowed(start):
    service = start("--allow-origin", "https://ariang.example")
    rpc = RPC(service)
    body = json.dumps(rpc.request("aria2.getVersion"))
    for origin, is_allowed in (("https://ariang.example", True), ("https://evil.example", False), ("null", False)):
        status, headers, _ = rpc.send(body, headers={"Origin": origin})
        assert (status, headers.get("access-control-allow-origin")) == (200, origin if is_allowed else None)
        asking = {"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        status, headers, _ = rpc.send(None, "OPTIONS", headers=asking)
        assert (status < 300, headers.get("access-control-allow-origin")) == (True, origin if is_allowed else None)
    assert rpc.send(body, headers={"Host": "evil.example"})[0] == 403


# Downloads.


def test_a_download_from_its_addition_to_its_removal(service, rpc, files):
    body = content(300_000)
    url = files.add("/file.bin", body)
    gid = rpc.addUri([url], {"pause": "true", "header": ["X-One: 1", "X-Two: 2"], "gid": "2089b05ecca3d829", "max-download-limit": "1M"})
    assert gid == "2089b05ecca3d829"
    assert rpc.tellStatus("2089", ["gid", "status"]) == {"gid": gid, "status": "paused"}
    waiting = rpc.tellStatus(gid)
    assert waiting["totalLength"] == waiting["completedLength"] == waiting["numPieces"] == "0"
    assert (waiting["dir"], waiting["pieceLength"], waiting["connections"]) == (str(service.downloads), "1048576", "0")
    assert waiting["files"] == [{"completedLength": "0", "index": "1", "length": "0", "path": "", "selected": "true", "uris": [{"status": "waiting", "uri": url}]}]
    assert "bitfield" not in waiting and "errorCode" not in waiting
    options = rpc.getOption(gid)
    assert (options["header"], options["max-download-limit"], options["dir"]) == ("X-One: 1\nX-Two: 2", "1048576", str(service.downloads))
    assert rpc.getUris(gid) == [{"status": "waiting", "uri": url}]
    assert refusal(rpc.pause, gid).message == f"GID#{gid} cannot be paused now"
    assert refusal(rpc.getServers, gid).message == f"No active download for GID#{gid}"
    assert rpc.unpause(gid) == gid
    done = rpc.wait(gid, "complete")
    assert (done["totalLength"], done["completedLength"], done["numPieces"], done["bitfield"]) == ("300000", "300000", "1", "80")
    assert (done["errorCode"], done["errorMessage"], done["files"][0]["path"]) == ("0", "", str(service.downloads / "file.bin"))
    assert (service.downloads / "file.bin").read_bytes() == body
    assert files.requests[-1].headers["X-Two"] == "2"
    assert [entry["gid"] for entry in rpc.tellStopped(0, 10)] == [gid]
    for call, message in [
        (rpc.pause, f"GID#{gid} cannot be paused now"), (rpc.unpause, f"GID#{gid} cannot be unpaused now"),
        (rpc.remove, f"Active Download not found for GID#{gid}"), (rpc.getUris, f"No URI data is available for GID#{gid}"),
    ]:  # fmt: skip
        assert refusal(call, gid).message == message
    assert rpc.getFiles(gid)[0]["length"] == "300000"
    assert rpc.removeDownloadResult(gid) == "OK"
    assert refusal(rpc.tellStatus, gid).message == f"GID {gid} is not found"
    assert (service.downloads / "file.bin").read_bytes() == body


def test_gids_are_the_same_after_a_restart(service, rpc, files):
    url = files.add("/file.bin", content(1000))
    mine, other = rpc.addUri([url], {"pause": "true", "gid": "ABCDEF0123456789", "out": "a"}), rpc.addUri([url], {"pause": "true", "out": "b"})
    assert mine == "abcdef0123456789" and len(other) == 16
    assert refusal(rpc.addUri, [url], {"gid": mine}).message == f"GID {mine} is not unique."
    service.kill()
    service.start()
    assert [entry["gid"] for entry in rpc.tellWaiting(0, 10)] == [mine, other]
    assert rpc.getOption(mine)["out"] == "a"


def test_an_active_download_shows_its_pieces_and_can_be_removed(service, rpc, files):
    body = content(5 << 20)
    url = files.add("/file.bin", body, rate=1 << 20)
    gid = rpc.addUri([url], {"split": "1"})
    while True:
        status = rpc.wait(gid, "active")
        if int(status["completedLength"]) > 2 << 20:
            break
        time.sleep(0.05)
    assert (status["totalLength"], status["numPieces"], status["connections"]) == (str(5 << 20), "5", "1")
    assert status["bitfield"] in ("c0", "e0", "f0") and int(status["downloadSpeed"]) > 0
    assert rpc.getServers(gid)[0]["servers"][0]["uri"] == url
    stat = rpc.getGlobalStat()
    assert (stat["numActive"], stat["numWaiting"], stat["numStopped"]) == ("1", "0", "0") and int(stat["downloadSpeed"]) > 0
    assert rpc.pause(gid) == gid
    paused = rpc.tellStatus(gid)
    assert (paused["status"], paused["downloadSpeed"], paused["connections"]) == ("paused", "0", "0")
    assert paused["files"][0]["path"] == str(service.downloads / "file.bin")
    rpc.unpause(gid)
    rpc.wait(gid, "active")
    assert rpc.forceRemove(gid) == gid
    removed = rpc.tellStatus(gid)
    assert (removed["status"], removed["errorCode"]) == ("removed", "31")
    assert [entry["gid"] for entry in rpc.tellStopped(-1, 10)] == [gid]
    assert rpc.getGlobalStat()["numStoppedTotal"] == "1"
    assert rpc.purgeDownloadResult() == "OK"
    assert rpc.tellStopped(0, 10) == []


def test_a_failed_download_tells_its_error(rpc, files):
    gid = rpc.addUri([files.origin + "/missing"])
    failed = rpc.wait(gid, "error")
    assert failed["errorCode"] == "3" and failed["errorMessage"]
    assert failed["files"][0]["uris"][0]["uri"].endswith("/missing")


def test_the_queue_can_be_read_from_both_ends_and_reordered(rpc, files):
    gids = [rpc.addUri([files.add(f"/{name}", b"x")], {"pause": "true"}) for name in "abcde"]

    def order():
        return "".join("abcde"[gids.index(entry["gid"])] for entry in rpc.tellWaiting(0, 100, ["gid"]))

    assert order() == "abcde"
    for offset, count, wanted in [(1, 2, "bc"), (-1, 2, "ed"), (-2, 100, "dcba"), (5, 3, ""), (-6, 3, ""), (0, 0, "")]:
        assert "".join("abcde"[gids.index(entry["gid"])] for entry in rpc.tellWaiting(offset, count)) == wanted, (offset, count)
    for name, position, origin, place, wanted in [
        ("a", 2, "POS_CUR", 2, "bcade"), ("e", 0, "POS_SET", 0, "ebcad"), ("b", 0, "POS_END", 4, "ecadb"),
        ("b", -1, "POS_END", 3, "ecabd"), ("e", -5, "POS_CUR", 0, "ecabd"), ("c", 50, "POS_SET", 4, "eabdc"),
    ]:  # fmt: skip
        assert rpc.changePosition(gids["abcde".index(name)], position, origin) == place
        assert order() == wanted
    assert refusal(rpc.changePosition, gids[0], 1, "POS").message == "Illegal argument."
    first = rpc.addUri([files.add("/f", b"x")], {"pause": "true"}, 1)
    assert rpc.tellWaiting(1, 1)[0]["gid"] == first
    assert rpc.unpauseAll() == "OK"
    for gid in gids:
        rpc.wait(gid, "complete")


def test_the_uris_of_a_download_change(rpc, files):
    body = content(2000)
    old, new = files.origin + "/gone", files.add("/new", body)
    gid = rpc.addUri([old], {"pause": "true", "out": "file"})
    assert rpc.changeUri(gid, 1, [old], [new]) == [1, 1]
    assert rpc.getUris(gid) == [{"status": "waiting", "uri": new}]
    assert rpc.changeUri(gid, 1, [new], []) == [1, 0]
    assert rpc.getUris(gid) == [] and refusal(rpc.unpause, gid).message == "No URI to download."
    assert rpc.changeUri(gid, 1, [], [new]) == [0, 1]
    assert refusal(rpc.changeUri, gid, 2, [], []).message == "fileIndex is out of range"
    rpc.unpause(gid)
    assert rpc.wait(gid, "complete", "error")["totalLength"] == "2000"


# Options.


def test_files_go_beneath_a_root_only(service, rpc, files):
    url = files.add("/file.bin", b"x")
    for directory in ("/etc", "/tmp/elsewhere", "../x"):
        message = refusal(rpc.addUri, [url], {"dir": directory}).message
        assert str(service.downloads) in message, message
    assert "beneath" in refusal(rpc.addUri, [url], {"out": "../../x"}).message
    gid = rpc.addUri([url], {"dir": str(service.downloads / "new/deeper"), "out": "sub/name.bin"})
    assert rpc.wait(gid, "complete")["files"][0]["path"] == str(service.downloads / "new/deeper/sub/name.bin")
    assert "beneath" in refusal(rpc.changeGlobalOption, {"dir": "/etc"}).message


def test_options_that_mean_something_do_so_and_others_are_told_again(service, rpc, files):
    body = content(1000)
    url = files.add("/file.bin", body)
    gid = rpc.addUri(
        [url],
        {"pause": "true", "seed-ratio": "2.0", "no-such-option": "1", "split": 3, "max-tries": "7", "referer": "*", "user-agent": "me", "http-user": "u", "http-passwd": "p"},
    )
    options = rpc.getOption(gid)
    assert (options["seed-ratio"], options["max-tries"], options["user-agent"], options["referer"]) == ("2.0", "7", "me", url)
    assert "no-such-option" not in options and "http-passwd" not in options and "rpc-secret" not in options
    assert rpc.changeOption(gid, {"max-download-limit": "20K", "bt-max-peers": "3", "split": "4", "out": "renamed"}) == "OK"
    options = rpc.getOption(gid)
    assert (options["max-download-limit"], options["bt-max-peers"], options["split"], options["out"]) == ("20480", "3", "4", "renamed")
    assert rpc.changeOption(gid, {"max-download-limit": "0"}) == "OK"
    rpc.unpause(gid)
    rpc.wait(gid, "complete")
    assert (service.downloads / "renamed").read_bytes() == body
    assert (files.requests[-1].headers["User-Agent"], files.requests[-1].headers["Referer"]) == ("me", url)
    assert rpc.getOption(gid)["out"] == "renamed"
    assert rpc.changeGlobalOption({"max-concurrent-downloads": "2", "max-overall-download-limit": "1M", "log": ""}) == "OK"
    everything = rpc.getGlobalOption()
    assert (everything["max-concurrent-downloads"], everything["max-overall-download-limit"], everything["dir"]) == ("2", "1048576", str(service.downloads))
    assert "rpc-secret" not in everything
    settings = service.client().call("GET", "/api/v1/settings").json
    assert (settings["maximumRunning"], settings["speedLimit"]) == (2, 1 << 20)


def test_a_checksum_is_checked(rpc, files):
    url = files.add("/file.bin", b"x")
    gid = rpc.addUri([url], {"checksum": "sha-256=" + "0" * 64})
    assert rpc.wait(gid, "error")["errorCode"] == "32"


def test_a_metalink_becomes_downloads(service, rpc, files):
    names = ("one", "two")
    parts = "".join(f'<file name="{name}"><size>3</size><url>{files.add("/" + name, name.encode())}</url></file>' for name in names)
    document = f'<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">{parts}</metalink>'
    for gid, name in zip(rpc.addMetalink(base64.b64encode(document.encode()).decode()), names, strict=True):
        assert rpc.wait(gid, "complete")["files"][0]["path"] == str(service.downloads / name)


def test_the_service_ends_some_seconds_after_it_was_asked_to(service, rpc):
    assert rpc.saveSession() == "OK"
    assert len(rpc.getSessionInfo()["sessionId"]) == 40
    assert rpc.shutdown() == "OK"
    assert service.process.wait(20) == 0


# WebSocket.


def test_calls_and_notifications_over_a_websocket(service, rpc, files):
    listener = WebSocket(service.address)
    assert listener.status == 101
    foreign = WebSocket(service.address, headers=["Origin: https://evil.example"])
    listener.send(rpc.request("aria2.getVersion"))
    assert listener.receive()["result"]["version"] == "1.37.0"
    for number in range(50):
        listener.send({"id": number, "method": "system.listNotifications"})
    assert [listener.receive()["id"] for _ in range(50)] == list(range(50))
    # In two parts, and with a ping between.
    text = json.dumps(rpc.request("aria2.getVersion")).encode()
    listener.write(1, text[:10], final=False)
    listener.write(9, b"ping")
    listener.write(0, text[10:])
    assert listener.frame() == (10, b"ping")
    assert listener.receive()["result"]
    foreign.send({"id": 1, "method": "aria2.getVersion"})
    assert foreign.receive()["error"] == {"code": 1, "message": "Unauthorized"}

    url = files.add("/file.bin", content(3 << 20), rate=1 << 20)
    gid = rpc.addUri([url])

    def told(socket):
        message = socket.receive()
        assert message["jsonrpc"] == "2.0" and "id" not in message and message["params"] == [{"gid": gid}]
        return message["method"]

    assert told(listener) == "aria2.onDownloadStart"
    rpc.pause(gid)
    assert told(listener) == "aria2.onDownloadPause"
    rpc.unpause(gid)
    assert told(listener) == "aria2.onDownloadStart"
    rpc.wait(gid, "complete")
    assert told(listener) == "aria2.onDownloadComplete"
    # A page of another site has heard nothing of it; with the token it hears what comes.
    foreign.send(rpc.request("aria2.getVersion"))
    assert foreign.receive()["result"]
    gid = rpc.addUri([files.origin + "/missing"])
    for socket in (listener, foreign):
        assert [told(socket), told(socket)] == ["aria2.onDownloadStart", "aria2.onDownloadError"]
    gid = rpc.addUri([files.add("/slow", content(9 << 20), rate=100_000)])
    rpc.wait(gid, "active")
    assert told(listener) == "aria2.onDownloadStart"
    rpc.remove(gid)
    assert told(listener) == "aria2.onDownloadStop"
    listener.write(8, b"\x03\xe8")
    assert listener.frame() == (8, b"\x03\xe8")
    with pytest.raises(EOFError):
        listener.frame()


def test_what_is_no_websocket_is_refused(service):
    assert WebSocket(service.address, version="8").status == 426
    assert WebSocket(service.address, path="/other").status in (200, 404)
    connection = WebSocket(service.address, headers=["Content-Length: 0"])
    connection.write(1, b"{")
    assert connection.receive()["error"]["message"] == "Parse error."
