"""What archives are made of."""

import os
import subprocess

from entries import content

TEXT = b"one line and another\n" * 400
BYTES = content(60_000, 7)


def plant(place, has_link=True):
    """A tree with a directory that is empty, an executable file, a link, and names beyond ASCII."""
    source = place / "tree"
    (source / "sub/empty").mkdir(parents=True)
    for name, body in {
        "a.txt": TEXT,
        "sub/b.bin": BYTES,
        "sub/none": b"",
        "größe 測.txt": b"u",
        "run.sh": b"#!/bin/sh\n",
    }.items():
        (source / name).write_bytes(body)
        os.utime(source / name, (1_600_000_000, 1_600_000_000))
    (source / "run.sh").chmod(0o755)
    if has_link:
        (source / "sub/link").symlink_to("../a.txt")
    return source


def tool(*words, at=None, given=None):
    """Runs a program that makes something, and returns what it writes."""
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC", "HOME": str(at or "/nonexistent")}
    done = subprocess.run([str(word) for word in words], cwd=at, env=environment, input=given, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{words[0]} failed: {done.stderr.decode('utf-8', 'replace') or done.stdout[-300:]}")
    return done.stdout
