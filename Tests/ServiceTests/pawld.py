"""The service as a program: how it is started, where it keeps things, how it is stopped."""

import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from client import Client, wait_until
from contract import ROOT

PROGRAM = os.environ.get("PAWLD", str(ROOT / ".build/debug/pawld"))
COMMAND = os.environ.get("PAWL", str(ROOT / ".build/debug/pawl"))


def candidates():
    """Ports that no other process of this run of the tests tries, below those that the system gives away."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    while True:
        yield from range(20_000 + worker * 2_000, 22_000 + worker * 2_000)


PORTS = candidates()


def free_port():
    """A port that is free on both loopback addresses."""
    while True:
        port = next(PORTS)
        with socket.socket() as first:
            try:
                first.bind(("127.0.0.1", port))
            except OSError:
                continue
            if not has_ipv6():
                return port
            with socket.socket(socket.AF_INET6) as second:
                try:
                    second.bind(("::1", port))
                    return port
                except OSError:
                    continue


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


class Service:
    """One service with directories of its own. It may be killed and started again; its state stays."""

    def __init__(self, *options, program=PROGRAM, root=True, environment=None):
        # Short, because the path of a unix socket has at most 107 bytes.
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="pawld-")).resolve()
        self.downloads = self.home / "downloads"
        self.state, self.runtime, self.config = self.home / "state", self.home / "run", self.home / "config"
        for directory in (self.downloads, self.state, self.runtime, self.config):
            directory.mkdir(mode=0o700)
        self.program, self.options = program, [str(option) for option in options]
        self.port = free_port()
        self.environment = environment or {}
        self.process = None
        self.log_path = self.home / "log"

    # The one place that knows how the program is started.

    def command(self):
        return [self.program, "--port", str(self.port), "--directory", str(self.downloads), *self.options]

    def variables(self):
        kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        own = {"HOME": self.home, "XDG_STATE_HOME": self.state, "XDG_RUNTIME_DIR": self.runtime, "XDG_CONFIG_HOME": self.config}
        return {**kept, **{name: str(value) for name, value in own.items()}, **self.environment}

    @property
    def socket_path(self):
        return self.runtime / "pawl/pawl.sock"

    @property
    def token_path(self):
        return self.state / "pawl/token"

    @property
    def database_path(self):
        return self.state / "pawl/jobs.sqlite"

    @property
    def token(self):
        return self.token_path.read_text().strip()

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self):
        return ("127.0.0.1", self.port)

    # Clients.

    def client(self, **more):
        """Over TCP, with the token."""
        return Client(self.address, self.token, **more)

    def stranger(self, **more):
        """Over TCP, without a token."""
        return Client(self.address, **more)

    def local(self, **more):
        """Over the unix socket, where no token is needed."""
        return Client(self.socket_path, **more)

    def pawl(self, *arguments, **more):
        """What the command says that stands beside this service."""
        environment = {**self.variables(), **more}
        return subprocess.run([COMMAND, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=120)

    # Life.

    def start(self, *, is_ready=True, seconds=120):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.command(), env=self.variables(), cwd=self.home, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if is_ready:
            wait_until(self.answers, seconds, lambda: f"the service to answer:\n{self.log[-4000:]}")
        return self

    def answers(self):
        assert self.process.poll() is None, f"{' '.join(self.command())} ended with {self.process.returncode}:\n{self.log[-4000:]}"
        try:
            return self.stranger().call("GET", "/healthz").status == 200 and self.local().call("GET", "/healthz").status == 200
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self):
        """SIGTERM; how many seconds it took to end, and the exit code."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        return time.monotonic() - began, code

    def restart(self, *, kills=True):
        self.kill() if kills else self.terminate()
        return self.start()

    def close(self):
        """Ends the service. It must not have ended by itself."""
        if self.process is not None:
            code = self.process.poll()
            if code is None:
                self.kill()
            assert code is None or code in (0, -signal.SIGKILL, -signal.SIGTERM), f"the service ended with {code}:\n{self.log[-4000:]}"
        shutil.rmtree(self.home, ignore_errors=True)

    # What it wrote and uses.

    @property
    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def warnings(self, after=0):
        return [line for line in self.log[after:].splitlines() if re.search(r"\bwarning\b", line, re.IGNORECASE)]

    def status(self, name):
        """A figure of /proc/PID/status: VmRSS and VmHWM are kibibytes."""
        return int(re.search(rf"^{name}:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text(), re.MULTILINE)[1])

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))
