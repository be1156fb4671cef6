"""The recipes of docs/integrations.md, each as it stands there, with the program that it is for."""

import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from contract import ROOT
from fileserver import FileServer, content
from pawld import COMMAND

PAGE = (ROOT / "docs/integrations.md").read_text()
BIG = content(3_000_000)


def recipe(title):
    """The block below the heading, with the program of this build."""
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.search(r"```\w+\n(.*?)```", section, re.S)[1].replace("/usr/bin/pawl", COMMAND)


@pytest.fixture
def server():
    server = FileServer()
    server.add("/big.bin", BIG)
    yield server
    server.close()


@pytest.fixture
def home(tmp_path):
    (tmp_path / "bin").mkdir()
    for name in ("pawl", "aria2c"):
        (tmp_path / "bin" / name).symlink_to(COMMAND)
    # makepkg runs as somebody else.
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == os.geteuid() and path != pathlib.Path("/tmp"):
            path.chmod(0o755)
    return tmp_path


def run(home, *words, cwd=None, user=None, **variables):
    environment = {**os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "LANG": "C.UTF-8", **variables}
    ended = subprocess.run([str(word) for word in words], cwd=cwd or home, env=environment, capture_output=True, text=True, timeout=300, user=user, stdin=subprocess.DEVNULL)
    print("$", *words, "\n", ended.stdout, ended.stderr)
    return ended


def yt_dlp(home, url, *words):
    command = shlex.split(recipe("yt-dlp").replace("URL", shlex.quote(url)))
    command[0] = str(pathlib.Path(sys.executable).parent / "yt-dlp")
    return run(home, *command, "--verbose", *words)


def test_yt_dlp(server, home):
    url = server.add("/video.mp4", BIG, kind="video/mp4")
    ended = yt_dlp(home, url, "-o", "out.mp4")
    assert ended.returncode == 0 and "aria2c command line" in ended.stderr
    assert (home / "out.mp4").read_bytes() == BIG
    assert sorted(path.name for path in home.iterdir() if path.is_file()) == ["out.mp4"]


def test_yt_dlp_goes_on_where_it_was_killed(server, home):
    url = server.add("/video.mp4", BIG, kind="video/mp4")
    # What Pawl has left of it, by the name that yt-dlp gives it.
    server.hold("/video.mp4", 1_500_000)
    process = subprocess.Popen([home / "bin/aria2c", "--no-conf", "-q", "--out", "out.mp4.part", url], cwd=home, env={**os.environ, "HOME": str(home)})
    while server.sent_of("/video.mp4") < 1_500_000:
        pass
    process.terminate()
    assert process.wait(60) == 7
    server.release_all()
    count = len(server.requests)
    assert yt_dlp(home, url, "-o", "out.mp4").returncode == 0
    assert (home / "out.mp4").read_bytes() == BIG
    # What yt-dlp asks for itself, to see what the URL is, does not count.
    ours = [one for one in server.requests[count:] if one.range and not one.range.startswith("bytes=0-")]
    assert ours and sum(one.sent for one in ours) < len(BIG) - 1_000_000


def test_apt_fast(server, home):
    """As its script writes the list and calls (apt-fast 1.10, get_uris and _DOWNLOADER)."""
    code = hashlib.sha256(BIG).hexdigest()
    (home / "apt-fast.list").write_text(f"{server.origin}/none/big.bin\t{server.origin}/big.bin\n checksum=sha-256={code}\n out=big_1%3a1_all.deb\n")
    ended = run(
        home, "aria2c", "--no-conf", "-c", "-j", "5", "-x", "5", "-s", "8", "-i", home / "apt-fast.list", "--min-split-size=1M", "--stream-piece-selector=default", "--connect-timeout=600",
        "--timeout=600", "-m0", "--header=Accept: */*")
    assert ended.returncode == 0
    assert (home / "big_1%3a1_all.deb").read_bytes() == BIG


def as_user():
    """makepkg refuses to run as root."""
    return 65534 if os.geteuid() == 0 else None


def build_package(server, home):
    build = home / "build"
    build.mkdir()
    # Whoever runs makepkg may not enter the directory of our build.
    shutil.copy2(COMMAND, build / "pawl")
    code = hashlib.sha256(BIG).hexdigest()
    (build / "PKGBUILD").write_text(
        f"pkgname=big\npkgver=1\npkgrel=1\narch=(any)\nsource=('{server.origin}/big.bin')\nsha256sums=('{code}')\npackage() {{ install -Dm644 big.bin \"$pkgdir/usr/share/big\"; }}\n")
    (build / "makepkg.conf").write_text(
        "CARCH=x86_64\nCHOST=x86_64-pc-linux-gnu\nPKGEXT=.pkg.tar.gz\nSRCEXT=.src.tar.gz\nBUILDENV=(!distcc !color !ccache !check !sign)\nOPTIONS=(!strip)\nINTEGRITY_CHECK=(sha256)\n" + recipe("makepkg").replace(COMMAND, str(build / "pawl")))
    if as_user() is not None:
        os.chown(build, as_user(), -1)
    return run(home, "makepkg", "--config", build / "makepkg.conf", "--nodeps", cwd=build, user=as_user(), HOME=str(build), XDG_STATE_HOME=str(build))


