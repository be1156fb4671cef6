"""The contract: openapi.json and the table of codes in docs/api.md. Every answer that the tests receive is checked against both."""

import copy
import json
import pathlib
import re
from urllib.parse import urlsplit

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATH = ROOT / "Sources/PawlServer/API/openapi.json"
DOCUMENT = json.loads(PATH.read_text())
# An answer to a path or method that the contract does not have.
ELSEWHERE = {400, 401, 403, 404, 405, 413, 429, 431, 503}
# Before the service knows which operation is asked for.
ANYWHERE = {400, 431, 503}
ENDED = {"completed", "failed"}


def strict(node):
    """Response schemas allow new members, for clients. The service of this checkout must have exactly the members of this contract."""
    if isinstance(node, list):
        return [strict(one) for one in node]
    if not isinstance(node, dict):
        return node
    node = {key: strict(value) for key, value in node.items()}
    if node.get("type") == "object" and isinstance(node.get("properties"), dict):
        node.setdefault("additionalProperties", False)
    return node


def merged_detail(schemas):
    download, own = schemas["Download"], schemas["DownloadDetail"]["allOf"][1]
    return {"type": "object", "properties": {**download["properties"], **own["properties"]}, "required": download["required"] + own["required"]}


def strict_document():
    document = copy.deepcopy(DOCUMENT)
    schemas = document["components"]["schemas"]
    schemas["DownloadDetail"] = merged_detail(schemas)
    return strict(document)


STRICT = strict_document()
TIMES = jsonschema.FormatChecker(formats=[])


@TIMES.checks("date-time")
def is_utc_time(value):
    return not isinstance(value, str) or bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value))


def codes_by_status():
    """The table of errors in docs/api.md: which codes a status may have."""
    codes = {}
    for line in (ROOT / "docs/api.md").read_text().splitlines():
        if row := re.match(r"\| ([45]\d\d(?:, \d+)*) \| (.*?) \|", line):
            for status in row[1].split(", "):
                codes.setdefault(int(status), set()).update(re.findall(r"</a>`(\w+)`", row[2]))
    return codes


def codes_of_failures():
    """Codes with which a download fails; a probe answers 422 with them."""
    row = re.search(r"\| `code` \| string \| (`invalidURL`.*?) \|", (ROOT / "docs/json-events.md").read_text())[1]
    return set(re.findall(r"`(\w+)`", row))


CODES = codes_by_status()
FAILURES = codes_of_failures()


def resolve(node):
    while "$ref" in node:
        target = STRICT
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def validate(value, schema, what):
    # Only references within the document occur.
    validator = jsonschema.Draft202012Validator({**schema, "components": STRICT["components"]}, format_checker=TIMES)
    errors = sorted(validator.iter_errors(value), key=lambda error: list(error.absolute_path))
    assert not errors, f"{what}: " + "; ".join(f"{error.json_path}: {error.message[:300]}" for error in errors[:5])


def validate_as(value, name):
    validate(value, {"$ref": f"#/components/schemas/{name}"}, name)
    if name in ("Download", "DownloadDetail"):
        check_snapshot(value)


def is_in(value, name):
    schema = {"$ref": f"#/components/schemas/{name}", "components": STRICT["components"]}
    return jsonschema.Draft202012Validator(schema, format_checker=TIMES).is_valid(value)


def operation_for(method, path):
    """The path's item and the operation; the operation is None if the path does not have the method, both are if there is no path."""
    parts = path.split("/")
    best = None
    for template, item in STRICT["paths"].items():
        names = template.split("/")
        if len(names) == len(parts) and all(name == part or (name.startswith("{") and part) for name, part in zip(names, parts)):
            # A literal part takes precedence over a parameter: `actions`, `map`, `file`.
            literal = sum(name == part for name, part in zip(names, parts))
            if best is None or literal > best[0]:
                best = (literal, item, item.get("get" if method == "HEAD" else method.lower()))
    return best[1:] if best else (None, None)


