"""7z archives as 7-Zip makes them, and archives of other formats, which Pawl refuses by name."""

import gzip
import struct
import sys
import zlib

from archives.making import TEXT, plant, tool
from entries import Packed

FORMAT = "Pawl unpacks zip, 7z and tar (docs/archives.md)"
ENCRYPTED = "libarchive cannot decrypt it; the error says so"
CODE = "libarchive lacks this; the error says that the archive is sound"


def seven(key, says, *words, password="", has_program=False, why="", says_why=""):
    def make(place):
        source, path = plant(place, has_link=False), place / "x.7z"
        if has_program:
            with open(sys.executable, "rb") as program:
                (source / "program").write_bytes(program.read(500_000))
        tool("7z", "a", "-bd", *words, *([f"-p{password}"] if password else []), path, ".", at=source)
        return path

    return Packed(f"7z-{key}", says, make, "7z", why, ("7z", "bsdtar"), password, says_why=says_why, is_sound=True)


def other(
    key,
    says,
    data,
    reference="bsdtar",
    programs=("bsdtar",),
    name="x.bin",
    says_why="is not a zip",
    why=FORMAT,
    is_sound=True,
):
    def make(place):
        path = place / name
        path.write_bytes(data(place) if data.__code__.co_argcount else data())
        return path

    return Packed(f"other-{key}", says, make, reference, why, programs, says_why=says_why, is_sound=is_sound)


def by_bsdtar(form):
    return lambda place: tool(
        "bsdtar", "-c", "--format", form, "-f", "-", "a.txt", "sub", at=plant(place, has_link=False)
    )


def cab():
    """One stored file."""
    name, folder = b"a.txt\0", 36
    files = folder + 8
    data = files + 16 + len(name)
    block = struct.pack("<IHH", 0, len(TEXT), len(TEXT)) + TEXT
    head = struct.pack("<4sIIIIIBBHHHHH", b"MSCF", 0, data + len(block), 0, files, 0, 3, 1, 1, 1, 0, 0, 0)
    entry = struct.pack("<IIHHHH", len(TEXT), 0, 0, 0x5221, 0x6000, 0x20)
    return head + struct.pack("<IHH", data, 1, 0) + entry + name + block


def lha():
    """One stored file, with a header of level 0."""
    name = b"a.txt"
    rest = b"-lh0-" + struct.pack("<IIIBB", len(TEXT), len(TEXT), 0x52216000, 0x20, 0) + bytes([len(name)]) + name
    rest += struct.pack("<H", crc16(TEXT))
    return bytes([len(rest), sum(rest) & 0xFF]) + rest + TEXT + b"\0"


def crc16(data):
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (0xA001 if value & 1 else 0)
    return value


def rar4():
    """One stored file."""
    name = b"a.txt"

    def block(kind, flags, body, data=b""):
        rest = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
        return struct.pack("<H", zlib.crc32(rest) & 0xFFFF) + rest + data

    entry = (
        struct.pack("<IIBIIBBHI", len(TEXT), len(TEXT), 3, zlib.crc32(TEXT), 0x52216000, 20, 0x30, len(name), 0o100644)
        + name
    )
    return b"Rar!\x1a\7\0" + block(0x73, 0, bytes(6)) + block(0x74, 0x8000, entry, TEXT) + block(0x7B, 0x4000, b"")


def rar5():
    """One stored file."""

    def number(value):
        out = b""
        while value > 0x7F:
            out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
        return out + bytes([value])

    def block(body, data=b""):
        sized = number(len(body)) + body
        return struct.pack("<I", zlib.crc32(sized)) + sized + data

    name = b"a.txt"
    entry = number(2) + number(2) + number(len(TEXT)) + number(4) + number(len(TEXT)) + number(0o100644)
    entry += struct.pack("<I", zlib.crc32(TEXT)) + number(0) + number(1) + number(len(name)) + name
    return (
        b"Rar!\x1a\7\1\0"
        + block(number(1) + number(0) + number(0))
        + block(entry, TEXT)
        + block(number(5) + number(0) + number(0))
    )


