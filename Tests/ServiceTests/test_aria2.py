"""aria2's RPC (docs/aria2.md), as its clients speak it."""

import base64
import hashlib
import json
import os
import socket
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
    for uri, word in (("ftp://user:secret@127.0.0.1/file", "ftp"), ("http://127.0.0.1:99999/", "port"), ("http://", "host"), ("x", "http"), ("http://a/" + "x" * 20_000, "long")):
        message = refusal(rpc.addUri, [uri]).message
        assert word in message and "secret" not in message, message
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


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "file://", "chrome-extension://mpkodccbngfoacfalldjimigbofkhgjn", "moz-extension://d5b42de0-9f9d-4b6a-9c5d-6f6f8d5d0c11"])
def test_S19_the_right_token_is_taken_from_any_origin(service, rpc, origin):
    """An extension, a file, the page of another client: the browser does not send the token by itself."""
    body = json.dumps(rpc.request("aria2.getVersion"))
    status, headers, text = rpc.send(body, headers={"Origin": origin})
    assert (status, json.loads(text)["result"]["version"]) == (200, "1.37.0")
    # A page that is not allowed by name cannot read it, and a wrong token, or none, is what it always is.
    assert "access-control-allow-origin" not in headers
    for token in (None, "wrong"):
        status, _, text = rpc.send(json.dumps(RPC(service, token=token).request("aria2.getVersion")), headers={"Origin": origin})
        assert (status, json.loads(text)["error"]["message"]) == (400, "Unauthorized")
    socket = WebSocket(service.address, headers=[f"Origin: {origin}"])
    socket.send(rpc.request("aria2.getVersion"))
    assert socket.receive()["result"]["version"] == "1.37.0"
    assert rpc.send(body, headers={"Origin": origin, "Host": "evil.example"})[0] == 403
    # The API is for origins that are named.
    assert service.client().send("GET", "/api/v1/downloads", headers={"Origin": origin}).code == "foreignOrigin"


