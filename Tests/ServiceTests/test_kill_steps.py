"""The service is killed while archives are unpacked and removed, and while programs run. Each step is done once, and each program is run.

    python -m pytest Tests/ServiceTests/test_kill_steps.py --step-kills 200
    python -m pytest Tests/ServiceTests/test_kill_steps.py --kill-seed 1234
"""

import hashlib
import io
import os
import random
import signal
import time
import zipfile

from client import wait_until
from fileserver import content

MEMBERS = 40
AT_ONCE = 3


def archive(number):
    """A zip that takes a moment to unpack, and what it holds."""
    members = {f"member-{index}.bin": content(20_000, number * MEMBERS + index) for index in range(MEMBERS)}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, body in members.items():
            file.writestr(name, body)
    return buffer.getvalue(), members


def with_hook(start):
    """A service whose program writes a line and takes a while."""
    service = start(starts=False)
    told = service.home / "told"
    script = service.home / "hook"
    script.write_text(f'#!/bin/sh\nsleep 0.05\nprintf "%s %s %s\\n" "$PAWL_ID" "$PAWL_STATUS" "$PAWL_EXTRACTED" >> {told}\n')
    script.chmod(0o755)
    service.options += ["--on-complete", str(script)]
    return service.start(), told


def lines(told):
    return told.read_text().splitlines() if told.exists() else []


def test_P08_P09_kills_between_the_steps_repeat_no_fetch_fail_no_job_and_lose_no_program(start, files, request):
    seed = request.config.getoption("--kill-seed") or random.randrange(1 << 30)
    print(f"--kill-seed {seed}")
    moments = random.Random(seed)
    service, told = with_hook(start)
    # By id: the name, the members, and how many bytes the server had sent when the job was known to be fetched.
    jobs, fetched = {}, {}
    for round in range(request.config.getoption("--step-kills")):
        client = service.local()
        for index in range(AT_ONCE):
            name = f"archive-{round}-{index}"
            body, members = archive(round * AT_ONCE + index)
            files.add(f"/{name}.zip", body)
            jobs[client.add({"url": f"{files.origin}/{name}.zip", "unpacking": {"removesArchive": True}})["id"]] = (name, members)
        # A random moment is the point here; nothing is waited for.
        time.sleep(moments.random() * moments.choice([0.1, 0.4, 1.0]))
        for id in jobs.keys() - fetched.keys():
            one = client.show(id)
            if one["state"] == "completed" or one["step"] == "unpack":
                fetched.setdefault(id, files.sent_of(f"/{jobs[id][0]}.zip"))
        service.kill()
        service.start()
    client = service.local()
    for id in jobs:
        client.wait_for(id, "completed", seconds=300)
    told_of = wait_until(lambda: (found := {line.split()[0] for line in lines(told)}) >= jobs.keys() and found, 120, lambda: f"programs for {jobs.keys() - {line.split()[0] for line in lines(told)}}")
    assert told_of == jobs.keys()
    assert {line.partition(" ")[2] for line in lines(told)} <= {"completed yes", "completed no"}
    for id, (name, members) in jobs.items():
        one = client.show(id)
        assert one["unpacked"] == str(service.downloads / name), one
        stored = {path.name: hashlib.sha256(path.read_bytes()).digest() for path in (service.downloads / name).iterdir()}
        assert stored == {member: hashlib.sha256(body).digest() for member, body in members.items()}, name
    assert sorted(path.name for path in service.downloads.iterdir()) == sorted(name for name, _ in jobs.values()), "archives or second copies are left"
    again = {jobs[id][0]: (sent, files.sent_of(f"/{jobs[id][0]}.zip")) for id, sent in fetched.items() if files.sent_of(f"/{jobs[id][0]}.zip") != sent}
    assert not again, f"fetched again: {again}"


def test_P09_programs_that_waited_for_their_turn_run_after_a_kill(start, files):
    service = start(starts=False)
    told, gate = service.home / "told", service.home / "gate"
    script = service.home / "hook"
    script.write_text(f'#!/bin/sh\nwhile [ ! -e {gate} ]; do sleep 0.05; done\nprintf "%s\\n" "$PAWL_ID" >> {told}\n')
    script.chmod(0o755)
    service.options += ["--on-complete", str(script)]
    service.start()
    client = service.local()
    files.add("/gone", b"", status=404)
    ids = {client.add({"url": files.add(f"/{index}", content(1000, index))})["id"] for index in range(11)}
    ids.add(client.add({"url": f"{files.origin}/gone"})["id"])
    for id in ids:
        client.wait_for(id, {"completed", "failed"})
    # Removed from the history only once its program has run.
    client.patch("/settings", {"historyCount": 0})
    assert set(client.ids()) == ids
    service.kill()
    gate.write_text("")
    service.start()
    wait_until(lambda: set(lines(told)) == ids, 120, lambda: f"the programs: {lines(told)}")
    wait_until(lambda: not service.local().ids(), 60, "the history to be trimmed")


def with_waiting_hook(start):
    """A service whose program says its process id, waits for a file, and writes a line."""
    service = start(starts=False)
    told, gate, begun = service.home / "told", service.home / "gate", service.home / "begun"
    script = service.home / "hook"
    script.write_text(f'#!/bin/sh\necho $$ >> {begun}\nwhile [ -e {script} ] && [ ! -e {gate} ]; do sleep 0.05; done\nprintf "%s\\n" "$PAWL_ID" >> {told}\n')
    script.chmod(0o755)
    service.options += ["--on-complete", str(script)]
    return service, told, gate, begun


def test_P18_a_program_that_is_killed_together_with_the_service_runs_after_the_next_start(start, files):
    """As systemd does with each process of a unit whose KillMode is control-group."""
    service, told, gate, begun = with_waiting_hook(start)
    service.start()
    client = service.local()
    one = client.add({"url": files.add("/one", content(1000))})["id"]
    client.wait_for(one, "completed")
    hook = int(wait_until(lambda: lines(begun), 60, "the program")[0])
    # The program first: the service sees its end before it knows of its own.
    os.kill(hook, signal.SIGTERM)
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(60) == 0
    assert not told.exists()
    gate.write_text("")
    service.start()
    wait_until(lambda: lines(told) == [one], 60, lambda: f"the program: {lines(told)}")


def test_P16_ctrl_c_at_the_terminal_of_the_service_leaves_its_program_alone(start, files):
    service, told, gate, begun = with_waiting_hook(start)
    service.start()
    client = service.local()
    one = client.add({"url": files.add("/one", content(1000))})["id"]
    client.wait_for(one, "completed")
    hook = int(wait_until(lambda: lines(begun), 60, "the program")[0])
    # A terminal sends the signal to a process group.
    assert os.getpgid(hook) == hook != os.getpgid(service.process.pid)
    service.process.send_signal(signal.SIGINT)
    assert service.process.wait(60) == 0
    os.kill(hook, 0)
    gate.write_text("")
    wait_until(lambda: lines(told) == [one], 60, lambda: f"the program: {lines(told)}")
