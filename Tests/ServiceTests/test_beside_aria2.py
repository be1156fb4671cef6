"""aria2 and our aria2c beside each other. Where they differ, docs/aria2.md says so and why; here stands each difference."""

import pytest

import beside
from beside import Place, Served, differences
from fileserver import FileServer, content

BIG, SMALL = content(3_000_000), content(700, 1)
CODE = "sha-256=" + __import__("hashlib").sha256(BIG).hexdigest()
WRONG = "sha-256=" + "0" * 64

pytestmark = pytest.mark.skipif(beside.ARIA2 is None, reason="aria2 is not installed")


@pytest.fixture(scope="module")
def server():
    server = FileServer()
    server.add("/big", BIG)
    server.add("/small", SMALL)
    server.add("/other", content(900, 2))
    server.add("/plain", BIG, ranges=False)
    server.add("/unknown", SMALL, known_length=False)
    server.add("/empty", b"")
    server.add("/named", SMALL, headers=[("Content-Disposition", 'attachment; filename="from server.bin"')])
    server.add("/secret", SMALL, credentials=["Basic bWU6d29yZA=="])
    server.add("/gone", status=410)
    server.add("/broken", status=500)
    server.add("/forbidden", status=403)
    server.redirect("/here", "/small")
    server.redirect("/loop", "/loop")
    server.add("/a1", SMALL)
    server.add("/a2", SMALL)
    server.add("/m.meta4", f"""<?xml version="1.0" encoding="UTF-8"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="one.bin"><url>{server.origin}/small</url></file>
        <file name="two.bin"><url>{server.origin}/other</url></file></metalink>""".encode(), kind="application/metalink4+xml")
    yield server
    server.close()


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return beside.our_name(tmp_path_factory.mktemp("name"))


D = ["--no-conf", "-d", "d"]
U = "{origin}"

