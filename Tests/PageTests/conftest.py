"""The page in a real browser, before the simulated service.

    pip install -r Tests/PageTests/requirements.txt
    python -m pytest Tests/PageTests

The browser is Debian's Chromium, or PAWL_CHROMIUM.
"""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

import axe_playwright_python
import pytest
from playwright.sync_api import expect, sync_playwright

HERE = pathlib.Path(__file__).resolve().parent
AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


class Service:
    """A running mock.py."""

    def __init__(self, scene, *options, prefix=""):
        port = str(free_port())
        self.origin = f"http://127.0.0.1:{port}{prefix}"
        self.command = [sys.executable, HERE / "mock.py", "--port", port, "--scene", scene, "--prefix", prefix, *options]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(self.origin + "/icon.svg").close()
                return
            time.sleep(0.05)
        raise TimeoutError("mock.py does not answer")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.origin + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def steer(self, call, **body):
        return self.call("POST", f"/test/{call}", body)

    def downloads(self):
        return self.call("GET", "/api/v1/downloads?limit=1000")["downloads"]


expect.set_options(timeout=60_000)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def serve():
    """Starts a service with a scene; kills it at the end."""
    services = []

    def start(scene, *options, **more):
        services.append(Service(scene, *options, **more))
        return services[-1]

    yield start
    for service in services:
        service.kill()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("PAWL_CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Opens the page. Fails if the page or the browser reports an error that the test does not expect."""
    opened = []

    def open(service, *, path="/", expects_errors=False, **options):
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, "locale": "en-GB", **options})
        # There for what never happens, and so far away.
        context.set_default_timeout(60_000)
        page = context.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: message.type == "error" and errors.append(message.text))
        opened.append((context, [] if expects_errors else errors))
        page.goto(service.origin + path)
        if path == "/" and "--token" not in service.command:
            page.wait_for_selector("body:not(.is-loading)")
        return page

    yield open
    found = [error for _, errors in opened for error in errors]
    for context, _ in opened:
        context.close()
    assert not found


@pytest.fixture
def violations():
    """What axe finds wrong, as one line each."""

    def look(page):
        # Half-faded elements have no contrast to speak of.
        page.wait_for_timeout(350)
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]

    return look
