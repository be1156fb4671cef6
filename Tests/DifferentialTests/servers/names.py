"""Content-Disposition as scripts write it, and names in URLs.

The reference is curl, which knows `filename` only, where it takes a name as browsers do; else wget or aria2, which know
`filename*`.
"""

from entries import FILE, Behaviour, head, ok

# A script whose URL names nothing of use.
SCRIPT = "{origin}/download.php?id=5"
BY_SCRIPT = "download.php"
KIND = "Content-Type: application/octet-stream"
HARMLESS = "a name from a server becomes one harmless component (decision 8)"
WINDOWS = "the name is one that every system can have (decision 8)"
LATIN = "the bytes are read as ISO 8859-1 and written as UTF-8"


def named(value):
    line = b"Content-Disposition: " + (value if isinstance(value, bytes) else value.encode())
    return head(line, KIND, f"Content-Length: {len(FILE)}") + FILE


def case(key, value, name, reference="curl", why="", says=""):
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return Behaviour(
        f"name-{key}", says or f"`{text}`", named(value), name=name, url=SCRIPT, reference=reference, why=why
    )


def path(key, says, path, name, **more):
    return Behaviour(
        f"path-{key}", says, head(KIND, f"Content-Length: {len(FILE)}") + FILE, url="{origin}" + path, name=name, **more
    )


