"""No engine: programs that are started for shards, twice at times, and killed at any moment, with their spools or without."""

import gzip
import hashlib
import json
import random
import shutil
import signal
import subprocess
import time

from engines.processes import Engine


class Kills(Engine):
    submits = False
    # How often programs are killed, and how often one is started beside another of its shard.
    kills, pairs = 100, 50

    def __init__(self, place, program, environment):
        super().__init__(place, program, environment)
        self.random = random.Random(20261130)
        self.tasks, self.killed, self.paired, self.failures = [], 0, 0, []
        self.known = {}

    def begin(self):
        pass

    def watch(self, store):
        self.store = store

    def submit(self, batch, shards):
        self.batch, self.shards = batch, shards

    def start_task(self, shard, spool):
        spool.mkdir(parents=True, exist_ok=True)
        log = open(self.place / "started.log", "ab")
        process = subprocess.Popen(
            [self.bin / "pawl", "work", self.batch, "--index", str(shard), "-q"], env=self.environment | {"TMPDIR": str(spool)}, stdout=log,
            stderr=log)
        self.tasks.append((process, shard, spool))

    def look(self, again=False):
        """Finds manifests that have changed, or that have no data; that of manifests seen before is looked at in the end only."""
        seen = set() if again else set(self.known)
        for key in self.store.keys("manifests/"):
            text = self.store.read(key)
            if self.known.setdefault(key, text) != text:
                self.failures.append(f"{key} has changed")
        for key, text in self.known.items():
            for line in [] if key in seen else gzip.decompress(text).splitlines():
                entry = json.loads(line)
                if "data" in entry and hashlib.sha256(self.store.read(entry["data"])).hexdigest() != entry["sha256"]:
                    self.failures.append(f"{entry['data']} is not what {key} says")

    def kill_node(self):
        done = set()
        last = time.monotonic()
        while (self.killed < self.kills or self.paired < self.pairs) and not self.failures:
            for process, shard, spool in list(self.tasks):
                if process.poll() is not None:
                    self.tasks.remove((process, shard, spool))
                    if process.returncode == 0:
                        done.add(shard)
                    elif process.returncode > 0:
                        self.failures.append(f"a task ended with {process.returncode}")
            running = [shard for _, shard, _ in self.tasks]
            # All again, once all is done: a finished batch has to stand it as well.
            open_shards = [shard for shard in range(self.shards) if shard not in done] or list(range(self.shards))
            if len(running) < 6:
                shard = self.random.choice(open_shards)
                self.paired += shard in running
                # Tasks of one shard share a spool's directory, or are on two machines.
                self.start_task(shard, self.place / f"spool-{self.random.choice(['a', 'b'])}")
            if self.tasks and self.random.random() < 0.6:
                process, shard, spool = self.random.choice(self.tasks)
                process.send_signal(signal.SIGKILL)
                process.wait()
                self.killed += 1
                others = [one for one, _, other in self.tasks if other == spool and one is not process]
                if not others and self.random.random() < 0.2:
                    shutil.rmtree(spool, ignore_errors=True)
            time.sleep(self.random.random() * 0.3)
            if time.monotonic() - last > 10:
                self.look()
                last = time.monotonic()
        for process, _, _ in self.tasks:
            process.kill()
            process.wait()
        self.killed += len(self.tasks)
        self.tasks = []
        for shard in range(self.shards):
            self.start_task(shard, self.place / "spool-a")
        return self.killed

    def is_done(self):
        return bool(self.tasks) and all(process.poll() is not None for process, _, _ in self.tasks)

    def problem(self):
        self.look(again=True)
        bad = [process.returncode for process, _, _ in self.tasks if process.returncode]
        return "; ".join(self.failures + [f"a task ended with {code}" for code in bad]) or None

    def twins(self):
        return self.paired

    def close(self):
        for process, _, _ in self.tasks:
            process.kill()
            process.wait()
