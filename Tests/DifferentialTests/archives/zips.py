"""Zip archives, as programs of thirty years have written them."""

import bz2
import dataclasses
import io
import lzma
import struct
import subprocess
import zipfile
import zlib

from archives.making import BYTES, TEXT, plant, tool
from entries import Packed

UNIX, DOS, MAC = 3 << 8, 0, 19 << 8
REFUSED = "whoever made one such member may have made others (docs/archives.md)"
DECODED = "a name without a mark is code page 437, and written as UTF-8 (decision 70)"
CONTRADICTS = "the archive contradicts itself, and programs differ in what they believe (docs/zip.md)"


@dataclasses.dataclass
class Member:
    """A member, and every number that its two headers have, where it is not the right one."""

    name: bytes
    data: bytes = TEXT
    method: int = 0
    packed: bytes | None = None
    flags: int = 0
    extra: bytes = b""
    local_extra: bytes | None = None
    made: int = UNIX | 20
    attributes: int = 0o100644 << 16
    local_name: bytes | None = None
    checksum: int | None = None
    # The sizes are behind the data only, in this form of struct.
    descriptor: str = ""
    date: int = 0x5221

    def body(self):
        return self.data if self.packed is None else self.packed

    def numbers(self):
        checksum = zlib.crc32(self.data) if self.checksum is None else self.checksum
        return checksum, len(self.body()), len(self.data)


def zipped(*members, before=b"", between=b"", comment=b"", after=b"", shift=0):
    """An archive. Offsets count from the beginning of the members, plus `shift`."""
    out, directory = b"", b""
    for member in members:
        flags = member.flags | (8 if member.descriptor else 0)
        numbers = member.numbers()
        told = (0, 0, 0) if member.descriptor else numbers
        offset = len(out) + shift
        local = member.name if member.local_name is None else member.local_name
        extra = member.extra if member.local_extra is None else member.local_extra
        out += (
            struct.pack(
                "<IHHHHHIIIHH", 0x04034B50, 20, flags, member.method, 0x6000, member.date, *told, len(local), len(extra)
            )
            + local
            + extra
            + member.body()
        )
        if member.descriptor:
            signature = (0x08074B50,) if len(member.descriptor) == len("<IIII") else ()
            out += struct.pack(member.descriptor, *signature, *numbers)
        directory += (
            struct.pack(
                "<IHHHHHHIIIHHHHHII",
                0x02014B50,
                member.made,
                20,
                flags,
                member.method,
                0x6000,
                member.date,
                *numbers,
                len(member.name),
                len(member.extra),
                0,
                0,
                0,
                member.attributes,
                offset,
            )
            + member.name
            + member.extra
        )
    out += between
    end = struct.pack(
        "<IHHHHIIH", 0x06054B50, 0, 0, len(members), len(members), len(directory), len(out) + shift, len(comment)
    )
    return before + out + directory + end + comment + after


def raw(
    key,
    says,
    *members,
    reference="unzip",
    programs=("unzip", "7z", "bsdtar"),
    why="",
    instead=None,
    says_why="",
    **more,
):
    def make(place):
        path = place / "x.zip"
        path.write_bytes(zipped(*members, **more))
        return path

    return Packed(f"zip-{key}", says, make, reference, why, programs, instead=instead, says_why=says_why)


def compressed(key, says, method, reference, programs=("unzip", "7z", "bsdtar")):
    """Written by Python."""

    def make(place):
        path = place / "x.zip"
        with zipfile.ZipFile(path, "w", method) as archive:
            archive.write(plant(place) / "a.txt", "a.txt")
            archive.writestr("sub/b.bin", BYTES)
        return path

    return Packed(f"zip-{key}", says, make, reference, programs=programs)


def by(key, says, *words, reference="unzip", programs=("unzip", "7z", "bsdtar"), password="", piped=False, **more):
    """Written by a program, in the directory that has the usual tree."""

    def make(place):
        # 7-Zip refuses links that go upwards.
        source, path = plant(place, has_link=words[0] != "7z"), place / "x.zip"
        given = [word.replace("{out}", "-" if piped else str(path)) for word in words]
        said = tool(*given, at=source)
        if piped:
            path.write_bytes(said)
        return path

    return Packed(f"zip-{key}", says, make, reference, programs=programs, password=password, **more)


