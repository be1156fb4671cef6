"""Lengths, chunks, codings, and how a connection ends."""

import gzip
import zlib

from entries import FILE, USUAL, Behaviour, chunked, head, in_chunks, ok

SIZE = len(FILE)
GZIPPED = gzip.compress(FILE, mtime=0)


TWO_MESSAGES = "these could be two messages"
NO_NUMBER = "this is no number, so a program on the way may have read another"
CODINGS = "chunks come last and once (RFC 9112, 6.1), so the end is not certain"


def length(*values):
    return ok(*[f"Content-Length: {value}" for value in values], length=False)


def coded(value, *fields, body=None):
    return in_chunks(*fields, body=body).replace(b"Transfer-Encoding: chunked", b"Transfer-Encoding: " + value, 1)


def unmeasured(*fields, body=FILE, status="HTTP/1.1 200 OK"):
    return ok(*fields, body=body, length=False, status=status)


def then(end, data):
    """Sends an answer and ends the connection in one of the ways of wire.Connection."""

    def answer(request):
        request.send(data)
        getattr(request.connection, end)()

    return answer


def dripping(data, pieces, pause):
    def answer(request):
        request.connection.drip(data, pieces, pause)
        request.end()

    return answer


SECURE = dict(
    url="{secure}/f.bin",
    words={
        "curl": ["--cacert", "{authority}"],
        "aria2": ["--ca-certificate={authority}"],
        "wget": ["--ca-certificate={authority}"],
        "pawl": ["--ca-certificate", "{authority}"],
    },
)

