"""URLs as people type and copy them."""

from entries import Behaviour, head, ok, ranged


def raw(target):
    """A target of which UTF-8 is sent as it is, as a Request reads it."""
    return target.encode().decode("latin-1")


def only(*targets):
    """Has the file for these paths with their queries, and 404 for all else."""

    def answer(request):
        if request.address.lower() in [target.lower() for target in targets]:
            return request.send(ranged(request))
        request.send(head("Content-Length: 0", status="HTTP/1.1 404 Not Found"))

    return answer


def url(key, says, url, *targets, name="f.bin", **more):
    return Behaviour(f"url-{key}", says, only(*targets or ["/f.bin"]), url=url, name=name, **more)


def host(*names):
    """Has the file if the Host field names one of these, with any port."""

    def answer(request):
        given = request.field("Host").rsplit(":", 1)[0]
        request.send(ranged(request) if given in names else head("Content-Length: 0", status="HTTP/1.1 400 Which host"))

    return answer


P = "127.0.0.1:{port}"
# Whether these find a name beneath localhost depends on the machine.
RESOLVING = ("aria2", "wget")
LOCAL = "names beneath localhost are left to the system's resolver"
SCHEME = "whether an unencrypted answer will do is for the user to say; the error says what to write"
QUERY = "a query is no part of a name: it may hold a secret, and names no kind of file"
SLASHES = "where the host begins is not clear; the error says what to write"