def from_python(key, says, write, **more):
    def make(place):
        path = place / "x.zip"
        with zipfile.ZipFile(path, "w") as archive:
            write(archive)
        return path

    return Packed(f"zip-{key}", says, make, "unzip", programs=("unzip", "7z", "bsdtar"), **more)


def zip64(archive):
    with archive.open("a.txt", "w", force_zip64=True) as file:
        file.write(TEXT)


def many(archive):
    for number in range(2000):
        archive.writestr(f"{number % 50}/{number}.txt", str(number))


def unicode_path(raw_name, name, of=None):
    checksum = zlib.crc32(raw_name if of is None else of)
    return struct.pack("<HHBI", 0x7075, 5 + len(name), 1, checksum) + name


def deflated(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def link(name, target):
    return Member(name, target, attributes=0o120777 << 16)


def directory(name, **more):
    return Member(name, b"", attributes=(0o40755 << 16) | 16, **more)


def zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, capture_output=True, check=True).stdout


def lzma_member():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.txt", TEXT)
    return stream.getvalue()


A, B = Member(b"a.txt"), Member(b"sub/b.bin", BYTES)
PACKED = deflated(TEXT)
WORD = "größe.txt"
END = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0, 0, 0, 0, 0)
# What signs an Android package stands between the members and the directory.
SIGNATURE = struct.pack("<Q", 32) + b"signature of the"[:8] + struct.pack("<Q", 32) + b"APK Sig Block 42"

