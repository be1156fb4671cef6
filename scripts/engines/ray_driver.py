"""Gives the shards of a batch to Ray, by the recipe of docs/fleet.md.

  ray_driver.py ADDRESS NODE BATCH SHARDS
"""

import subprocess
import sys

import ray

address, node, batch, shards = sys.argv[1:]


class Again(Exception):
    pass


class Never(Exception):
    pass


@ray.remote(num_cpus=1, max_retries=20, retry_exceptions=[Again], scheduling_strategy="SPREAD")
def work(index):
    code = subprocess.run(["pawl", "work", batch, "--index", str(index)]).returncode
    if code in (64, 65, 73):
        raise Never(code)
    if code:
        raise Again(code)


ray.init(address=address, _node_ip_address=node)
ray.get([work.remote(index) for index in range(int(shards))])
