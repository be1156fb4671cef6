"""Gives the shards of a batch to Spark, by the recipe of docs/fleet.md.

  spark_driver.py MASTER ADDRESS BATCH SHARDS HISTORY
"""

import sys

from pyspark.sql import SparkSession

from recipe import recipe

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

# The recipe gets this session, and what it sets comes too late for it.
session = SparkSession.builder.config(map=settings).getOrCreate()
exec(recipe("Spark", batch, shards))
session.stop()
