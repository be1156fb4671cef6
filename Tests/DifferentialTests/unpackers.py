"""Runs the programs on one archive, each in a directory of its own, and reads what they have made."""

import os
import pathlib
import stat
import tempfile

from programs import Outcome, environment, run

# In the order in which they are named.
PEERS = ("unzip", "7z", "bsdtar")

# Beneath the home of the program, so that a path that leads out of the tree stays within what is removed.
PLACE = "a/b/c"


def words(program, pawl, entry, archive, out, place):
    """The command line."""
    password = entry.password
    if program == "unzip":
        return ["unzip", "-q", "-o", *(["-P", password] if password else []), archive, "-d", out]
    if program == "7z":
        return ["7z", "x", "-y", "-bd", *([f"-p{password}"] if password else []), f"-o{out}", archive]
    if program == "bsdtar":
        given = ["--passphrase", password] if password else []
        return ["bsdtar", "-x", "--no-same-owner", "--no-same-permissions", *given, "-f", archive, "-C", out]
    if password:
        (place / "password").write_text(password + "\n")
    return [
        pawl,
        "extract",
        "-q",
        *(["--password-file", str(place / "password")] if password else []),
        archive,
        "-d",
        out,
    ]


def unpacked(entry, program, pawl):
    """Makes the archive, and has one program unpack it."""
    with tempfile.TemporaryDirectory(prefix="differential-") as directory:
        home = pathlib.Path(directory)
        place, out = home / PLACE, home / PLACE / "out"
        place.mkdir(parents=True)
        (home / "source").mkdir()
        archive = entry.make(home / "source")
        if program != "pawl":
            out.mkdir()
        given = words(program, pawl, entry, str(archive), str(out), place)
        end, code, said = run(given, place, environment(home))
        # A warning of these two; everything is there.
        if program in ("unzip", "7z") and code == 1:
            end = "done"
        # Reading gives directories the permissions that their removal needs.
        made = tree(out)
        return Outcome(end, made if end == "done" else {}, said.replace(directory, ""), code)


def tree(root):
    """Each path with its kind: a directory, a link with its target, or a file with its bytes, its permission to execute
    and its other names."""
    found, inodes = {}, {}
    for at, directories, files in os.walk(os.fsencode(root)):
        for name in directories + files:
            path = os.path.join(at, name)
            short = os.fsdecode(os.path.relpath(path, os.fsencode(root)))
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                found[short] = ("link", os.readlink(path))
            elif stat.S_ISDIR(status.st_mode):
                os.chmod(path, 0o755)
                found[short] = ("directory",)
            elif stat.S_ISREG(status.st_mode):
                if not status.st_mode & 0o400:
                    os.chmod(path, 0o600)
                inodes.setdefault(status.st_ino, set()).add(short)
                with open(path, "rb") as file:
                    found[short] = ("file", file.read(), bool(status.st_mode & 0o100), status.st_ino)
            else:
                found[short] = ("special", stat.S_IFMT(status.st_mode))
    return {
        name: (*kind[:3], frozenset(inodes[kind[3]] - {name})) if kind[0] == "file" else kind
        for name, kind in found.items()
    }


def plain(files):
    """The tree of these files, given as {name: bytes}, and the directories that they need."""
    made = {}
    for name, body in files.items():
        made[name] = ("file", body, False, frozenset())
        for parent in list(pathlib.PurePosixPath(name).parents)[:-1]:
            made[str(parent)] = ("directory",)
    return made
