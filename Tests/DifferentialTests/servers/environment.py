"""Proxies and authorities as the environment names them."""

from entries import Behaviour, head, ok, ranged

# A host that only a proxy finds: the tests' server itself, which answers for it.
FAR = "http://files.example.test/f.bin"


def as_proxy(request):
    """Answers what is asked of a proxy, and refuses what is asked of a server."""
    if request.target.startswith("http://"):
        return request.send(ranged(request))
    request.send(head("Content-Length: 0", status="HTTP/1.1 400 Not a proxy request"))


def as_server(request):
    """The reverse."""
    if request.target.startswith("/"):
        return request.send(ranged(request))
    request.send(head("Content-Length: 0", status="HTTP/1.1 502 Not a server's request"))


def with_password(request):
    if request.field("Proxy-Authorization") == "Basic bWU6cHc=":
        return as_proxy(request)
    request.send(head('Proxy-Authenticate: Basic realm="x"', "Content-Length: 0", status="HTTP/1.1 407 Who"))


def socks(connection):
    """SOCKS 5 without a login, or SOCKS 4, which is curl's reading of socks://; then the server itself."""
    version, count = connection.read(2)
    if version == 4:
        connection.read(6)
        while connection.read(1) != b"\0":
            pass
        connection.send(b"\x00\x5a" + bytes(6))
        return after_socks(connection)
    connection.read(count)
    connection.send(b"\x05\x00")
    _, _, _, kind = connection.read(4)
    connection.read({1: 4, 4: 16}[kind] if kind != 3 else connection.read(1)[0])
    connection.read(2)
    connection.send(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50")
    after_socks(connection)


def after_socks(connection):
    connection.listener.server.head(connection)
    connection.send(ok())
    connection.close()


def proxy(key, says, answer=as_proxy, url=FAR, why="", **environment):
    return Behaviour(
        f"proxy-{key}",
        says,
        answer,
        url=url,
        environment=environment,
        why=why,
        is_raw=answer is socks,
        without=("aria2", "wget") if answer is socks else (),
    )


def direct(key, value, url="{origin}/f.bin"):
    """A server that no_proxy names."""
    return proxy(
        f"no-{key}",
        f"`no_proxy='{value}'` for {url}".replace("{origin}", "http://127.0.0.1:PORT").replace("{port}", "PORT"),
        as_server,
        url,
        http_proxy="{other}",
        no_proxy=value,
    )


def through(key, value, url="{origin}/f.bin"):
    """A server that no_proxy does not name."""
    return proxy(
        f"no-{key}",
        f"`no_proxy='{value}'` for {url}, which it does not name".replace("{origin}", "http://127.0.0.1:PORT"),
        as_proxy,
        url,
        http_proxy="{other}",
        no_proxy=value,
    )


def secure(key, says, words=None, **environment):
    """A server with a certificate of an authority that the environment names; aria2 and wget read other names."""
    return Behaviour(
        f"authority-{key}",
        says,
        ok(),
        url="{secure}/f.bin",
        environment=environment,
        words=words or {},
        without=("aria2",),
    )


ENTRIES = [
    proxy("http", "`http_proxy`", http_proxy="{origin}"),
    proxy("slash", "A slash behind the port.", http_proxy="{origin}/"),
    proxy("path", "A path behind the port.", http_proxy="{origin}/proxy"),
    proxy("no-scheme", "`http_proxy=127.0.0.1:PORT`", http_proxy="127.0.0.1:{port}"),
    proxy("capitals", "`http_proxy=HTTP://…`", http_proxy="HTTP://127.0.0.1:{port}"),
    proxy("blanks", "Blanks around the URL.", http_proxy=" {origin} "),
    proxy("localhost", "`http_proxy=http://localhost:PORT`", http_proxy="http://localhost:{port}"),
    proxy("all", "`all_proxy`", all_proxy="{origin}"),
    proxy("all-capitals", "`ALL_PROXY`", ALL_PROXY="{origin}"),
    proxy(
        "http-capitals",
        "`HTTP_PROXY` alone, which web servers set for their programs.",
        as_server,
        "{origin}/f.bin",
        HTTP_PROXY="{other}",
    ),
    proxy("empty", "`http_proxy` without a value.", as_server, "{origin}/f.bin", http_proxy=""),
    proxy(
        "empty-all",
        "`http_proxy` without a value beside `all_proxy`.",
        as_server,
        "{origin}/f.bin",
        http_proxy="",
        all_proxy="",
    ),
    proxy("password", "A name and a password.", with_password, http_proxy="http://me:pw@127.0.0.1:{port}"),
    proxy("password-no-scheme", "The same without `http://`.", with_password, http_proxy="me:pw@127.0.0.1:{port}"),
    proxy(
        "other-scheme",
        "`https_proxy` that is none, for a URL of http.",
        as_server,
        "{origin}/f.bin",
        https_proxy="nonsense://:0",
    ),
    proxy(
        "broken-but-direct",
        "A proxy that is none, for a host in `no_proxy`.",
        as_server,
        "{origin}/f.bin",
        http_proxy="nonsense://x",
        no_proxy="127.0.0.1",
    ),
    proxy(
        "gnome",
        "Everything that GNOME sets, for a host in `no_proxy`.",
        as_server,
        "{origin}/f.bin",
        http_proxy="{other}/",
        https_proxy="{other}/",
        all_proxy="socks://127.0.0.1:1/",
        ALL_PROXY="socks://127.0.0.1:1/",
        no_proxy="localhost,127.0.0.0/8,::1",
        NO_PROXY="localhost,127.0.0.0/8,::1",
    ),
    proxy(
        "gnome-far",
        "The same, for another host.",
        http_proxy="{origin}/",
        https_proxy="{origin}/",
        all_proxy="socks://127.0.0.1:1/",
        ALL_PROXY="socks://127.0.0.1:1/",
        no_proxy="localhost,127.0.0.0/8,::1",
    ),
    proxy(
        "socks",
        "`all_proxy=socks://…`, as GNOME and Clash write it.",
        socks,
        "http://127.0.0.1:9/f.bin",
        all_proxy="socks://127.0.0.1:{port}/",
    ),
    proxy(
        "socks5",
        "`all_proxy=socks5://…`, for an address.",
        socks,
        "http://127.0.0.1:9/f.bin",
        all_proxy="socks5://127.0.0.1:{port}",
    ),
    proxy("socks5h", "`all_proxy=socks5h://…`", socks, all_proxy="socks5h://127.0.0.1:{port}"),
    proxy(
        "unicode",
        "A host of letters beyond ASCII.",
        lambda request: (
            as_proxy(request)
            if "//xn--bcher-kva.example.test" in request.target
            else request.send(head("Content-Length: 0", status="HTTP/1.1 400 Which host"))
        ),
        "http://bücher.example.test/f.bin",
        http_proxy="{origin}",
    ),
    # MARK: no_proxy
    direct("address", "127.0.0.1"),
    direct("network", "127.0.0.0/8"),
    direct("star", "*"),
    direct("blanks", "a.test 127.0.0.1"),
    direct("blank-after-comma", "a.test, 127.0.0.1 ,b.test"),
    direct("trailing-comma", "127.0.0.1,"),
    direct("junk", "???,http://x/,127.0.0.1"),
    direct("six", "[::1],::1/128,127.0.0.1"),
    direct("port", "127.0.0.1:{port}"),
    direct("name", "localhost", "http://localhost:{port}/f.bin"),
    direct("name-dot", ".localhost", "http://localhost:{port}/f.bin"),
    direct("name-capitals", "LOCALHOST", "http://localhost:{port}/f.bin"),
    direct("name-trailing-dot", "localhost.", "http://localhost:{port}/f.bin"),
    through("other", "a.test"),
    through("comma", ","),
    through("prefix", "127.0.0"),
    through("network-other", "10.0.0.0/8"),
    # MARK: Authorities
    secure("file", "`SSL_CERT_FILE`", SSL_CERT_FILE="{authority}"),
    secure("directory", "`SSL_CERT_DIR`", SSL_CERT_DIR="{hashed}"),
    secure("curl", "`CURL_CA_BUNDLE`", CURL_CA_BUNDLE="{authority}"),
    secure(
        "two",
        "`CURL_CA_BUNDLE` beside another `SSL_CERT_FILE`.",
        CURL_CA_BUNDLE="{authority}",
        SSL_CERT_FILE="/etc/ssl/certs/ca-certificates.crt",
    ),
    secure(
        "missing",
        "`SSL_CERT_FILE` that does not exist, beside the right option.",
        SSL_CERT_FILE="/nowhere.pem",
        words={
            "curl": ["--cacert", "{authority}"],
            "wget": ["--ca-certificate={authority}"],
            "pawl": ["--ca-certificate", "{authority}"],
        },
    ),
]
