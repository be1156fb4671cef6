"""Compares a batch with what was asked for, by itself and through programs that read such results."""

import collections
import gzip
import hashlib
import io
import json
import os
import tarfile

packages = ["duckdb", "webdataset"]


def manifests(store):
    """Yields the commit and the items of each slice."""
    for key in store.keys("manifests/"):
        head, *items = [json.loads(line) for line in gzip.decompress(store.read(key)).splitlines()]
        yield key, head, items


def check(store, urls, content):
    """Returns what is wrong with the result, in sentences; None if nothing is."""
    seen = collections.Counter()
    for key, head, items in manifests(store):
        data, members = b"", set()
        if "data" in head:
            data = store.read(head["data"])
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                members = set(tar.getnames())
        if (data and hashlib.sha256(data).hexdigest() != head["sha256"]) or len(items) != head["items"]:
            return f"{key} is not what it says"
        for item in items:
            seen[item["url"]] += 1
            path = "/" + item["url"].split("/", 3)[3]
            if item["state"] != "completed":
                return f"{item} has failed"
            found = store.read(item["data"]) if "data" in item else data[item["offset"]:item["offset"] + item["bytes"]]
            if found != content(path) or hashlib.sha256(found).hexdigest() != item["sha256"]:
                return f"{item} is wrong"
            if "member" in item and item["member"] not in members:
                return f"{item['member']} is not in its tar"
    if seen != collections.Counter(urls):
        return f"{len(seen)} of {len(urls)} files, and {sum(count > 1 for count in seen.values())} twice"
    strays = [key for prefix in ("data/", "manifests/", "shards/") for key in store.keys(prefix) if os.path.basename(key).startswith(".")]
    return f"strays: {strays}" if strays else None


def orphans(store):
    """Returns how many data objects no manifest names."""
    named = {entry["data"] for _, head, items in manifests(store) for entry in (head, *items) if "data" in entry}
    return len(set(store.keys("data/")) - named)


def check_with_readers(store, urls, place):
    """Reads the manifests with DuckDB and the tars with WebDataset. Returns what is wrong, in sentences; None if nothing is."""
    import duckdb
    import webdataset

    copy = place / "copy"
    tars = []
    for key, head, _ in manifests(store):
        for name in (key, head["data"]):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes(store.read(name))
        tars.append(str(copy / head["data"]))
    table = f"read_json('{copy}/manifests/*.ndjson.gz', format = 'newline_delimited', union_by_name = true)"
    rows = duckdb.sql(f"select member, sha256 from {table} where state = 'completed'").fetchall()
    promised = duckdb.sql(f"select sum(completed) from {table} where data is not null").fetchall()[0][0]
    digests = dict(rows)
    if not len(rows) == len(digests) == promised == len(urls):
        return f"DuckDB reads {len(rows)} files, {len(digests)} names, {promised} in the commits, of {len(urls)}"
    samples = 0
    for sample in webdataset.WebDataset(tars, shardshuffle=False):
        for extension in sample.keys() - {"__key__", "__url__", "__local_path__"}:
            samples += 1
            if hashlib.sha256(sample[extension]).hexdigest() != digests.get(f"{sample['__key__']}.{extension}"):
                return f"WebDataset reads {sample['__key__']}.{extension} with another digest than DuckDB"
    return None if samples == len(urls) else f"WebDataset reads {samples} of {len(urls)} files"
