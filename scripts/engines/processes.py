"""Starts, finds and kills processes; the base of all engines."""

import collections
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time


def wait(what, seconds, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"fleet: waited {seconds} s in vain for {what}")
        time.sleep(0.2)


def free_ports(count, address="127.0.0.1"):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind((address, 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def listens(address, port):
    with socket.socket() as probe:
        return probe.connect_ex((address, port)) == 0


def read(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def parent(process):
    """Returns the id of the parent of a process; None if the process has ended."""
    fields = read(pathlib.Path(f"/proc/{process}/stat")).rpartition(b") ")[2].split()
    return int(fields[1]) if fields and fields[0] != b"Z" else None


def processes():
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        yield int(entry.name)


def children(process):
    """Returns the ids of a process and all that it has started, the youngest first."""
    started = collections.defaultdict(list)
    for one in processes():
        started[parent(one)].append(one)
    found, next_ones = [], [process]
    while next_ones:
        found += next_ones
        next_ones = [child for one in next_ones for child in started[one]]
    return found[::-1]


def holders(*variables):
    """Returns the ids of the processes that live and were started with these variables, "NAME=value", in their environment."""
    wanted = {variable.encode() for variable in variables}
    return [
        process for process in processes()
        if wanted <= set(read(pathlib.Path(f"/proc/{process}/environ")).split(b"\0")) and parent(process) is not None]


def programs(ids):
    """Returns those of the processes that are `pawl`."""
    return [process for process in ids if read(pathlib.Path(f"/proc/{process}/comm")).strip() == b"pawl"]


def kill(ids):
    for process in ids:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Engine:
    """A cluster on this machine, whose nodes each have a directory for spools.

    All processes of a node are started with `TMPDIR` set to its spool: that is how those are found that have lost their parent.
    """

    commands = []
    packages = []
    # Addresses of nodes by name; one of those that may die is killed, and one task of another loses what started it.
    nodes = {}
    # Whether it starts tasks by itself, once they are submitted.
    submits = True
    mortal = []
    # Whether a program outlives what started it.
    orphans = False

    def __init__(self, place, program, environment):
        self.place, self.started, self.roots, self.spared = place, [], {}, None
        self.bin = place / "bin"
        self.bin.mkdir()
        (self.bin / "pawl").symlink_to(program)
        python = pathlib.Path(sys.executable).parent
        self.environment = os.environ | environment | {"PATH": f"{self.bin}:{python}:{os.environ['PATH']}"}

    def watch(self, store):
        """Gets the place of the batch, before it begins."""

    def begin(self):
        """Starts the cluster and waits until it takes tasks."""
        raise NotImplementedError

    def submit(self, batch, shards):
        """Has the cluster work through the shards of a batch."""
        raise NotImplementedError

    def spool(self, node):
        return self.place / f"spool-{node}"

    def start(self, words, **variables):
        log = open(self.place / "started.log", "ab")
        process = subprocess.Popen([str(word) for word in words], env=self.environment | variables, stdout=log, stderr=log, cwd=self.place)
        self.started.append(process)
        return process

    def start_on(self, node, words, **variables):
        self.spool(node).mkdir(exist_ok=True)
        self.roots[node] = self.start(words, TMPDIR=str(self.spool(node)), **variables)

    def processes_of(self, node):
        """Returns the ids of all processes of a node. Some programs overwrite their environment, so parents count, too."""
        root = self.roots[node]
        return {*(children(root.pid) if root.poll() is None else []), *holders(f"TMPDIR={self.spool(node)}")}

    def start_driver(self, name, *words, **variables):
        """Starts the program that gives the tasks to the engine, from a file beside this one."""
        script = pathlib.Path(__file__).with_name(name)
        self.driver = self.start([sys.executable, script, *words], **variables)

    def orphan_a_task(self):
        """Kills what started a program on a node that stays, and not the program. Returns how many programs then ran on without it."""
        if not self.orphans:
            return 0
        self.spared, found = self.busy_node(self.nodes)
        starter = parent(found[0])
        kill([starter])
        wait("the end of what started it", 10, lambda: parent(starter) is None)
        return int(parent(found[0]) is not None)

    def busy_node(self, nodes):
        """Waits until one of the nodes has programs, and returns it and them."""
        found = []

        def find():
            found[:] = [(node, ids) for node in nodes if (ids := programs(self.processes_of(node)))]
            return found or self.is_done()

        wait(f"a program on one of {', '.join(nodes)}", 60, find)
        if not found:
            sys.exit("fleet: the tasks ended before a node could die")
        return found[0]

    def kill_node(self):
        """Kills a node with everything on it; what was on its disk is gone. Returns how many tasks it had."""
        victim, lost = self.busy_node([node for node in self.mortal if node != self.spared])
        while found := self.processes_of(victim):
            kill(found)
        shutil.rmtree(self.spool(victim), ignore_errors=True)
        return len(lost)

    def is_done(self):
        return self.driver.poll() is not None

    def problem(self):
        """Returns what the engine says about tasks that failed for good; None if none did."""
        return f"the driver ended with {self.driver.returncode}" if self.driver.returncode else None

    def twins(self):
        """Returns how many tasks the engine started a second time while the first ran."""
        return 0

    def logs(self):
        return "".join(path.read_text(errors="replace") for path in [self.place / "started.log", *sorted(self.place.rglob("stderr"))])

    def close(self):
        for process in reversed(self.started):
            kill(children(process.pid))
            process.wait()
        for node in self.roots:
            while found := self.processes_of(node):
                kill(found)
