"""Statuses that are neither 200 nor 206, and redirects."""

from entries import FILE, Behaviour, head, ok, ranged, redirect

# Asked by every program for f.bin, and found beneath another directory.
THERE = "/store/f.bin"
PAGE = "what comes is a page about the file"
AFTER = "the file's name comes from the URL that answers, unless only the URL asked for has a dot (decision 8)"


def answered(status, *fields, body=FILE, length=True):
    return ok(*fields, body=body, length=length, status=f"HTTP/1.1 {status}")


def only(path, location, *others):
    """Redirects f.bin, has the file at `path` and `others`, and 404 for all else."""
    moved = redirect(location)
    known = ["/f.bin", *map(str.lower, (path, *others))]

    def answer(request):
        if request.address.encode("latin-1").decode("utf-8", "replace").lower() in known:
            return moved(request)
        request.send(head("Content-Length: 0", status="HTTP/1.1 404 Not Found"))

    return answer


def chain(length):
    def answer(request):
        step = int(request.query or 0)
        if step == length:
            return request.send(ranged(request))
        request.send(head(f"Location: /f.bin?{step + 1}", "Content-Length: 0", status="HTTP/1.1 302 Found"))

    return answer


def with_cookie(*lines):
    """Redirects to the same URL, which has the file for those that come back with c=1."""

    def answer(request):
        if "c=1" in request.field("Cookie"):
            return request.send(ranged(request))
        fields = [f"Set-Cookie: {line}" for line in lines]
        request.send(head(*fields, "Location: /f.bin", "Content-Length: 0", status="HTTP/1.1 302 Found"))

    return answer


def unmeasured(*fields, body=b"moved", ending="close"):
    """A redirect whose body has no length."""

    def answer(request):
        if request.address == THERE:
            return request.send(ranged(request))
        request.connection.send(head(f"Location: {THERE}", *fields, status="HTTP/1.1 302 Found") + body)
        if ending:
            getattr(request.connection, ending)()

    return answer


def busy(status, *fields):
    """Refuses the first request."""

    def answer(request):
        if request.number:
            return request.send(ranged(request))
        request.send(head(*fields, "Content-Length: 0", status=f"HTTP/1.1 {status}"))

    return answer


def to_other_port(request):
    if request.address == "/f.bin":
        location = f"Location: {request.other_origin}{THERE}"
        return request.send(head(location, "Content-Length: 0", status="HTTP/1.1 302 Found"))
    request.send(ranged(request))


COOKIES = {"curl": ["-c", "../cookies"]}
SECURE = {
    "curl": ["--cacert", "{authority}"],
    "aria2": ["--ca-certificate={authority}"],
    "wget": ["--ca-certificate={authority}"],
    "pawl": ["--ca-certificate", "{authority}"],
}

OTHER = "it says that the content is something else than the file (RFC 9110, 15.3; RFC 3229; RFC 4918)"

