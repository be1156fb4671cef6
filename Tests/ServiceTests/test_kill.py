"""The service is killed at random moments while clients use it. What it accepted is there afterwards, once, and every file is right.

    python -m pytest Tests/ServiceTests/test_kill.py --kills 200
    python -m pytest Tests/ServiceTests/test_kill.py --kill-seed 1234     # what clients ask for and when the service is killed, again
"""

import hashlib
import http.client
import json
import random
import threading
import time
import uuid

from client import wait_until
from eventreader import settled
from fileserver import content

SMALL, LARGE = 40, 4
GONE = (OSError, http.client.HTTPException)


class Files:
    """What the clients may ask for: many small files, and some that take a while."""

    def __init__(self, server):
        self.server = server
        self.bodies = {f"/small{index}": content(random.Random(index).randrange(1, 60_000), index) for index in range(SMALL)}
        self.bodies |= {f"/large{index}": content(6 << 20, index) for index in range(LARGE)}
        self.paths = list(self.bodies)
        for path, body in self.bodies.items():
            server.add(path, body, rate=4 << 20 if path.startswith("/large") else None)


class Asker(threading.Thread):
    """One client: adds with ids of its own, pauses, resumes, removes. A call that was not answered is sent again until it is."""

    def __init__(self, number, seed, service, files):
        super().__init__(daemon=True)
        self.random = random.Random(f"{seed} {number}")
        self.number, self.service, self.files = number, service, files
        self.jobs, self.removed = {}, set()
        self.is_done = threading.Event()
        self.failure = None

    def run(self):
        try:
            while not self.is_done.is_set():
                self.act()
        except Exception as error:
            self.failure = error

    def act(self):
        mine = [id for id in self.jobs if id not in self.removed]
        choice = self.random.random()
        if choice < 0.5 or not mine:
            self.add([self.new_job() for _ in range(self.random.choice([1, 1, 1, 2, 10]))])
        elif choice < 0.9:
            self.ask("POST", f"/downloads/{self.random.choice(mine)}/{self.random.choice(['pause', 'resume', 'resume'])}", {200, 409})
        else:
            id = self.random.choice(mine)
            files = self.random.choice(["keep", "delete"])
            # The first answer may have been lost: then it is already gone.
            self.ask("DELETE", f"/downloads/{id}?files={files}", {204, 404})
            self.removed.add(id)

    def new_job(self):
        id = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        path = self.random.choice(self.files.paths)
        return {"id": id, "url": self.files.server.origin + path, "file": f"{id}.bin", "paused": self.random.random() < 0.2}

    def add(self, jobs):
        body = jobs[0] if len(jobs) == 1 else jobs
        answer = self.ask("POST", "/downloads", {200, 201}, body)
        if len(jobs) > 1:
            assert {one["status"] for one in answer.json} <= {200, 201}, answer
        self.jobs.update((job["id"], job) for job in jobs)

    def ask(self, method, path, statuses, body=None):
        """Until it is answered. 503 is the answer of a service that is about to stop."""
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            try:
                answer = self.service.local(timeout=60).call(method, path, body)
            except GONE:
                # The service is away; it comes back.
                time.sleep(0.01)
                continue
            if answer.status != 503:
                assert answer.status in statuses, f"{method} {path}: {answer}"
                return answer
        raise AssertionError(f"no answer to {method} {path}")


def test_kill_9_loses_no_job_doubles_none_and_every_file_is_right(service, files, read, request):
    kills = request.config.getoption("--kills")
    seed = request.config.getoption("--kill-seed") or random.randrange(1 << 30)
    print(f"--kill-seed {seed}")
    moments = random.Random(seed)
    offered = Files(files)
    service.local().patch("/settings", {"maximumRunning": 8})
    readers = [read(service.local(), with_list=True) for _ in range(2)]
    askers = [Asker(number, seed, service, offered) for number in range(3)]
    for asker in askers:
        asker.start()
    for _ in range(kills):
        # A random moment is the point here; nothing is waited for.
        time.sleep(moments.choice([0.02, 0.1, 0.5, 1.5]) * moments.random())
        service.kill()
        check_final_names(service, offered)
        service.start()
        assert not [one.failure for one in askers if one.failure]
    for asker in askers:
        asker.is_done.set()
    for asker in askers:
        asker.join(400)
        assert not asker.failure, asker.failure
    finish(service)
    check_list(service, askers)
    check_files(service, askers, offered)
    for reader in readers:
        check_reader(service, reader)
    print(f"{kills} kills, {sum(len(one.jobs) for one in askers)} jobs, {sum(len(one.removed) for one in askers)} removed")


def finish(service):
    client = service.local()

    def is_settled():
        counts = client.page()["counts"]
        for action, state in (("resume", "paused"), ("resume", "waiting"), ("retry", "failed")):
            if counts[state]:
                client.post("/downloads/actions", {"action": action, "filter": {"state": [state]}})
        return not sum(counts[state] for state in ("queued", "running", "waiting", "paused", "failed"))

    wait_until(is_settled, 600, lambda: f"everything to be completed: {failures(client)}")


def failures(client):
    page = client.page(state=["queued", "running", "waiting", "paused", "failed"], limit=20)
    return json.dumps([(one["state"], one["file"], one["error"], one["whyWaiting"]) for one in page["downloads"]]) + str(page["counts"])


def check_list(service, askers):
    listed = [one["id"] for one in service.local().everything(sort="added")[0]]
    assert len(listed) == len(set(listed)), "a download is listed twice"
    accepted = {id for asker in askers for id in asker.jobs if id not in asker.removed}
    removed = {id for asker in askers for id in asker.removed}
    lost, back = accepted - set(listed), removed & set(listed)
    assert not lost, f"lost: {sorted(lost)[:5]} and {len(lost)} in all"
    assert not back, f"removed and listed again: {sorted(back)[:5]}"
    assert set(listed) == accepted, f"never asked for: {set(listed) - accepted}"


def check_final_names(service, offered):
    """With the service dead: a file has its final name only once it is complete, whatever the moment."""
    lengths = {len(body) for body in offered.bodies.values()}
    for path in service.downloads.glob("*.bin"):
        assert path.stat().st_size in lengths, f"{path.name} has {path.stat().st_size} bytes"


def check_files(service, askers, offered):
    expected = {}
    for asker in askers:
        for id, job in asker.jobs.items():
            body = offered.bodies[job["url"].removeprefix(offered.server.origin)]
            expected[f"{id}.bin"] = (id in asker.removed, body)
    digests = {}
    for name, (is_removed, body) in expected.items():
        path = service.downloads / name
        if not path.exists():
            assert is_removed, f"{name} is missing"
            continue
        digests.setdefault(body, hashlib.sha256(body).digest())
        assert hashlib.sha256(path.read_bytes()).digest() == digests[body], f"{name} has other bytes than the server's file"
    strange = [path.name for path in service.downloads.iterdir() if path.name not in expected and not any(path.name.find(name) >= 0 for name in expected)]
    assert not strange, f"files that nobody asked for: {strange[:5]}"


def check_reader(service, reader):
    downloads, change = service.local().everything()
    reader.wait_for_change(change)
    listed = {one["id"]: settled(one) for one in downloads}
    told = {id: settled(one) for id, one in reader.downloads.items()}
    assert told.keys() == listed.keys()
    assert not [id for id in listed if told[id] != listed[id]][:3]
