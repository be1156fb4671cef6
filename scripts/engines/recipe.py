"""The recipes of docs/fleet.md, for the batch at hand."""

import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/fleet.md"
SHARDS = "200"


def recipe(engine, batch, shards):
    """Returns the program, or the command, that the page gives for an engine."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {engine}\n", 1)[1].split("\n## ", 1)[0]
    text = re.search(r"```(?:python|sh)\n(.*?)```", section, re.DOTALL)[1]
    for place in ("s3://bucket/birds", "/shared/birds"):
        text = text.replace(place, batch)
    return text.replace(f"range({SHARDS})", f"range({shards})").replace(f", {SHARDS})", f", {shards})")