# Each: its name, the words, and what is there before (files, lists, standard input).
COMMANDS = [
    ("one file", [*D, U + "/big"], {}),
    ("an absolute directory", ["--no-conf", "--dir={place}/d", U + "/small"], {}),
    ("a directory that is not there", ["--no-conf", "-d", "d/new/er", U + "/small"], {}),
    ("no directory", ["--no-conf", U + "/small"], {}),
    ("a name", [*D, "-o", "name", U + "/small"], {}),
    ("a name with a directory", [*D, "--out=sub/name", U + "/small"], {}),
    ("a long option in short", [*D, "--ou", "name", U + "/small"], {}),
    ("options behind", [U + "/small", "--no-conf", "-dd", "-oname"], {}),
    ("two dashes", [*D, "--", U + "/small"], {}),
    ("connections", [*D, "-x4", "-s4", "-k1M", U + "/big"], {}),
    ("two mirrors", [*D, U + "/big", U + "/plain"], {}),
    ("one each", [*D, "-Z", U + "/big", U + "/small"], {}),
    ("one each and one missing", [*D, "-Z", U + "/small", U + "/none"], {}),
    ("one of two mirrors missing", [*D, U + "/small", U + "/none"], {}),
    ("patterns", [*D, "-P", "-Z", U + "/a[1-2]"], {}),
    ("words of a pattern", [*D, "-P", "-Z", U + "/{{small,other}}"], {}),
    ("not found", [*D, U + "/none"], {}),
    ("gone", [*D, U + "/gone"], {}),
    ("forbidden", [*D, U + "/forbidden"], {}),
    ("a redirect", [*D, U + "/here"], {}),
    ("an empty file", [*D, U + "/empty"], {}),
    ("a file without a length", [*D, U + "/unknown"], {}),
    ("a server without ranges", [*D, "-x4", U + "/plain"], {}),
    ("a name from the server", [*D, U + "/named"], {}),
    ("the file exists", [*D, U + "/small"], {"files": {"d/small": b"mine"}}),
    ("it exists and may be replaced", [*D, "--allow-overwrite", U + "/small"], {"files": {"d/small": b"mine"}}),
    ("it exists and no other name is wanted", [*D, "--auto-file-renaming=false", U + "/small"], {"files": {"d/small": b"mine"}}),
    ("a file that was begun", [*D, "-c", U + "/big"], {"files": {"d/big": BIG[:1_000_000]}}),
    ("a file that is whole", [*D, "-c", U + "/big"], {"files": {"d/big": BIG}}),
    ("a newer file is there", [*D, "--conditional-get", "--allow-overwrite", U + "/small"], {"files": {"d/small": SMALL}}),
    ("a checksum", [*D, "--checksum=" + CODE, U + "/big"], {}),
    ("a wrong checksum", [*D, "--checksum=" + WRONG, U + "/big"], {}),
    ("a login", [*D, "--http-user=me", "--http-passwd=word", U + "/secret"], {}),
    ("a wrong login", [*D, "--http-user=me", "--http-passwd=no", U + "/secret"], {}),
    ("no login", [*D, U + "/secret"], {}),
    ("a header", [*D, "--header=X-Test: 1", U + "/small"], {}),
    ("who asks", [*D, "-U", "me/1", "--referer=http://x/", U + "/small"], {}),
    ("the referer is the file", [*D, "--referer=*", U + "/small"], {}),
    ("no cache", [*D, "--http-no-cache", U + "/small"], {}),
    ("cookies", [*D, "--load-cookies=jar", U + "/small"], {"lists": {"jar": "127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n"}}),
    ("a list", [*D, "-i", "list"], {"list": "{origin}/small\n{origin}/big\n\tout=other\n"}),
    ("a list with mirrors and comments", [*D, "-ilist"], {"list": "# one\n{origin}/big\t{origin}/plain\n\n  # two\n{origin}/small\n"}),
    ("a list from standard input", [*D, "-i-"], {"stdin": "{origin}/small\n"}),
    ("a list with directories", ["--no-conf", "-ilist"], {"list": "{origin}/small\n dir={place}/d/x\n"}),
    ("a list with what cannot be fetched", [*D, "-ilist"], {"list": "{origin}/small\nxyz://a/b\n"}),
    ("a list that is not there", [*D, "-inone"], {}),
    ("an empty list", [*D, "-ilist"], {"list": "# nothing\n"}),
    ("a checksum in a list", [*D, "-ilist"], {"list": "{origin}/big\n checksum=" + CODE + "\n"}),
    ("quiet", [*D, "-q", U + "/small"], {}),
    ("quiet and missing", [*D, "--quiet=true", U + "/none"], {}),
    ("no table", [*D, "--download-result=hide", U + "/small"], {}),
    ("the full table", [*D, "--download-result=full", U + "/small"], {}),
    ("errors only", [*D, "--console-log-level=error", U + "/small"], {}),
    ("everything to stderr", [*D, "--stderr", U + "/small"], {}),
    ("a configuration", ["--conf-path=conf", U + "/small"], {"lists": {"conf": "# mine\ndir={place}/d\nout=named\n"}}),
    ("a configuration that is not there", ["--conf-path=none", U + "/small"], {}),
    ("a wrong configuration", ["--conf-path=conf", U + "/small"], {"lists": {"conf": "split=none\n"}}),
    ("a stop", [*D, "--stop=1", "--max-download-limit=100K", U + "/big"], {}),
    ("an unknown option", ["--nonsense"], {}),
    ("an impossible value", [*D, "-x99", U + "/small"], {}),
    ("nothing", ["--no-conf"], {}),
    ("a scheme of nobody's", [*D, "-Z", "xyz://a/b"], {}),
    ("a Metalink", [*D, "-M", "m.meta4"], {"metalink": True}),
    ("a part of a Metalink", [*D, "-M", "m.meta4", "--select-file=2"], {"metalink": True}),
    ("what yt-dlp says", ["-c", "--no-conf", "--console-log-level=warn", "--summary-interval=0", "--download-result=hide", "--http-accept-gzip=true", "--file-allocation=none", "-x16", "-j16",
      "-s16", "--min-split-size", "1M", "--remote-time=true", "--show-console-readout=false", "--dir", "d/", "--out", "v.mp4.part", "--auto-file-renaming=false", "--", U + "/big"], {}),
    ("what apt-fast says", ["--no-conf", "-c", "-j5", "-x5", "-s8", "-ilist", "--min-split-size=1M", "--stream-piece-selector=default", "--connect-timeout=600", "--timeout=600", "-m0"],
     {"list": "{origin}/big\n checksum=" + CODE + "\n out=d/big.deb\n"}),
]  # fmt: skip

# By command: the facts that differ, and why. Everything else is the same.
DIFFERENT = {
    "gone": ({"status", "errors"}, "410 is “not found” (3) too"),
    "forbidden": ({"status", "errors"}, "403 asks for other credentials (24)"),
    "the file exists": ({"files", "table", "complete"}, "“small (1)” for “small.1”"),
    "a wrong checksum": ({"files", "errors"}, "the wrong bytes do not get the name of the file; the error has its number"),
    "a stop": ({"files"}, "a file has its name when it is whole"),
    "a scheme of nobody's": ({"is_silent", "complains", "table"}, "nothing is begun if the command line has what cannot be fetched"),
}