ENTRIES = [
    case("plain", "attachment; filename=plain.zip", "plain.zip"),
    case("quoted", 'attachment; filename="plain.zip"', "plain.zip"),
    case("no-blank", "attachment;filename=plain.zip", "plain.zip"),
    case("semicolon", "attachment; filename=plain.zip;", "plain.zip"),
    case("capitals", "ATTACHMENT; FILENAME=plain.zip", "plain.zip", "wget"),
    case("inline", 'inline; filename="view.pdf"', "view.pdf"),
    case("unknown-type", 'download; filename="view.pdf"', "view.pdf"),
    case("blanks-around", 'attachment ; filename = "plain.zip"', "plain.zip", "wget"),
    case("no-type", "filename=plain.zip", "plain.zip"),
    case("no-type-quoted", 'filename="plain.zip"', "plain.zip"),
    case("blanks", "attachment; filename=My Report 2024.pdf", "My Report 2024.pdf", "wget"),
    case("blanks-quoted", 'attachment; filename="My Report 2024.pdf"', "My Report 2024.pdf"),
    case("comma", "attachment; filename=a,b.zip", "a,b.zip"),
    case("brackets", "attachment; filename=a(1)[2].zip", "a(1)[2].zip"),
    case("semicolon-quoted", 'attachment; filename="a;b.zip"', "a;b.zip"),
    case("single-quotes", "attachment; filename='plain.zip'", "plain.zip"),
    case("words-behind", 'attachment; filename="plain.zip" foo', "plain.zip"),
    case("type-behind", 'attachment; filename="plain.zip", inline', "plain.zip"),
    case("escaped-quotes", r'attachment; filename="a \"b\".zip"', "a _b_.zip", "aria2", why=WINDOWS),
    case("half-quoted", 'attachment; filename="half.zip', "half.zip"),
    case("empty", "attachment; filename=", BY_SCRIPT),
    case("empty-quoted", 'attachment; filename=""', BY_SCRIPT),
    case("none", "attachment", BY_SCRIPT),
    case("nothing", "", BY_SCRIPT, says="A Content-Disposition without a value."),
    case(
        "parameters", 'attachment; size=5; filename="x.zip"; modification-date="Mon, 1 Jan 2024 00:00:00 GMT"', "x.zip"
    ),
    case("other-parameter", 'attachment; xfilename="no.zip"; filename="x.zip"', "x.zip"),
    case("in-quotes", 'attachment; name="filename=no.zip"; filename="x.zip"', "x.zip"),
    case("form", 'form-data; name="file"; filename="x.zip"', "x.zip"),
    case(
        "twice",
        'attachment; filename="first.zip"; filename="second.zip"',
        "first.zip",
    ),
    case(
        "two-fields",
        'attachment; filename="first.zip"\r\nContent-Disposition: attachment; filename="second.zip"',
        "first.zip",
        says="Two fields with different names.",
    ),
    # MARK: Other alphabets
    case("utf-8", 'attachment; filename="größe.zip"', "größe.zip"),
    case("utf-8-plain", "attachment; filename=测试.zip", "测试.zip"),
    case(
        "latin-1",
        b'attachment; filename="gr\xf6\xdfe.zip"',
        "größe.zip",
        "aria2",
        says='`filename="größe.zip"` in ISO 8859-1',
    ),
    case("percent", 'attachment; filename="%E6%B5%8B.zip"', "%E6%B5%8B.zip"),
    case("encoded-word", 'attachment; filename="=?UTF-8?B?5rWLLnppcA==?="', "=_UTF-8_B_5rWLLnppcA==_=", why=WINDOWS),
    case("star", "attachment; filename*=UTF-8''%e6%b5%8b.zip", "测.zip", "wget"),
    case("star-small", "attachment; filename*=utf-8''%E6%B5%8B%20x.zip", "测 x.zip", "wget"),
    case("star-language", "attachment; filename*=UTF-8'en'a%20b.zip", "a b.zip", "wget"),
    case("star-latin-1", "attachment; filename*=ISO-8859-1''gr%F6%DFe.zip", "größe.zip", "aria2"),
    case("star-behind", "attachment; filename=\"x.zip\"; filename*=UTF-8''%e6%b5%8b.zip", "测.zip", "wget"),
    case("star-before", "attachment; filename*=UTF-8''%e6%b5%8b.zip; filename=\"x.zip\"", "测.zip", "wget"),
    case("star-quoted", "attachment; filename*=\"UTF-8''a%20b.zip\"", "a b.zip", "wget"),
    case("star-raw", "attachment; filename*=UTF-8''测.zip", "测.zip", "wget"),
    case("star-empty", "attachment; filename=\"a.zip\"; filename*=UTF-8''", "a.zip"),
    case("star-broken", "attachment; filename=\"a.zip\"; filename*=UTF-8''%zz.zip", "a.zip"),
    case("star-no-charset", "attachment; filename*=plain.zip; filename=a.zip", "a.zip"),
    case(
        "parts", 'attachment; filename*0="long-"; filename*1="name.zip"', BY_SCRIPT, "wget", why="RFC 6266 has no parts"
    ),
    # MARK: Harm
    case("directory", 'attachment; filename="a/b.zip"', "b.zip"),
    case("above", 'attachment; filename="../../b.zip"', "b.zip"),
    case("absolute", 'attachment; filename="/etc/b.zip"', "b.zip"),
    case("windows", r'attachment; filename="C:\Users\me\b.zip"', "b.zip"),
    case("backslashes", r'attachment; filename="a\b\c.zip"', "c.zip"),
    case("star-slash", "attachment; filename*=UTF-8''a%2Fb.zip", "b.zip", "wget", why=HARMLESS),
    case("dots", 'attachment; filename=".."', BY_SCRIPT, "aria2"),
    case("hidden", 'attachment; filename=".profile"', "_.profile", why=HARMLESS),
    case("dash", 'attachment; filename="-rf.zip"', "_-rf.zip", why=HARMLESS),
    case("tab", 'attachment; filename="a\tb.zip"', "a_b.zip", why=HARMLESS),
    case("colon", 'attachment; filename="12:30.zip"', "12_30.zip", why=WINDOWS),
    case("question", 'attachment; filename="what?*.zip"', "what__.zip", why=WINDOWS),
    case("trailing-dots", 'attachment; filename="b.zip. ."', "b.zip", why=HARMLESS),
    case("device", 'attachment; filename="con.zip"', "_con.zip", why=HARMLESS),
    case(
        "long", f'attachment; filename="{"x" * 300}.zip"', "x" * 246 + ".zip", says="A name of 300 letters and `.zip`."
    ),
    case(
        "long-tar",
        f'attachment; filename="{"x" * 300}.tar.gz"',
        "x" * 243 + ".tar.gz",
        says="A name of 300 letters and `.tar.gz`.",
    ),
    case("ours", 'attachment; filename="b.zip.part"', "b.zip.part_", why="Pawl's own partial files end so"),
    # MARK: Names in URLs
    path("plain", "`/a/b.zip`", "/a/b.zip", "b.zip"),
    path("query", "`/a/b.zip?x=/c.zip`", "/a/b.zip?x=/c.zip", "b.zip"),
    path("fragment", "`/a/b.zip#part`", "/a/b.zip#part", "b.zip"),
    path("blank", "`/a%20b.zip`", "/a%20b.zip", "a b.zip", reference="wget"),
    path("utf-8", "`/%E6%B5%8B.zip`", "/%E6%B5%8B.zip", "测.zip", reference="wget"),
    path("slash", "`/a%2Fb.zip`", "/a%2Fb.zip", "b.zip", why=HARMLESS),
    path("plus", "`/a+b.zip`", "/a+b.zip", "a+b.zip"),
    path("parameters", "`/b.zip;v=1`", "/b.zip;v=1", "b.zip;v=1"),
    path("directory", "`/a/`", "/a/", "index.html", reference="wget"),
    path("none", "No path.", "", "index.html", reference="wget"),
    path("twice", "A Content-Disposition for a URL with a name.", "/a/b.zip", "b.zip"),
]
# The header counts for a URL with a name as well.
ENTRIES[-1].answer, ENTRIES[-1].name = ok("Content-Disposition: attachment; filename=c.zip"), "c.zip"