def package():
    """A package of Debian: an ar of three."""
    out = b"!<arch>\n"
    for name, body in {"debian-binary": b"2.0\n", "control.tar.gz": TEXT, "data.tar.gz": TEXT}.items():
        out += f"{name:16}{1_600_000_000:<12}{0:<6}{0:<6}{100644:<8}{len(body):<10}`\n".encode() + body
    return out


def volume(place):
    source = plant(place, has_link=False)
    tool("7z", "a", "-bd", "-v20k", place / "x.7z", ".", at=source)
    return (place / "x.7z.001").read_bytes()


ENTRIES = [
    seven("lzma2", "LZMA2."),
    seven("lzma", "LZMA.", "-m0=lzma"),
    seven("ppmd", "PPMd.", "-m0=PPMd"),
    seven("bzip2", "bzip2.", "-m0=BZip2"),
    seven("deflate", "Deflate.", "-m0=Deflate"),
    seven("deflate64", "Deflate64.", "-m0=Deflate64", why=CODE),
    seven("copy", "Stored.", "-m0=Copy"),
    seven("delta", "Delta and LZMA2.", "-m0=Delta:4", "-m1=LZMA2"),
    seven("bcj", "A program, by BCJ and LZMA2.", "-m0=BCJ", "-m1=LZMA2", has_program=True),
    seven(
        "bcj2",
        "A program, by BCJ2.",
        "-m0=BCJ2",
        "-m1=LZMA",
        "-m2=LZMA",
        "-m3=LZMA",
        "-mb0:1",
        "-mb0s1:2",
        "-mb0s2:3",
        has_program=True,
    ),
    seven("arm", "A program, by ARM and LZMA2.", "-m0=ARM", "-m1=LZMA2", has_program=True),
    seven("default-program", "A program, as 7-Zip packs it by itself.", has_program=True),
    seven("not-solid", "Not solid.", "-ms=off"),
    seven("plain-header", "A header that is not compressed.", "-mhc=off"),
    seven("large-window", "A window of 256 MiB.", "-m0=lzma2:d=256m"),
    seven("times", "With all times and attributes.", "-mtc=on", "-mta=on", "-mtm=on"),
    seven("encrypted", "Encrypted members.", password="p w", why=ENCRYPTED, says_why="encrypted"),
    seven(
        "encrypted-header",
        "Encrypted members and names.",
        "-mhe=on",
        password="p w",
        why=ENCRYPTED,
        says_why="encrypted",
    ),
    seven("links", "Symbolic links.", "-snl"),
    other("volume", "The first of several parts of a 7z.", volume, name="x.7z.001", says_why="", why="", is_sound=True),
    # MARK: Other formats
    other(
        "gzip",
        "A file compressed by gzip, which is no archive.",
        lambda: gzip.compress(TEXT, mtime=0),
        "7z",
        ("7z", "bsdtar"),
        "a.txt.gz",
    ),
    other("cpio", "cpio.", by_bsdtar("newc")),
    other("cpio-old", "cpio of POSIX.", by_bsdtar("odc")),
    other("ar", "A package of Debian.", package),
    other("iso", "ISO 9660.", by_bsdtar("iso9660"), programs=("bsdtar", "7z")),
    other("xar", "xar.", by_bsdtar("xar"), programs=("bsdtar", "7z")),
    other("cab", "A cabinet of Windows.", cab, programs=("bsdtar", "7z")),
    other("lha", "LHA.", lha, programs=("bsdtar", "7z")),
    other("rar4", "RAR 4.", rar4),
    other("rar5", "RAR 5.", rar5),
    other("page", "A page of HTML.", lambda: b"<!DOCTYPE html><html>Log in</html>", why="", is_sound=False),
    other("empty", "An empty file.", lambda: b"", why="an archive without members has an end; this is no archive"),
]
