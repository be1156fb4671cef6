"""Spark: a master and three workers of its standalone mode, each on an address of its own."""

import json

from engines.processes import Engine, free_ports, listens, wait


class Spark(Engine):
    commands = ["java"]
    packages = ["pyspark"]
    # The second copy of a task is never on the node of the first, so two have to be left when one has died.
    nodes = {"n1": "127.0.0.3", "n2": "127.0.0.4", "n3": "127.0.0.5"}
    mortal, orphans = list(nodes), True
    head = "127.0.0.2"

    def __init__(self, place, program, environment):
        super().__init__(place, program, environment)
        self.history = place / "history"
        self.history.mkdir()
        # Java forgets files in /tmp when it is killed.
        self.environment["JDK_JAVA_OPTIONS"] = f"-Djava.io.tmpdir={place} -XX:-UsePerfData"

    def begin(self):
        port, = free_ports(1, self.head)
        self.master = f"spark://{self.head}:{port}"
        self.start(
            ["spark-class", "org.apache.spark.deploy.master.Master", "--host", self.head, "--port", port, "--webui-port", "0"],
            SPARK_LOCAL_IP=self.head)
        wait("the master of Spark", 60, lambda: listens(self.head, port))
        for node, address in self.nodes.items():
            self.start_on(
                node, [
                    "spark-class", "org.apache.spark.deploy.worker.Worker", "--host", address, "--webui-port", "0", "--cores", "2",
                    "--memory", "1g", "--work-dir", self.spool(node) / "work", self.master],
                SPARK_LOCAL_IP=address, SPARK_LOCAL_DIRS=f"{self.spool(node)}/local")

    def submit(self, batch, shards):
        self.start_driver("spark_driver.py", self.master, self.head, batch, shards, self.history, SPARK_LOCAL_IP=self.head)

    def twins(self):
        starts = [
            event for path in self.history.rglob("*") if path.is_file()
            for event in map(json.loads, path.read_text().splitlines()) if event["Event"] == "SparkListenerTaskStart"]
        return sum(event["Task Info"]["Speculative"] for event in starts)