ENTRIES = [
    # MARK: Lengths
    Behaviour("length-twice", "Content-Length twice, the same.", length(SIZE, SIZE)),
    Behaviour("length-list", "Content-Length twice in one field, the same.", length(f"{SIZE}, {SIZE}")),
    Behaviour(
        "length-differs",
        "Two lengths: the right one, then a smaller one.",
        length(SIZE, SIZE - 1),
        file=None,
        why=TWO_MESSAGES,
    ),
    Behaviour(
        "length-differs-first",
        "Two lengths: a smaller one, then the right one.",
        length(SIZE - 1, SIZE),
        file=None,
        why=TWO_MESSAGES,
    ),
    Behaviour(
        "length-list-differs", "Two lengths in one field.", length(f"{SIZE}, {SIZE - 1}"), file=None, why=TWO_MESSAGES
    ),
    Behaviour("length-zeros", "Zeros before the length.", length(f"000{SIZE}")),
    Behaviour("length-plus", "A sign before the length.", length(f"+{SIZE}"), file=None, why=NO_NUMBER),
    Behaviour("length-negative", "A negative length.", length(-1), file=None),
    Behaviour("length-hexadecimal", "A hexadecimal length.", length(f"0x{SIZE:x}"), file=None, why=NO_NUMBER),
    Behaviour("length-quoted", "A length in quotation marks.", length(f'"{SIZE}"'), file=None),
    Behaviour("length-unit", "A unit behind the length.", length(f"{SIZE} bytes"), file=None, why=NO_NUMBER),
    Behaviour("length-semicolon", "A semicolon behind the length.", length(f"{SIZE};"), file=None, why=NO_NUMBER),
    Behaviour("length-fraction", "A length with a fraction.", length(f"{SIZE}.0"), file=None, why=NO_NUMBER),
    Behaviour("length-empty", "A Content-Length without a value; the end is that of the connection.", length("")),
    Behaviour("length-overflow", "A length of 25 digits.", length("1" + "0" * 24), file=None, why=NO_NUMBER),
    Behaviour("length-large", "A length that is one too large.", length(SIZE + 1), file=None),
    Behaviour("length-small", "A length that is one too small.", length(SIZE - 1), file=FILE[:-1]),
    Behaviour("length-zero", "A length of 0, and a body.", length(0), file=b""),
    # MARK: Transfer-Encoding
    Behaviour("chunked", "Sound chunks.", in_chunks()),
    Behaviour("chunked-capital", "`Transfer-Encoding: Chunked`.", coded(b"Chunked")),
    Behaviour("chunked-blank", "`chunked` with blanks behind.", coded(b"chunked  ")),
    Behaviour("chunked-tab", "`chunked` with a tab behind.", coded(b"chunked\t")),
    Behaviour("chunked-tab-before", "`chunked` with a tab before.", coded(b"\tchunked")),
    Behaviour("chunked-comma", "`chunked,` with an empty element.", coded(b"chunked,")),
    Behaviour("chunked-comma-before", "`, chunked` with an empty element.", coded(b", chunked")),
    Behaviour("chunked-parameter", "`chunked;q=1`.", coded(b"chunked;q=1"), file=None),
    Behaviour("chunked-quoted", '`"chunked"` in quotation marks.', coded(b'"chunked"'), file=None),
    Behaviour(
        "chunked-twice",
        "Two fields `Transfer-Encoding: chunked`.",
        in_chunks("Transfer-Encoding: chunked"),
        file=None,
        why=CODINGS,
    ),
    Behaviour("chunked-list", "`chunked, chunked`, chunked once.", coded(b"chunked, chunked"), file=None, why=CODINGS),
    Behaviour("identity-chunked", "`identity, chunked`.", coded(b"identity, chunked")),
    Behaviour("chunked-identity", "`chunked, identity`.", coded(b"chunked, identity"), file=None),
    Behaviour("identity", "`Transfer-Encoding: identity` beside a length.", ok("Transfer-Encoding: identity")),
    Behaviour("identity-unmeasured", "The same without a length.", unmeasured("Transfer-Encoding: identity")),
    Behaviour("coding-empty", "Transfer-Encoding without a value, beside a length.", ok("Transfer-Encoding:")),
    Behaviour("coding-unknown", "An unknown transfer coding beside a length.", ok("Transfer-Encoding: xyz"), file=None),
    Behaviour(
        "coding-gzip",
        "A transfer coding that nobody asked for: `gzip, chunked`.",
        coded(b"gzip, chunked", body=chunked(GZIPPED)),
        file=None,
        why="nobody asked for it, and it would have to be undone",
    ),
    Behaviour(
        "chunked-length",
        "Chunks beside the file's length.",
        in_chunks(f"Content-Length: {SIZE}"),
        file=None,
        why=TWO_MESSAGES,
    ),
    Behaviour(
        "chunked-length-wrong",
        "Chunks beside another length.",
        in_chunks("Content-Length: 5"),
        file=None,
        why=TWO_MESSAGES,
    ),
    Behaviour("chunked-http-1.0", "Chunks in HTTP/1.0.", in_chunks(status="HTTP/1.0 200 OK")),
    # MARK: Chunks
    Behaviour("chunk-capitals", "Sizes in capitals, with zeros before.", in_chunks(size=b"0000%X")),
    Behaviour("chunk-zeros", "Sizes of twenty digits, zeros mostly.", in_chunks(size=b"%020x")),
    Behaviour("chunk-blanks", "Blanks behind the sizes.", in_chunks(size=b"%x  ")),
    Behaviour("chunk-tab", "A tab behind the sizes.", in_chunks(size=b"%x\t")),
    Behaviour("chunk-blank-last", "A blank behind the last size.", in_chunks(last=b"0 ")),
    Behaviour("chunk-blank-before", "A blank before the sizes.", in_chunks(size=b" %x")),
    Behaviour("chunk-extension", "Extensions.", in_chunks(size=b'%x;a=b;c="d e"')),
    Behaviour("chunk-extension-blank", "Extensions after a blank.", in_chunks(size=b"%x ; a = b")),
    Behaviour("chunk-extension-long", "An extension of 5 KB.", in_chunks(size=b"%x;a=" + b"b" * 5_000)),
    Behaviour(
        "chunk-word",
        "A word behind the sizes.",
        in_chunks(size=b"%x OK"),
        file=None,
        why="a size ends with its line, blanks or an extension",
    ),
    Behaviour("chunk-prefix", "Sizes that begin with 0x.", in_chunks(size=b"0x%x"), file=None),
    Behaviour("chunk-negative", "A negative size.", in_chunks(size=b"-%x"), file=None),
    Behaviour("chunk-empty-size", "No size.", in_chunks(size=lambda _: b""), file=None),
    Behaviour("chunk-lf", "All lines of the chunks end with LF alone.", in_chunks(end=b"\n")),
    Behaviour(
        "chunk-lf-size",
        "The lines with sizes end with LF alone.",
        in_chunks(body=b"".join(b"%x\n" % len(part) + part + b"\r\n" for part in (FILE[:9], FILE[9:])) + b"0\n\r\n"),
    ),
    Behaviour(
        "chunk-two-ends",
        "An empty line between two chunks.",
        in_chunks(body=b"%x\r\n" % SIZE + FILE + b"\r\n\r\n0\r\n\r\n"),
        file=None,
    ),
    Behaviour("chunk-one-byte", "Chunks of five bytes.", in_chunks(count=20_000)),
    Behaviour("chunk-trailer", "Trailers.", in_chunks(trailer=b"X-Check: 1\r\nX-Other: 2\r\n")),
    Behaviour("chunk-trailer-odd", "A trailer without a colon.", in_chunks(trailer=b"done\r\n")),
    Behaviour("chunk-last-zeros", "A last size of four zeros.", in_chunks(last=b"0000")),
    Behaviour("chunk-no-empty-line", "The connection ends after the last size.", in_chunks()[:-2], file=None),
    Behaviour("chunk-no-last", "The connection ends before the last size.", in_chunks()[:-5], file=None),
    Behaviour("chunk-no-size-end", "The connection ends within a chunk.", in_chunks()[:-300], file=None),
    Behaviour("chunk-bytes-behind", "Bytes behind the last chunk.", in_chunks() + b"more of it"),
    # MARK: The end of the connection
    Behaviour("end-http-1.0", "HTTP/1.0 without a length; the connection ends.", unmeasured(status="HTTP/1.0 200 OK")),
    Behaviour("end-http-1.1", "HTTP/1.1 without a length; the connection ends.", unmeasured()),
    Behaviour("end-announced", "The same with `Connection: close`.", unmeasured("Connection: close")),
    Behaviour("end-kept", "The same with `Connection: keep-alive`.", unmeasured("Connection: keep-alive")),
    Behaviour("end-empty", "Nothing after the head, and no length.", unmeasured(body=b""), file=b""),
    Behaviour("end-reset", "A length, the whole body, then RST.", then("reset", ok())),
    Behaviour("end-reset-chunks", "Sound chunks, then RST.", then("reset", in_chunks())),
    Behaviour("end-reset-unmeasured", "No length, the whole body, then RST.", then("reset", unmeasured()), file=None),
    Behaviour("end-none", "The connection ends without an answer.", b"", file=None),
    Behaviour(
        "end-half-head",
        "The connection ends within the head.",
        head("X-Thing: 1")[:-4],
        file=None,
        why="the head has no end, so more of it may be missing",
    ),
    Behaviour(
        "slow-head",
        "The head comes in ten pieces, a tenth of a second apart.",
        dripping(head(*USUAL, "Content-Length: 0"), 10, 0.1),
        file=b"",
    ),
    Behaviour("slow-body", "The body comes in ten pieces, a fifth of a second apart.", dripping(ok(), 10, 0.2)),
    Behaviour("pause", "Two seconds of silence within the body.", dripping(ok(), 2, 2)),
    # MARK: TLS
    Behaviour("tls", "TLS, with its end.", ok(), **SECURE),
    Behaviour("tls-no-end", "TLS without its end, after a length.", then("cut", ok()), **SECURE),
    Behaviour("tls-no-end-chunks", "TLS without its end, after chunks.", then("cut", in_chunks()), **SECURE),
    Behaviour("tls-end-unmeasured", "TLS with its end, and no length.", unmeasured(), **SECURE),
    Behaviour(
        "tls-no-end-unmeasured",
        "TLS without its end, and no length.",
        then("cut", unmeasured()),
        file=None,
        **SECURE,
        why="anyone on the way can end such a body (L11)",
    ),
    # MARK: Content-Encoding
    Behaviour("coded", "gzip, though nobody asked for it.", ok("Content-Encoding: gzip", body=GZIPPED), file=GZIPPED),
    Behaviour("coded-x-gzip", "The same, called `x-gzip`.", ok("Content-Encoding: x-gzip", body=GZIPPED), file=GZIPPED),
    Behaviour(
        "coded-deflate",
        "deflate, though nobody asked for it.",
        ok("Content-Encoding: deflate", body=zlib.compress(FILE)),
        file=zlib.compress(FILE),
    ),
    Behaviour(
        "coded-chunked", "gzip in chunks.", in_chunks("Content-Encoding: gzip", body=chunked(GZIPPED)), file=GZIPPED
    ),
    Behaviour(
        "coded-archive",
        "A .gz that the server calls gzip-coded as well.",
        ok("Content-Encoding: gzip", "Content-Type: application/x-gzip", body=GZIPPED),
        file=GZIPPED,
        url="{origin}/f.gz",
        name="f.gz",
    ),
    Behaviour("coded-not", "gzip is said of a body that is plain.", ok("Content-Encoding: gzip")),
    Behaviour("coded-identity", "`Content-Encoding: identity`.", ok("Content-Encoding: identity")),
    Behaviour("coded-none", "`Content-Encoding: none`.", ok("Content-Encoding: none")),
    Behaviour("coded-utf-8", "`Content-Encoding: utf-8`.", ok("Content-Encoding: utf-8")),
    Behaviour("coded-binary", "`Content-Encoding: binary`.", ok("Content-Encoding: binary")),
    Behaviour(
        "coded-aws", "`Content-Encoding: aws-chunked`, as object stores keep it.", ok("Content-Encoding: aws-chunked")
    ),
    Behaviour("coded-empty", "Content-Encoding without a value.", ok("Content-Encoding:")),
]
