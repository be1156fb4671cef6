"""Tar archives, and what compresses them."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zlib

from archives.making import BYTES, TEXT, plant, tool
from entries import Packed

REFUSED = "whoever made one such member may have made others (docs/archives.md)"
CUT = "a tar without its end may have lost members (docs/archives.md)"
FILTER = "Pawl reads gzip, bzip2, xz and zstd (docs/archives.md)"


def tar(key, says, data, name="x.tar", why="", says_why="", instead=None, is_sound=False):
    """`data` is a function without arguments, or one of an empty directory."""

    def make(place):
        path = place / name
        path.write_bytes(data(place) if data.__code__.co_argcount else data())
        return path

    return Packed(f"tar-{key}", says, make, "bsdtar", why, instead=instead, says_why=says_why, is_sound=is_sound)


def member(name, body=TEXT, kind=tarfile.REGTYPE, **more):
    info = tarfile.TarInfo(name)
    info.type, info.size, info.mtime = kind, len(body), 1_600_000_000
    for attribute, value in more.items():
        setattr(info, attribute, value)
    return info, body


def written(*members, form=tarfile.PAX_FORMAT, encoding="utf-8", **more):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form, encoding=encoding, **more) as archive:
        for info, body in members:
            archive.addfile(info, io.BytesIO(body))
    return stream.getvalue()


A = member("a.txt")
B = member("sub/b.bin", BYTES)
PAIR = written(A, B)
END = bytes(1024)


def usual(*words):
    """Written by GNU tar, from the usual tree."""
    return lambda place: tool("tar", "-c", "--sort=name", *words, "-f", "-", ".", at=plant(place))


def packed_by(*words, data=PAIR):
    return lambda: tool(*words, given=data)


def ended(data):
    """Without padding and end: the members alone."""
    return data.rstrip(b"\0") + bytes(-len(data.rstrip(b"\0")) % 512)


def v7(name, body, mode=b"0000644\0", link=b"", flag=b"\0", size=None, checksum=None):
    """A header of Unix V7, with blanks where others have NUL."""
    number = b"%011o " % len(body) if size is None else size
    head = name.ljust(100, b"\0") + mode + b"0000000\0" + b"0000000\0" + number + b"13727403400 "
    rest = flag + link.ljust(100, b"\0") + bytes(255)
    total = sum(head) + sum(rest) + 8 * 32
    shown = b"%06o\0 " % total if checksum is None else checksum(head + b" " * 8 + rest)
    return head + shown + rest + body + bytes(-len(body) % 512)


def signed(header):
    """A checksum over signed bytes, as Sun's tar made it."""
    return b"%06o\0 " % sum(byte - 256 if byte > 127 else byte for byte in header)


def sparse(*words):
    def make(place):
        with open(place / "holes", "wb") as file:
            file.write(b"begin")
            file.seek(1 << 20)
            file.write(b"middle")
            file.truncate(3 << 20)
        return tool("tar", "-c", "-S", *words, "-f", "-", "holes", at=place)

    return make


def hard_links(place):
    source = plant(place)
    (source / "twin").hardlink_to(source / "a.txt")
    return tool("tar", "-c", "--sort=name", "-f", "-", ".", at=source)


def extended(data, name=b"x", extra=b"odd", comment=b"made here"):
    """Gzip with every field that a header may have."""
    header = b"\x1f\x8b\x08" + bytes([2 | 4 | 8 | 16]) + bytes(4) + b"\0\3" + struct.pack("<H", len(extra)) + extra
    header += name + b"\0" + comment + b"\0"
    packer = zlib.compressobj(wbits=-15)
    return (
        header
        + struct.pack("<H", zlib.crc32(header) & 0xFFFF)
        + packer.compress(data)
        + packer.flush()
        + struct.pack("<II", zlib.crc32(data), len(data))
    )


def skippable(data):
    """Two frames of Zstandard, and others between them that hold no data."""
    half = len(data) // 2
    skipped = struct.pack("<II", 0x184D2A53, 5) + b"12345"
    return skipped + tool("zstd", "-qc", given=data[:half]) + skipped + tool("zstd", "-qc", given=data[half:])


def updated():
    return written(A, B, member("a.txt", BYTES))


GZIP = gzip.compress(PAIR, mtime=0)
LONG = "d" * 90 + "/" + "e" * 90 + "/" + "f" * 120
DIRECTORY = dict(body=b"", kind=tarfile.DIRTYPE, mode=0o755)