@pytest.mark.parametrize("name, words, before", COMMANDS, ids=[one[0] for one in COMMANDS])
def test_a_command(name, words, before, server, ours):
    facts = []
    for program in (beside.ARIA2, ours):
        lists = {**before.get("lists", {}), **({"list": before["list"].replace("{origin}", server.origin)} if "list" in before else {})}
        if before.get("metalink"):
            lists["m.meta4"] = server.files["/m.meta4"].body.decode()
        place = Place(before.get("files", {}), lists)
        stdin = before["stdin"].format(origin=server.origin) if "stdin" in before else None
        try:
            fact, ended = beside.run(program, words, place, server, stdin=stdin)
            facts.append(fact)
            print(f"==== {program}\n{ended.stdout}\n---- stderr\n{ended.stderr}")
        finally:
            place.close()
    for fact in facts:
        for request in fact["asked"].values():
            if "aria2/" in request.get("user-agent", "") or "pawl" in request.get("user-agent", "").lower():
                request["user-agent"] = "its own"
    found = differences(*facts)
    assert set(found) == DIFFERENT.get(name, (set(), ""))[0], found


# ---- The RPC

A, B, C, X = (letter * 16 for letter in "abc1")
SESSION = """{origin}/big
 gid=aaaaaaaaaaaaaaaa
 pause=true
 out=first
{origin}/small\t{origin}/a1
 gid=bbbbbbbbbbbbbbbb
 pause=true
 header=X-Test: 1
 max-download-limit=20K
{origin}/none
 gid=cccccccccccccccc
 pause=true
"""
KEYS = ["gid", "status", "totalLength", "completedLength", "uploadLength", "downloadSpeed", "uploadSpeed", "connections", "pieceLength", "numPieces", "dir", "errorCode", "files", "bitfield", "followedBy"]
GLOBAL = ["dir", "max-concurrent-downloads", "max-overall-download-limit", "max-connection-per-server", "split", "min-split-size", "log", "enable-rpc", "continue", "gid", "nonsense"]