@pytest.mark.skipif(shutil.which("makepkg") is None, reason="no makepkg here")
def test_makepkg(server, home):
    assert build_package(server, home).returncode == 0
    assert (home / "build/big.bin").read_bytes() == BIG
    assert (home / "build/big-1-1-any.pkg.tar.gz").exists()
    assert not list((home / "build").glob("*.part")) and not list((home / "build").glob("*.pawl"))


@pytest.mark.skipif(shutil.which("pacman") is None or shutil.which("makepkg") is None, reason="no pacman here")
def test_pacman(server, home):
    assert build_package(server, home).returncode == 0
    package = home / "build/big-1-1-any.pkg.tar.gz"
    assert run(home, "repo-add", home / "mine.db.tar.gz", package).returncode == 0
    server.add("/mine.db", (home / "mine.db.tar.gz").read_bytes())
    server.add(f"/{package.name}", package.read_bytes())
    root = home / "root"
    for directory in ("var/lib/pacman", "cache", "etc"):
        (root / directory).mkdir(parents=True)
    (home / "pacman.conf").write_text(f"[options]\nArchitecture = x86_64\nSigLevel = Never\n{recipe('pacman')}\n[mine]\nServer = {server.origin}\n")
    pacman = ["pacman", "--root", root, "--dbpath", root / "var/lib/pacman", "--cachedir", root / "cache", "--logfile", root / "log", "--config", home / "pacman.conf", "--noconfirm"]
    for _ in range(2):
        assert run(home, *pacman, "-Sy").returncode == 0
    assert run(home, *pacman, "-Sw", "big").returncode == 0
    assert (root / "cache" / package.name).read_bytes() == package.read_bytes()
    assert sorted(path.name for path in (root / "cache").iterdir()) == [package.name]


def test_portage(server, home):
    """Portage expands the variables and splits the words as a shell does (fetch.py, shlex_split and varexpand)."""
    (home / "dist").mkdir()
    code = "set -e\n" + recipe("Portage") + '\neval "DISTDIR=$1 FILE=$2 URI=$3; $FETCHCOMMAND"\n' + "rm \"$1/$2\"; : >\"$1/$2\"\n" + '\neval "DISTDIR=$1 FILE=$2 URI=$3; $RESUMECOMMAND"\n'
    assert run(home, "sh", "-c", code, "sh", home / "dist", "big-1.bin", f"{server.origin}/big.bin").returncode == 0
    assert (home / "dist/big-1.bin").read_bytes() == BIG
    assert [path.name for path in (home / "dist").iterdir()] == ["big-1.bin"]


@pytest.mark.skipif(shutil.which("git-annex") is None, reason="no git-annex here")
def test_git_annex(server, home):
    place = home / "annex"
    place.mkdir()
    for words in (["init", "-q"], ["config", "user.name", "me"], ["config", "user.email", "me@example.org"], ["annex", "init", "-q"], ["config", "annex.security.allowed-ip-addresses", "all"]):
        assert run(home, "git", *words, cwd=place).returncode == 0
    assert run(home, *shlex.split(recipe("git-annex")), cwd=place).returncode == 0
    url = f"{server.origin}/big.bin"
    ended = run(home, "git", "annex", "addurl", "--file", "big.bin", url, cwd=place)
    assert ended.returncode == 0
    assert (place / "big.bin").read_bytes() == BIG
    assert run(home, "git", "annex", "drop", "--force", "big.bin", cwd=place).returncode == 0
    assert run(home, "git", "annex", "get", "big.bin", cwd=place).returncode == 0
    assert (place / "big.bin").read_bytes() == BIG


def test_scripts(server, home):
    (home / "wheels").mkdir()
    script = recipe("Scripts")
    right, wrong = hashlib.sha256(BIG).hexdigest(), "0" * 64
    variables = {"NAME": "big.whl", "URL": f"{server.origin}/big.bin"}
    assert run(home, "sh", "-c", script, SHA256=right, **variables).returncode == 0
    assert (home / "wheels/big.whl").read_bytes() == BIG
    count = len(server.requests)
    assert run(home, "sh", "-c", script, SHA256=right, **variables).returncode == 0
    assert sum(one.sent for one in server.requests[count:]) == 0
    assert run(home, "sh", "-c", script, SHA256=wrong, **variables).returncode != 0
    assert (home / "wheels/big.whl").read_bytes() == BIG
