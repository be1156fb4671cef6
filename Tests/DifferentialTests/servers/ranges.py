"""Servers that refuse ranges, answer them wrongly, or bound them. Only Pawl asks for ranges."""

from entries import BIG, FILE, USUAL, Behaviour, head, in_chunks, ok, ranged

SIZE = len(FILE)


def refusing(status, *fields, body=b"no", until=None):
    """A server that has the file for whoever asks without a range."""

    def answer(request):
        if request.has_range:
            more = [f"Content-Length: {len(body)}"] if until is None else []
            return request.send(head(*fields, *more, status=f"HTTP/1.1 {status}") + body)
        request.send(ok())

    return answer


def partial(*places, body=FILE, status="206 Partial Content"):
    """Answers a range with these lines of Content-Range, and the whole file as the body."""

    def answer(request):
        if not request.has_range:
            return request.send(ok(body=body))
        fields = [f"Content-Range: {place}" for place in places]
        request.send(ok(*fields, body=body, status=f"HTTP/1.1 {status}"))

    return answer


def hanging_up(ending):
    def answer(request):
        if request.has_range:
            return getattr(request.connection, ending)()
        request.send(ok())

    return answer


def after_redirect(answer):
    def redirecting(request):
        if request.address == "/f.bin":
            return request.send(head("Location: /store/f.bin", "Content-Length: 0", status="HTTP/1.1 302 Found"))
        answer(request)

    return redirecting


def to_login(request):
    """A gateway that leads a request with a range to a page."""
    if request.address == "/login":
        return request.send(ok("Content-Type: text/html", body=b"<html>Log in</html>"))
    if request.has_range:
        return request.send(head("Location: /login", "Content-Length: 0", status="HTTP/1.1 302 Found"))
    request.send(ok())


def first_only(rest):
    """A sound server for the first request, slow enough for more; what `rest` says for all others."""

    def answer(request):
        if request.number:
            return rest(request)
        whole = ranged(request, body=BIG)
        request.connection.drip(whole, 12, 0.1)

    return answer


def saying(status):
    return lambda request: request.send(head("Content-Length: 2", status=f"HTTP/1.1 {status}") + b"no")


def bounded(request):
    """A server that gives a mebibyte at a time."""
    span = request.span(len(BIG))
    if not span:
        return request.send(ok(body=BIG))
    first, end = span[0], min(span[1], span[0] + (1 << 20))
    place = f"Content-Range: bytes {first}-{end - 1}/{len(BIG)}"
    request.send(ok(place, body=BIG[first:end], status="HTTP/1.1 206 Partial Content"))


def multipart(request):
    if not request.has_range:
        return request.send(ok())
    part = f"--x\r\nContent-Type: application/octet-stream\r\nContent-Range: bytes 0-{SIZE - 1}/{SIZE}\r\n\r\n".encode()
    body = part + FILE + b"\r\n--x--\r\n"
    fields = ("Content-Type: multipart/byteranges; boundary=x", f"Content-Length: {len(body)}")
    request.send(head(*fields, status="HTTP/1.1 206 Partial Content") + body)


def in_pieces(request):
    if not request.has_range:
        return request.send(ok())
    request.send(in_chunks(f"Content-Range: bytes 0-{SIZE - 1}/{SIZE}", status="HTTP/1.1 206 Partial Content"))


def first_byte(request):
    """A server that knows one range."""
    if not request.has_range:
        return request.send(ok())
    request.send(ok(f"Content-Range: bytes 0-0/{SIZE}", body=FILE[:1], status="HTTP/1.1 206 Partial Content"))


def empty(request):
    if request.has_range:
        return request.send(head("Content-Range: bytes */0", "Content-Length: 0", status="HTTP/1.1 416 No"))
    request.send(ok(body=b""))


def counting(request):
    """A server whose every answer names another length and ETag, as those that make a file anew do."""
    body = FILE[: SIZE - request.number]
    request.send(
        head(f'ETag: "{request.number}"', "Content-Type: application/octet-stream", f"Content-Length: {len(body)}")
        + body
    )


