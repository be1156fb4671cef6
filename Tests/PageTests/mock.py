#!/usr/bin/env python3
"""A stand-in for `pawld` that simulates downloads, to develop and test the page without a network.

  Tests/PageTests/mock.py --port 6872                   an empty list; http://127.0.0.1:6872/
  Tests/PageTests/mock.py --scene demo                  downloads in every state
  Tests/PageTests/mock.py --scene many --count 100000   a long list
  Tests/PageTests/mock.py --token secret                requires a login

It answers as docs/api.md describes, for the calls that the page makes, and sends the real Content-Security-Policy. Under /test/
a test steers it: POST /test/step, /test/set, /test/stop, /test/drop.
"""

import argparse
import asyncio
import datetime
import itertools
import json
import pathlib
import re
import time
import uuid

from aiohttp import web

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/PawlServer/Page"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml"}
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
STATES = ["running", "waiting", "queued", "paused", "failed", "completed"]
MIB = 1 << 20


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def later(seconds):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


class Failure(Exception):
    def __init__(self, status, code, detail, hint=None, **more):
        self.body = {"type": f"docs/api.md#{code}", "title": code, "status": status, "detail": detail, "code": code, "hint": hint, **more}


class Service:
    def __init__(self, scene, token, refused):
        self.token, self.refused = token, refused
        self.change = 0
        self.downloads = {}
        self.order = []
        self.problem = None
        self.sorted = {}
        self.readers = set()
        self.instance = uuid.uuid4().hex[:8]
        self.moves = True
        self.starts = False
        self.settings = {
            "change": 0, "maximumRunning": 5, "maximumConnectionsPerHost": 8, "connections": 8, "speedLimit": None, "timetable": None, "limitNow": None, "pausedUntil": None,
            "directory": "/home/ada/Downloads", "roots": ["/home/ada/Downloads"], "ifExists": "rename", "historyDays": None, "historyCount": None,
        }
        scene(self)

    # What is kept.

    def add(self, url, state="queued", **more):
        download = {
            "id": more.pop("id", None) or str(uuid.uuid4()), "change": 0, "state": state, "step": "fetch" if state == "running" else None, "url": re.sub(r"=[^&]*", "=…", url),
            "directory": self.settings["directory"], "file": None, "priority": 0, "position": None, "tag": None, "bytes": 0, "durable": 0, "total": None, "rate": 0,
            "secondsLeft": None, "connections": [], "maxSpeed": None, "speedLimit": None, "whyWaiting": None, "waiting": None, "notStored": [], "error": None, "complete": None, "verified": False,
            "skipped": False, "missing": False, "unpacked": None, "added": now(), "started": None, "ended": None, "files": [],
        }
        download.update(more)
        if state == "running":
            self.connect(download)
        if state in ("completed", "failed"):
            download["ended"] = download["ended"] or now()
        self.downloads[download["id"]] = download
        if state not in ("completed", "failed"):
            self.order.append(download["id"])
        self.changed(download)
        return download

    def connect(self, download, number=4):
        download["started"] = download["started"] or now()
        total, done = download["total"] or 0, download["bytes"]
        share = max(1, (total - done) // number)
        host = download["url"].split("/")[2]
        download["connections"] = [
            {"id": index, "start": max(0, done + index * share - share // (2 + index)) if index else done // 2, "position": done + index * share, "end": done + (index + 1) * share if total else None, "rate": 3 * MIB, "host": host if index % 3 else f"cdn{index}.{host}"}
            for index in range(number if total else 1)
        ]
        download["rate"] = 12 * MIB

    def changed(self, download):
        self.change += 1
        download["change"] = self.change
        self.sorted.clear()
        self.tell("change", self.snapshot(download), self.change)

    def snapshot(self, download):
        if len(self.order) < 2000 and download["id"] in self.order:
            download["position"] = self.order.index(download["id"])
        return download

    def renumber(self):
        for index, id in enumerate(self.order):
            if self.downloads[id]["position"] != index:
                self.downloads[id]["position"] = index
        self.sorted.clear()

    def counts(self):
        counts = dict.fromkeys(STATES, 0)
        for download in self.downloads.values():
            counts[download["state"]] += 1
        return counts

    def stats(self):
        running = [one for one in self.downloads.values() if one["state"] == "running"]
        return {
            "counts": self.counts(), "rate": sum(one["rate"] for one in running), "limitNow": self.settings["limitNow"], "pausedUntil": self.settings["pausedUntil"], "connections": sum(len(one["connections"]) for one in running),
            "fetched": 0, "freeBytes": 214 << 30, "started": now(), "problem": self.problem,
        }

    def matching(self, states, q, sort):
        key = (tuple(states), q, sort)
        if key not in self.sorted:
            found = list(self.downloads.values())
            if states:
                found = [one for one in found if one["state"] in states]
            if q:
                found = [one for one in found if q.lower() in f"{one['file']}\n{one['url']}\n{one['tag']}".lower()]
            place = {id: index for index, id in enumerate(self.order)}
            keys = {
                "position": lambda one: (0, place[one["id"]], 0) if one["id"] in place else (1, 0, -one["change"]),
                "added": lambda one: one["added"], "name": lambda one: (one["file"] or one["url"]).lower(), "size": lambda one: one["total"] or 0,
                "state": lambda one: STATES.index(one["state"]),
            }
            found.sort(key=keys[sort.lstrip("-")], reverse=sort.startswith("-"))
            self.sorted[key] = found
        return self.sorted[key]

    # What happens.

    def tell(self, event, data, number=None):
        text = f"event: {event}\n" + (f"id: {number}\n" if number is not None else "") + f"data: {json.dumps(data, separators=(',', ':'))}\n\n"
        for queue in self.readers:
            queue.put_nowait(text.encode())

    def step(self, seconds=0.25):
        told = []
        for download in self.downloads.values():
            if download["state"] != "running" or download["step"] != "fetch":
                continue
            self.advance(download, seconds)
            if download["total"] is not None and download["bytes"] >= download["total"]:
                self.complete(download)
            else:
                told.append({key: download[key] for key in ("id", "bytes", "durable", "total", "rate", "secondsLeft", "connections")})
        if told:
            self.tell("progress", told)

    def advance(self, download, seconds):
        wave = 1 + 0.25 * ((time.monotonic() * 1.3 + hash(download["id"]) % 7) % 2 - 1)
        rate = 0
        for connection in download["connections"]:
            connection["rate"] = int(3 * MIB * wave * (1 + connection["id"] % 3 / 4))
            gain = int(connection["rate"] * seconds)
            if connection["end"] is not None:
                gain = min(gain, connection["end"] - connection["position"])
            connection["position"] += gain
            download["bytes"] += gain
            rate += connection["rate"]
        download["connections"] = [one for one in download["connections"] if one["end"] is None or one["position"] < one["end"]]
        if download["total"] is not None and not download["connections"]:
            download["bytes"] = download["total"]
        download["durable"] = max(0, download["bytes"] - 8 * MIB)
        download["rate"] = rate
        download["secondsLeft"] = -(-(download["total"] - download["bytes"]) // rate) if download["total"] is not None and rate else None

    def complete(self, download):
        download.update(state="completed", step=None, bytes=download["total"], durable=download["total"], rate=0, secondsLeft=None, connections=[], complete=True, ended=now(), position=None)
        self.order.remove(download["id"])
        self.changed(download)
        self.fill()

    def fill(self):
        if not self.starts:
            return
        running = sum(self.downloads[id]["state"] == "running" for id in self.order)
        for id in self.order:
            if running >= self.settings["maximumRunning"]:
                return
            if self.downloads[id]["state"] == "queued":
                running += 1
                self.start(self.downloads[id])

    def start(self, download):
        if download["total"] is None:
            download["total"] = 40 * MIB
            download["file"] = download["file"] or download["url"].split("?")[0].rsplit("/", 1)[-1]
        download.update(state="running", step="fetch", waiting=None, whyWaiting=None, error=None)
        self.connect(download)
        self.changed(download)

    # Actions.

    def find(self, id):
        if id not in self.downloads:
            raise Failure(404, "unknownDownload", f"There is no download {id}.", "It may have been removed.")
        return self.downloads[id]

    def act(self, id, action, body):
        download = self.find(id)
        state = download["state"]
        if action == "remove":
            del self.downloads[id]
            if id in self.order:
                self.order.remove(id)
            self.change += 1
            self.sorted.clear()
            self.tell("removed", {"id": id}, self.change)
        elif action == "prioritize":
            self.place(id, body["position"])
        elif state == "completed" and action in ("pause", "resume", "retry"):
            raise Failure(409, "alreadyCompleted", "The download is complete.")
        elif action == "pause" and state != "paused":
            if state == "failed":
                raise Failure(409, "alreadyCompleted", "The download has failed; retry it.")
            download.update(state="paused", step=None, rate=0, secondsLeft=None, connections=[], waiting=None, whyWaiting=None)
            self.changed(download)
        elif action in ("resume", "retry") and state in ("paused", "waiting", "failed"):
            if id not in self.order:
                self.order.append(id)
            download.update(ended=None)
            self.start(download)
        return download

    def place(self, id, position):
        if id not in self.order:
            raise Failure(409, "alreadyCompleted", "The download has ended.")
        index = self.order.index(id)
        self.order.remove(id)
        if isinstance(position, dict):
            if "by" in position:
                index = max(0, index + position["by"])
            else:
                (side, other), = position.items()
                index = self.order.index(other) + (side == "after")
        else:
            index = {"top": 0, "bottom": len(self.order)}.get(position, position)
        self.order.insert(index, id)
        self.renumber()
        self.changed(self.downloads[id])

    def add_job(self, job):
        copied = re.search(r"https?://[^\s'\"]+", job.get("curl", ""))
        url = job.get("url") or job.get("metalink") or (copied[0] if copied else "")
        if not re.match(r"https?://[^/?#]+", url):
            raise Failure(422, "invalidValue", f"“{url}” is not an http or https URL.", fields=["url"])
        if "refused" in url:
            raise Failure(409, "targetInUse", "Another download writes to this file.", "Choose another name.")
        for download in self.downloads.values():
            if download["url"] == url and download["state"] != "completed":
                return 200, download
        directory = job.get("directory") or self.settings["directory"]
        download = self.add(url, "paused" if job.get("paused") else "queued", id=job.get("id"), directory=directory, file=job.get("file"), tag=job.get("tag"))
        self.fill()
        return 201, download


# Scenes: what the service begins with.

def empty(service):
    service.starts = True


def demo(service):
    one = lambda path: f"https://downloads.example.org/{path}"
    service.add(one("debian/debian-13.1.0-amd64-DVD-1.iso"), "running", file="debian-13.1.0-amd64-DVD-1.iso", total=3_900_000_000, bytes=1_637_000_000, tag="linux")
    service.add(one("corpus/wikipedia-en-2026-03.xml.zst"), "running", file="wikipedia-en-2026-03.xml.zst", total=24_300_000_000, bytes=5_100_000_000)
    service.add(one("stream/live.ts"), "running", file="live.ts", total=None, bytes=81_000_000)
    service.add("https://mirror.example.net/tex/texlive2026.iso", "waiting", file="texlive2026.iso", total=6_100_000_000, bytes=2_400_000_000,
                waiting={"code": "hostRests", "host": "mirror.example.net", "seconds": 95, "until": later(95)}, whyWaiting="No requests to mirror.example.net for 95 s.")
    service.add(one("photos/2025-summer.zip"), "paused", file="Summer 2025, the whole album with raw files.zip", total=1_260_000_000, bytes=806_000_000)
    service.add(one("models/voices-large.tar.gz"), "queued", file="voices-large.tar.gz", total=980_000_000)
    service.add(one("maps/europe.osm.pbf"), "queued")
    service.add(one("old/manual.pdf"), "failed", file="manual.pdf", bytes=0, error={
        "code": "notFound", "message": "https://downloads.example.org/old/manual.pdf does not exist on the server (404).", "hint": "Check the URL in a browser, or add another source.",
        "remedies": ["checkURL", "addSource"], "recovery": "giveUp", "step": "fetch"})
    service.add(one("fedora/Fedora-Workstation-44.iso"), "completed", file="Fedora-Workstation-44.iso", total=2_480_000_000, bytes=2_480_000_000, complete=True, verified=True, started=now())
    service.add(one("books/the-art-of-resuming.epub"), "completed", file="the-art-of-resuming.epub", total=4_810_000, bytes=4_810_000, complete=True, started=now())
    service.add(one("video/lecture.mp4"), "completed", file="lecture-07.mp4", total=733_000_000, bytes=733_000_000, complete=True, missing=True, started=now())
    service.renumber()


def hostile(service):
    service.add("https://example.org/x", "running", file="<img src=x onerror=\"document.title='owned'\"><b>bold</b>.iso", total=500 * MIB, bytes=100 * MIB)
    service.add("javascript:alert(1)", "failed", file="\u202egnp.exe", error={
        "code": "custom", "message": "<script>document.title='owned'</script> said the server", "hint": "<b>no</b>", "remedies": [], "recovery": "giveUp", "step": "fetch"})
    service.renumber()


def many(service, count=100_000):
    service.tell = lambda *_: None
    states = itertools.cycle(["completed"] * 6 + ["queued"] * 12 + ["paused"] + ["failed"])
    error = {"code": "network", "message": "downloads.example.org cannot be reached.", "hint": "Check the network.", "remedies": ["checkNetwork"], "recovery": "retryAfter", "step": "fetch"}
    for index in range(3):
        service.add(f"https://downloads.example.org/big/{index}.iso", "running", file=f"dataset-{index:06}.tar", total=900_000_000_000, bytes=4_000_000_000 + index)
    for index in range(count - 3):
        state = next(states)
        size = 1_000_000 + index * 7919 % 4_000_000_000
        service.add(f"https://downloads.example.org/files/{index:06}.bin", state, file=f"measurement-{index:06}.bin", total=size, bytes=size if state == "completed" else 0,
                    complete=state == "completed" or None, error=error if state == "failed" else None)
    del service.tell
    service.renumber()


SCENES = {"empty": empty, "demo": demo, "hostile": hostile, "many": many}


# HTTP.

def problem(failure):
    return web.Response(body=json.dumps(failure.body), status=failure.body["status"], content_type="application/problem+json")


@web.middleware
async def guard(request, handler):
    service = request.app["service"]
    try:
        path = request.path.removeprefix(request.app["prefix"])
        is_open = not path.startswith("/api/") or path.startswith(("/api/v1/login", "/api/v1/logout"))
        given, key = (request.query.get("key"), "a key for files") if path.endswith("/file") else (request.headers.get("X-Pawl-Session-Key"), "a key")
        if service.token and not is_open and (request.cookies.get("pawl_session"), given) != (service.token, key):
            raise Failure(401, "tokenRequired", "Log in first.")
        answer = await handler(request)
    except Failure as failure:
        answer = problem(failure)
    if not answer.prepared:
        answer.headers.update(HEADERS)
    return answer


routes = web.RouteTableDef()


@routes.get("/api/v1/downloads")
async def list_downloads(request):
    service, query = request.app["service"], request.query
    states = query["state"].split(",") if "state" in query else []
    found = service.matching(states, query.get("q", ""), query.get("sort", "position"))
    offset, limit = int(query.get("offset", 0)), int(query.get("limit", 100))
    return web.json_response({"downloads": found[offset:offset + limit], "total": len(found), "counts": service.counts(), "change": service.change, "next": None})


@routes.post("/api/v1/downloads")
async def add_downloads(request):
    service, results = request.app["service"], []
    for job in await request.json():
        try:
            status, download = service.add_job(job)
            results.append({"status": status, "download": service.snapshot(download)})
        except Failure as failure:
            results.append({"status": failure.body["status"], "problem": failure.body})
    return web.json_response(results)


@routes.post("/api/v1/downloads/actions")
async def act(request):
    service, body = request.app["service"], await request.json()
    if "filter" in body:
        filter = body["filter"]
        ids = [one["id"] for one in service.matching(filter.get("state", []), filter.get("q", ""), "position") if one["id"] not in filter.get("except", [])]
    else:
        ids = body["ids"]
    results = []
    for id in ids:
        try:
            service.act(id, body["action"], body)
            results.append({"id": id, "status": 200})
        except Failure as failure:
            results.append({"id": id, "status": failure.body["status"], "problem": failure.body})
    if "filter" in body:
        done = sum(one["status"] == 200 for one in results)
        return web.json_response({"matched": len(ids), "done": done, "notPossible": len(ids) - done, "change": service.change})
    return web.json_response({"results": results, "change": service.change})


@routes.get("/api/v1/downloads/{id}")
async def get_download(request):
    download = request.app["service"].find(request.match_info["id"])
    host = download["url"].split("/")[2] if "//" in download["url"] else ""
    log = [
        {"time": download["added"], "code": "added", "message": "Added."},
        {"time": download["started"] or download["added"], "code": "redirected", "message": f"Redirected to https://cdn1.{host}/…"},
    ]
    if download["error"]:
        log.append({"time": now(), "code": "failed", "message": download["error"]["message"]})
    sources = [{"url": download["url"], "host": host, "state": "used", "message": None}, {"url": "https://mirror.example.net/…", "host": "mirror.example.net", "state": "resting", "message": "Asked clients to wait (503)."}]
    digest = {"algorithm": "sha-256", "value": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "origin": "job", "matches": True if download["verified"] else None}
    return web.json_response({**request.app["service"].snapshot(download), "job": {"url": download["url"]}, "digest": digest, "sources": sources, "log": log})


@routes.patch("/api/v1/downloads/{id}")
async def change_download(request):
    service, body = request.app["service"], await request.json()
    download = service.find(request.match_info["id"])
    if "position" in body:
        service.place(download["id"], body.pop("position"))
    download.update(body)
    service.changed(download)
    return web.json_response(service.snapshot(download))


@routes.post("/api/v1/downloads/{id}/{action}")
async def act_on_download(request):
    service = request.app["service"]
    return web.json_response(service.snapshot(service.act(request.match_info["id"], request.match_info["action"], {})))


@routes.get("/api/v1/downloads/{id}/map")
async def get_map(request):
    download, number = request.app["service"].find(request.match_info["id"]), int(request.query.get("cells", 256))
    total, cells = download["total"], []
    if total:
        ranges = [(0, download["bytes"] if not download["connections"] else min(one["position"] for one in download["connections"]))]
        ranges += [(one["end"] - max(1, (total - download["bytes"]) // 4), one["position"]) for one in download["connections"] if one["end"]]
        for index in range(number):
            low, high = index * total // number, (index + 1) * total // number
            covered = sum(max(0, min(high, end) - max(low, start)) for start, end in ranges)
            cells.append(min(255, int(255 * covered / max(1, high - low))))
    return web.json_response({"total": total, "bytes": download["bytes"], "cells": cells, "connections": download["connections"]})


@routes.get("/api/v1/downloads/{id}/file")
async def get_file(request):
    download = request.app["service"].find(request.match_info["id"])
    return web.Response(body=b"pawl" * 64, content_type="application/octet-stream", headers={"Content-Disposition": f"attachment; filename=\"{download['file']}\""})


@routes.post("/api/v1/probe")
async def probe(request):
    job = await request.json()
    await asyncio.sleep(0.05)
    if "missing" in job["url"]:
        raise Failure(422, "notFound", f"{job['url']} does not exist on the server (404).", "Check the URL.")
    known = next((one["id"] for one in request.app["service"].downloads.values() if one["url"] == job["url"]), None)
    name = job["url"].split("?")[0].rsplit("/", 1)[-1] or "index.html"
    return web.json_response({"url": job["url"], "redirects": 0, "name": name, "total": 734_003_200, "acceptsRanges": True, "strongValidator": True, "contentType": None, "warnings": [], "duplicate": known, "exists": "exists" in name})


@routes.post("/api/v1/documents")
async def read_document(request):
    text = await request.text()
    if "xml" in request.content_type:
        names = re.findall(r'<file name="([^"]+)"', text)
        return web.json_response({"jobs": [{"url": f"https://downloads.example.org/{name}", "file": name} for name in names], "problems": []})
    return web.json_response({"jobs": [{"url": line} for line in text.split() if line.startswith("http")], "problems": []})


@routes.get("/api/v1/directories")
async def directories(request):
    under = request.query.get("under")
    names = [] if under and under != "/home/ada/Downloads" else ["films", "iso", "music"] if under else ["Downloads"]
    parent = under or "/home/ada"
    return web.json_response({"path": under, "parent": None, "freeBytes": 214 << 30, "directories": [{"name": name, "path": f"{parent}/{name}", "writable": True} for name in names]})


@routes.get("/api/v1/settings")
async def get_settings(request):
    return web.json_response(request.app["service"].settings)


@routes.patch("/api/v1/settings")
async def change_settings(request):
    service = request.app["service"]
    service.settings.update(await request.json())
    service.settings["limitNow"] = service.settings["speedLimit"]
    service.tell("stats", service.stats())
    return web.json_response(service.settings)


@routes.get("/api/v1/version")
async def version(request):
    return web.json_response({"name": "pawld", "version": "0", "api": 1})


@routes.post("/api/v1/login")
async def log_in(request):
    service, body = request.app["service"], await request.json()
    if body["token"] != service.token:
        raise Failure(401, "wrongToken", "This token is not valid.")
    answer = web.json_response({"key": "a key", "fileKey": "a key for files"})
    answer.set_cookie("pawl_session", service.token, httponly=True, samesite="Strict")
    return answer


@routes.post("/api/v1/logout")
async def log_out(request):
    if request.app["service"].problem:
        raise Failure(503, "storeFailed", "The change could not be saved.")
    answer = web.Response(status=204)
    answer.del_cookie("pawl_session")
    return answer


@routes.get("/api/v1/events")
async def events(request):
    service = request.app["service"]
    if service.refused:
        return web.Response(status=service.refused)
    answer = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store", **HEADERS})
    await answer.prepare(request)
    queue = asyncio.Queue()
    last = request.headers.get("Last-Event-ID", "null")
    hello = {"change": service.change, "version": "0", "instance": service.instance}
    queue.put_nowait(f"event: hello\nid: {service.change}\ndata: {json.dumps(hello)}\n\nevent: stats\ndata: {json.dumps(service.stats())}\n\n".encode())
    if last not in ("null", str(service.change)):
        queue.put_nowait(f"event: reset\nid: {service.change}\ndata: {json.dumps({'change': service.change})}\n\n".encode())
    service.readers.add(queue)
    try:
        while (text := await queue.get()) is not None:
            await answer.write(text)
    except (ConnectionResetError, asyncio.CancelledError):
        pass
    finally:
        service.readers.discard(queue)
    return answer


@routes.post("/test/{call}")
async def steer(request):
    """Lets a test decide when time passes."""
    service, call = request.app["service"], request.match_info["call"]
    body = await request.json() if request.can_read_body else {}
    if call == "step":
        for _ in range(body.get("times", 1)):
            service.step(body.get("seconds", 0.25))
        service.tell("stats", service.stats())
    elif call == "freeze":
        service.moves = False
    elif call == "add":
        return web.json_response(service.add(**body))
    elif call == "set":
        download = service.find(body.pop("id"))
        download.update(body)
        service.changed(download)
    elif call == "clear":
        for id in list(service.downloads):
            service.act(id, "remove", {})
    elif call == "scene":
        service.__init__(SCENES[body["name"]], service.token, 0)
    elif call in ("stop", "drop"):
        service.refused = body.get("status", 503)
        if call == "stop":
            service.tell("goodbye", {})
        for queue in list(service.readers):
            queue.put_nowait(None)
    elif call == "trouble":
        service.problem = body or None
        service.tell("stats", service.stats())
    elif call == "back":
        service.refused = 0
    return web.json_response({})


@routes.get("/{path:.*}")
async def page(request):
    path = request.match_info["path"] or "index.html"
    file = (PAGE / path).resolve()
    if not file.is_relative_to(PAGE) or not file.is_file():
        raise web.HTTPNotFound()
    return web.Response(body=file.read_bytes(), content_type=TYPES[file.suffix], charset="utf-8" if file.suffix != ".svg" else None, headers={"Cache-Control": "no-cache"})


async def tick(app):
    service = app["service"]

    async def run():
        for number in itertools.count():
            await asyncio.sleep(0.25)
            if service.moves:
                service.step()
            if number % 4 == 0 and service.readers:
                service.tell("stats", service.stats())

    task = asyncio.create_task(run())
    yield
    task.cancel()


def application(scene, token, count, prefix):
    app = web.Application(middlewares=[guard], client_max_size=2 << 20)
    make = (lambda service: many(service, count)) if scene == "many" else SCENES[scene]
    app["service"] = Service(make, token, 0)
    app["prefix"] = prefix
    app.add_routes(routes)
    app.cleanup_ctx.append(tick)
    if not prefix:
        return app
    outer = web.Application()
    outer.add_subapp(prefix, app)
    return outer


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=6872)
    parser.add_argument("--scene", choices=SCENES, default="empty")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--token")
    parser.add_argument("--prefix", default="", help="serve beneath this path, as a reverse proxy may")
    arguments = parser.parse_args()
    web.run_app(application(arguments.scene, arguments.token, arguments.count, arguments.prefix), host="127.0.0.1", port=arguments.port, shutdown_timeout=1, print=None)