def calls():
    """Each: a label, the method, its parameters. In an order in which each finds what those before have left."""
    yield from (("methods", "system.listMethods"), ("notifications", "system.listNotifications"), ("version keys", "aria2.getVersion"))
    yield from ((f"a method that is none: {name}", name) for name in ("aria2.nothing", "nothing", "system.nothing", "aria2.", "ARIA2.getVersion"))
    yield "waiting at first", "aria2.tellWaiting", 0, 10, ["gid", "status"]
    yield "active at first", "aria2.tellActive"
    yield "stopped at first", "aria2.tellStopped", 0, 10
    for offset, number in ((0, 1), (1, 1), (1, 5), (3, 5), (-1, 1), (-1, 5), (-2, 1), (-3, 2), (-4, 2), (0, 0)):
        yield f"waiting {offset} {number}", "aria2.tellWaiting", offset, number, ["gid"]
    yield from ((f"waiting {words}", "aria2.tellWaiting", *words) for words in ((), (0,), (0, -1), ("0", 1), (0, "1"), (0, 1, "gid"), (None, 1)))
    for key in KEYS:
        yield f"the {key} of one that is paused", "aria2.tellStatus", B, [key]
    yield "all keys of one that is paused", "aria2.tellStatus", A, []
    yield "keys that are none", "aria2.tellStatus", A, ["nothing", "gid", 3]
    for gid in ("", "x", X, "a", "aaaaaaaaaaaaaaaaa", "AAAAAAAAAAAAAAAA", 1, None, []):
        for method in ("tellStatus", "pause", "unpause", "getOption", "getFiles", "getUris", "getServers", "getPeers", "remove", "removeDownloadResult"):
            if gid in ("", X) or method in ("tellStatus", "getUris") and gid != "":
                yield f"{method} of {gid!r}", f"aria2.{method}", gid
    yield from ((f"{method} without a GID", f"aria2.{method}") for method in ("tellStatus", "pause", "remove", "getOption", "changeOption", "changePosition", "changeUri", "removeDownloadResult"))
    yield "URIs", "aria2.getUris", B
    yield "files", "aria2.getFiles", B
    yield "servers of one that is paused", "aria2.getServers", B
    yield "peers", "aria2.getPeers", B
    yield "pause what is paused", "aria2.pause", A
    yield "force it", "aria2.forcePause", A
    yield "removing the result of one that is paused", "aria2.removeDownloadResult", A
    for name in ("out", "header", "max-download-limit", "dir", "split", "continue", "check-certificate", "http-passwd", "pause", "gid"):
        yield f"option {name}", "aria2.getOption", B, ("only", name)
    for name in GLOBAL:
        yield f"global option {name}", "aria2.getGlobalOption", ("only", name)
    for options in ({"max-download-limit": "30K"}, {"max-download-limit": "no"}, {"nonsense": "1"}, {"dry-run": "true"}, {"header": ["A: 1", "B: 2"]}, {"split": 3}, {"max-connection-per-server": "17"}, {}, [], "x"):
        yield f"changeOption {options}", "aria2.changeOption", B, options
    for name in ("max-download-limit", "header"):
        yield f"option {name} then", "aria2.getOption", B, ("only", name)
    yield "changeOption of nobody", "aria2.changeOption", X, {}
    for options in ({"max-concurrent-downloads": "7"}, {"max-concurrent-downloads": "0"}, {"max-overall-download-limit": "1M"}, {"max-overall-download-limit": "0"}, {"out": "x"}, {"enable-rpc": "false"}, {"user-agent": "me"}, {"nonsense": "1"}, {}, "x"):
        yield f"changeGlobalOption {options}", "aria2.changeGlobalOption", options
    for name in ("max-concurrent-downloads", "max-overall-download-limit", "user-agent", "enable-rpc", "out"):
        yield f"global option {name} then", "aria2.getGlobalOption", ("only", name)
    for position, origin in ((0, "POS_SET"), (1, "POS_CUR"), (-1, "POS_CUR"), (9, "POS_SET"), (-9, "POS_CUR"), (0, "POS_END"), (-1, "POS_END"), (-9, "POS_END"), (0, "POS_NONE")):
        yield f"position {position} {origin}", "aria2.changePosition", A, position, origin
        yield f"order after {position} {origin}", "aria2.tellWaiting", 0, 9, ["gid"]
    yield from ((f"position {words}", "aria2.changePosition", *words) for words in ((A, "0", "POS_SET"), (A, 0), (X, 0, "POS_SET"), (A, 0, 0)))
    for words in ((B, 1, [], []), (B, 2, [], []), (B, 0, [], []), (B, 1, ["{origin}/a1"], ["{origin}/a2"]), (B, 1, ["{origin}/nobody"], []), (B, 1, [], ["{origin}/a1"], 0), (B, 1, [], [], -1), (B, "1", [], []), (B, 1, []), (X, 1, [], [])):
        yield f"changeUri {words}", "aria2.changeUri", *words
    yield "URIs then", "aria2.getUris", B
    for words in ((), ([],), ("x",), ([1],), (["{origin}/small"], "x"), (["{origin}/small"], {"pause": "true"}, "x"), (["{origin}/small"], {"pause": "true"}, -1),
                  (["{origin}/small"], {"gid": "x"}), (["{origin}/small"], {"gid": A, "pause": "true"}), (["{origin}/small"], {"gid": "0" * 16}), (["{origin}/small"], {"split": "0"}), (["{origin}/small"], {"checksum": "x"})):
        yield f"addUri {words}", "aria2.addUri", *words
    yield "addUri at the front", "aria2.addUri", ["{origin}/other"], {"pause": "true", "gid": "d" * 16}, 0
    yield "the order then", "aria2.tellWaiting", 0, 9, ["gid"]
    yield "addUri behind", "aria2.addUri", ["{origin}/a2"], {"pause": "true", "gid": "e" * 16, "out": "sub/name"}, 99
    yield "the order at last", "aria2.tellWaiting", 0, 9, ["gid"]
    yield "its files", "aria2.getFiles", "e" * 16
    for text in ("", "x", "eA==", 1):
        yield f"addMetalink {text!r}", "aria2.addMetalink", text
    yield "stat", "aria2.getGlobalStat"
    yield "resume", "aria2.unpause", A
    yield ("wait", A, "complete")
    yield "all keys of one that is complete", "aria2.tellStatus", A
    yield "the URIs of one that is complete", "aria2.getUris", A
    yield "its files then", "aria2.getFiles", A
    yield "pause what is complete", "aria2.pause", A
    yield "resume what is complete", "aria2.unpause", A
    yield "remove what is complete", "aria2.remove", A
    yield "move what is complete", "aria2.changePosition", A, 0, "POS_SET"
    yield "change what is complete", "aria2.changeOption", A, {"max-download-limit": "1"}
    yield "options of what is complete", "aria2.getOption", A, ("only", "out")
    yield "change the URIs of what is complete", "aria2.changeUri", A, 1, [], []
    yield "resume what is missing", "aria2.unpause", C
    yield ("wait", C, "error")
    for key in ("status", "errorCode", "files", "totalLength", "bitfield"):
        yield f"the {key} of what was missing", "aria2.tellStatus", C, [key]
    for offset, number in ((0, 10), (-1, 10), (1, 1), (-2, 1), (5, 1)):
        yield f"stopped {offset} {number}", "aria2.tellStopped", offset, number, ["gid", "status", "errorCode"]
    yield "remove what waits", "aria2.remove", "d" * 16
    yield "it is then", "aria2.tellStatus", "d" * 16, ["status"]
    yield "remove what is removed", "aria2.remove", "d" * 16
    yield "forget", "aria2.removeDownloadResult", C
    yield "what was forgotten", "aria2.tellStatus", C, ["status"]
    yield "forget once more", "aria2.removeDownloadResult", C
    yield "forget all", "aria2.purgeDownloadResult"
    yield "nothing is stopped", "aria2.tellStopped", 0, 10
    yield "stat at last", "aria2.getGlobalStat"
    yield "a session without a file", "aria2.saveSession"
    for words in ((), ([],), ("x",), ([1],), ([{}],), ([{"methodName": 1}],), ([{"methodName": "system.multicall", "params": []}],), ([{"methodName": "aria2.nothing"}],),
                  ([{"methodName": "aria2.tellStatus", "params": [B, ["gid"]]}, {"methodName": "aria2.tellStatus", "params": [X]}],), ([{"methodName": "aria2.tellActive", "params": "x"}],)):
        yield f"multicall {words}", "system.multicall", *words


