"""Challenges as servers word them, and netrc files as people write them."""

import base64
import hashlib
import re

from entries import Behaviour, head, ok

USER, PASSWORD = "me", "p w:1"
# curl and wget send Basic unasked with a name on the command line; each is asked to wait for the challenge.
WORDS = {
    "curl": ["--anyauth", "-u", f"{USER}:{PASSWORD}"],
    "aria2": [f"--http-user={USER}", f"--http-passwd={PASSWORD}"],
    "wget": [f"--user={USER}", f"--password={PASSWORD}"],
    "pawl": ["--user", f"{USER}:{PASSWORD}"],
}
NONCE = "dcd98b7102dd2f0e8b11d0f600bfb0c093"


def refused(*challenges):
    fields = [f"WWW-Authenticate: {challenge}" for challenge in challenges]
    return head(*fields, "Content-Length: 2", status="HTTP/1.1 401 Unauthorized") + b"no"


def basic(user=USER, password=PASSWORD):
    """The value that logs in, in the encodings that clients use for names beyond ASCII."""
    return {"Basic " + base64.b64encode(f"{user}:{password}".encode(code)).decode() for code in ("utf-8", "latin-1")}


def asks(*challenges, accepts=None):
    """Asks with these challenges, and knows answers by Basic."""
    known = accepts or basic()
    return lambda request: request.send(ok() if request.field("Authorization") in known else refused(*challenges))


def digest(*challenges, realm="all", algorithm="MD5", nonces=None):
    """Asks with these challenges, and knows right answers by Digest alone; with `nonces` only those."""

    def answer(request):
        given = request.field("Authorization")
        if given.startswith("Digest ") and is_right(given, request.method, realm, algorithm, nonces):
            return request.send(ok())
        lines = [challenge(request) if callable(challenge) else challenge for challenge in challenges]
        request.send(refused(*lines))

    return answer


def is_right(given, method, realm, algorithm, nonces):
    found = {
        name.lower(): quoted if quoted is not None else plain
        for name, quoted, plain in re.findall(r'(\w+)=(?:"((?:\\.|[^"])*)"|([^\s,]+))', given)
        for quoted in [quoted or (None if plain else "")]
    }
    named = {name: value.replace('\\"', '"') for name, value in found.items()}
    if nonces and named.get("nonce") not in nonces:
        return False

    def hashed(*parts):
        return hashlib.new(
            {"MD5": "md5", "SHA-256": "sha256"}[algorithm.replace("-sess", "")], ":".join(parts).encode()
        ).hexdigest()

    secret = hashed(USER, realm, PASSWORD)
    if algorithm.endswith("-sess"):
        secret = hashed(secret, named["nonce"], named["cnonce"])
    about = hashed(method, named.get("uri", ""))
    middle = [named["nc"], named["cnonce"], named["qop"]] if "qop" in named else []
    return named.get("response") == hashed(secret, named.get("nonce", ""), *middle, about)


def login(key, says, answer, **more):
    return Behaviour(f"login-{key}", says, answer, **{"words": WORDS, **more})


SOUND = f'Digest realm="all", nonce="{NONCE}", qop="auth", algorithm=MD5, opaque="x"'
STALE = [lambda request: f'Digest realm="all", nonce="n{request.number}", qop="auth", stale=true']


def netrc(key, says, text, user=USER, password="pw", **more):
    """A netrc file, of which the first request has to bring these."""
    words = {"curl": ["-n"], "pawl": ["--netrc"]}
    return Behaviour(
        f"netrc-{key}",
        says,
        asks('Basic realm="x"', accepts=basic(user, password)),
        words=words,
        home={".netrc": text},
        **more,
    )