def check_answer(method, target, status, headers, body):
    """Whether an answer is one that the contract allows for this request."""
    path = urlsplit(target).path
    item, operation = operation_for(method, path)
    what = f"{method} {target} → {status}"
    if status >= 400:
        check_problem(method, status, headers, body, what)
    if operation is None:
        if path.startswith("/api/") or status >= 400:
            assert status in ELSEWHERE, f"{what}: no such operation"
        return
    answer = operation["responses"].get(str(status))
    assert answer or status in ANYWHERE, f"{what}: not a status of this operation: {body[:300]}"
    if not answer:
        return
    answer = resolve(answer)
    content = answer.get("content")
    kind = headers.get("Content-Type", "").split(";")[0].strip()
    if not content:
        assert not body, f"{what}: has a body"
        return
    assert kind in content, f"{what}: Content-Type is {kind!r}"
    if kind == "application/json" and method != "HEAD":
        value = json.loads(body)
        validate(value, content[kind]["schema"], what)
        for snapshot in snapshots_in(value):
            check_snapshot(snapshot)


def check_problem(method, status, headers, body, what):
    assert headers.get("Content-Type", "").split(";")[0].strip() == "application/problem+json", f"{what}: {headers.get('Content-Type')}: {body[:200]}"
    if status == 401:
        assert headers.get("WWW-Authenticate", "").startswith("Bearer"), what
    if status == 405:
        assert headers.get("Allow"), what
    if status in (429, 503):
        assert int(headers["Retry-After"]) >= 1, what
    if method == "HEAD":
        assert not body, what
        return
    problem = json.loads(body)
    validate_as(problem, "Problem")
    check_problem_members(problem, status, what)


def check_problem_members(problem, status, what):
    assert problem["status"] == status, f"{what}: the problem says {problem['status']}"
    assert problem["type"] == f"docs/api.md#{problem['code']}", f"{what}: {problem}"
    allowed = CODES.get(status, set()) | (FAILURES if status == 422 else set())
    if status != 431:
        assert problem["code"] in allowed, f"{what}: {problem['code']} is not a code of {status}"


def snapshots_in(value):
    if isinstance(value, list):
        for one in value:
            yield from snapshots_in(one)
    elif isinstance(value, dict):
        if "state" in value and "whyWaiting" in value:
            yield value
        for name in ("downloads", "download"):
            if name in value:
                yield from snapshots_in(value[name])
        if "problem" in value and "status" in value:
            check_problem_members(value["problem"], value["status"], "item")


def check_snapshot(one):
    """What the descriptions of the members promise."""
    state, total = one["state"], one["total"]
    is_running = state == "running"
    # A completed one may be verified or unpacked.
    assert one["step"] is not None if is_running else one["step"] is None or state == "completed", one
    assert (one["position"] is None) == (state in ENDED), one
    assert (one["ended"] is not None) == (state in ENDED), one
    assert (one["waiting"] is not None) == (state == "waiting"), one
    assert one["durable"] <= one["bytes"], one
    assert total is None or one["bytes"] <= total, one
    assert is_running or (one["rate"] == 0 and one["secondsLeft"] is None and one["connections"] == []), one
    assert one["whyWaiting"] is None or (state not in ENDED and not is_running), one
    assert state != "waiting" or one["whyWaiting"], one
    assert state != "failed" or one["error"], one
    # The file of a failed one may be there: then something that was done with it failed.
    assert one["complete"] is None if state not in ENDED else one["complete"] is not None or one["error"]["step"] in ("resolve", "fetch"), one
    assert one["directory"].startswith("/"), one
    assert not re.search(r"//[^/]*@", one["url"]), one
    for item in re.findall(r"[?&][^=&#]*=([^&#]*)", one["url"]):
        assert item in ("", "…", "%E2%80%A6"), one
    for connection in one["connections"]:
        assert connection["end"] is None or connection["position"] <= connection["end"], one


EVENTS = {"hello": "Hello", "change": "Download", "removed": "Removed", "settings": "Settings", "reset": "Reset", "progress": "Progress", "stats": "Stats"}
NUMBERED = {"hello", "change", "removed", "settings", "reset"}


def check_event(name, number, data):
    assert name in EVENTS or name == "goodbye", f"unknown event {name}"
    assert (number is not None) == (name in NUMBERED), f"{name} with id {number}"
    if name == "goodbye":
        assert data == {}
    for value in data if name == "progress" else [data]:
        if name in EVENTS:
            validate_as(value, EVENTS[name])
    if name in ("change", "reset", "settings"):
        assert data["change"] == number, f"{name} has id {number} and change {data['change']}"