CALLS = list(calls())

# Labels of calls whose answers differ, and why.
DIFFERENT_CALLS = {
    "version keys": "features that Pawl does not have are not told",
    "option header": "aria2 ends the value with a line break",
    "option header then": "aria2 ends the value with a line break",
    "option split": "the usual number of connections is Pawl's",
    "global option split": "the usual number of connections is Pawl's",
    "global option max-connection-per-server": "the usual number of connections is Pawl's",
    **{f"addUri {(['{origin}/small'], options)}": "the error says what is wrong with the GID" for options in ({"gid": "x"}, {"gid": A, "pause": "true"}, {"gid": "0" * 16})},
    **{f"addMetalink {text!r}": "the error says what is wrong with the document" for text in ("", "x", "eA==")},
    "all keys of one that is complete": "a URI is named once",
    "its files then": "a URI is named once",
}


def answers(program, server):
    place = Place(lists={"session": SESSION.replace("{origin}", server.origin)})
    served = Served(program, place, "--input-file={place}/session")
    try:
        found = {}
        for label, *call in CALLS:
            if label == "wait":
                served.rpc.wait(*call)
                continue
            method, *words = call
            only = words[-1][1] if words and isinstance(words[-1], tuple) and words[-1][:1] == ("only",) else None
            words = [place_origin(word, server.origin) for word in (words[:-1] if only else words)]
            answer = served.ask(method, *words)
            if only and "message" not in answer:
                answer = answer.get(only)
            assert label not in found, label
            found[label] = shape(label, answer, server.origin)
        return found
    finally:
        served.close()
        print(open(place.path / "log").read())
        place.close()


def place_origin(word, origin):
    if isinstance(word, str):
        return word.replace("{origin}", origin)
    if isinstance(word, list):
        return [place_origin(one, origin) for one in word]
    return word


# What no two answers have in common.
VARYING = {"downloadSpeed", "uploadSpeed", "connections", "errorMessage"}


def shape(label, answer, origin):
    if isinstance(answer, dict):
        return {key: "…" if key in VARYING else shape(label, one, origin) for key, one in answer.items()}
    if isinstance(answer, list):
        shaped = [shape(label, one, origin) for one in answer]
        if label == "methods":
            return sorted(shaped)
        # aria2 names a URI once for each connection.
        if shaped and all(isinstance(one, dict) and set(one) == {"uri", "status"} for one in shaped):
            return sorted({(one["uri"], one["status"]) for one in shaped})
        return shaped
    if label == "version keys":
        return "…"
    return answer.replace(origin, "ORIGIN") if isinstance(answer, str) else answer


def test_the_calls(server, ours):
    assert len(CALLS) >= 200
    theirs, mine = answers(beside.ARIA2, server), answers(ours, server)
    found = {label: (theirs[label], mine[label]) for label in theirs if theirs[label] != mine[label]}
    unexpected = {label: pair for label, pair in found.items() if label not in DIFFERENT_CALLS}
    for label, (one, other) in unexpected.items():
        print(f"== {label}\n  aria2: {one}\n  ours:  {other}")
    assert not unexpected, sorted(unexpected)
    assert set(found) == set(DIFFERENT_CALLS), set(DIFFERENT_CALLS) - set(found)
