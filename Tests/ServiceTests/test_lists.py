"""GET /downloads: filters, orders, cursors and counts."""

import random

import pytest

URL = "http://127.0.0.1:9/{}"
BAD_QUERIES = {
    "state=bogus": "state", "state=": "state", "state=running,bogus": "state", "sort=bogus": "sort", "sort=": "sort", "limit=0": "limit", "limit=1001": "limit", "limit=x": "limit",
    "limit=": "limit", "limit=-1": "limit", "limit=1.5": "limit", "offset=-1": "offset", "offset=x": "offset", "offset=10000001": "offset", "cursor=nonsense": "cursor", "cursor=": "cursor",
    "q=": "q", "q=" + "x" * 257: "q", "tag=": "tag", "tag=" + "x" * 65: "tag", "tag=%07": "tag",
}


@pytest.mark.parametrize("query", BAD_QUERIES)
def test_a_parameter_that_cannot_be_used_is_named(asker, query):
    problem = asker.get(f"/downloads?{query}", expect=400).json
    assert (problem["code"], problem["fields"]) == ("malformed", [BAD_QUERIES[query]])


def test_a_parameter_that_is_not_utf_8_is_malformed(asker):
    assert asker.send("GET", "/api/v1/downloads?q=%FF").status == 400


def test_an_empty_list_says_so(client):
    page = client.page()
    assert (page["downloads"], page["total"], page["next"]) == ([], 0, None)
    assert set(page["counts"].values()) == {0}


@pytest.fixture(scope="module")
def fifty(standing):
    """Fifty paused downloads; their names are in another order than they were added."""
    client = standing.client()
    names = [f"{index:02}" for index in range(50)]
    random.Random(1).shuffle(names)
    jobs = [{"url": URL.format(f"{'odd' if int(name) % 2 else 'even'}/{name}?key=hidden"), "file": f"Name-{name}.bin", "paused": True, "tag": "%" if name == "07" else f"tag {int(name) % 5}"} for name in names]
    added = [one["download"] for one in client.add_all(jobs)]
    yield added
    client.post("/downloads/actions", {"action": "remove", "filter": {}})


def test_filters_choose_and_total_counts_them(asker, fifty):
    def names(**query):
        page = asker.page(limit=1000, **query)
        assert page["total"] == len(page["downloads"])
        return {one["file"][5:7] for one in page["downloads"]}

    every = {f"{index:02}" for index in range(50)}
    assert names(state=["paused"]) == every
    assert names(state=["running", "completed"]) == set()
    assert names(tag="tag 2") == {one for one in every if int(one) % 5 == 2 and one != "07"}
    assert names(tag="tag") == set()
    assert names(q="odd/") == {one for one in every if int(one) % 2}
    assert names(q="nAmE-1") == {one for one in every if one[0] == "1"}
    assert names(q="TAG 3") == {one for one in every if int(one) % 5 == 3}
    assert names(q="even", tag="tag 4") == {one for one in every if int(one) % 10 == 4}


def test_wildcards_of_the_database_are_ordinary_text(asker, fifty):
    assert [one["tag"] for one in asker.page(q="%")["downloads"]] == ["%"]
    assert asker.page(q="_")["total"] == asker.page(q="*")["total"] == asker.page(q="e__n")["total"] == 0
    assert asker.page(q="'; DROP TABLE job; --")["total"] == 0


def test_counts_are_of_all_downloads_whatever_the_query(asker, fifty):
    page = asker.page(q="nothing of this name")
    assert (page["total"], page["counts"]["paused"]) == (0, 50)


@pytest.mark.parametrize("limit", [1, 7, 50, 1000])
@pytest.mark.parametrize("sort", ["position", "-position", "added", "-added", "name", "-name", "state", "-state", "size", "-size"])
def test_following_next_gives_each_download_once(asker, fifty, sort, limit):
    if limit == 1 and sort not in ("position", "-name"):
        pytest.skip("one page for each download is tried in two orders")
    whole = [one["id"] for one in asker.page(sort=sort, limit=1000)["downloads"]]
    assert asker.ids(sort=sort, limit=limit) == whole
    assert sorted(whole) == sorted(one["id"] for one in fifty)


def test_sorting_orders_by_the_named_member(asker, fifty):
    added = [one["id"] for one in fifty]
    by_name = [one["id"] for one in sorted(fifty, key=lambda one: one["file"])]
    for sort, expected in {"added": added, "position": added, "name": by_name}.items():
        assert asker.ids(sort=sort) == expected, sort
        assert asker.ids(sort=f"-{sort}") == expected[::-1], f"-{sort}"