ENTRIES = [
    Behaviour(
        "login-url",
        "A name and a password in the URL.",
        asks('Basic realm="x"'),
        url="http://me:p%20w%3A1@127.0.0.1:{port}/f.bin",
    ),
    Behaviour(
        "login-url-utf-8",
        "The same with letters beyond ASCII.",
        asks('Basic realm="x"', accepts=basic("mé", "pä")),
        url="http://m%C3%A9:p%C3%A4@127.0.0.1:{port}/f.bin",
    ),
    Behaviour(
        "login-url-at",
        "A raw @ in the password.",
        asks('Basic realm="x"', accepts=basic("me", "p@w")),
        url="http://me:p@w@127.0.0.1:{port}/f.bin",
    ),
    Behaviour(
        "login-none",
        "401 without a challenge, to whoever has no password.",
        lambda request: request.send(refused()),
        file=None,
    ),
    # MARK: Basic
    login("basic", '`Basic realm="x"`', asks('Basic realm="x"')),
    login("basic-small", "`basic Realm=x`", asks("basic Realm=x")),
    login("basic-no-realm", "`Basic`", asks("Basic")),
    login("basic-quotes", r'`Basic realm="the \"x\", y"`', asks(r'Basic realm="the \"x\", y"')),
    login("basic-charset", '`Basic realm="x", charset="UTF-8"`', asks('Basic realm="x", charset="UTF-8"')),
    login("basic-half-quoted", '`Basic realm="x`', asks('Basic realm="x')),
    login("basic-utf-8", "A realm in UTF-8.", asks('Basic realm="größe"')),
    login("basic-after-unknown", "`Negotiate`, then `Basic`, in two fields.", asks("Negotiate", 'Basic realm="x"')),
    login("basic-after-unknown-list", "`Negotiate, Basic` in one field.", asks('Negotiate, Basic realm="x"')),
    login("basic-after-ntlm", "`NTLM`, `Bearer`, then `Basic`.", asks("NTLM", 'Bearer realm="y"', 'Basic realm="x"')),
    login(
        "basic-403",
        "403 in place of 401, to whoever has no password.",
        lambda request: request.send(
            ok()
            if request.field("Authorization") in basic()
            else head("Content-Length: 0", status="HTTP/1.1 403 Forbidden")
        ),
    ),
    # MARK: Digest
    login("digest", 'Digest with `qop="auth"`.', digest(SOUND)),
    login(
        "digest-small",
        "`digest` and all names in small letters, the algorithm too.",
        digest(f'digest realm="all",nonce="{NONCE}",qop="auth",algorithm=md5'),
    ),
    login(
        "digest-plain",
        "Digest without quotation marks around qop.",
        digest(f'Digest realm="all", nonce="{NONCE}", qop=auth'),
    ),
    login("digest-list", '`qop="auth-int,auth"`', digest(f'Digest realm="all", nonce="{NONCE}", qop="auth-int,auth"')),
    login(
        "digest-list-blanks",
        '`qop="auth, auth-int"`',
        digest(f'Digest realm="all", nonce="{NONCE}", qop="auth, auth-int"'),
    ),
    login("digest-old", "Digest without qop (RFC 2069).", digest(f'Digest realm="all", nonce="{NONCE}"')),
    login(
        "digest-quoted-algorithm",
        '`algorithm="MD5"`',
        digest(f'Digest realm="all", nonce="{NONCE}", qop="auth", algorithm="MD5"'),
    ),
    login(
        "digest-sess",
        "`algorithm=MD5-sess`",
        digest(f'Digest realm="all", nonce="{NONCE}", qop="auth", algorithm=MD5-sess', algorithm="MD5-sess"),
    ),
    login(
        "digest-sha-256",
        "`algorithm=SHA-256`",
        digest(f'Digest realm="all", nonce="{NONCE}", qop="auth", algorithm=SHA-256', algorithm="SHA-256"),
    ),
    login(
        "digest-unknown-first",
        "Digest by an unknown algorithm, then by MD5.",
        digest(SOUND.replace("MD5", "X-9"), SOUND),
    ),
    login(
        "digest-realm-comma",
        "A comma and quotation marks in the realm.",
        digest(SOUND.replace('"all"', r'"the \"x\", y"'), realm='the "x", y'),
    ),
    login("digest-realm-empty", "An empty realm.", digest(SOUND.replace('"all"', '""'), realm="")),
    login(
        "digest-blanks",
        "Blanks around the signs of equality.",
        digest(f'Digest realm = "all" , nonce = "{NONCE}" , qop = "auth"'),
    ),
    login("digest-no-commas", "A comma behind the last parameter.", digest(SOUND + ",")),
    login(
        "digest-unknown-parameter", "An unknown parameter, without a value.", digest(SOUND + ", userhash=false, odd")
    ),
    login("digest-domain", "A domain of several URLs.", digest(SOUND + ', domain="/a /b http://x/"')),
    login("digest-stale", "Each nonce is stale once.", digest(*STALE, nonces={"n1"})),
    login(
        "digest-after-negotiate",
        "`Negotiate`, then Digest, then Basic, in three fields.",
        digest("Negotiate", SOUND, 'Basic realm="x"'),
        words={**WORDS, "curl": ["--digest", *WORDS["curl"][1:]]},
    ),
    login(
        "digest-before-basic",
        "Digest, then Basic, in two fields; only Digest is accepted.",
        digest(SOUND, 'Basic realm="x"'),
    ),
    login("digest-in-list", "Basic and Digest in one field.", digest(f'Basic realm="x", {SOUND}')),
    # MARK: netrc
    netrc("plain", "`machine 127.0.0.1 login me password pw`", "machine 127.0.0.1 login me password pw\n"),
    netrc("lines", "A line for each word.", "machine\n127.0.0.1\nlogin\nme\npassword\npw\n"),
    netrc("crlf", "Lines that end with CRLF.", "machine 127.0.0.1\r\nlogin me\r\npassword pw\r\n"),
    netrc("tabs", "Tabs for blanks.", "machine\t127.0.0.1\n\tlogin\tme\n\tpassword\tpw\n"),
    netrc("mark", "A byte order mark.", "\ufeffmachine 127.0.0.1 login me password pw\n"),
    netrc("no-newline", "No end of the last line.", "machine 127.0.0.1 login me password pw"),
    netrc("comment", "A comment.", "# mine\nmachine 127.0.0.1 login me password pw\n"),
    netrc("comment-behind", "A comment behind the words.", "machine 127.0.0.1 login me password pw # mine\n"),
    netrc("hash", "A # within the password.", "machine 127.0.0.1 login me password p#w\n", password="p#w"),
    netrc(
        "hash-first",
        "A # at the beginning of the password.",
        "machine 127.0.0.1 login me password #pw\n",
        password="#pw",
    ),
    netrc("quoted", "A quoted password with a blank.", 'machine 127.0.0.1 login me password "a b"\n', password="a b"),
    netrc(
        "quote", "A quotation mark within the password.", 'machine 127.0.0.1 login me password a"b\n', password='a"b'
    ),
    netrc("backslash", "A backslash in the password.", "machine 127.0.0.1 login me password a\\b\n", password="a\\b"),
    netrc("utf-8", "Letters beyond ASCII.", "machine 127.0.0.1 login mé password pä\n", user="mé", password="pä"),
    netrc(
        "macdef",
        "A macro before.",
        "machine x.test login x password y\nmacdef init\ncd /x\n\nmachine 127.0.0.1 login me password pw\n",
    ),
    netrc("default", "`default` last.", "machine x.test login x password y\ndefault login me password pw\n"),
    netrc("account", "An account.", "machine 127.0.0.1 login me account a password pw\n"),
    netrc("order", "The password before the name.", "machine 127.0.0.1 password pw login me\n"),
    netrc("keyword", "A password that is a keyword.", "machine 127.0.0.1 login me password login\n", password="login"),
    netrc("capitals", "Keywords in capitals.", "MACHINE 127.0.0.1 LOGIN me PASSWORD pw\n"),
    netrc("unknown", "An unknown word in this entry.", "machine 127.0.0.1 port 80 login me password pw\n"),
    netrc(
        "unknown-elsewhere",
        "An unknown word in another entry.",
        "machine x.test protocol https login x password y\nmachine 127.0.0.1 login me password pw\n",
    ),
    netrc("unknown-line", "A line of other words.", "this is no entry\nmachine 127.0.0.1 login me password pw\n"),
    netrc(
        "two",
        "Two entries for the host; the first counts.",
        "machine 127.0.0.1 login me password pw\nmachine 127.0.0.1 login you password no\n",
    ),
    netrc(
        "url-name",
        "A name in the URL, its password in the file.",
        "machine 127.0.0.1 login you password no\nmachine 127.0.0.1 login me password pw\n",
        url="http://me@127.0.0.1:{port}/f.bin",
    ),
    netrc("empty", "An empty file, for a server that asks for nothing.", ""),
    netrc("odd", "A file of other words alone, for a server that asks for nothing.", "[section]\nname = value\n"),
]
for entry in ENTRIES:
    if entry.key in ("netrc-empty", "netrc-odd"):
        entry.answer = ok()