ENTRIES = [
    # MARK: Statuses
    *[
        Behaviour(f"status-{number}", f"The file with status {number}.", answered(f"{number} Odd"))
        for number in (218, 299)
    ],
    *[
        Behaviour(f"status-{number}", f"The file with status {number}.", answered(f"{number} Odd"), why=OTHER)
        for number in (201, 202, 207, 208, 226)
    ],
    Behaviour("status-203", "The file with status 203.", answered("203 Odd"), why="a proxy has changed the content"),
    Behaviour(
        "status-206",
        "206 without Content-Range, whatever was asked.",
        answered("206 Odd"),
        why="206 is the answer to a request for a part (RFC 9110, 15.3.7), so this may be one",
    ),
    Behaviour("status-204", "204.", head(status="HTTP/1.1 204 No Content"), file=b"", why="there is no file"),
    Behaviour(
        "status-205",
        "205 with a length of 0.",
        answered("205 Reset Content", body=b""),
        file=b"",
        why="there is no file",
    ),
    Behaviour(
        "status-201-location",
        "201 with a Location and the file.",
        answered("201 Created", "Location: /other"),
        why=OTHER,
    ),
    Behaviour(
        "status-304",
        "304, though nothing was asked on a condition.",
        head('ETag: "1"', status="HTTP/1.1 304 Not Modified"),
        file=None,
        why="there is no file",
    ),
    *[
        Behaviour(f"status-{number}", f"The file with status {number}.", answered(f"{number} Odd"), file=None, why=PAGE)
        for number in (306, 399)
    ],
    *[
        Behaviour(f"status-{number}", f"The file with status {number}.", answered(f"{number} Odd"), file=None)
        for number in (404, 410, 500, 600, 999)
    ],
    Behaviour(
        "status-300", "300 without a Location, with the file.", answered("300 Multiple Choices"), file=None, why=PAGE
    ),
    Behaviour("busy-503", "503 once, then the file.", busy("503 Busy")),
    Behaviour("busy-503-wait", "503 once with `Retry-After: 1`.", busy("503 Busy", "Retry-After: 1")),
    Behaviour("busy-429-wait", "429 once with `Retry-After: 1`.", busy("429 Many", "Retry-After: 1")),
    Behaviour("busy-500", "500 once, then the file.", busy("500 Oops")),
    Behaviour("busy-408", "408 once, then the file.", busy("408 Timeout", "Connection: close")),
    # MARK: Redirects
    *[
        Behaviour(f"redirect-{number}", f"A redirect by {number}.", redirect(THERE, status=f"{number} Moved"))
        for number in (300, 301, 302, 303, 307, 308)
    ],
    *[
        Behaviour(
            f"location-{number}",
            f"{number} with a Location.",
            redirect(THERE, status=f"{number} Odd"),
            file=None,
            why=PAGE,
        )
        for number in (304, 305, 306, 399)
    ],
    Behaviour("redirect-name", "A redirect to another name.", redirect("/g.bin"), why=AFTER, name="g.bin"),
    Behaviour("redirect-number", "A redirect to a number.", redirect("/store/17")),
    Behaviour(
        "redirect-from-number",
        "A redirect from a number to a name.",
        lambda request: request.send(
            ranged(request)
            if request.address == "/f.bin"
            else head("Location: /f.bin", "Content-Length: 0", status="HTTP/1.1 302 Found")
        ),
        url="{origin}/17",
        why=AFTER,
    ),
    Behaviour("redirect-relative", "`Location: store/f.bin`.", redirect("store/f.bin")),
    Behaviour("redirect-dots", "`Location: ../../store/./x/../f.bin`.", only(THERE, "../../store/./x/../f.bin")),
    Behaviour("redirect-query", "`Location: ?x=1`.", only("/f.bin?x=1", "?x=1")),
    Behaviour("redirect-absolute", "An absolute URL.", redirect(lambda request: request.origin + THERE)),
    Behaviour(
        "redirect-capitals",
        "An absolute URL that begins with `HTTP://`.",
        redirect(lambda request: request.origin.replace("http", "HTTP") + THERE),
    ),
    Behaviour(
        "redirect-no-scheme",
        "`Location: //127.0.0.1:80/store/f.bin`, with the right port.",
        redirect(lambda request: request.origin[5:] + THERE),
    ),
    Behaviour("redirect-port", "Another port.", to_other_port),
    Behaviour("redirect-one-slash", "`Location: http:/store/f.bin`.", redirect("http:" + THERE), file=None),
    Behaviour("redirect-three-slashes", "`Location: http:///store/f.bin`.", redirect("http://" + THERE), file=None),
    Behaviour("redirect-fragment", "A fragment.", only(THERE, THERE + "#part")),
    Behaviour(
        "redirect-user",
        "A user name and a password.",
        redirect(lambda request: request.origin.replace("//", "//me:pw@") + THERE),
    ),
    Behaviour(
        "redirect-no-path",
        "An absolute URL without a path, and a query.",
        redirect(lambda request: request.origin + "?x=/f.bin"),
        file=None,
    ),
    # MARK: Bytes in Location
    Behaviour("location-blanks", "Blanks around the URL.", redirect(f"   {THERE}   ")),
    Behaviour("location-tab", "A tab behind the URL.", redirect(f"{THERE}\t")),
    Behaviour("location-space", "A blank in the path.", only("/a%20b/f.bin", "/a b/f.bin")),
    Behaviour(
        "location-space-query", "Blanks in the query.", only("/f.bin?x=a%20b%20c", "/f.bin?x=a b c", "/f.bin?x=a+b+c")
    ),
    Behaviour("location-utf-8", "UTF-8 in the path.", only("/gr%C3%B6%C3%9Fe/f.bin", "/größe/f.bin")),
    Behaviour("location-utf-8-query", "UTF-8 in the query.", only("/f.bin?x=%C3%B6", "/f.bin?x=ö")),
    Behaviour("location-latin-1", "ISO 8859-1 in the path.", only("/gr%F6%DFe/f.bin", b"/gr\xf6\xdfe/f.bin")),
    Behaviour("location-brackets", "Brackets in the path.", redirect("/[a]/{b}/f.bin")),
    Behaviour("location-odd", '``|^`"<>`` in the path.', redirect('/|^`"<>/f.bin')),
    Behaviour(
        "location-percent",
        "A percent sign alone in the path.",
        only("/100%/f.bin", "/100%/f.bin"),
        why="no URL has one (RFC 3986, 2.1), so it is sent as `%25`, as one in a URL that somebody types",
    ),
    Behaviour("location-backslash", "Backslashes for slashes.", redirect("\\store\\f.bin")),
    Behaviour("location-encoded", "An encoded slash in the path, left as it is.", only("/a%2Fb/f.bin", "/a%2Fb/f.bin")),
    Behaviour("location-case", "Small hexadecimal digits, left as they are.", only("/%c3%b6/f.bin", "/%c3%b6/f.bin")),
    Behaviour("location-long", "A URL of 8 KB.", redirect(f"{THERE}?{'x' * 8000}")),
    Behaviour("location-empty", "A Location without a value.", redirect(""), file=None, why=PAGE),
    Behaviour("location-missing", "No Location.", redirect(None), file=None, why=PAGE),
    Behaviour("location-twice", "Two Locations, the same.", redirect(THERE, f"Location: {THERE}")),
    Behaviour("location-differs", "Two different Locations.", redirect(THERE, "Location: /other/f.bin")),
    Behaviour(
        "location-quoted",
        "A URL in quotation marks.",
        redirect(f'"{THERE}"'),
        name="f.bin_",
        why="a quotation mark has no place in a name that every system can have",
    ),
    Behaviour("location-ftp", "A URL of FTP.", redirect("ftp://127.0.0.1:1/f.bin"), file=None),
    Behaviour("location-file", "A URL of a file.", redirect("file:///etc/hostname"), file=None),
    Behaviour("location-script", "A URL of JavaScript.", redirect("javascript:alert(1)"), file=None),
    # MARK: Chains
    Behaviour("chain-10", "Ten redirects.", chain(10)),
    Behaviour("chain-20", "Twenty redirects.", chain(20)),
    Behaviour("chain-21", "Twenty-one redirects.", chain(21), why="twenty are enough, as aria2 and wget find"),
    Behaviour("chain-51", "Fifty-one redirects.", chain(51)),
    Behaviour("loop", "A redirect to itself.", only("/none", "/f.bin"), file=None),
    # MARK: Bodies and fields
    Behaviour("body-large", "A redirect with a body of 1 MB.", redirect(THERE, body=b"x" * 1_000_000)),
    Behaviour(
        "body-chunks",
        "A redirect with a chunked body.",
        unmeasured("Transfer-Encoding: chunked", body=b"5\r\nmoved\r\n0\r\n\r\n", ending=None),
    ),
    Behaviour("body-unmeasured", "A redirect whose body ends with the connection.", unmeasured()),
    Behaviour("body-none", "A redirect without body and length; the connection ends.", unmeasured(body=b"")),
    Behaviour("body-reset", "A redirect without a length, then RST.", unmeasured(ending="reset")),
    Behaviour(
        "body-short",
        "A redirect with less body than it announces; the connection ends.",
        unmeasured("Content-Length: 100"),
    ),
    Behaviour("refresh", "200 with the file and a field Refresh.", ok("Refresh: 0; url=/other")),
    Behaviour("location-200", "200 with the file and a Location.", ok("Location: /other")),
    Behaviour("content-location", "200 with the file and a Content-Location.", ok("Content-Location: /other.bin")),
    Behaviour(
        "to-secure",
        "A redirect to another scheme: from https to http.",
        lambda request: request.send(
            ranged(request)
            if request.origin.startswith("http:")
            else head(
                f"Location: {request.connection.listener.server.plain.origin}/f.bin",
                "Content-Length: 0",
                status="HTTP/1.1 302 Found",
            )
        ),
        url="{secure}/f.bin",
        words=SECURE,
        why="an encrypted request is not followed by one that is not, unless allowed",
    ),
    # MARK: Cookies
    Behaviour("cookie", "A redirect to itself that sets a cookie.", with_cookie("c=1; Path=/"), words=COOKIES),
    Behaviour("cookie-quoted", "A cookie in quotation marks beside it.", with_cookie('q="a b"', "c=1"), words=COOKIES),
    Behaviour(
        "cookie-no-value", "A cookie without a value beside it.", with_cookie("empty=", "lone", "c=1"), words=COOKIES
    ),
    Behaviour(
        "cookie-domain", "A cookie with the address as its Domain.", with_cookie("c=1; Domain=127.0.0.1"), words=COOKIES
    ),
    Behaviour(
        "cookie-expires",
        "A cookie with a date of another form.",
        with_cookie("c=1; expires=Wednesday, 09-Nov-33 23:12:40 GMT; path=/"),
        words=COOKIES,
    ),
    Behaviour(
        "cookie-old-max-age",
        "A cookie with Max-Age and an Expires that is past.",
        with_cookie("c=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=600"),
        words=COOKIES,
    ),
    Behaviour(
        "cookie-blanks",
        "A cookie with blanks around its parts.",
        with_cookie("  c = 1 ; Path = / ; HttpOnly"),
        words=COOKIES,
    ),
    Behaviour("cookie-folded-list", "Two cookies in one field.", with_cookie("a=2, c=1"), words=COOKIES, file=None),
]