ENTRIES = [
    # MARK: Methods
    compressed("stored", "Stored members.", zipfile.ZIP_STORED, "unzip"),
    compressed("deflate", "Deflate.", zipfile.ZIP_DEFLATED, "unzip"),
    compressed("bzip2", "bzip2.", zipfile.ZIP_BZIP2, "unzip"),
    compressed("lzma", "LZMA.", zipfile.ZIP_LZMA, "7z"),
    by(
        "deflate64",
        "Deflate64, as Windows uses it beyond 2 GB.",
        "7z",
        "a",
        "-bd",
        "-mm=Deflate64",
        "{out}",
        ".",
        why="libarchive cannot read it; the error says so",
        says_why="deflate64",
        is_sound=True,
    ),
    by("ppmd", "PPMd, by 7-Zip.", "7z", "a", "-bd", "-mm=PPMd", "{out}", ".", reference="7z"),
    raw("zstd", "Zstandard.", Member(b"a.txt", method=93, packed=zstd(TEXT)), reference="bsdtar", programs=("bsdtar",)),
    raw(
        "xz",
        "xz.",
        Member(b"a.txt", method=95, packed=lzma.compress(TEXT)),
        reference="bsdtar",
        programs=("bsdtar", "7z"),
    ),
    raw("bzip2-empty", "bzip2 of no bytes.", Member(b"none", b"", method=12, packed=bz2.compress(b"")), A),
    raw("implode", "An unknown method.", Member(b"a.txt", method=77), A),
    # MARK: Programs
    by("info-zip", "By Info-ZIP, with links and permissions.", "zip", "-q", "-r", "-y", "{out}", "."),
    by("info-zip-pipe", "By Info-ZIP to a pipe.", "zip", "-q", "-r", "{out}", "a.txt", "run.sh", "sub", piped=True),
    by("bsdtar", "By bsdtar to a pipe.", "bsdtar", "-c", "-f", "{out}", "--format", "zip", ".", piped=True),
    by("7-zip", "By 7-Zip.", "7z", "a", "-bd", "-tzip", "{out}", "."),
    by("7-zip-times", "By 7-Zip, with all times.", "7z", "a", "-bd", "-tzip", "-mtc=on", "{out}", "."),
    from_python("zip64", "Zip64 in a small archive.", zip64),
    from_python("many", "2,000 members.", many),
    # MARK: Encryption
    by("pkzip-cipher", "PKZIP's cipher.", "zip", "-q", "-r", "-P", "p w", "{out}", "a.txt", "sub", password="p w"),
    by(
        "aes-256",
        "AES with 256 bits.",
        "7z",
        "a",
        "-bd",
        "-tzip",
        "-mem=AES256",
        "-pp w",
        "{out}",
        "a.txt",
        password="p w",
        reference="7z",
        programs=("7z", "bsdtar"),
    ),
    by(
        "aes-128",
        "AES with 128 bits.",
        "7z",
        "a",
        "-bd",
        "-tzip",
        "-mem=AES128",
        "-pp w",
        "{out}",
        "a.txt",
        password="p w",
        reference="7z",
        programs=("7z", "bsdtar"),
    ),
    # MARK: Structure
    raw("empty", "No members.", reference="7z"),
    raw("comment", "A comment.", A, comment=b"about this archive"),
    raw(
        "comment-end",
        "A comment that holds an end record.",
        A,
        comment=b"see " + END + b" here",
        reference="7z",
        why=CONTRADICTS,
    ),
    raw("prefix", "A program before the archive.", A, B, before=b"#!/bin/sh\nexit 0\n" * 50),
    raw("prefix-counted", "The same, and the offsets count it.", A, B, before=b"#!/bin/sh\nexit 0\n" * 50, shift=850),
    raw("spanned", "The mark of a split archive that fits one disk.", A, B, before=b"PK00", shift=4),
    raw("zeros-behind", "Zeros behind the end.", A, after=bytes(5000)),
    raw("newline-behind", "A line end behind the end.", A, after=b"\r\n", why=CONTRADICTS),
    raw("garbage-behind", "Other bytes behind the end.", A, after=b"garbage " * 20, why=CONTRADICTS),
    raw("gap", "Bytes between the members and the directory, as in signed Android packages.", A, B, between=SIGNATURE),
    raw("descriptor", "Sizes behind the data.", Member(b"a.txt", method=8, packed=PACKED, descriptor="<IIII"), B),
    raw(
        "descriptor-unsigned",
        "The same without a signature.",
        Member(b"a.txt", method=8, packed=PACKED, descriptor="<III"),
        B,
    ),
    raw("descriptor-64", "The same with 64 bits.", Member(b"a.txt", method=8, packed=PACKED, descriptor="<IIQQ"), B),
    raw(
        "descriptor-stored",
        "Sizes behind the data of a stored member.",
        Member(b"a.txt", descriptor="<IIII"),
        B,
        reference="7z",
    ),
    raw("padding", "Padding in the extra field, as zipalign makes it.", Member(b"a.txt", local_extra=bytes(3)), B),
    raw(
        "extra-unknown",
        "Unknown extra fields, one of them of Java's.",
        Member(b"a.txt", extra=b"\xfe\xca\0\0\x99\x99\2\0ab"),
        B,
    ),
    raw("extra-broken", "An extra field that overruns the others.", Member(b"a.txt", extra=b"UT\xff\0ab"), B),
    raw("date-zero", "A date of zeros.", Member(b"a.txt", date=0), B),
    raw("checksum", "A wrong checksum.", Member(b"a.txt", checksum=5), B),
    raw("local-name", "Another name in the local header.", Member(b"a.txt", local_name=b"b.txt"), why=CONTRADICTS),
    # MARK: Directories and paths
    raw(
        "directory",
        "Directories with entries of their own.",
        directory(b"dir/"),
        directory(b"dir/empty/"),
        Member(b"dir/x"),
    ),
    raw(
        "directory-size",
        "A directory with a size.",
        Member(b"dir/", b"??", attributes=16, made=DOS | 20),
        Member(b"dir/x"),
    ),
    raw(
        "directory-attribute",
        "A directory by its attribute alone.",
        Member(b"dir", b"", attributes=16, made=DOS | 20),
        Member(b"dir/x"),
        reference="7z",
    ),
    raw("directory-late", "A directory behind its members.", Member(b"dir/x"), directory(b"dir/")),
    raw("root", "An entry for the root.", directory(b"/"), A, reference="bsdtar"),
    raw("here", "Names that begin with ./", directory(b"./"), Member(b"./a.txt"), Member(b"./sub/./b")),
    raw("slashes", "Two slashes.", Member(b"a//b.txt")),
    raw(
        "backslashes",
        "Backslashes, as .NET before 4.6.1 writes them.",
        *[
            Member(name, body, attributes=0, made=DOS | 20)
            for name, body in ((b"dir\\", b""), (b"dir\\a.txt", TEXT), (b"dir\\sub\\b", BYTES))
        ],
    ),
    raw("backslashes-unix", "A backslash in a name of Unix.", Member(b"a\\b.txt")),
    raw("above", "A path that leads out.", Member(b"../out.txt"), A, why=REFUSED),
    raw("absolute", "An absolute path.", Member(b"/none-of-this/a.txt"), A, why=REFUSED, programs=("unzip", "bsdtar")),
    raw("twice", "The same name twice, with other bytes.", A, Member(b"a.txt", BYTES), why=REFUSED),
    raw(
        "twins",
        "Names that differ in case only.",
        A,
        Member(b"A.TXT", BYTES),
        why="the result would depend on the file system; --allow-twins unpacks them",
    ),
    raw("file-and-directory", "A file that is a directory as well.", Member(b"a"), Member(b"a/b")),
    # MARK: Links and permissions
    raw("link", "A symbolic link.", A, link(b"link", b"a.txt")),
    raw("link-dangling", "A symbolic link to nothing.", link(b"link", b"none"), A),
    raw("link-out", "A symbolic link that leads out.", link(b"link", b"../../x"), A, why=REFUSED),
    raw("link-absolute", "A symbolic link with an absolute target.", link(b"link", b"/etc/hostname"), A, why=REFUSED),
    raw(
        "executable",
        "Permissions: 0755, 0600, 0444, 04755.",
        *[Member(b"%o" % mode, attributes=(0o100000 | mode) << 16) for mode in (0o755, 0o600, 0o444, 0o4755)],
    ),
    raw("no-mode", "A Unix member with no mode at all.", Member(b"a.txt", attributes=0)),
    raw("read-only", "The attribute read-only of DOS.", Member(b"a.txt", attributes=1, made=DOS | 20)),
    raw("fifo", "A pipe.", Member(b"pipe", b"", attributes=0o10644 << 16), A, why=REFUSED),
    # MARK: Names
    raw("utf-8", "UTF-8, and the flag says so.", Member(WORD.encode(), flags=0x800)),
    raw("utf-8-unflagged", "UTF-8 from Unix without the flag.", Member(WORD.encode())),
    raw("utf-8-mac", "Decomposed UTF-8 from macOS without the flag.", Member("cafe\u0301.txt".encode(), made=MAC | 30)),
    raw(
        "code-page",
        "Code page 437.",
        Member(b"caf\x82.txt", made=DOS | 20, attributes=0),
        why=DECODED,
        instead={"café.txt": TEXT},
    ),
    raw(
        "shift-jis",
        "Shift-JIS from Windows.",
        Member("テスト.txt".encode("shift_jis"), made=DOS | 20, attributes=0),
        why=DECODED,
        instead={"âeâXâg.txt": TEXT},
    ),
    raw("unicode-path", "A Unicode path.", Member(b"gr__e.txt", extra=unicode_path(b"gr__e.txt", WORD.encode()))),
    raw(
        "unicode-path-old",
        "A Unicode path of a former name.",
        Member(b"new.txt", extra=unicode_path(b"new.txt", b"old.txt", b"old.txt")),
        reference="bsdtar",
    ),
    raw("signs", "Colons, stars, question marks and quotation marks.", Member(b'12:30 *?"<>|.log')),
    raw("blanks", "Blanks at both ends of a name.", Member(b" a "), Member(b" b /c ")),
    raw("dots", "Names that begin and end with dots.", Member(b".hidden"), Member(b"...a..."), Member(b"dir./x")),
    raw("dash", "A name that begins with a dash.", Member(b"-rf")),
    raw("device", "Names of devices of Windows.", Member(b"con"), Member(b"aux.txt")),
    raw("colon", "A letter and a colon at the beginning.", Member(b"a:b")),
    raw("long-name", "A name of 255 bytes.", Member(b"n" * 255)),
    raw("newline", "A line end in a name.", Member(b"a\nb.txt"), why=REFUSED, reference="bsdtar"),
]
