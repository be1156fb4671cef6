"""Gives the shards of a batch to Ray, by the recipe of docs/fleet.md.

  ray_driver.py ADDRESS NODE BATCH SHARDS
"""

import sys

from recipe import recipe

address, node, batch, shards = sys.argv[1:]
# A cluster on loopback has to be told which node this is.
exec(recipe("Ray", batch, shards).replace("ray.init()", f"ray.init(address={address!r}, _node_ip_address={node!r})"))