def test_other_sites_read_nothing_unless_they_are_allowed(start):
    service = start("--allow-origin", "https://ariang.example")
    rpc = RPC(service)
    body = json.dumps(rpc.request("aria2.getVersion"))
    for origin, is_allowed in (("https://ariang.example", True), ("https://elsewhere.example", False), ("null", False)):
        status, headers, _ = rpc.send(body, headers={"Origin": origin})
        assert (status, headers.get("access-control-allow-origin")) == (200, origin if is_allowed else None)
        asking = {"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        status, headers, _ = rpc.send(None, "OPTIONS", headers=asking)
        assert (status, headers.get("access-control-allow-origin")) == ((204, origin) if is_allowed else (200, None))
    assert rpc.send(body, headers={"Host": "evil.example"})[0] == 403


def test_strangers_get_little(service, rpc):
    """Open methods answer with more than they are asked."""
    calls = [{"methodName": "system.listMethods"}] * 100
    answers = RPC(service, token=None).call("system.multicall", calls)
    assert sum(isinstance(answer, list) for answer in answers) < 20 and answers[-1]["message"] == "Unauthorized"
    assert all(isinstance(answer, list) for answer in rpc.call("system.multicall", [{"methodName": "aria2.getVersion", "params": [f"token:{rpc.token}"]}, *calls]))
    large = {"id": 1, "method": "aria2.addMetalink", "params": ["token:wrong", "A" * 100_000]}
    status, _, body = rpc.send(json.dumps(large))
    assert status == 413 and "16 KiB" in json.loads(body)["error"]["message"]
    large["params"][0] = f"token:{rpc.token}"
    assert rpc.send(json.dumps(large))[0] == 400


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
    url = files.add("/file.bin", content(64 << 20), rate=1 << 20)
    gid = rpc.addUri([url], {"split": "1"})
    while True:
        status = rpc.wait(gid, "active")
        if int(status["completedLength"]) > 2 << 20:
            break
        time.sleep(0.05)
    assert (status["totalLength"], status["numPieces"], status["connections"]) == (str(64 << 20), "64", "1")
    assert status["bitfield"].startswith(("c", "e", "f")) and len(status["bitfield"]) == 16 and int(status["downloadSpeed"]) > 0
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
    assert ".." in refusal(rpc.addUri, [url], {"out": "made/.."}).message and not (service.downloads / "made").exists()
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
    names = ("one", "sub/one", "two")
    wrong = "0" * 64
    parts = "".join(
        f'<file name="{name}"><size>3</size><hash type="sha-256">{wrong if name == "two" else hashlib.sha256(b"one").hexdigest()}</hash>'
        f'<url>{files.add("/" + name, name[-3:].encode())}</url></file>'
        for name in names
    )
    document = f'<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">{parts}</metalink>'
    one, other, two = rpc.addMetalink(base64.b64encode(document.encode()).decode())
    assert rpc.wait(one, "complete")["files"][0]["path"] == str(service.downloads / "one")
    assert rpc.wait(other, "complete")["files"][0]["path"] == str(service.downloads / "sub/one")
    assert rpc.wait(two, "error")["errorCode"] == "32"


def test_the_service_ends_some_seconds_after_it_was_asked_to(service, rpc):
    assert rpc.saveSession() == "OK"
    assert len(rpc.getSessionInfo()["sessionId"]) == 40
    assert rpc.shutdown() == "OK"
    assert service.process.wait(20) == 0


def test_the_same_download_again_has_the_gid_of_the_first(rpc, files):
    url = files.add("/file.bin", b"x")
    gid = rpc.addUri([url], {"pause": "true", "split": "3"})
    assert rpc.addUri([url], {"split": "5"}) == gid and rpc.getOption(gid)["split"] == "3"
    assert refusal(rpc.addUri, [url], {"gid": "0123456789abcdef"}).message == f"The same download has the GID {gid}."


def test_changed_options_hold(service, rpc, files):
    body = content(1000)
    url = files.add("/file.bin", body)
    gid = rpc.addUri([url], {"pause": "true", "header": "A: 1"})
    changed = {
        "dir": str(service.downloads / "elsewhere"), "out": "sub/name", "referer": "http://page.example/", "user-agent": "me", "remote-time": "true",
        "checksum": "sha-256=" + hashlib.sha256(body).hexdigest(), "header": ["B: 2"], "split": "2",
    }  # fmt: skip
    assert rpc.changeOption(gid, changed) == "OK"
    options = rpc.getOption(gid)
    assert (options["out"], options["dir"], options["header"]) == ("name", str(service.downloads / "elsewhere/sub"), "B: 2")
    for name in ("referer", "user-agent", "remote-time", "checksum", "split"):
        assert options[name] == changed[name], name
    assert rpc.changeOption(gid, {"out": "other"}) == "OK"
    rpc.unpause(gid)
    done = rpc.wait(gid, "complete")
    assert done["files"][0]["path"] == str(service.downloads / "elsewhere/sub/other")
    headers = files.requests[-1].headers
    assert (headers.get("A"), headers["B"], headers["User-Agent"]) == (None, "2", "me")
    assert rpc.wait(rpc.addUri([url], {"conditional-get": "true", "out": "new"}), "complete")


def test_V23_conditional_get_keeps_the_file_that_is_there(rpc, files, service):
    url = files.add("/kept", b"theirs")
    mine = service.downloads / "kept"
    mine.write_bytes(b"mine")
    os.utime(mine, (1_000_000, 1_000_000))
    done = rpc.wait(rpc.addUri([url], {"conditional-get": "true"}), "complete")
    assert (mine.read_bytes(), done["files"][0]["path"]) == (b"mine", str(service.downloads / "kept (1)"))
    failed = rpc.wait(rpc.addUri([url], {"conditional-get": "true", "auto-file-renaming": "false"}), "error")
    assert (mine.read_bytes(), failed["errorCode"]) == (b"mine", "13")
    rpc.wait(rpc.addUri([url], {"conditional-get": "true", "allow-overwrite": "true"}), "complete")
    assert mine.read_bytes() == b"theirs"


def test_any_length_that_a_server_claims_can_be_told(rpc, files):
    for length in (9223372036854775807, 10 << 50):
        url = files.add(f"/{length}", b"x", headers={"Content-Length": str(length)})
        gid = rpc.addUri([url])
        end = time.monotonic() + 3
        while time.monotonic() < end and rpc.tellStatus(gid)["totalLength"] == "0":
            time.sleep(0.02)
        status = rpc.tellStatus(gid)
        assert int(status["numPieces"]) <= 1 << 20 and len(status.get("bitfield", "")) <= 1 << 18
        rpc.tellActive()


# WebSocket.


def test_calls_over_a_websocket(service, rpc):
    connection = WebSocket(service.address)
    assert connection.status == 101
    connection.send(rpc.request("aria2.getVersion"))
    assert connection.receive()["result"]["version"] == "1.37.0"
    for number in range(50):
        connection.send({"id": number, "method": "system.listNotifications"})
    assert [connection.receive()["id"] for _ in range(50)] == list(range(50))
    # In two parts, and with a ping between.
    text = json.dumps(rpc.request("aria2.getVersion")).encode()
    connection.write(1, text[:10], final=False)
    connection.write(9, b"ping")
    connection.write(0, text[10:])
    assert connection.frame() == (10, b"ping")
    assert connection.receive()["result"]
    connection.write(1, b"{")
    assert connection.receive()["error"]["message"] == "Parse error."
    connection.write(8, b"\x03\xe8")
    assert connection.frame() == (8, b"\x03\xe8")
    with pytest.raises(EOFError):
        connection.frame()


def test_notifications(service, rpc, files):
    listener = WebSocket(service.address)
    page = WebSocket(service.address, headers=["Origin: null"])
    page.send({"id": 1, "method": "aria2.getVersion"})
    assert page.receive()["error"] == {"code": 1, "message": "Unauthorized"}

    def told(socket, gid, but=None):
        message = socket.receive()
        if message["params"] == [{"gid": but}]:
            return told(socket, gid, but)
        assert message["jsonrpc"] == "2.0" and "id" not in message and message["params"] == [{"gid": gid}]
        return message["method"]

    slow = rpc.addUri([files.add("/slow", content(64 << 20), rate=1 << 20)])
    assert told(listener, slow) == "aria2.onDownloadStart"
    rpc.pause(slow)
    assert told(listener, slow) == "aria2.onDownloadPause"
    rpc.unpause(slow)
    assert told(listener, slow) == "aria2.onDownloadStart"
    quick = rpc.addUri([files.add("/quick", b"x")])
    assert [told(listener, quick), told(listener, quick)] == ["aria2.onDownloadStart", "aria2.onDownloadComplete"]
    # A page has heard nothing of it; with the token it hears what comes, and perhaps what was being told just then.
    page.send(rpc.request("aria2.getVersion"))
    assert page.receive()["result"]
    failed = rpc.addUri([files.origin + "/missing"])
    for socket_ in (listener, page):
        assert [told(socket_, failed, quick), told(socket_, failed, quick)] == ["aria2.onDownloadStart", "aria2.onDownloadError"]
    # What ran before there was anybody to tell.
    for socket_ in (listener, page):
        socket_.close()
    # As aria2p's library does it.
    late = WebSocket(service.address, headers=[f"Origin: {service.origin}"])
    late.send(rpc.request("aria2.getVersion"))
    late.receive()
    rpc.remove(slow)
    assert told(late, slow) == "aria2.onDownloadStop"
    assert rpc.tellStatus(slow)["status"] == "removed"


def test_what_is_no_websocket_is_refused(service):
    assert WebSocket(service.address, version="8").status == 426
    assert WebSocket(service.address, path="/other").status == 404
    assert WebSocket(service.address, headers=["Host: evil.example"]).status in (400, 403)


def test_frames_keep_to_the_protocol(service):
    for frame in (b"\x81\x02{}", b"\xf1\x82\0\0\0\0{}", b"\x85\x80\0\0\0\0"):
        connection = WebSocket(service.address)
        connection.socket.sendall(frame)
        assert connection.frame() == (8, b"\x03\xea")
        with pytest.raises((EOFError, OSError)):
            connection.frame()


def test_no_request_is_answered_between_frames(service):
    """The answer to an earlier request would come after the connection has changed."""
    request = b'POST /jsonrpc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 21\r\n\r\n{"id":1,"method":"x"}'
    upgrade = b"GET /jsonrpc HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: %s\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    healthy = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for text in (request + upgrade % b"Upgrade", upgrade % b"Upgrade" * 2, upgrade % b"close" * 2, upgrade % b"Upgrade" + healthy, upgrade % b"Upgrade" + b"\x00nonsense\r\n\r\n"):
        with socket.create_connection(service.address, timeout=10) as connection:
            connection.sendall(text)
            time.sleep(1.5)
    assert service.stranger().call("GET", "/healthz").status == 200


def test_strangers_do_not_fill_the_service(service, rpc):
    pages = [WebSocket(service.address, headers=["Origin: null"]) for _ in range(70)]
    assert [page.status for page in pages].count(101) == 64
    assert WebSocket(service.address).status == 101
    # More than it may send before its token.
    with pytest.raises((EOFError, OSError)):
        for _ in range(100):
            pages[0].write(1, b'{"id": 1, "method": "aria2.getVersion", "params": ["' + b"x" * 10_000 + b'"]}')
        while True:
            pages[0].frame()
    for page in pages:
        page.close()


# ---- Clients of other makes, by the order of their calls


class Replay:
    """A client that keeps apart what was asked and what it is told."""

    def __init__(self, service, first_id):
        self.socket, self.token, self.next, self.told = WebSocket(service.address), f"token:{service.token}", first_id, []

    def ask(self, id, method, *parameters, version="2.0"):
        self.socket.send({"jsonrpc": version, "id": id, "method": method, "params": list(parameters)})
        while True:
            answer = self.socket.receive()
            if "id" not in answer:
                self.told.append((answer["method"].removeprefix("aria2.onDownload"), answer["params"][0]["gid"]))
                continue
            assert answer["id"] == id and type(answer["id"]) is type(id)
            return answer

    def result(self, *words, **more):
        answer = self.ask(*words, **more)
        assert "error" not in answer, answer
        return answer["result"]

    def hear(self, event, gid):
        while (event, gid) not in self.told:
            answer = self.socket.receive()
            self.told.append((answer["method"].removeprefix("aria2.onDownload"), answer["params"][0]["gid"]))


def test_home_assistants_client(service, files):
    """hass-aria2 (its coordinator, over WebSocket with ids that are texts): options, then three lists in one multicall and the figures; a status for each event."""
    files.add("/big", content(300_000))
    files.hold("/big", 100_000)
    client, token = Replay(service, 0), f"token:{service.token}"
    assert client.result("one", "aria2.getGlobalOption", token)["dir"] == str(service.downloads)

    def poll(id):
        lists = client.result(id, "system.multicall", [{"methodName": f"aria2.{name}", "params": [token, *rest]} for name, *rest in (("tellActive",), ("tellWaiting", 0, 1000), ("tellStopped", 0, 1000))])
        assert all(isinstance(one, list) and len(one) == 1 for one in lists)
        figures = client.result(id + "f", "aria2.getGlobalStat", token)
        assert [int(figures[key]) for key in ("numActive", "numWaiting", "numStopped")] == [len(one[0]) for one in lists]
        return [{entry["gid"]: entry for entry in one[0]} for one in lists]

    assert poll("two") == [{}, {}, {}]
    gid = client.result("three", "aria2.addUri", token, [files.origin + "/big"], {"out": "film"})
    client.hear("Start", gid)
    status = client.result("four", "aria2.tellStatus", token, gid)
    assert status["status"] == "active" and status["files"][0]["path"] in ("", str(service.downloads / "film"))
    assert gid in poll("five")[0]
    assert client.result("six", "aria2.pause", token, gid) == gid
    client.hear("Pause", gid)
    assert poll("seven")[1][gid]["status"] == "paused"
    assert client.result("eight", "aria2.unpause", token, gid) == gid
    files.release_all()
    client.hear("Complete", gid)
    assert poll("nine")[2][gid]["errorCode"] == "0"
    # It settles a call that has failed by this code, and waits for ever on any other.
    assert client.ask("ten", "aria2.tellStatus", token, "0" * 15 + "1")["error"]["code"] == 1
    assert client.ask("eleven", "aria2.tellStatus", "token:wrong", gid)["error"] == {"code": 1, "message": "Unauthorized"}
    assert client.result("twelve", "aria2.removeDownloadResult", token, gid) == "OK"
    assert poll("thirteen") == [{}, {}, {}]
    assert [event for event, _ in client.told] == ["Start", "Pause", "Start", "Complete"]


def test_webui_aria2(service, files):
    """Everything by system.multicall, `jsonrpc` as a number; an element that has failed has a `code` of its own."""
    for name in "abc":
        files.add(f"/{name}", content(50_000, name))
    client, token = Replay(service, 0), f"token:{service.token}"

    def call(*calls):
        answers = client.result("webui", "system.multicall", [{"methodName": f"aria2.{name}", "params": [token, *rest]} for name, *rest in calls], version=2.0)
        return [answer[0] if isinstance(answer, list) else answer for answer in answers]

    version, session, *lists, figures = call(("getVersion",), ("getSessionInfo",), ("tellActive",), ("tellWaiting", 0, 1000), ("tellStopped", 0, 1000), ("getGlobalStat",))
    assert version["version"] == "1.37.0" and len(session["sessionId"]) == 40 and lists == [[], [], []] and figures["numWaiting"] == "0"
    gids = call(*(("addUri", [f"{files.origin}/{name}"], {"pause": "true"}) for name in "abc"))
    options, entries = call(("getOption", gids[0]), ("getFiles", gids[0]))
    assert options["dir"] == str(service.downloads) and entries[0]["uris"][0]["uri"] == files.origin + "/a"
    assert call(("changePosition", gids[0], 1, "POS_CUR"), ("changePosition", gids[2], -1, "POS_CUR")) == [1, 1]
    assert [one["gid"] for one in call(("tellWaiting", 0, 1000))[0]] == [gids[1], gids[2], gids[0]]
    assert call(("changeOption", gids[0], {"max-download-limit": "100K"}), ("unpause", gids[1])) == ["OK", gids[1]]
    client.hear("Complete", gids[1])
    failed, *others = call(("forcePause", gids[1]), ("remove", gids[2]), ("unpause", gids[0]))
    assert failed["code"] == 1 and "cannot be paused now" in failed["message"]
    assert others == [gids[2], gids[0]]
    client.hear("Complete", gids[0])
    assert {one["gid"]: one["status"] for one in call(("tellStopped", 0, 1000))[0]} == {gids[0]: "complete", gids[1]: "complete"}
    (wrong,) = client.result("webui", "system.multicall", [{"methodName": "aria2.getVersion", "params": ["token:no"]}], version=2.0)
    assert wrong["message"] == "Unauthorized"
