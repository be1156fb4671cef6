"""What an entry of the differential test says: a behaviour of a server, or an archive."""

import dataclasses
import random
import typing


def content(size, seed=0):
    """The same bytes for the same size and seed, and none of them text."""
    return random.Random(f"{size} {seed}").randbytes(size)


FILE = content(100_000)
BIG = content(3_000_000)


@dataclasses.dataclass
class Behaviour:
    """Something that a server does, tried by each program with the same words.

    Pawl must get the file wherever the reference gets one, with the same bytes under the same name. Where the
    reference fails, Pawl may fail as well, or get `file` under `name`. A difference needs a `why`, and then Pawl fails
    or gets `file` under `name`; a `why` without a difference is an error, so that none outlives its reason.
    """

    # Unique; `--only` finds it.
    key: str
    # One sentence for the page: what is sent.
    says: str
    # The bytes that follow every request, or a function of a wire.Request (of a wire.Connection if `is_raw`).
    answer: typing.Any
    # Why Pawl deliberately does something else than the reference.
    why: str = ""
    # What a program ought to have in the end; None if there is no right file.
    file: bytes | None = FILE
    name: str = "f.bin"
    # What the programs are given, with the places of wire.Server in braces.
    url: typing.Any = "{origin}/f.bin"
    words: dict = dataclasses.field(default_factory=dict)
    environment: dict = dataclasses.field(default_factory=dict)
    # Files beneath the home directory.
    home: dict = dataclasses.field(default_factory=dict)
    # The program whose outcome counts.
    reference: str = "curl"
    # The programs that cannot be asked for this.
    without: tuple = ()
    is_raw: bool = False
    needs_ipv6: bool = False


@dataclasses.dataclass
class Packed:
    """An archive, unpacked by each program that knows its format; the rules are those of a Behaviour.

    Two trees are the same if they have the same names, bytes, links, hard links and permissions to execute.
    """

    key: str
    says: str
    # A function of an empty directory, which makes the archive there and returns its path.
    make: typing.Callable
    reference: str
    why: str = ""
    # The programs that know the format, besides Pawl.
    programs: tuple = ()
    password: str = ""
    # What Pawl makes where it deliberately differs, as {name: bytes}; None if it refuses.
    instead: dict | None = None
    # Words that Pawl's refusal has to contain.
    says_why: str = ""
    # Whether nothing is wrong with the archive, so that fetching it again would not help.
    is_sound: bool = False


# MARK: Answers


def head(*fields, status="HTTP/1.1 200 OK", end="\r\n"):
    """A header section with its empty line. Fields are text, written as UTF-8, or bytes."""
    lines = [line if isinstance(line, bytes) else line.encode() for line in (status, *fields)]
    return end.encode().join([*lines, b"", b""])


USUAL = ("Content-Type: application/octet-stream", 'ETag: "1"', "Last-Modified: Sun, 13 Sep 2020 12:26:40 GMT")


def ok(*fields, body=FILE, length=True, status="HTTP/1.1 200 OK", end="\r\n"):
    """The whole file. `fields` come first."""
    measured = [f"Content-Length: {len(body)}"] if length else []
    return head(*fields, *USUAL, *measured, status=status, end=end) + body


def chunked(body=FILE, size=b"%x", count=4, last=b"0", end=b"\r\n", trailer=b""):
    """A body in chunks. `size` is a format, or a function of the length."""
    step = -(-len(body) // count)
    pieces = [body[start : start + step] for start in range(0, len(body), step)]
    line = size if callable(size) else lambda length: size % length
    return b"".join(line(len(piece)) + end + piece + end for piece in pieces) + last + end + trailer + end


def in_chunks(*fields, body=None, status="HTTP/1.1 200 OK", **more):
    coding = "Transfer-Encoding: chunked"
    return head(*fields, *USUAL, coding, status=status) + (chunked(**more) if body is None else body)


def redirect(location, *fields, status="302 Found", body=b"moved"):
    """A function that answers a request for f.bin with a redirect, and any other with the file."""

    def answer(request):
        if request.address != "/f.bin":
            return request.send(ranged(request))
        given = location(request) if callable(location) else location
        line = [] if given is None else [(b"Location: " + given) if isinstance(given, bytes) else f"Location: {given}"]
        request.send(head(*line, *fields, f"Content-Length: {len(body)}", status=f"HTTP/1.1 {status}") + body)

    return answer


def ranged(request, *fields, body=FILE, date="Sun, 20 Sep 2020 12:26:40 GMT"):
    """The answer of a sound file server, as bytes."""
    span = request.span(len(body))
    usual = (*fields, f"Date: {date}", *USUAL, "Accept-Ranges: bytes")
    if not span or not body:
        return head(*usual, f"Content-Length: {len(body)}") + body
    first, end = span
    if first >= len(body):
        return head(*usual, f"Content-Range: bytes */{len(body)}", "Content-Length: 0", status="HTTP/1.1 416 No")
    place = f"Content-Range: bytes {first}-{end - 1}/{len(body)}"
    return (
        head(*usual, place, f"Content-Length: {end - first}", status="HTTP/1.1 206 Partial Content") + body[first:end]
    )