STATUSES = (
    "400 Bad Request",
    "401 Unauthorized",
    "403 Forbidden",
    "404 Not Found",
    "405 Method Not Allowed",
    "406 Not Acceptable",
    "409 Conflict",
    "410 Gone",
    "411 Length Required",
    "412 Precondition Failed",
    "413 Content Too Large",
    "416 Range Not Satisfiable",
    "417 Expectation Failed",
    "422 Unprocessable Content",
    "431 Fields Too Large",
    "451 Unavailable",
    "500 Internal Server Error",
    "501 Not Implemented",
    "502 Bad Gateway",
    "503 Service Unavailable",
    "504 Gateway Timeout",
    "505 Version Not Supported",
)

ENTRIES = [
    Behaviour("ranges", "A sound server with ranges.", lambda request: request.send(ranged(request))),
    *[
        Behaviour(f"range-{status[:3]}", f"A request with a Range is refused by {status[:3]}.", refusing(status))
        for status in STATUSES
    ],
    Behaviour(
        "range-401-basic",
        "A request with a Range is asked for a password.",
        refusing("401 Unauthorized", 'WWW-Authenticate: Basic realm="x"'),
    ),
    Behaviour(
        "range-416-length",
        "The same by 416, with the file's length.",
        refusing("416 No", f"Content-Range: bytes */{SIZE}"),
    ),
    Behaviour(
        "range-416-page", "The same by 416, with a page.", refusing("416 No", "Content-Type: text/html", body=b"<html>")
    ),
    Behaviour(
        "range-503-wait",
        "The same by 503, which says to come back in two hours.",
        refusing("503 No", "Retry-After: 7200"),
        why="a server that names a wait is not asked before it is over",
    ),
    Behaviour("range-204", "A request with a Range is answered by 204.", refusing("204 No Content", body=b"", until=1)),
    Behaviour(
        "range-304", "A request with a Range is answered by 304.", refusing("304 Not Modified", body=b"", until=1)
    ),
    Behaviour(
        "range-html",
        "A request with a Range is answered by 200 and a page.",
        refusing("200 OK", "Content-Type: text/html", body=b"<html>No ranges here</html>"),
    ),
    Behaviour("range-end", "A request with a Range: the connection ends.", hanging_up("close")),
    Behaviour("range-reset", "A request with a Range: RST.", hanging_up("reset")),
    Behaviour("range-end-redirected", "The same after a redirect.", after_redirect(hanging_up("close"))),
    Behaviour(
        "range-403-redirected",
        "After a redirect, a request with a Range is refused by 403.",
        after_redirect(refusing("403 Forbidden")),
    ),
    Behaviour("range-login", "A request with a Range is redirected to a page.", to_login),
    Behaviour("range-ignored", "A Range is ignored: 200.", lambda request: request.send(ok())),
    Behaviour(
        "range-none", "The same, with `Accept-Ranges: none`.", lambda request: request.send(ok("Accept-Ranges: none"))
    ),
    Behaviour("range-200-place", "200 with a Content-Range.", partial(f"bytes 0-{SIZE - 1}/{SIZE}", status="200 OK")),
    # MARK: Content-Range
    Behaviour("place-missing", "206 without Content-Range.", partial()),
    Behaviour("place-no-length", "`Content-Range: bytes 0-99999`.", partial(f"bytes 0-{SIZE - 1}")),
    Behaviour("place-no-unit", "`Content-Range: 0-99999/100000`.", partial(f"0-{SIZE - 1}/{SIZE}")),
    Behaviour("place-equals", "`Content-Range: bytes=0-99999/100000`.", partial(f"bytes=0-{SIZE - 1}/{SIZE}")),
    Behaviour("place-colon", "`Content-Range: bytes: 0-99999/100000`.", partial(f"bytes: 0-{SIZE - 1}/{SIZE}")),
    Behaviour("place-unknown", "`Content-Range: bytes 0-99999/*`.", partial(f"bytes 0-{SIZE - 1}/*")),
    Behaviour("place-capitals", "`Content-Range: Bytes 0-99999/100000`.", partial(f"Bytes 0-{SIZE - 1}/{SIZE}")),
    Behaviour("place-blanks", "`Content-Range: bytes 0 - 99999 / 100000`.", partial(f"bytes 0 - {SIZE - 1} / {SIZE}")),
    Behaviour("place-end", "`Content-Range: bytes 0-100000/100000`, one too many.", partial(f"bytes 0-{SIZE}/{SIZE}")),
    Behaviour("place-zero", "`Content-Range: bytes 0-99999/0`.", partial(f"bytes 0-{SIZE - 1}/0")),
    Behaviour("place-minus", "`Content-Range: bytes 0-99999/-1`.", partial(f"bytes 0-{SIZE - 1}/-1")),
    Behaviour("place-open", "`Content-Range: bytes 0-/100000`.", partial(f"bytes 0-/{SIZE}")),
    Behaviour(
        "place-shifted",
        "206 from the second byte on.",
        partial(f"bytes 1-{SIZE - 1}/{SIZE}", body=FILE[1:]),
        file=FILE[1:],
    ),
    Behaviour("place-twice", "Content-Range twice, the same.", partial(*2 * [f"bytes 0-{SIZE - 1}/{SIZE}"])),
    Behaviour(
        "place-differs",
        "Two different lines of Content-Range.",
        partial(f"bytes 0-{SIZE - 1}/{SIZE}", f"bytes 0-{SIZE - 1}/{SIZE + 5}"),
    ),
    Behaviour("place-words", "`Content-Range: none`.", partial("none")),
    Behaviour("place-multipart", "206 as multipart/byteranges with one part.", multipart),
    Behaviour("place-chunks", "206 in chunks.", in_pieces),
    Behaviour("place-first-byte", "206 with the first byte, whatever was asked.", first_byte),
    Behaviour("bounded", "206 with a mebibyte at most, however much was asked.", bounded, file=BIG),
    # MARK: Empty files
    Behaviour("empty", "An empty file: 416 for every Range.", empty, file=b""),
    Behaviour("empty-200", "An empty file: 200.", ok(body=b""), file=b""),
    Behaviour(
        "empty-no-place",
        "An empty file: 416 without Content-Range.",
        lambda request: request.send(
            head("Content-Length: 0", status="HTTP/1.1 416 No") if request.has_range else ok(body=b"")
        ),
        file=b"",
    ),
    # MARK: More than one connection
    *[
        Behaviour(
            f"once-{status[:3]}",
            f"All but the first request are refused by {status[:3]}.",
            first_only(saying(status)),
            file=BIG,
        )
        for status in ("401 No", "403 No", "404 No", "410 No", "416 No", "429 No", "500 No", "503 No")
    ],
    Behaviour(
        "once-end",
        "All but the first connection end without an answer.",
        first_only(lambda request: request.connection.close()),
        file=BIG,
    ),
    Behaviour(
        "once-reset",
        "All but the first connection are reset.",
        first_only(lambda request: request.connection.reset()),
        file=BIG,
    ),
    Behaviour(
        "once-whole",
        "All but the first request get the whole file.",
        first_only(lambda request: request.send(ok(body=BIG))),
        file=BIG,
    ),
    Behaviour(
        "once-page",
        "All but the first request get a page.",
        first_only(lambda request: request.send(ok("Content-Type: text/html", body=b"<html>busy"))),
        file=BIG,
    ),
    Behaviour(
        "once-other",
        "All but the first request get ranges of another version.",
        first_only(lambda request: request.send(ranged(request, 'ETag: "2"', body=BIG[::-1]))),
        file=BIG,
    ),
    Behaviour("anew", "A file that is made anew for each request.", counting),
    Behaviour(
        "weak",
        "A weak ETag and no date.",
        head("Content-Type: application/octet-stream", 'ETag: W/"1"', f"Content-Length: {SIZE}") + FILE,
    ),
    Behaviour(
        "no-validator",
        "Neither ETag nor Last-Modified.",
        head("Content-Type: application/octet-stream", f"Content-Length: {SIZE}") + FILE,
    ),
    Behaviour(
        "future",
        "A Last-Modified that has yet to come.",
        head(*USUAL[:1], "Last-Modified: Sun, 13 Sep 2099 12:26:40 GMT", f"Content-Length: {SIZE}") + FILE,
    ),
    Behaviour(
        "odd-date",
        "A Last-Modified that is no date.",
        head(*USUAL[:1], "Last-Modified: yesterday", f"Content-Length: {SIZE}") + FILE,
    ),
    Behaviour(
        "odd-etag", "An ETag without quotation marks.", head(*USUAL[:1], "ETag: abc", f"Content-Length: {SIZE}") + FILE
    ),
]