ENTRIES = [
    url("six", "An IPv6 address.", "{six}/f.bin", needs_ipv6=True),
    url("name", "`localhost`", "http://localhost:{port}/f.bin"),
    url("name-capitals", "`LOCALHOST`", "http://LOCALHOST:{port}/f.bin"),
    url(
        "subdomain",
        "`a.localhost`, which is this machine (RFC 6761).",
        "http://a.localhost:{port}/f.bin",
        without=RESOLVING,
        why=LOCAL,
    ),
    url("underscore", "A host with an underscore.", "http://a_b.localhost:{port}/f.bin", without=RESOLVING, why=LOCAL),
    url("decimal", "An address as one number.", "http://2130706433:{port}/f.bin"),
    url("hexadecimal", "A hexadecimal address.", "http://0x7f000001:{port}/f.bin"),
    url("short", "`127.1`", "http://127.1:{port}/f.bin"),
    url("octal", "`0177.0.0.1`", "http://0177.0.0.1:{port}/f.bin"),
    url("zero", "`0.0.0.0`", "http://0.0.0.0:{port}/f.bin"),
    url("scheme-capitals", "`HTTP://…`", f"HTTP://{P}/f.bin"),
    url("no-scheme", "No scheme.", f"{P}/f.bin", why=SCHEME),
    url("no-scheme-name", "No scheme, and a name.", "localhost:{port}/f.bin", why=SCHEME),
    url("one-slash", "`http:/…`", f"http:/{P}/f.bin", why=SLASHES),
    url("three-slashes", "`http:///…`", f"http:///{P}/f.bin", why=SLASHES),
    url("empty-user", "An @ without a name.", f"http://@{P}/f.bin"),
    url("port-zeros", "Zeros before the port.", "http://127.0.0.1:0{port}/f.bin"),
    url("port-large", "A port beyond 65535.", "http://127.0.0.1:99999/f.bin", file=None),
    url("blanks-around", "Blanks around the URL.", f" http://{P}/f.bin "),
    url("line-end", "A line end behind the URL, as from a file.", f"http://{P}/f.bin\n"),
    url("carriage-return", "A CR behind the URL, as from a file of Windows.", f"http://{P}/f.bin\r"),
    # MARK: Paths
    url("two-slashes", "Two slashes in the path.", f"http://{P}//a//f.bin", "//a//f.bin"),
    url("dots", "`/a/../b/./f.bin`", f"http://{P}/a/../b/./f.bin", "/b/f.bin"),
    url("dots-above", "`/../../f.bin`", f"http://{P}/../../f.bin"),
    url("dots-encoded", "`/a/%2e%2e/f.bin`", f"http://{P}/a/%2e%2e/f.bin", "/f.bin", "/a/%2e%2e/f.bin"),
    url("slash-encoded", "`/a%2Fb/f.bin`, left as it is.", f"http://{P}/a%2Fb/f.bin", "/a%2Fb/f.bin"),
    url("letters-encoded", "`/%66.bin`", f"http://{P}/%61/f.bin", "/%61/f.bin", "/a/f.bin"),
    url("blank", "A blank in the path.", f"http://{P}/a b/f.bin", "/a%20b/f.bin"),
    url("utf-8", "UTF-8 in the path.", f"http://{P}/größe/f.bin", "/gr%C3%B6%C3%9Fe/f.bin", raw("/größe/f.bin")),
    url(
        "latin-1",
        "ISO 8859-1 in the path.",
        f"http://{P}/gr".encode() + b"\xf6\xdf" + b"e/f.bin",
        "/gr%F6%DFe/f.bin",
        "/gr\xf6\xdfe/f.bin",
    ),
    url("brackets", "`/[a]/{b}/f.bin`", f"http://{P}/[a]/x/f.bin", "/[a]/x/f.bin", "/%5Ba%5D/x/f.bin"),
    url(
        "odd",
        '``|^`"<>`` in the path.',
        f'http://{P}/|^`"<>/f.bin',
        '/|^`"<>/f.bin',
        "/%7C%5E%60%22%3C%3E/f.bin",
        "/|%5E%60%22%3C%3E/f.bin",
        "/|^%60%22%3C%3E/f.bin",
    ),
    url("percent", "A percent sign alone.", f"http://{P}/100%/f.bin", "/100%/f.bin", "/100%25/f.bin"),
    url("percent-letters", "`/%zz/f.bin`", f"http://{P}/%zz/f.bin", "/%zz/f.bin", "/%25zz/f.bin"),
    url("backslash", "A backslash in the path.", f"http://{P}/a\\b/f.bin", "/a\\b/f.bin", "/a%5Cb/f.bin", "/a/b/f.bin"),
    url("plus", "A plus sign.", f"http://{P}/a+b/f.bin", "/a+b/f.bin"),
    url("star", "A star and an exclamation mark.", f"http://{P}/*!/f.bin", "/*!/f.bin"),
    url("tilde", "A tilde, encoded.", f"http://{P}/%7Eme/f.bin", "/%7Eme/f.bin", "/~me/f.bin"),
    # MARK: Queries
    url("query", "A query.", f"http://{P}/f.bin?a=1&b=2", "/f.bin?a=1&b=2"),
    url("query-empty", "A question mark behind the path.", f"http://{P}/f.bin?", "/f.bin?", "/f.bin"),
    url(
        "query-only", "A query and no path.", f"http://{P}?a=1", "/?a=1", name="index.html", reference="wget", why=QUERY
    ),
    url("query-twice", "Two question marks.", f"http://{P}/f.bin?a?b", "/f.bin?a?b"),
    url("query-url", "A URL in the query.", f"http://{P}/f.bin?u=http://x/y.zip", "/f.bin?u=http://x/y.zip"),
    url("query-blank", "A blank in the query.", f"http://{P}/f.bin?a=b c", "/f.bin?a=b%20c", "/f.bin?a=b+c"),
    url("query-utf-8", "UTF-8 in the query.", f"http://{P}/f.bin?a=ö", "/f.bin?a=%C3%B6", "/f.bin?a=\xc3\xb6"),
    url(
        "query-encoded",
        "Encoded signs in the query, left as they are.",
        f"http://{P}/f.bin?a=%26%3D%2F%2b",
        "/f.bin?a=%26%3D%2F%2b",
    ),
    url("query-brackets", "Brackets in the query.", f"http://{P}/f.bin?a[]=1", "/f.bin?a[]=1", "/f.bin?a%5B%5D=1"),
    url("query-long", "A query of 8 KB.", f"http://{P}/f.bin?" + "x" * 8000, "/f.bin?" + "x" * 8000),
    url("fragment", "A fragment, which is not sent.", f"http://{P}/f.bin#a?b=1"),
    url("fragment-empty", "A # behind the path.", f"http://{P}/f.bin#"),
    # MARK: Host
    Behaviour("host", "The Host field of an address.", host("127.0.0.1")),
    Behaviour(
        "host-name",
        "The Host field of a name in capitals.",
        host("localhost", "LOCALHOST"),
        url="http://LOCALHOST:{port}/f.bin",
    ),
    Behaviour(
        "host-user",
        "The Host field with a name and a password in the URL.",
        host("127.0.0.1"),
        url="http://me:pw@127.0.0.1:{port}/f.bin",
    ),
    Behaviour(
        "user-agent",
        "Refuses whoever sends no User-Agent.",
        lambda request: request.send(
            ok() if request.field("User-Agent") else head("Content-Length: 0", status="HTTP/1.1 403 No")
        ),
    ),
    Behaviour(
        "accept",
        "Refuses whoever sends no Accept.",
        lambda request: request.send(
            ok() if "accept" in request.fields else head("Content-Length: 0", status="HTTP/1.1 406 No")
        ),
    ),
]