@pytest.mark.parametrize("offset, limit", [(0, 10), (7, 10), (45, 10), (50, 10), (10_000_000, 1)])
def test_an_offset_skips_so_many(asker, fifty, offset, limit):
    whole = [one["id"] for one in asker.page(sort="name", limit=1000)["downloads"]]
    page = asker.page(sort="name", offset=offset, limit=limit)
    assert [one["id"] for one in page["downloads"]] == whole[offset:offset + limit]
    assert page["total"] == 50


def test_cursor_and_offset_exclude_each_other(asker, fifty):
    cursor = asker.page(limit=5)["next"]
    assert set(asker.get("/downloads", query={"cursor": cursor, "offset": 5}, expect=400).json["fields"]) & {"cursor", "offset"}


def test_the_default_limit_is_100(client):
    client.add_all([{"url": URL.format(index), "paused": True} for index in range(101)])
    page = client.page()
    assert (len(page["downloads"]), page["total"]) == (100, 101)
    assert len(client.page(cursor=page["next"])["downloads"]) == 1


@pytest.mark.parametrize("sort", ["position", "-added", "name"])
def test_a_cursor_skips_and_repeats_nothing_while_the_list_changes(client, sort):
    added = [one["download"]["id"] for one in client.add_all([{"url": URL.format(f"{index:03}"), "file": f"{index * 37 % 100:03}", "paused": True} for index in range(100)])]
    whole = client.ids(sort=sort)
    page = client.page(sort=sort, limit=10)
    seen = [one["id"] for one in page["downloads"]]
    removed, number = set(), 0
    while page["next"] is not None:
        # One that was shown, the last of the page, and one that is still to come are removed; others are added at both ends.
        for id in {seen[0], seen[-1], whole[-1 - number]} - removed:
            client.delete(f"/downloads/{id}")
            removed.add(id)
        client.add({"url": URL.format(f"new{number}"), "file": f"000new{number}", "paused": True, "position": "top"})
        client.add({"url": URL.format(f"end{number}"), "file": f"zzz{number}", "paused": True})
        number += 1
        page = client.page(sort=sort, limit=10, cursor=page["next"])
        seen += [one["id"] for one in page["downloads"]]
    assert len(seen) == len(set(seen))
    assert [id for id in seen if id in set(whole) - removed] == [id for id in whole if id in set(seen) - removed]
    assert set(added) - removed <= set(seen)


def test_the_list_shows_each_state_in_its_order(client, files):
    client.patch("/settings", {"maximumRunning": 1})
    files.add("/rests", b"", status=503, headers={"Retry-After": "3600"})
    files.add("/done", b"done")
    files.add("/held", bytes(1 << 20))
    done = client.add({"url": files.origin + "/done"})["id"]
    client.wait_for(done, "completed")
    failed = client.add({"url": files.origin + "/gone"})["id"]
    client.wait_for(failed, "failed")
    # Another host than that of the file that is held: what rests is the host.
    waiting = client.add({"url": f"http://localhost:{files.port}/rests"})["id"]
    client.wait_for(waiting, "waiting")
    running = client.add({"url": files.hold("/held", 1000)})["id"]
    client.wait_for(running, "running")
    paused = client.add({"url": URL.format("paused"), "paused": True})["id"]
    queued = client.add({"url": URL.format("queued")})["id"]
    client.wait_for(queued, "queued")
    order = [running, waiting, queued, paused, failed, done]
    assert client.ids(sort="state") == order
    assert client.ids(sort="-state") == order[::-1]
    assert client.ids(state=["failed", "running"], sort="state") == [running, failed]
    page = client.page()
    assert page["counts"] == dict.fromkeys(page["counts"], 1)
    # What has ended stands behind the queue, the latest first.
    assert [one["id"] for one in page["downloads"]][-2:] == [failed, done]
    files.release_all()


def test_sizes_sort_by_length(client, files):
    sizes = [5000, 3, 70_000, 1200]
    ids = {}
    for size in sizes:
        files.add(f"/{size}", bytes(size))
        ids[size] = client.add({"url": f"{files.origin}/{size}"})["id"]
    for id in ids.values():
        client.wait_for(id, "completed")
    assert client.ids(sort="size") == [ids[size] for size in sorted(sizes)]
    assert client.ids(sort="-size") == [ids[size] for size in sorted(sizes, reverse=True)]


def test_change_is_the_number_of_the_latest_change(client):
    before = client.page()["change"]
    added = client.add({"url": URL.format("a"), "paused": True})
    assert client.page()["change"] == added["change"] > before
    client.delete(f"/downloads/{added['id']}")
    assert client.page()["change"] > added["change"]
