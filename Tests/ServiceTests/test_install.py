"""What scripts/install and scripts/package leave on a machine.

The tests install the programs that the other tests use. They package small ones that stand in for pawl and pawld, except for the slow tests,
which package those of `scripts/pawl serve`: .build/release, or PAWL_RELEASE.
"""

import contextlib
import gzip
import hashlib
import os
import pathlib
import platform
import re
import shutil
import signal
import stat
import subprocess
import tarfile
import tempfile
import time
import zipfile

import pytest

from client import wait_until
from contract import ROOT
from fileserver import content
from pawld import COMMAND, PROGRAM

CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
VERSION = re.search(r"^## (\d+\.\d+\.\d+)", CHANGES, re.MULTILINE)[1]
RELEASE = pathlib.Path(os.environ.get("PAWL_RELEASE", ROOT / ".build/release"))

OF_THE_SERVICE = {"bin/pawld": 0o755, "share/man/man1/pawld.1": 0o644, "share/systemd/user/pawl.service": 0o644}
FILES = {
    "bin/pawl": 0o755,
    "share/bash-completion/completions/pawl": 0o644,
    "share/doc/pawl/LICENSE": 0o644,
    "share/fish/vendor_completions.d/pawl.fish": 0o644,
    "share/man/man1/pawl.1": 0o644,
    "share/zsh/site-functions/_pawl": 0o644,
    **OF_THE_SERVICE,
}
IN_DEBIAN = {
    "usr/bin/pawl": 0o755,
    "usr/bin/pawld": 0o755,
    "usr/lib/systemd/user/pawl.service": 0o644,
    "usr/share/bash-completion/completions/pawl": 0o644,
    "usr/share/doc/pawl/changelog.gz": 0o644,
    "usr/share/doc/pawl/copyright": 0o644,
    "usr/share/fish/vendor_completions.d/pawl.fish": 0o644,
    "usr/share/man/man1/pawl.1.gz": 0o644,
    "usr/share/man/man1/pawld.1.gz": 0o644,
    "usr/share/zsh/vendor-completions/_pawl": 0o644,
}
WHEEL = f"pawl_downloader-{VERSION}"
IN_WHEEL = {
    f"{WHEEL}.data/scripts/pawl": 0o755,
    f"{WHEEL}.data/scripts/pawld": 0o755,
    f"{WHEEL}.data/data/lib/pawl/libsqlite3.so.0": 0o644,
    f"{WHEEL}.data/data/share/bash-completion/completions/pawl": 0o644,
    f"{WHEEL}.data/data/share/fish/vendor_completions.d/pawl.fish": 0o644,
    f"{WHEEL}.data/data/share/man/man1/pawl.1": 0o644,
    f"{WHEEL}.data/data/share/man/man1/pawld.1": 0o644,
    f"{WHEEL}.data/data/share/zsh/site-functions/_pawl": 0o644,
    **{f"{WHEEL}.dist-info/{name}": 0o644 for name in ("METADATA", "RECORD", "WHEEL", "licenses/LICENSE", "licenses/copyright")},
}

STAND_IN = r"""
#include <stdio.h>
#include <string.h>
const char *sqlite3_libversion(void);
int main(int count, char **words) {
#ifdef SERVICE
    if (count > 1 && !strcmp(words[1], "--sqlite")) puts(sqlite3_libversion());
#endif
    if (count > 1 && !strcmp(words[1], "--version")) puts("pawl @VERSION@");
    if (count > 2 && !strcmp(words[1], "--print-unit")) printf("[Service]\nExecStart=\"%s\"\n", words[2]);
    return 0;
}
"""


def install(*arguments, **more):
    return subprocess.run([ROOT / "scripts/install", *arguments], capture_output=True, text=True, **more)


def entries(place):
    """Everything beneath a directory: path, then mode and content, or where a link leads."""
    found = {}
    for path in sorted(place.rglob("*")):
        kind = path.lstat().st_mode
        content = os.readlink(path) if stat.S_ISLNK(kind) else path.read_bytes() if stat.S_ISREG(kind) else None
        found[str(path.relative_to(place))] = (stat.S_IMODE(kind), content)
    return found


