"""Slurm: slurmctld and two slurmd on loopback."""

import os
import shlex
import shutil
import socket
import subprocess

from engines.processes import Engine, free_ports, holders, kill, parent, programs, wait
from engines.recipe import recipe


class Slurm(Engine):
    commands = ["slurmctld", "slurmd", "munged", "sbatch"]

    def begin(self):
        place, self.slurmd = self.place, {}
        munge = place / "munge"
        munge.mkdir(mode=0o700)
        key = munge / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.socket = munge / "socket"
        self.start([
            "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.socket}", f"--pid-file={munge}/pid",
            f"--log-file={munge}/log", f"--seed-file={munge}/seed",
        ])
        wait("munge", 20, self.socket.exists)
        host, ports = socket.gethostname().split(".")[0], free_ports(3)
        state = place / "state"
        state.mkdir()
        self.config = place / "slurm.conf"
        nodes = "".join(
            f"NodeName=n{number} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[number]} CPUs=2 State=UNKNOWN\n"
            for number in (1, 2))
        self.config.write_text(f"""
ClusterName=pawl
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={self.socket}
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=10
JobRequeue=1
StateSaveLocation={state}
SlurmdSpoolDir={place}/slurmd-%n
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd-%n.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd-%n.log
{nodes}PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
""")
        self.environment |= {"SLURM_CONF": str(self.config)}
        self.start(["slurmctld", "-D", "-f", str(self.config)])
        for node in ("n1", "n2"):
            self.slurmd[node] = self.start(["slurmd", "-D", "-N", node, "-f", str(self.config)])
        wait("two idle nodes", 60, lambda: self.run("sinfo", "-h", "-o", "%T %D").split() == ["idle", "2"])

    def run(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=True).stdout

    def submit(self, batch, shards):
        words = shlex.split(recipe("Slurm", batch, shards).replace("0-199%50", f"0-{shards - 1}%4"))
        # A spool of its own for each node, which dies with it.
        task = f"export TMPDIR={self.place}/spool-$SLURMD_NODENAME; mkdir -p $TMPDIR; {words.pop()}"
        self.job = self.run(
            *words, task, "--parsable", f"--output={self.place}/task-%a.log", "--open-mode=append", "--export=ALL").strip()

    def kill_node(self):
        tasks = holders("SLURMD_NODENAME=n2", f"SLURM_CONF={self.config}")
        steps = {parent(task) for task in tasks}
        count = len(programs(tasks))
        kill([*(steps - {1, None}), *tasks, self.slurmd["n2"].pid])
        shutil.rmtree(self.spool("n2"), ignore_errors=True)
        return count

    def is_done(self):
        return not self.run("squeue", "-h", "-j", self.job).strip()

    def problem(self):
        return None

    def logs(self):
        return "".join(path.read_text() for path in sorted(self.place.glob("task-*.log")))
