"""A reader of the event stream, in a thread of its own."""

import http.client
import json
import threading
import time

import contract
from client import API, check_protection, wait_until


class Event:
    def __init__(self, name, number, data, time):
        self.name, self.number, self.data, self.time = name, number, data, time

    def __repr__(self):
        return f"{self.name}#{self.number}"


class EventReader:
    """Keeps what it receives, and the list that follows from it. With `follows`, it returns with Last-Event-ID when a stream ends."""

    def __init__(self, client, *, since=None, last=None, follows=True, checks=True):
        self.client, self.since, self.last, self.follows, self.checks = client, since, last, follows, checks
        self.events, self.comments = [], []
        self.downloads = {}
        self.connections = 0
        self.failure = None
        self.is_closed = False
        self.response = self.socket = None
        self.thread = threading.Thread(target=self.run, daemon=True)

    @classmethod
    def with_list(cls, client, **more):
        """Reads the list, then follows the changes after it."""
        reader = cls(client, **more)
        reader.read_list()
        return reader.start()

    def read_list(self):
        downloads, self.since = self.client.everything()
        self.downloads = {one["id"]: one for one in downloads}

    def start(self):
        self.thread.start()
        self.wait_for(lambda event: event.name == "hello", what="hello")
        return self

    def run(self):
        while not self.is_closed:
            try:
                self.read_stream()
            except (OSError, http.client.HTTPException, ValueError) as error:
                # Closing the socket under the reader shows in several ways; so does the service being killed.
                if not self.follows and not self.is_closed:
                    self.failure = error
            except AssertionError as error:
                self.failure = error
                return
            if not self.follows:
                return
            time.sleep(0.05)

    def read_stream(self):
        connection = self.client.connection()
        try:
            target = API + "/events"
            headers = self.client.headers_for({"Accept": "text/event-stream"})
            # As a browser does: the URL stays, and the header takes precedence.
            if self.since is not None:
                target += f"?since={self.since}"
            if self.last is not None:
                headers["Last-Event-ID"] = str(self.last)
            connection.request("GET", target, headers=headers)
            self.socket = connection.sock
            response = connection.getresponse()
            if response.status in (502, 503):
                # The service, or the proxy before it, says that it is away.
                return
            assert response.status == 200, f"events: {response.status} {response.read()!r}"
            assert response.headers.get("Content-Type", "").split(";")[0] == "text/event-stream", response.headers
            check_protection(response.headers, "events")
            self.connections += 1
            self.read_events(response)
        finally:
            connection.close()

    def read_events(self, response):
        name, number, data, floor, is_first = None, None, [], -1, True
        for line in iter(response.readline, b""):
            text = line.decode().rstrip("\r\n")
            if text.startswith(":"):
                self.comments.append(time.monotonic())
            elif text:
                field, _, value = text.partition(":")
                value = value.removeprefix(" ")
                assert field in ("event", "id", "data", "retry"), text
                if field == "event":
                    name = value
                elif field == "id":
                    number = int(value)
                elif field == "data":
                    data.append(value)
            elif data:
                assert len(data) == 1, f"{name}: data is more than one line"
                event = Event(name, number, json.loads(data[0]), time.monotonic())
                assert is_first == (event.name == "hello"), f"{event} is {'' if is_first else 'not '}the first event"
                floor, is_first = self.take(event, floor), False
                name, number, data = None, None, []

    def take(self, event, floor):
        if self.checks:
            contract.check_event(event.name, event.number, event.data)
        if event.number is not None:
            # Within a stream numbers rise; `hello` has the number that it begins after.
            assert event.number > floor or event.name == "reset", f"{event} after {floor}"
            if event.name == "hello":
                # If the connection broke now, the reader would ask from here: what it has missed must not lie before.
                asked = self.last if self.last is not None else self.since
                assert asked is None or event.number <= asked, f"hello skips changes: id {event.number} after {asked}"
            self.last = event.number
        if event.name == "change":
            self.downloads[event.data["id"]] = event.data
        elif event.name == "removed":
            self.downloads.pop(event.data["id"], None)
        elif event.name == "reset":
            downloads, _ = self.client.everything()
            self.downloads = {one["id"]: one for one in downloads}
        self.events.append(event)
        return floor if event.number is None else max(floor, event.number)

    # What a test asks.

    def named(self, *names):
        return [event for event in list(self.events) if event.name in names]

    def wait_for(self, condition, *, seconds=60, what="an event", after=0):
        """The first event, from the given index on, that fulfils the condition."""
        def look():
            self.check()
            return next((event for event in self.events[after:] if condition(event)), None)

        return wait_until(look, seconds, lambda: f"{what}; {len(self.events)} events, the latest {self.events[-8:]}")

    def wait_for_change(self, number, *, seconds=60):
        """Until everything up to this change has arrived."""
        wait_until(lambda: self.check() or (self.last or 0) >= number, seconds, lambda: f"change {number}; at {self.last}")

    def check(self):
        if self.failure:
            raise AssertionError(f"event reader: {self.failure!r}")

    def drop(self):
        """Breaks the connection; the reader comes back if it follows."""
        if self.socket:
            try:
                self.socket.shutdown(2)
            except OSError:
                pass

    def close(self):
        self.is_closed, self.follows = True, False
        self.drop()
        self.thread.join(10)
        self.check()


def settled(snapshot):
    """A snapshot without what moves although no change is told: its place, why it waits, and the figures of an unfinished download."""
    moving = {"position", "missing", "waiting", "whyWaiting"}
    if snapshot["state"] not in contract.ENDED:
        moving |= {"bytes", "durable", "rate", "secondsLeft", "connections"}
    return {name: value for name, value in snapshot.items() if name not in moving}