def modes(place):
    return {path: mode for path, (mode, content) in entries(place).items() if content is not None}


def put(path, content="theirs"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


@contextlib.contextmanager
def open_to_all():
    """pytest's own directories are closed to other users."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="pawl-install-"))
    place.chmod(0o777)
    try:
        yield place
    finally:
        shutil.rmtree(place)


def as_nobody():
    """Options of a process that is not root's."""
    if os.geteuid() != 0:
        return {}
    if not all(place.stat().st_mode & 0o005 == 0o005 for place in (ROOT, *ROOT.parents)):
        pytest.skip("other users cannot read this checkout")
    return {"user": 65534, "group": 65534, "extra_groups": []}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    place = tmp_path_factory.mktemp("programs")
    (place / "pawl").symlink_to(COMMAND)
    (place / "pawld").symlink_to(PROGRAM)
    return place


@pytest.fixture(scope="module")
def installed(programs, tmp_path_factory):
    """Everything, by a careful user, in a directory whose name has a blank."""
    place = tmp_path_factory.mktemp("installed") / "my programs"
    done = install("--programs", programs, place, umask=0o077)
    assert (done.returncode, done.stderr) == (0, "")
    return place, done.stdout


@pytest.fixture
def prefix(programs, tmp_path):
    """A directory with pawl alone, which takes less time than both programs."""
    place = tmp_path / "prefix"
    assert install("--without-service", "--programs", programs, place).returncode == 0
    return place


# What is installed


def test_the_files_are_there_with_their_modes(installed):
    place, said = installed
    assert modes(place) == FILES
    assert {mode for mode, content in entries(place).values() if content is None} == {0o755}
    assert set(re.findall(r"^  (\S+)$", said, re.MULTILINE)) == set(FILES)


def test_the_programs_run_where_they_are_installed(installed):
    place, _ = installed
    version = subprocess.run([place / "bin/pawl", "--version"], capture_output=True, text=True, env={})
    assert re.fullmatch(r"pawl \d+\.\d+\.\d+\n", version.stdout), version
    # The command starts the service that is beside it.
    service = subprocess.run([place / "bin/pawl", "serve", "--help"], capture_output=True, text=True, env={"PATH": "/nowhere"})
    assert "USAGE: pawld" in service.stdout, service


def test_the_programs_have_no_symbols(installed):
    place, _ = installed
    for name in ("pawl", "pawld"):
        sections = subprocess.run(["readelf", "-SW", place / "bin" / name], check=True, capture_output=True, text=True).stdout
        assert ".text" in sections and ".symtab" not in sections and ".debug_info" not in sections


def test_programs_that_were_built_elsewhere_become_the_same_bytes(tmp_path):
    """Builds of Swift in two directories differ in these two sections only."""
    kept = []
    for place in "ab":
        (tmp_path / place).mkdir()
        source = STAND_IN.replace("@VERSION@", VERSION) + f"""__attribute__((section(".swift_modhash"), used)) const char hash[] = "of {place}";"""
        subprocess.run(["cc", "-Wl,--build-id", "-x", "c", "-", "-o", tmp_path / place / "pawl"], input=source, text=True, check=True)
        assert install("--without-service", "--programs", tmp_path / place, tmp_path / f"in-{place}").returncode == 0
        kept.append((tmp_path / f"in-{place}/bin/pawl").read_bytes())
        assert subprocess.run([tmp_path / f"in-{place}/bin/pawl", "--version"], capture_output=True, text=True).stdout == f"pawl {VERSION}\n"
    assert (tmp_path / "a/pawl").read_bytes() != (tmp_path / "b/pawl").read_bytes() and kept[0] == kept[1]


def test_the_unit_starts_the_installed_service(installed):
    place, _ = installed
    assert f'\nExecStart="{place}/bin/pawld"\n' in (place / "share/systemd/user/pawl.service").read_text()


@pytest.mark.skipif(not shutil.which("man"), reason="man is not installed")
@pytest.mark.parametrize("name", ["pawl", "pawld"])
def test_the_manual_pages_are_found_and_rendered(installed, name):
    place, _ = installed
    environment = {"PATH": os.environ["PATH"], "MANPATH": str(place / "share/man"), "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
    shown = subprocess.run(["man", "--warnings", "1", name], capture_output=True, text=True, env=environment)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert re.search(rf"^NAME\n +{name} . download", re.sub(".\x08", "", shown.stdout), re.MULTILINE), shown.stdout[:500]


def test_bash_loads_its_completions(installed):
    place, _ = installed
    script = 'source "$1" && complete -p pawl'
    loaded = subprocess.run(["bash", "--norc", "-c", script, "bash", place / "share/bash-completion/completions/pawl"], capture_output=True, text=True)
    assert (loaded.returncode, loaded.stderr) == (0, "") and "-F _pawl pawl" in loaded.stdout


def test_without_the_service_nothing_of_it_is_installed(prefix):
    assert modes(prefix) == {path: mode for path, mode in FILES.items() if path not in OF_THE_SERVICE}


def test_without_the_service_pawl_says_how_to_get_it(prefix):
    (prefix / "bin/aria2c").symlink_to("pawl")
    for words in (["pawl", "serve"], ["aria2c", "--enable-rpc"]):
        refused = subprocess.run([prefix / "bin" / words[0], words[1]], capture_output=True, text=True, env={})
        assert refused.returncode == 1 and "pawld" in refused.stderr and "scripts/install PREFIX" in refused.stderr, refused


def test_destdir_goes_in_front_and_the_unit_does_not_name_it(programs, tmp_path):
    image, prefix = tmp_path / "image", tmp_path / "usr"
    assert install("--programs", programs, prefix, env={**os.environ, "DESTDIR": str(image)}).returncode == 0
    assert not prefix.exists()
    place = image / prefix.relative_to("/")
    assert set(modes(place)) == set(FILES)
    assert f'ExecStart="{prefix}/bin/pawld"' in (place / "share/systemd/user/pawl.service").read_text()


# Again


def test_a_second_install_mends_the_first_while_the_program_runs(programs, prefix):
    before = entries(prefix)
    put(prefix / "share/man/man1/pawl.1", "half")
    (prefix / "bin/pawl").chmod(0o700)
    # It waits for its list.
    with subprocess.Popen([prefix / "bin/pawl", "get", "-i", "-"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as running:
        again = install("--without-service", "--programs", programs, prefix)
        assert (again.returncode, again.stderr) == (0, "")
        assert running.poll() is None
        running.send_signal(signal.SIGKILL)
    assert entries(prefix) == before


# Away again


def test_uninstalling_leaves_no_file(programs, tmp_path):
    place = tmp_path / "prefix"
    assert install("--aria2c", "--programs", programs, place).returncode == 0
    gone = install("--uninstall", place)
    assert (gone.returncode, gone.stderr) == (0, "")
    assert modes(place) == {}
    assert not (place / "share/doc/pawl").exists()
    assert install("--uninstall", place).returncode == 0, "a second time there is nothing to do"


def test_uninstalling_leaves_what_others_put_beside(prefix):
    theirs = ["bin/pawl-helper", "bin/aria2c", "share/doc/pawl/NOTES", "share/man/man1/pawl-helper.1", "share/systemd/user/other.service", "pawl"]
    for path in theirs:
        put(prefix / path)
    (prefix / "bin/link").symlink_to("pawl")
    assert install("--uninstall", prefix).returncode == 0
    assert set(modes(prefix)) == {*theirs, "bin/link"}


def test_uninstalling_leaves_a_link_of_that_name_that_leads_elsewhere(prefix):
    (prefix / "bin/aria2c").symlink_to("/usr/bin/aria2c")
    assert install("--uninstall", prefix).returncode == 0
    assert set(modes(prefix)) == {"bin/aria2c"}


# aria2c


def test_aria2c_is_linked_only_if_asked_for(programs, prefix):
    assert not os.path.lexists(prefix / "bin/aria2c")
    assert install("--without-service", "--aria2c", "--programs", programs, prefix).returncode == 0
    assert os.readlink(prefix / "bin/aria2c") == "pawl"
    version = subprocess.run([prefix / "bin/aria2c", "--version"], capture_output=True, text=True)
    assert version.returncode == 0 and version.stdout.startswith("aria2 version "), version


@pytest.mark.parametrize("make", [lambda path: path.write_text("theirs"), lambda path: path.symlink_to("/nowhere/aria2c")], ids=["a program", "a broken link"])
def test_another_aria2c_is_never_replaced(programs, prefix, make):
    make(prefix / "bin/aria2c")
    before = entries(prefix)
    refused = install("--without-service", "--aria2c", "--programs", programs, prefix)
    assert refused.returncode == 1 and "bin/aria2c” is another program" in refused.stderr
    assert entries(prefix) == before


# Refusals


@pytest.mark.parametrize("arguments", [[], ["--aria2c"], ["--uninstall"], ["one", "two"], ["--frefix", "one"], ["one", "--programs"]], ids=" ".join)
def test_arguments_that_make_no_sense_are_answered_with_the_usage(tmp_path, arguments):
    # No build, if they are taken for something after all.
    refused = install("--programs", "/nowhere", *arguments, cwd=tmp_path)
    assert refused.returncode == 64 and "scripts/install [--without-service]" in refused.stderr
    assert entries(tmp_path) == {}


def test_help_shows_each_option():
    shown = install("--help")
    assert shown.returncode == 0
    assert set(re.findall(r"^  +(--[\w-]+)", shown.stdout, re.MULTILINE)) == {"--without-service", "--aria2c", "--programs", "--uninstall"}
    assert "DESTDIR" in shown.stdout and "set -euo" not in shown.stdout


@pytest.mark.parametrize(("in_the_way", "message"), [
    ("prefix", "prefix” is not a directory"),
    ("prefix/bin", "prefix/bin” is not a directory"),
    ("prefix/share/man/man1", "prefix/share/man/man1” is not a directory"),
])
def test_a_file_where_a_directory_has_to_be_is_named_before_anything_changes(programs, tmp_path, in_the_way, message):
    put(tmp_path / in_the_way)
    before = entries(tmp_path)
    refused = install("--programs", programs, tmp_path / "prefix")
    assert refused.returncode == 1 and message in refused.stderr
    assert entries(tmp_path) == before


def test_a_directory_where_a_file_has_to_be_is_named_before_anything_changes(programs, tmp_path):
    (tmp_path / "prefix/share/man/man1/pawld.1").mkdir(parents=True)
    before = entries(tmp_path)
    refused = install("--programs", programs, tmp_path / "prefix")
    assert refused.returncode == 1 and "man1/pawld.1” is a directory" in refused.stderr
    assert entries(tmp_path) == before


@pytest.mark.parametrize("closed", ["", "bin", "share"])
def test_a_directory_that_is_not_writable_is_named_before_anything_changes(closed):
    with open_to_all() as place:
        prefix = place / "prefix"
        for path in (prefix, prefix / "bin", prefix / "share"):
            path.mkdir()
            path.chmod(0o777)
        (prefix / closed).chmod(0o555)
        if closed == "":
            shutil.rmtree(prefix / "bin")
        before = entries(place)
        refused = install("--programs", ROOT, prefix, **as_nobody())  # root may write everywhere
        assert refused.returncode == 1 and f"“{prefix / closed}” is not writable" in refused.stderr, refused
        assert "~/.local" in refused.stderr
        assert entries(place) == before


def test_a_program_that_is_missing_is_named_before_anything_changes(programs, tmp_path):
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs/pawl").symlink_to(COMMAND)
    before = entries(tmp_path)
    refused = install("--programs", tmp_path / "programs", tmp_path / "prefix")
    assert refused.returncode == 1 and "programs/pawld” is missing" in refused.stderr
    assert entries(tmp_path) == before


# The packages


def package(programs, output, **more):
    subprocess.run([ROOT / "scripts/package", "--programs", programs, "--output", output], check=True, capture_output=True, text=True, **more)
    tarball, = output.glob("*.tar.gz")
    debian, = output.glob("*.deb")
    wheel, = output.glob("*.whl")
    return tarball, debian, wheel


def dpkg_deb(*words):
    return subprocess.run(["dpkg-deb", *words], check=True, capture_output=True, text=True).stdout


def unpacked(tarball, debian, place):
    (place / "tar").mkdir()
    subprocess.run(["tar", "-xf", tarball, "-C", place / "tar"], check=True)
    dpkg_deb("--raw-extract", debian, place / "deb")
    return place / "tar", place / "deb"


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory):
    place = tmp_path_factory.mktemp("stand-ins")
    for name, more in (("pawl", []), ("pawld", ["-DSERVICE", "-lsqlite3"])):
        subprocess.run(["cc", "-g", "-x", "c", "-", "-o", place / name, *more], input=STAND_IN.replace("@VERSION@", VERSION), text=True, check=True)
    return place


@pytest.fixture(scope="module")
def packages(stand_ins, tmp_path_factory):
    return package(stand_ins, tmp_path_factory.mktemp("packages") / "out")


@pytest.fixture(scope="module")
def trees(packages, tmp_path_factory):
    return unpacked(*packages[:2], tmp_path_factory.mktemp("trees"))


def control(debian):
    fields = dpkg_deb("--field", debian)
    return dict(re.findall(r"^([\w-]+): (.*(?:\n .*)*)", fields, re.MULTILINE))


def test_the_packages_are_named_by_version_and_machine(packages):
    tarball, debian, wheel = packages
    architecture = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()
    assert tarball.name == f"pawl-{VERSION}-linux-{platform.machine()}.tar.gz"
    assert debian.name == f"pawl_{VERSION}_{architecture}.deb"
    assert re.fullmatch(rf"{re.escape(WHEEL)}-py3-none-manylinux_2_\d+_{platform.machine()}\.whl", wheel.name)
    assert set(tarball.parent.iterdir()) == {tarball, debian, wheel}


def test_the_control_file_says_what_dpkg_needs(packages, trees):
    _, debian, _ = packages
    fields = control(debian)
    assert (fields["Package"], fields["Version"], fields["Section"], fields["Priority"]) == ("pawl", VERSION, "net", "optional")
    assert fields["Architecture"] == debian.stem.split("_")[2]
    assert re.fullmatch(r"libc6 \(>= [\d.]+\), libsqlite3-0 \(>= [\d.]+\), libarchive13t64 \| libarchive13, libssl3t64 \| libssl3 \| libssl1.1", fields["Depends"])
    assert fields["Recommends"] == "ca-certificates, libidn2-0, publicsuffix"
    assert re.fullmatch(r"[^<>@]+ <[^<>@]+@[^<>@]+>", fields["Maintainer"])
    summary, *lines = fields["Description"].split("\n")
    assert len(summary) < 80 and lines and not any(len(line) > 80 for line in lines)
    assert not any("@" in value for name, value in fields.items() if name != "Maintainer"), "a placeholder is left"
    paths = list((trees[1] / "usr").rglob("*"))
    assert int(fields["Installed-Size"]) == 1 + sum((path.stat().st_size + 1023) // 1024 if path.is_file() else 1 for path in paths)


def test_dpkg_can_show_the_package(packages):
    _, debian, _ = packages
    shown = dpkg_deb("--info", debian)
    assert re.findall(r"^ +\d+ bytes, +\d+ lines +(\S+)", shown, re.MULTILINE) == ["control", "md5sums"], "no scripts run at installation"


def test_the_debian_package_has_these_files_and_root_owns_them(packages):
    _, debian, _ = packages
    found, owners = {}, set()
    for line in dpkg_deb("--contents", debian).splitlines():
        mode, owner, _, _, _, path = line.split(None, 5)
        owners.add(owner)
        if mode[0] == "d":
            assert mode == "drwxr-xr-x", line
        else:
            found[path.removeprefix("./")] = {"-rwxr-xr-x": 0o755, "-rw-r--r--": 0o644}.get(mode, mode)
    assert found == IN_DEBIAN
    assert owners == {"root/root"}


def test_the_sums_are_those_of_the_files(trees):
    _, tree = trees
    sums = dict(reversed(line.split("  ")) for line in (tree / "DEBIAN/md5sums").read_text().splitlines())
    assert sums == {path: hashlib.md5((tree / path).read_bytes()).hexdigest() for path in IN_DEBIAN}


def test_the_changelog_has_entries_that_fit(trees):
    with gzip.open(trees[1] / "usr/share/doc/pawl/changelog.gz", "rt") as text:
        lines = text.read().splitlines()
    assert lines[0] == f"pawl ({VERSION}) unstable; urgency=medium"
    assert re.fullmatch(r" -- .+ <.+>  \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000", lines[-1])
    assert max(map(len, lines)) <= 80
    entries = re.findall(r"^- (.*(?:\n  .*)*)", CHANGES.split("\n## ")[1], re.MULTILINE)
    written = re.findall(r"^  \* (.*(?:\n    .*)*)", "\n".join(lines), re.MULTILINE)
    assert entries and [entry.split() for entry in written] == [entry.replace("`", "").split() for entry in entries]


def test_the_licences_of_what_is_linked_are_in_both(trees):
    texts = [path.read_text() for tree in trees for path in tree.rglob("copyright")]
    assert len(texts) == 2 and texts[0] == texts[1]
    for name in ("swift-nio-ssl", "swift-nio", "swift-log"):
        assert f"==== {name}\n" in texts[0]


def test_the_tarball_has_the_files_of_an_installation(packages):
    tarball, _, _ = packages
    commit = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], check=True, capture_output=True, text=True).stdout
    with tarfile.open(tarball) as archive:
        members = archive.getmembers()
    top = tarball.name.removesuffix(".tar.gz")
    assert {member.name: member.mode for member in members if not member.isdir()} == {
        f"{top}/{path}": mode for path, mode in {**FILES, "share/doc/pawl/copyright": 0o644}.items()}
    assert {(member.uid, member.gid, member.uname, member.gname, member.mtime) for member in members} == {(0, 0, "", "", int(commit))}
    assert {member.mode for member in members if member.isdir()} == {0o755}


def test_the_units_start_the_service_where_each_package_puts_it(trees):
    units = {path.relative_to(tree).parts[0]: path.read_text() for tree in trees for path in tree.rglob("pawl.service")}
    assert len(units) == 2
    assert 'ExecStart="/usr/bin/pawld"\n' in units.pop("usr")
    assert "ExecStart=%h/.local/bin/pawld\n" in units.popitem()[1]


def test_no_text_names_a_directory_of_the_machine_that_packaged(trees, stand_ins):
    texts = [path for tree in trees for path in tree.rglob("*") if path.is_file() and path.parent.name != "bin"]
    assert len(texts) > 16
    for path in texts:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        for place in (str(ROOT), str(stand_ins), tempfile.gettempdir() + "/", str(pathlib.Path.home()) + "/"):
            assert place.encode() not in content, f"{path} names {place}"


def test_the_same_commit_gives_the_same_bytes(packages, stand_ins):
    """Whoever packages, where, and when."""
    with open_to_all() as place:
        shutil.copytree(stand_ins, place / "programs")
        (place / "programs").chmod(0o755)
        elsewhere = {"TZ": "Asia/Kolkata", "LC_ALL": "C.UTF-8", "HOME": str(place), "TMPDIR": str(place)}
        # Git reads no checkout of another user otherwise.
        trust = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
        again = package(place / "programs", place / "out", umask=0o077, cwd=place, env={**os.environ, **elsewhere, **trust}, **as_nobody())
        for first, second in zip(packages, again):
            assert first.name == second.name
            assert first.read_bytes() == second.read_bytes(), f"{first.name} differs"


def test_packaging_refuses_what_it_does_not_know(tmp_path):
    refused = subprocess.run([ROOT / "scripts/package", "--programs", "/nowhere", "--outputs", tmp_path], capture_output=True, text=True)
    assert refused.returncode == 64 and "scripts/package [--programs DIR]" in refused.stderr


# The wheel


@contextlib.contextmanager
def with_pip(wheel, place):
    """A virtual environment with the wheel and nothing else. Of the wheel, pip leaves no file in it; some empty directories of data stay."""
    subprocess.run(["/usr/bin/python3", "-m", "venv", place], check=True)
    before = set(modes(place))

    def pip(*words):
        subprocess.run([place / "bin/python", "-B", "-m", "pip", "-q", "--disable-pip-version-check", *words], check=True)

    pip("install", "--no-index", "--no-compile", wheel)
    yield place
    pip("uninstall", "--yes", "pawl-downloader")
    assert set(modes(place)) == before


def test_the_wheel_has_these_files_in_the_time_of_the_commit(packages):
    commit = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%cd", "--date=format-local:%F %T"], check=True, capture_output=True, text=True, env={"TZ": "UTC"})
    with zipfile.ZipFile(packages[2]) as archive:
        members = archive.infolist()
    assert {member.filename: member.external_attr >> 16 & 0o7777 for member in members if not member.is_dir()} == IN_WHEEL
    times = {"{}-{:02}-{:02} {:02}:{:02}:{:02}".format(*member.date_time) for member in members}
    # Zip counts in steps of two seconds.
    assert {time[:-1] for time in times} == {commit.stdout.strip()[:-1]}


def test_the_wheel_says_what_it_is_and_names_the_licences(packages):
    with zipfile.ZipFile(packages[2]) as archive:
        metadata, copyright = (archive.read(f"{WHEEL}.dist-info/{name}").decode() for name in ("METADATA", "licenses/copyright"))
    fields, _, text = metadata.partition("\n\n")
    fields = dict(re.findall(r"^([\w-]+): (.+)", fields, re.MULTILINE))
    assert (fields["Name"], fields["Version"], fields["License-Expression"], fields["Requires-Python"]) == ("pawl-downloader", VERSION, "Apache-2.0", ">=3.8")
    of_debian = control(packages[1])
    assert fields["Summary"] == of_debian["Description"].split("\n")[0] and fields["Maintainer-email"] == of_debian["Maintainer"]
    # Debian begins each line with a blank, and writes a dot for an empty one.
    assert text.startswith("Pawl downloads files") and not re.search(r"^( |\.$)", text, re.MULTILINE)
    assert "==== swift-nio\n" in copyright and "==== SQLite\n" in copyright and "/usr/share" not in copyright
    # Code that packages have from others.
    assert "Fedor Indutny" in copyright and "Mark Gillard" in copyright and "UNICODE LICENSE V3" in copyright


def test_pip_installs_the_wheel_and_removes_all_of_it(packages, tmp_path):
    with with_pip(packages[2], tmp_path / "an environment") as place:
        assert subprocess.run([place / "bin/pawl", "--version"], capture_output=True, text=True).stdout == f"pawl {VERSION}\n"
        assert (place / "share/man/man1/pawl.1").is_file()
        # It starts from elsewhere too, as pipx links it, and with the SQLite of the wheel.
        (tmp_path / "pawld").symlink_to(place / "bin/pawld")
        loaded = subprocess.run([tmp_path / "pawld", "--sqlite"], check=True, capture_output=True, text=True, env={"LD_DEBUG": "libs"})
        assert re.fullmatch(r"3[\d.]+\n", loaded.stdout)
        started, = re.findall(r"calling init: (.*libsqlite3.*)", loaded.stderr)
        assert os.path.samefile(started, place / "lib/pawl/libsqlite3.so.0")


# Those that are released

released = pytest.mark.skipif(not all(os.access(RELEASE / name, os.X_OK) for name in ("pawl", "pawld")), reason="the release programs are not built")


@pytest.fixture(scope="module")
def released_packages(tmp_path_factory):
    return package(RELEASE, tmp_path_factory.mktemp("released") / "out")


def without_proxies(home):
    return {**{name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}, "HOME": str(home)}


@pytest.mark.slow
@released
def test_the_release_programs_resume_and_serve_from_their_wheel(released_packages, tmp_path, files, start):
    wheel = released_packages[2]
    # Ubuntu 22.04 and Debian 12 have that or a newer one.
    assert int(re.search(r"manylinux_2_(\d+)_", wheel.name)[1]) <= 35
    with with_pip(wheel, tmp_path / "an environment") as place:
        body = content(8 << 20)
        url = files.add("/file", body)
        command = [place / "bin/pawl", url, "--checksum", hashlib.sha256(body).hexdigest()]
        at = {"cwd": tmp_path, "env": without_proxies(tmp_path)}

        # Killed with 5 MiB of 8; the bytes are journaled half a second after they came.
        files.hold("/file", 5 << 20)
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, **at) as process:
            wait_until(lambda: (tmp_path / "file.part").exists() and (tmp_path / "file.part").stat().st_blocks * 512 > 4 << 20)
            time.sleep(3)
            process.kill()
        files.release("/file")
        before = files.sent_of("/file")
        subprocess.run(command, check=True, **at)
        assert (tmp_path / "file").read_bytes() == body and not (tmp_path / "file.part").exists()
        assert files.sent_of("/file") - before < len(body) / 2

        # The command finds the service, and the service its SQLite.
        service = start(starts=False)
        _, *options = service.command()
        service.command = lambda: [place / "bin/pawl", "serve", *options]
        service.start()
        assert os.path.samefile(f"/proc/{service.process.pid}/exe", place / "bin/pawld")
        assert f"{place}/lib/pawl/libsqlite3.so.0" in pathlib.Path(f"/proc/{service.process.pid}/maps").read_text()
        client = service.client()
        assert client.wait_for(client.add({"url": url})["id"], "completed")["bytes"] == len(body)
        service.kill()


@pytest.mark.slow
@released
@pytest.mark.parametrize("words", [["pipx", "run", "--spec"], ["uvx", "--from"]], ids=lambda words: words[0])
def test_the_release_programs_run_from_their_wheel_without_being_installed(words, released_packages, tmp_path, files):
    program = ROOT / ".build/python/bin" / words[0]
    if not program.exists():
        pytest.skip(f"{words[0]} is not there: pip install -r Tests/ServiceTests/requirements.txt")
    body = content(1 << 20)
    url = files.add("/file", body)
    places = {name: str(tmp_path / name.lower()) for name in ("PIPX_HOME", "UV_CACHE_DIR", "UV_TOOL_DIR")}
    at = {"cwd": tmp_path, "env": {**os.environ, **places, "UV_PYTHON": "/usr/bin/python3", "NO_PROXY": "*"}, "check": True}
    run = [program, *words[1:], released_packages[2]]
    subprocess.run([*run, "pawl", url, "--checksum", hashlib.sha256(body).hexdigest()], **at)
    assert (tmp_path / "file").read_bytes() == body
    served = subprocess.run([*run, "pawl", "serve", "--help"], capture_output=True, text=True, **at)
    assert "USAGE: pawld" in served.stdout, served


@pytest.mark.slow
@released
def test_the_release_programs_in_their_package_need_nothing_of_swift(released_packages, tmp_path):
    tarball, debian, _ = released_packages
    version = subprocess.run([RELEASE / "pawl", "--version"], check=True, capture_output=True, text=True).stdout
    assert control(debian)["Version"] == version.split()[1]
    needed = {field.split()[0] for field in control(debian)["Depends"].split(", ")}
    assert {"libc6", "libarchive13", "libexpat1", "libsqlite3-0"} <= {re.sub("t64$", "", name) for name in needed}
    assert not [name for name in needed if "swift" in name or "foundation" in name.lower()]
    for tree in unpacked(tarball, debian, tmp_path):
        command, = tree.glob("**/bin/pawl")
        assert subprocess.run([command, "--version"], capture_output=True, text=True, env={}).stdout == version
        service = subprocess.run([command, "serve", "--help"], capture_output=True, text=True, env={})
        assert "USAGE: pawld" in service.stdout, service
