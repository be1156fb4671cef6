"""Status lines, fields, line ends, sizes and interim responses, each followed by the whole file."""

import time

from entries import FILE, USUAL, Behaviour, head, ok

LENGTH = f"Content-Length: {len(FILE)}"


BARE_CR = "a program on the way may end the line there, and see another message"
TWO_MESSAGES = "unfolded, it is a length beside chunks, which could be two messages"
LIMITS = "Pawl takes 64 KiB a field, 200 fields and 256 KiB a head (L17)"


def status(line):
    return ok(status=line)


def after_a_second(*parts):
    def answer(request):
        for number, part in enumerate(parts):
            time.sleep(min(number, 1))
            request.connection.send(part)
        request.connection.close()

    return answer


def raw(*lines, end=b"\r\n"):
    """A head of which each line brings its own end."""
    return b"".join(lines) + "\r\n".join([*USUAL, LENGTH]).encode() + b"\r\n" + end + FILE


ENTRIES = [
    Behaviour("sound", "A sound answer.", ok()),
    # MARK: Status lines
    Behaviour("no-reason", "A status line without a reason: `HTTP/1.1 200 `.", status("HTTP/1.1 200 ")),
    Behaviour("no-reason-no-blank", "The same without the blank: `HTTP/1.1 200`.", status("HTTP/1.1 200")),
    Behaviour("reason-utf-8", "A reason in UTF-8.", status("HTTP/1.1 200 成功")),
    Behaviour("reason-latin-1", "A reason in ISO 8859-1.", status(b"HTTP/1.1 200 Trouv\xe9")),
    Behaviour("reason-tab", "A tab in the reason.", status("HTTP/1.1 200 all\tright")),
    Behaviour("two-blanks", "Two blanks before the status.", status("HTTP/1.1  200 OK")),
    Behaviour("tab-before-status", "A tab before the status.", status("HTTP/1.1\t200 OK")),
    Behaviour("status-and-word", "No blank behind the status: `HTTP/1.1 200OK`.", status("HTTP/1.1 200OK")),
    Behaviour("status-four-digits", "A status of four digits.", status("HTTP/1.1 2000 OK")),
    Behaviour("status-two-digits", "A status of two digits.", status("HTTP/1.1 20 OK")),
    Behaviour("status-missing", "No status: `HTTP/1.1 OK`.", status("HTTP/1.1 OK")),
    Behaviour("http-1.0", "HTTP/1.0.", status("HTTP/1.0 200 OK")),
    Behaviour("http-1.2", "HTTP/1.2.", status("HTTP/1.2 200 OK")),
    Behaviour("http-1", "`HTTP/1 200 OK`.", status("HTTP/1 200 OK")),
    Behaviour("http-1.10", "`HTTP/1.10 200 OK`.", status("HTTP/1.10 200 OK")),
    Behaviour("http-2", "`HTTP/2 200` in the form of HTTP/1.1.", status("HTTP/2 200 ")),
    Behaviour("http-2.0", "`HTTP/2.0 200 OK` in the form of HTTP/1.1.", status("HTTP/2.0 200 OK")),
    Behaviour("http-3", "`HTTP/3 200` in the form of HTTP/1.1.", status("HTTP/3 200 OK")),
    Behaviour("small-letters", "`http/1.1 200 OK`.", status("http/1.1 200 OK")),
    Behaviour("no-version", "`HTTP 200 OK`.", status("HTTP 200 OK")),
    Behaviour("icy", "`ICY 200 OK`, as radio servers answer.", status("ICY 200 OK")),
    Behaviour("http-0.9", "HTTP/0.9: the file and no head.", FILE, file=None),
    Behaviour("empty-line-first", "An empty line before the status line.", b"\r\n" + ok()),
    Behaviour("blank-first", "A blank before the status line.", b" " + ok()),
    # MARK: Lines that are no fields
    Behaviour(
        "folded", "A field goes on in a second line, after blanks (RFC 9112, 5.2).", ok("X-Long: a", "   b; c=d")
    ),
    Behaviour("folded-tab", "The same, after a tab.", ok("X-Long: a", "\tb")),
    Behaviour("folded-thrice", "A field of four lines.", ok("X-Long: a", " b", " c", " d")),
    Behaviour("folded-blank", "The second line of a field holds blanks only.", ok("X-Long: a", "  ")),
    Behaviour(
        "folded-length",
        "The value of Content-Length is in the second line.",
        ok("Content-Length:", f" {len(FILE)}", length=False),
    ),
    Behaviour(
        "folded-coding",
        "The line after Transfer-Encoding begins with a blank and holds `chunked`; a length follows.",
        ok("Transfer-Encoding:", " chunked"),
        file=None,
        why=TWO_MESSAGES,
    ),
    Behaviour("blank-before-first", "A blank before the first name.", ok(" X-Content-Type-Options: nosniff")),
    Behaviour(
        "php-warning",
        "A warning of PHP among the fields.",
        ok("PHP Warning: Module 'x' already loaded in Unknown on line 0"),
    ),
    Behaviour(
        "php-html",
        "A warning of PHP in HTML among the fields.",
        ok("<br />", "<b>Notice</b>:  Undefined index: x in <b>/f.php</b> on line <b>3</b><br />"),
    ),
    Behaviour("no-colon", "A line without a colon.", ok("X-Nothing")),
    Behaviour("no-name", "A field without a name.", ok(": nothing")),
    Behaviour("only-colon", "A line that is a colon.", ok(":")),
    Behaviour("blank-before-colon", "A blank before the colon.", ok("X-Server : one")),
    Behaviour(
        "blank-before-colon-length",
        "A blank before the colon of Content-Length.",
        ok(f"Content-Length : {len(FILE)}", length=False),
    ),
    Behaviour("blanks-in-name", "Blanks in a name.", ok("Content Security Policy: none")),
    Behaviour("brackets-in-name", "Brackets in a name.", ok("X-Thing(2)[a]: 1")),
    Behaviour("quotes-in-name", "A name in quotation marks.", ok('"X-Thing": 1')),
    Behaviour("utf-8-in-name", "A name that is not ASCII.", ok("X-Größe: 1")),
    Behaviour("status-line-twice", "The status line is there twice.", ok("HTTP/1.1 200 OK")),
    Behaviour("other-status-line", "A second status line says 404.", ok("HTTP/1.1 404 Not Found")),
    Behaviour("status-field", "A field `Status: 404 Not Found` of a CGI program.", ok("Status: 404 Not Found")),
    # MARK: Bytes in values
    Behaviour("latin-1", "ISO 8859-1 in a value.", ok(b"X-Author: Andr\xe9")),
    Behaviour("utf-8", "UTF-8 in a value.", ok("X-Author: André 作者")),
    Behaviour("nul", "NUL in a value.", ok(b"X-Odd: a\0b"), file=None),
    Behaviour("control", "A control character in a value.", ok(b"X-Odd: a\x01b\x08")),
    Behaviour("delete", "DEL in a value.", ok(b"X-Odd: a\x7fb")),
    Behaviour("escape", "An escape sequence of terminals in a value.", ok(b"X-Odd: \x1b[31mred")),
    Behaviour(
        "empty-values", "Fields without values.", ok("X-Empty:", "Content-Disposition:", "ETag:", "Content-Type:")
    ),
    Behaviour(
        "no-blank-after-colon",
        "No blank after any colon.",
        ok(f"Content-Length:{len(FILE)}", "X-Thing:1", length=False),
    ),
    Behaviour(
        "tab-after-colon", "A tab after the colon of Content-Length.", ok(f"Content-Length:\t{len(FILE)}", length=False)
    ),
    Behaviour("blanks-behind", "Blanks behind the value of Content-Length.", ok(LENGTH + "   ", length=False)),
    Behaviour("tab-behind", "A tab behind the value of Content-Length.", ok(LENGTH + "\t", length=False)),
    Behaviour(
        "vertical-tab-behind",
        "A vertical tab behind the value of Content-Length.",
        ok(LENGTH + "\v", length=False),
        why="only blanks and tabs may stand around a value (RFC 9110, 5.6.3), and no length is guessed",
    ),
    Behaviour("tab-behind-etag", "A tab behind the ETag.", ok('ETag: "2"\t')),
    Behaviour("tab-behind-connection", "A tab behind `Connection: close`.", ok("Connection: close\t", length=False)),
    # MARK: Ends of lines
    Behaviour("lf", "All lines end with LF alone.", ok("X-Thing: 1", end="\n")),
    Behaviour("lf-some", "Some lines end with LF alone.", raw(b"HTTP/1.1 200 OK\n", b"X-One: 1\r\n", b"X-Two: 2\n")),
    Behaviour("lf-status-line", "Only the status line ends with LF alone.", raw(b"HTTP/1.1 200 OK\n")),
    Behaviour("lf-empty-line", "Only the empty line ends with LF alone.", raw(b"HTTP/1.1 200 OK\r\n", end=b"\n")),
    Behaviour("cr", "CR alone in a value.", raw(b"HTTP/1.1 200 OK\r\n", b"X-Odd: a\rb\r\n"), why=BARE_CR),
    Behaviour(
        "cr-hides-length",
        "CR alone before another `Content-Length` within a value.",
        raw(b"HTTP/1.1 200 OK\r\n", b"X-Odd: a\rContent-Length: 5\r\n"),
        file=None,
        why=BARE_CR,
    ),
    Behaviour(
        "cr-cr-lf", "A line that ends with CR CR LF.", raw(b"HTTP/1.1 200 OK\r\n", b"X-Odd: a\r\r\n"), why=BARE_CR
    ),
    Behaviour("cr-only", "All lines end with CR alone.", ok(end="\r"), file=None),
    # MARK: Sizes
    Behaviour("long-field", "A field of 40 KB.", ok("Content-Security-Policy: " + "x" * 40_000)),
    Behaviour("longer-field", "A field of 90 KB.", ok("Content-Security-Policy: " + "x" * 90_000), why=LIMITS),
    Behaviour("150-cookies", "150 cookies.", ok(*[f"Set-Cookie: c{number}=1" for number in range(150)])),
    Behaviour("400-fields", "400 fields.", ok(*[f"X-{number}: 1" for number in range(400)]), why=LIMITS),
    Behaviour(
        "large-head", "A head of 250 KB.", ok(*[f"X-{number}: {'x' * 1000}" for number in range(250)]), why=LIMITS
    ),
    Behaviour("long-reason", "A reason of 20 KB.", status("HTTP/1.1 200 " + "OK " * 7_000)),
    # MARK: Interim answers
    Behaviour("100", "A 100 first.", head(status="HTTP/1.1 100 Continue") + ok()),
    Behaviour(
        "100-fields",
        "A 100 with fields first, Content-Length among them.",
        head("Content-Length: 7", "Server: x", status="HTTP/1.1 100 Continue") + ok(),
    ),
    Behaviour("100-http-1.0", "A 100 of HTTP/1.0 first.", head(status="HTTP/1.0 100 Continue") + ok()),
    Behaviour(
        "100-pause", "A 100, then a second of silence.", after_a_second(head(status="HTTP/1.1 100 Continue"), ok())
    ),
    Behaviour("102", "A 102 first.", head(status="HTTP/1.1 102 Processing") + ok()),
    Behaviour(
        "103",
        "Two 103 first, with links.",
        2 * head("Link: </a>; rel=preload", status="HTTP/1.1 103 Early Hints") + ok(),
    ),
    Behaviour("199", "A 199 first.", head(status="HTTP/1.1 199 Odd") + ok()),
    Behaviour("100-four", "Four 100 first.", 4 * head(status="HTTP/1.1 100 Continue") + ok()),
    Behaviour(
        "100-thirty",
        "Thirty 100 first.",
        30 * head(status="HTTP/1.1 100 Continue") + ok(),
        why="twenty are enough (L18)",
    ),
    Behaviour(
        "101",
        "A 101 that nobody asked for, then the file.",
        head("Upgrade: h2c", "Connection: Upgrade", status="HTTP/1.1 101 Switching Protocols") + ok(),
        file=None,
        why="nobody asked to switch",
    ),
    Behaviour("upgrade", "HTTP/2 is offered by Upgrade.", ok("Upgrade: h2,h2c", "Connection: Upgrade, Keep-Alive")),
]