ENTRIES = [
    # MARK: Forms
    tar("gnu", "By GNU tar.", usual("--format=gnu")),
    tar("pax", "By GNU tar, as pax.", usual("--format=posix")),
    tar("ustar", "By GNU tar, as ustar.", usual("--format=ustar", "--exclude=größe*")),
    tar("bsdtar", "By bsdtar.", lambda place: tool("bsdtar", "-c", "-f", "-", ".", at=plant(place))),
    tar("v7", "Of Unix V7.", lambda: v7(b"a.txt", TEXT) + v7(b"dir/", b"", b"0000755\0") + v7(b"dir/b", BYTES) + END),
    tar(
        "v7-link",
        "Of Unix V7, with links.",
        lambda: v7(b"a", TEXT) + v7(b"b", b"", link=b"a", flag=b"1") + v7(b"c", b"", link=b"a", flag=b"2") + END,
    ),
    tar(
        "blanks",
        "Blanks before and behind the numbers.",
        lambda: v7(b"a", TEXT, b"   644 \0", size=b"%10o \0" % len(TEXT)) + END,
    ),
    tar(
        "signed",
        "A checksum over signed bytes.",
        lambda: v7("ä".encode("latin-1"), TEXT, checksum=signed) + END,
        instead={"ä": TEXT},
        why="names that are not UTF-8 are read as ISO 8859-1, and written as UTF-8",
    ),
    tar(
        "base-256",
        "A size in base 256.",
        lambda: v7(b"a", TEXT, size=b"\x80" + bytes(3) + struct.pack(">Q", len(TEXT))) + END,
    ),
    tar("contiguous", "A contiguous file.", lambda: written(member("a", kind=tarfile.CONTTYPE), B)),
    tar("unknown-type", "A type that nobody knows, with data.", lambda: written(member("a", kind=b"Q"), B)),
    tar("volume", "A volume's header.", lambda: written(member("label", b"", kind=b"V"), A, form=tarfile.GNU_FORMAT)),
    tar(
        "gnu-long",
        "Names and links beyond 100 bytes, of GNU.",
        lambda: written(
            member(LONG), member("l", b"", kind=tarfile.SYMTYPE, linkname="sub/" * 40 + "x"), form=tarfile.GNU_FORMAT
        ),
    ),
    tar(
        "pax-long",
        "The same of pax.",
        lambda: written(member(LONG), member("l", b"", kind=tarfile.SYMTYPE, linkname="sub/" * 40 + "x")),
    ),
    tar(
        "ustar-long",
        "A name in two fields of ustar.",
        lambda: written(member("d" * 90 + "/" + "e" * 90), form=tarfile.USTAR_FORMAT),
    ),
    tar(
        "pax-global",
        "Global fields of pax, as `git archive` writes them.",
        lambda: written(A, B, pax_headers={"comment": "0123456789abcdef"}),
    ),
    tar(
        "pax-times",
        "Fractions of seconds, and unknown fields of pax.",
        lambda: written(
            member("a", pax_headers={"mtime": "1600000000.123456789", "SCHILY.xattr.user.x": "1", "VENDOR.odd": "ö"})
        ),
    ),
    tar(
        "pax-large-ids",
        "Owners beyond 2,097,151.",
        lambda: written(member("a", uid=1 << 40, gid=1 << 40, uname="ö" * 40)),
    ),
    tar("old-time", "A time before 1970.", lambda: written(member("a", mtime=-5), form=tarfile.GNU_FORMAT)),
    tar(
        "mac",
        "Files of resources beside others, as macOS adds them.",
        lambda: written(member("._a.txt", b"\0\5\x16\7\0\2\0\0Mac OS X        "), A),
    ),
    tar("many", "3,000 members.", lambda: written(*[member(f"{n % 60}/{n}", b"%d" % n) for n in range(3000)])),
    # MARK: Sparse files
    tar("sparse-gnu", "A file with holes, of GNU.", sparse("--format=gnu")),
    tar("sparse-0.0", "The same of pax, 0.0.", sparse("--format=posix", "--sparse-version=0.0")),
    tar("sparse-0.1", "The same of pax, 0.1.", sparse("--format=posix", "--sparse-version=0.1")),
    tar("sparse-1.0", "The same of pax, 1.0.", sparse("--format=posix", "--sparse-version=1.0")),
    # MARK: Links, directories, permissions
    tar("hard-links", "A hard link.", hard_links),
    tar(
        "hard-link-first",
        "A hard link to a file that comes later.",
        lambda: written(member("a", b"", kind=tarfile.LNKTYPE, linkname="b"), member("b")),
    ),
    tar(
        "hard-link-data",
        "A hard link with data, of pax.",
        lambda: written(A, (lambda pair: (pair[0], b""))(member("b", b"", kind=tarfile.LNKTYPE, linkname="a.txt"))),
    ),
    tar(
        "hard-link-here",
        "A hard link to `./a.txt`.",
        lambda: written(A, member("b", b"", kind=tarfile.LNKTYPE, linkname="./a.txt")),
    ),
    tar(
        "link-out",
        "A symbolic link that leads out.",
        lambda: written(member("l", b"", kind=tarfile.SYMTYPE, linkname="../../x"), A),
        why=REFUSED,
    ),
    tar(
        "link-absolute",
        "A symbolic link with an absolute target.",
        lambda: written(member("l", b"", kind=tarfile.SYMTYPE, linkname="/etc/hostname"), A),
        why=REFUSED,
    ),
    tar(
        "link-up",
        "A symbolic link that leads upwards, and stays inside.",
        lambda: written(A, member("sub/l", b"", kind=tarfile.SYMTYPE, linkname="../a.txt")),
    ),
    tar(
        "link-to-directory",
        "A symbolic link to a directory, and a member beneath it.",
        lambda: written(member("d", **DIRECTORY), member("l", b"", kind=tarfile.SYMTYPE, linkname="d"), member("l/a")),
    ),
    tar(
        "link-replaced",
        "A file that a link of the same name replaces.",
        lambda: written(A, B, member("a.txt", b"", kind=tarfile.SYMTYPE, linkname="sub/b.bin")),
        why=REFUSED,
    ),
    tar(
        "read-only-directory",
        "A directory without permission to write, and members in it.",
        lambda: written(
            member("d", **{**DIRECTORY, "mode": 0o555}), member("d/a"), member("d/e", **{**DIRECTORY, "mode": 0o500})
        ),
    ),
    tar(
        "modes",
        "Permissions: 0755, 0600, 0000, 04755, 0111.",
        lambda: written(*[member(f"{mode:o}", mode=mode) for mode in (0o755, 0o600, 0, 0o4755, 0o111)]),
    ),
    tar("root", "An entry for `./`.", lambda: written(member("./", **DIRECTORY), member("./a.txt"))),
    tar(
        "directory-twice",
        "A directory twice.",
        lambda: written(member("d", **DIRECTORY), member("d/a"), member("d", **DIRECTORY)),
    ),
    tar("no-directory", "Members without the directories around them.", lambda: written(member("a/b/c/d"))),
    tar("above", "A path that leads out.", lambda: written(member("../out"), A)),
    tar("above-inside", "A path that goes upwards, and stays inside.", lambda: written(member("sub/../a"), A)),
    tar("absolute", "An absolute path.", lambda: written(member("/none-of-this/a"), A), why=REFUSED),
    tar("twice", "The same name twice, as `tar -r` leaves it.", updated, why=REFUSED),
    tar("fifo", "A pipe.", lambda: written(A, member("pipe", b"", kind=tarfile.FIFOTYPE)), why=REFUSED),
    # MARK: Names
    tar(
        "latin-1",
        "Names in ISO 8859-1.",
        lambda: written(member("größe"), form=tarfile.GNU_FORMAT, encoding="latin-1"),
        instead={"größe": TEXT},
        why="names that are not UTF-8 are read as ISO 8859-1, and written as UTF-8",
    ),
    tar("utf-8", "Names in UTF-8, without pax.", lambda: written(member("größe 測"), form=tarfile.GNU_FORMAT)),
    tar("backslash", "A backslash in a name.", lambda: written(member("a\\b"))),
    tar("newline", "A line end in a name.", lambda: written(member("a\nb")), why=REFUSED),
    tar("blanks-in-name", "Blanks at the ends of a name.", lambda: written(member(" a "))),
    # MARK: Ends
    tar("no-end", "No zeros at the end.", lambda: ended(PAIR), why=CUT),
    tar("one-block", "One block of zeros at the end.", lambda: ended(PAIR) + bytes(512)),
    tar("two-blocks", "Two blocks of zeros at the end, and no padding.", lambda: ended(PAIR) + END),
    tar("long-end", "A mebibyte of zeros at the end.", lambda: PAIR + bytes(1 << 20)),
    tar(
        "garbage",
        "Other bytes behind the end.",
        lambda: PAIR + b"garbage" * 2000,
        why="they may be another archive (decision 73)",
    ),
    tar(
        "concatenated",
        "Two archives, one behind the other.",
        lambda: PAIR + written(member("c")),
        why="other programs lose the second one in silence (decision 73)",
    ),
    tar("empty", "No members.", lambda: bytes(10240)),
    tar("half", "Half an archive.", lambda: PAIR[: len(PAIR) // 2]),
    # MARK: gzip
    tar("gzip", "gzip.", lambda: GZIP, "x.tar.gz"),
    tar(
        "gzip-fields",
        "gzip with a name, a comment, an extra field and a checksum of its header.",
        lambda: extended(PAIR),
        "x.tgz",
    ),
    tar(
        "gzip-members",
        "gzip of several members, as pigz and `cat` make it.",
        lambda: b"".join(gzip.compress(PAIR[at : at + 9999], mtime=0) for at in range(0, len(PAIR), 9999)),
        "x.tar.gz",
    ),
    tar(
        "gzip-empty-member",
        "gzip with an empty member behind, as bgzip makes it.",
        lambda: GZIP + gzip.compress(b"", mtime=0),
    ),
    tar("gzip-zeros", "gzip, and zeros behind.", lambda: GZIP + bytes(3000), "x.tar.gz"),
    tar("gzip-garbage", "gzip, and other bytes behind.", lambda: GZIP + b"\nsignature of some kind\n" * 30, "x.tar.gz"),
    tar(
        "gzip-twice",
        "gzip of gzip, as servers that compress once more send it.",
        lambda: gzip.compress(GZIP, mtime=0),
        "x.tar.gz",
    ),
    tar("gzip-half", "Half of a gzip.", lambda: GZIP[: len(GZIP) // 2], "x.tar.gz"),
    tar("gzip-no-trailer", "gzip without its last eight bytes.", lambda: GZIP[:-8], "x.tar.gz"),
    tar(
        "gzip-checksum",
        "gzip with a wrong checksum.",
        lambda: GZIP[:-8] + b"1234" + GZIP[-4:],
        "x.tar.gz",
        "the bytes do not have the checksum that came with them",
    ),
    tar("gzip-named-xz", "gzip under a name of xz.", lambda: GZIP, "x.tar.xz"),
    tar("plain-named-gzip", "A plain tar under a name of gzip.", lambda: PAIR, "x.tar.gz"),
    # MARK: Others
    tar("bzip2", "bzip2.", lambda: bz2.compress(PAIR), "x.tar.bz2"),
    tar(
        "bzip2-streams",
        "bzip2 of several streams, as pbzip2 makes it.",
        lambda: bz2.compress(PAIR[:9999]) + bz2.compress(PAIR[9999:]),
    ),
    tar("bzip2-zeros", "bzip2, and zeros behind.", lambda: bz2.compress(PAIR) + bytes(100)),
    tar("xz", "xz.", lambda: lzma.compress(PAIR), "x.tar.xz"),
    tar(
        "xz-streams",
        "xz of two streams, with padding between and behind.",
        lambda: lzma.compress(PAIR[:9999]) + bytes(8) + lzma.compress(PAIR[9999:]) + bytes(4),
    ),
    tar("xz-no-check", "xz without checksums.", lambda: lzma.compress(PAIR, check=lzma.CHECK_NONE)),
    tar("lzma", "LZMA alone.", lambda: lzma.compress(PAIR, lzma.FORMAT_ALONE), "x.tar.lzma", FILTER, is_sound=True),
    tar("zstd", "Zstandard.", packed_by("zstd", "-qc"), "x.tar.zst"),
    tar("zstd-frames", "Zstandard of several frames, some without data.", lambda: skippable(PAIR)),
    tar("zstd-no-check", "Zstandard without a checksum.", packed_by("zstd", "-qc", "--no-check")),
    tar("zstd-long", "Zstandard with a window of 128 MiB.", packed_by("zstd", "-qc", "--long=27", data=PAIR)),
    tar(
        "zstd-longest",
        "Zstandard with a window of 2 GiB.",
        packed_by("zstd", "-qc", "--ultra", "--long=31"),
        is_sound=True,
    ),
    tar(
        "lz4",
        "LZ4.",
        lambda: tool("bsdtar", "-c", "--lz4", "-f", "-", "@-", given=PAIR),
        "x.tar.lz4",
        FILTER,
        is_sound=True,
    ),
    tar(
        "lzip",
        "lzip.",
        lambda: tool("bsdtar", "-c", "--lzip", "-f", "-", "@-", given=PAIR),
        "x.tar.lz",
        FILTER,
        is_sound=True,
    ),
    tar(
        "compress",
        "compress.",
        lambda: tool("bsdtar", "-c", "-Z", "-f", "-", "@-", given=PAIR),
        "x.tar.Z",
        FILTER,
        is_sound=True,
    ),
    tar(
        "uuencode",
        "uuencode.",
        lambda: tool("bsdtar", "-c", "--uuencode", "-f", "-", "@-", given=PAIR),
        "x.tar.uu",
        FILTER,
        is_sound=True,
    ),
]
