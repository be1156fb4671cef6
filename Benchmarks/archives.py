"""The races of archives, for scripts/race: unpacking beside unzip and bsdtar, and members of a zip on a server beside the whole."""

import base64
import os
import pathlib
import random
import shutil
import subprocess
import tempfile
import time
import zipfile

GIB = 1 << 30
LINK_RATE = 20_000_000
MEMBERS = 4096
WANTED = f"data/{MEMBERS // 2:04}.bin"


class Extract:
    """A zip of 1 GiB: texts that compress well, texts that do so a little, and bytes that do not; large files and small ones."""

    name = "extract"
    title = "unpacking a zip of 1 GiB"
    sizes = {"extract.zip": 2 * GIB}
    size = 0

    def make(self, content):
        chance = random.Random(1)
        lines = "".join(f"{n} {chance.getrandbits(40):x} GET /{chance.getrandbits(16)}/index.html 200 {chance.getrandbits(12)}\n" for n in range(200_000))
        log = lines.encode()
        with zipfile.ZipFile(content / "extract.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for number in range(40):
                archive.writestr(f"large/{number:02}.txt", base64.b64encode(os.urandom(16 << 20)))
            for number in range(20):
                archive.writestr(f"logs/{number:02}.log", log)
            for number in range(12):
                archive.writestr(zipfile.ZipInfo(f"bytes/{number:02}.bin"), os.urandom(16 << 20), zipfile.ZIP_STORED)
            for number in range(3000):
                archive.writestr(f"small/{number % 100:02}/{number:04}.txt", base64.b64encode(os.urandom(20_000)))
        with zipfile.ZipFile(content / "extract.zip") as archive:
            self.size = sum(info.file_size for info in archive.infolist())

    def section(self, race, server, content, rounds, directory):
        archive = str(content / "extract.zip")
        into = lambda out: f"mkdir {out} && bsdtar -xf {archive} -C {out}"  # noqa: E731
        contestants = {
            "pawl": lambda out: [race.PROGRAM, "extract", "-q", archive, "-d", out],
            "bsdtar": lambda out: ["sh", "-c", into(out)],
            "bsdtar, synced": lambda out: ["sh", "-c", into(out) + f" && sync -f {out}"],
            "unzip": lambda out: ["unzip", "-q", archive, "-d", out],
        }
        results = {name: [] for name in contestants}
        for number in range(rounds):
            order = list(contestants.items())
            order = order[number % len(order) :] + order[: number % len(order)]
            for name, command in order:
                output = pathlib.Path(tempfile.mkdtemp(prefix="output-", dir=directory))
                race.settle_memory(2 * GIB)
                run = race.perform([command(str(output / "out"))], directory)
                left = sum(each.stat().st_size for each in output.rglob("*") if each.is_file())
                if left != self.size:
                    raise SystemExit(f"{name} left {left} bytes instead of {self.size}")
                results[name].append(run)
                shutil.rmtree(output)
                os.sync()  # nobody pays for the writes of the one before
                print(f"  round {number + 1} {name:14} wall {run.wall:7.3f} s  cpu {run.cpu:7.3f} s  peak {run.memory:6.1f} MiB", flush=True)
        scenario = race.Scenario(
            self.name, self.title, "", "", 0, contestants, [race.Target("wall", "bsdtar", 1.1)],
            note=f"{os.path.getsize(archive) / GIB:.2f} GiB become {self.size / GIB:.2f} GiB in 3,072 files. Pawl syncs them before the directory "
            "gets its name; the others sync nothing, but for bsdtar where it is said.")  # fmt: skip
        return race.table(scenario, results)


class Member:
    """A zip64 archive of 4 GiB on a server at the other end of a link of 20 MB/s."""

    name = "member"
    title = "a zip of 4 GiB over 20 MB/s: its list, and one member of 1 MiB"
    sizes = {"member.zip": 5 * GIB}

    def make(self, content):
        with zipfile.ZipFile(content / "member.zip", "w", zipfile.ZIP_STORED) as archive:
            for number in range(MEMBERS):
                archive.writestr(zipfile.ZipInfo(f"data/{number:04}.bin"), os.urandom(1 << 20))

    def section(self, race, server, content, rounds, directory):
        url = f"http://127.0.0.1:{server.link}/member.zip"
        length = os.path.getsize(content / "member.zip")
        with zipfile.ZipFile(content / "member.zip") as archive:
            wanted = archive.read(WANTED)
            directory_length = length - archive.start_dir
        contestants = {
            "the list": (lambda out: [race.PROGRAM, "list", url], rounds),
            "one member": (lambda out: [race.PROGRAM, "get", "-q", "--member", WANTED, "-o", out, url], rounds),
            # Once: it takes minutes, and they are the link's.
            "the whole, by curl": (lambda out: ["curl", "-q", "-sS", "-f", "-o", out, url], 1),
        }
        lines = ["| | wall s | (least – most) | CPU s | peak MiB | bytes sent |", "|---|---:|---:|---:|---:|---:|"]
        most = len(wanted) + directory_length + (128 << 10)
        verdict = ""
        for name, (command, times) in contestants.items():
            runs, sent = [], []
            for _ in range(times):
                output = pathlib.Path(tempfile.mkdtemp(prefix="output-", dir=directory))
                before = server.sent()
                runs.append(race.perform([command(str(output / "file"))], directory))
                time.sleep(0.2)  # the server writes its log when the connection is done
                sent.append(server.sent() - before)
                if name == "one member" and (output / "file").read_bytes() != wanted:
                    raise SystemExit("the member has other bytes")
                shutil.rmtree(output)
                print(f"  {name:20} wall {runs[-1].wall:8.3f} s  sent {sent[-1]:13,}", flush=True)
            walls = [run.wall for run in runs]
            lines.append(
                f"| {name} | {race.median(runs, 'wall'):.2f} | {min(walls):.2f} – {max(walls):.2f} | {race.median(runs, 'cpu'):.2f} "
                f"| {race.median(runs, 'memory'):.1f} | {max(sent):,} |")  # fmt: skip
            if name == "one member":
                reached = "reached" if max(sent) <= most else "**missed**"
                verdict = f"| bytes sent ≤ the member, the directory ({directory_length:,}) and 128 KiB: {most:,} | {max(sent):,} | {reached} |"
        note = "The link is nginx's `limit_rate`, which holds for each connection, and one is used. Bytes are those of bodies."
        return "\n".join(lines + ["", "| target | measured | |", "|---|---:|---|", verdict, "", note])


SCENARIOS = [Extract(), Member()]
