"""Ray: a head and two more nodes, each on an address of its own."""

import pathlib
import shutil
import subprocess
import tempfile

from engines.processes import Engine, free_ports, wait


class Ray(Engine):
    packages = ["ray"]
    nodes = {"n1": "127.0.0.2", "n2": "127.0.0.3", "n3": "127.0.0.4"}
    # The head is not replaced.
    mortal, orphans = ["n2", "n3"], True

    def __init__(self, place, program, environment):
        super().__init__(place, program, environment)
        # Ray has sockets in its directory, and names of sockets are short.
        self.state = pathlib.Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))
        self.environment |= {
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_memory_monitor_refresh_ms": "0",
            # By default, a program dies with the worker that started it. Here one of them lives on beside its successor.
            "RAY_process_group_cleanup_enabled": "false",
            # A node that does not answer is dead after three seconds, not fifteen or more.
            "RAY_health_check_initial_delay_ms": "1000",
            "RAY_health_check_period_ms": "1000",
            "RAY_health_check_timeout_ms": "1000",
            "RAY_health_check_failure_threshold": "3",
        }

    def begin(self):
        port, = free_ports(1, self.nodes["n1"])
        self.address = f"{self.nodes['n1']}:{port}"
        self.start_node("n1", "--num-cpus=1", "--head", f"--port={port}", "--include-dashboard=false")
        wait("the head of Ray", 60, lambda: self.count() == 1)
        for node in ("n2", "n3"):
            self.start_node(node, "--num-cpus=2", f"--address={self.address}")
        wait("three nodes", 60, lambda: self.count() == 3)

    def start_node(self, node, *words):
        self.start_on(node, [
            "ray", "start", "--block", f"--node-ip-address={self.nodes[node]}", f"--temp-dir={self.state}/{node}", "--disable-usage-stats",
            "--object-store-memory=80000000", *words])

    def count(self):
        """Returns how many nodes there are."""
        status = subprocess.run(["ray", "status", f"--address={self.address}"], env=self.environment, capture_output=True, text=True)
        return status.stdout.partition("Active:")[2].partition("Pending:")[0].count(" node_")

    def submit(self, batch, shards):
        self.start_driver("ray_driver.py", self.address, self.nodes["n1"], batch, shards)

    def close(self):
        super().close()
        shutil.rmtree(self.state, ignore_errors=True)
