"""Gives the shards of a batch to Spark, by the recipe of docs/fleet.md.

  spark_driver.py MASTER ADDRESS BATCH SHARDS HISTORY
"""

import subprocess
import sys

import pyspark

master, address, batch, shards, history = sys.argv[1:]

settings = {
    "spark.master": master,
    "spark.app.name": "pawl",
    "spark.task.maxFailures": "20",
    "spark.speculation": "true",
    # The rest is about this cluster. Once half of the tasks are done, Spark starts a second copy of each that has run for a third of their time.
    "spark.speculation.quantile": "0.5",
    "spark.speculation.multiplier": "0.3",
    "spark.speculation.efficiency.enabled": "false",
    "spark.driver.host": address,
    "spark.driver.bindAddress": address,
    "spark.executor.cores": "2",
    "spark.executor.memory": "512m",
    "spark.ui.enabled": "false",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.dir": f"file://{history}",
}


def work(index):
    subprocess.run(["pawl", "work", batch, "--index", str(index)], check=True)


sc = pyspark.SparkContext(conf=pyspark.SparkConf().setAll(settings.items()))
sc.parallelize(range(int(shards)), int(shards)).foreach(work)
sc.stop()
