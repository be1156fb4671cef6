"""The service as others see it: its program is started, and asked over HTTP.

    pip install -r Tests/ServiceTests/requirements.txt
    swift build
    python -m pytest Tests/ServiceTests                            # without the slow ones: -m 'not slow'
    python -m pytest Tests/ServiceTests/test_kill.py --kills 200   # the full run
    python -m pytest Tests/ServiceTests/test_kill_steps.py --step-kills 200

The programs are .build/debug/pawld and pawl, or PAWLD and PAWL.
"""

import contextlib
import os

import hypothesis
import pytest

from eventreader import EventReader
from fileserver import FileServer
from pawld import COMMAND, PROGRAM, Service


def pytest_addoption(parser):
    parser.addoption("--kills", type=int, default=20, help="how often the service is killed")
    parser.addoption("--kill-seed", type=int, default=None, help="the seed of a run of test_kill.py that failed")
    parser.addoption("--step-kills", type=int, default=6, help="how often it is killed between the steps of jobs")
    parser.addoption("--examples", type=int, default=20, help="requests that schemathesis tries for each operation")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than ten seconds even on an idle machine")
    # Before test_schema.py is read. The same requests each time, so that an outcome belongs to the commit and not to chance.
    hypothesis.settings.register_profile("service", max_examples=config.getoption("--examples"), deadline=None, derandomize=True, suppress_health_check=list(hypothesis.HealthCheck))
    hypothesis.settings.load_profile("service")


def pytest_collection_modifyitems(items):
    for program, variable in ((PROGRAM, "PAWLD"), (COMMAND, "PAWL")):
        if not os.access(program, os.X_OK):
            pytest.exit(f"{program} is missing: build it with `swift build`, or name it in {variable}", returncode=2)


@contextlib.contextmanager
def running(*options, starts=True, **more):
    service = Service(*options, **more)
    try:
        yield service.start() if starts else service
    finally:
        # Shown only if the test fails.
        print(f"the service's log:\n{service.log[-8000:]}")
        service.close()


@pytest.fixture
def start():
    """Starts services with options; ends them after the test."""
    with contextlib.ExitStack() as stack:
        yield lambda *options, **more: stack.enter_context(running(*options, **more))


@pytest.fixture
def service(start):
    """A service of the test's own, with an empty list."""
    return start()


@pytest.fixture
def client(service):
    return service.client()


@pytest.fixture(scope="module")
def standing():
    """One service for all tests of a file that leave nothing behind."""
    with running() as service:
        yield service


@pytest.fixture(scope="module")
def asker(standing):
    return standing.client()


@pytest.fixture
def files():
    server = FileServer()
    yield server
    server.close()


@pytest.fixture
def read():
    """Starts readers of events; closes them after the test, and fails if one has found fault."""
    readers = []

    def start(client, *, with_list=False, **more):
        reader = EventReader.with_list(client, **more) if with_list else EventReader(client, **more).start()
        readers.append(reader)
        return reader

    yield start
    for reader in readers:
        reader.close()
