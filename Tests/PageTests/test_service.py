"""The page before the real service and a real server of files.

    pip install -r Tests/PageTests/requirements.txt -r Tests/ServiceTests/requirements.txt
    swift build
    python -m pytest Tests/PageTests/test_service.py      # the program is .build/debug/pawld, or PAWLD
"""

import pathlib
import re
import sys

import pytest
from playwright.sync_api import expect

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "ServiceTests"))

from fileserver import FileServer, content
from pawld import Service
from test_proxy import NGINX, PREFIX, Proxy

SIZE = 4 << 20


@pytest.fixture
def real():
    service = Service().start()
    yield service
    service.close()


@pytest.fixture
def files():
    server = FileServer()
    yield server
    server.close()


@pytest.fixture
def enter(visit):
    """Opens the page of the real service, logged in."""

    def open(service, **more):
        more.setdefault("expects_errors", True)  # Chromium reports the 401 that leads to the login
        page = visit(Entrance(service), **more)
        page.wait_for_url("**/login.html*")
        page.get_by_label("Token", exact=True).or_(page.locator("#token")).first.fill(service.token)
        page.locator("#login button").click()
        page.wait_for_selector("body:not(.is-loading):not(.login)")
        return page

    return open


class Entrance:
    """What `visit` has to know of a service."""

    command = ["--token"]

    def __init__(self, service):
        self.origin = service.origin


def row(page, text):
    return page.locator(".row:not([hidden])", has_text=text)


def in_state(page, text, state):
    line = row(page, text)
    expect(line).to_have_attribute("data-state", state)
    return line


def add(page, *links):
    page.locator("header [data-open=add]").click()
    page.locator("#add-links").fill("\n".join(links))
    expect(page.locator("#add-submit")).to_be_enabled()
    page.locator("#add-submit").click()


def until(page, condition, seconds=30):
    """The page's policy forbids what `wait_for_function` does."""
    for _ in range(seconds * 10):
        if condition():
            return
        page.wait_for_timeout(100)
    raise TimeoutError


def arc(page, text):
    return float(row(page, text).locator(".ring-arc").get_attribute("stroke-dashoffset"))


def test_the_login_takes_the_token_and_nothing_else(real, visit):
    page = visit(Entrance(real), expects_errors=True)
    page.wait_for_url("**/login.html*")
    page.locator("#token").fill("not the token of this service")
    page.locator("#login button").click()
    expect(page.locator("#login-status")).not_to_be_empty()
    page.locator("#token").fill(real.token)
    page.locator("#login button").click()
    expect(page.get_by_text("No downloads yet")).to_be_visible()
    cookies = page.context.cookies()
    assert [cookie["httpOnly"] for cookie in cookies] == [True] and cookies[0]["sameSite"] == "Strict"
    page.reload()
    expect(page.get_by_text("No downloads yet")).to_be_visible()


def test_S20_the_page_keeps_half_of_its_session_where_no_other_port_gets_it(real, enter):
    page = enter(real)
    kept = page.evaluate("JSON.stringify(localStorage)")
    assert "fileKey" in kept and real.token not in kept
    page.evaluate("localStorage.clear()")
    page.reload()
    page.wait_for_url("**/login.html*")


def test_S18_the_page_asks_for_the_token_once_it_was_renewed(real, enter):
    page = enter(real)
    assert real.pawl("token", "--renew").returncode == 0
    page.wait_for_url("**/login.html*")


def test_a_logout_forgets_the_session(real, enter):
    page = enter(real)
    page.locator("#open-settings").click()
    page.locator("#logout").click()
    page.wait_for_url("**/login.html*")
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('pawl.session')).length") == 0


def test_a_link_of_open_logs_in_once(visit):
    service = Service("--open").start()
    try:
        link = re.search(r"http://\S+/api/v1/login/\S+", service.log)[0]
        page = visit(Entrance(service), path=link[link.index("/api"):])
        expect(page.get_by_text("No downloads yet")).to_be_visible()
        # The keys of the session do not stay in the address.
        assert page.url == service.origin + "/"
        page.reload()
        expect(page.get_by_text("No downloads yet")).to_be_visible()
    finally:
        service.close()


def test_from_the_link_to_the_file_with_a_pause_and_a_kill_between(real, files, enter, tmp_path):
    body = content(SIZE)
    url = files.add("/disk.iso", body)
    files.hold("/disk.iso", after=SIZE // 3)
    page = enter(real)
    add(page, url)
    in_state(page, "disk.iso", "running")
    until(page, lambda: arc(page, "disk.iso") < 117)
    line = row(page, "disk.iso")
    line.locator(".ring-button").click()
    in_state(page, "disk.iso", "paused")
    # The page shows at once what it has asked for.
    until(page, lambda: real.client().page()["downloads"][0]["state"] == "paused")
    before = arc(page, "disk.iso")
    files.hold("/disk.iso", after=SIZE // 4)
    line.locator(".ring-button").click()
    in_state(page, "disk.iso", "running")
    until(page, lambda: arc(page, "disk.iso") < before - 1)

    real.kill()
    expect(page.locator("#banner")).to_be_visible(timeout=60_000)
    files.release("/disk.iso")
    real.start()
    expect(page.locator("#banner")).to_be_hidden(timeout=60_000)
    line = in_state(page, "disk.iso", "completed")
    expect(line.locator(".ring-button")).to_be_hidden()
    with page.expect_download() as saved:
        line.locator(".row-save").click()
    saved.value.save_as(tmp_path / "saved")
    assert saved.value.suggested_filename == "disk.iso"
    assert (tmp_path / "saved").read_bytes() == body == (real.downloads / "disk.iso").read_bytes()


def test_a_stopped_service_is_told_from_a_lost_one(real, enter):
    page = enter(real)
    real.terminate()
    expect(page.locator("#banner")).to_contain_text("The service has stopped.")
    real.start()
    expect(page.locator("#banner")).to_be_hidden(timeout=60_000)


def test_an_opened_download_shows_its_parts_and_can_be_steered(real, files, enter, violations):
    body = content(SIZE)
    url = files.add("/parts.iso", body)
    files.hold("/parts.iso", after=SIZE // 2)
    page = enter(real)
    add(page, url)
    in_state(page, "parts.iso", "running")
    row(page, "parts.iso").locator(".row-name").click()
    detail = page.locator("#detail")
    expect(detail.locator("#detail-name")).to_have_text("parts.iso")
    expect(detail).to_contain_text("127.0.0.1")
    expect(detail.locator(".log li").first).to_be_visible()
    assert violations(page) == []
    id = real.client().page()["downloads"][0]["id"]
    page.locator("#detail-limit").fill("3 MiB/s")
    page.locator(".limit-form button.button").first.click()
    until(page, lambda: real.client().show(id)["maxSpeed"] == 3 << 20)
    expect(page.locator("#detail-limit-error")).to_be_empty()
    page.locator("#detail-limit").fill("fast")
    page.locator(".limit-form button.button").first.click()
    expect(page.locator("#detail-limit-error")).not_to_be_empty()
    files.release("/parts.iso")
    in_state(page, "parts.iso", "completed")
    expect(page.locator("#live")).to_contain_text("parts.iso")


def test_duplicates_refusals_and_failures_are_said(real, files, enter):
    url = files.add("/once.iso", content(1000))
    gone = files.origin + "/gone.iso"
    page = enter(real)
    add(page, url)
    in_state(page, "once.iso", "completed")
    add(page, gone)
    in_state(page, "gone.iso", "failed")
    row(page, "gone.iso").locator(".row-name").click()
    expect(page.locator(".note")).to_contain_text("404")
    files.add("/gone.iso", content(1000))
    page.locator(".detail-buttons button", has_text="Retry").click()
    in_state(page, "gone.iso", "completed")
    page.keyboard.press("Escape")
    page.locator("header [data-open=add]").click()
    page.locator("#add-links").fill("javascript:alert(1)")
    expect(page.locator("#add-submit")).to_be_disabled()
    page.locator("#add-links").fill(files.add("/x" * 200 + "/" + "n" * 300, b"x"))
    page.locator("#add-submit").click()
    page.wait_for_timeout(500)
    expect(page.locator("body")).not_to_contain_text("undefined")


def test_names_with_markup_are_text(real, files, enter):
    name = '<img src=x onerror="document.title=1">.iso'
    page = enter(real)
    real.client().add({"url": files.add("/evil", content(1000)), "file": name, "tag": "<b>bold</b>"})
    line = row(page, "img src=x onerror")
    expect(line).to_have_attribute("data-state", "completed")
    line.locator(".row-name").click()
    expect(page.locator("#detail-name")).to_contain_text("<img src=x")
    assert page.locator(".row img, .detail img").count() == 0 and page.title() != "1"


def test_settings_stay_after_a_restart(real, enter):
    page = enter(real)
    page.locator("#open-settings").click()
    page.locator("input[value=fixed]").check()
    page.locator("#limit-rate").fill("2 MiB/s")
    page.locator("#maximum-running").fill("3")
    page.locator("#settings-form button.primary").click()
    expect(page.locator("#settings")).to_be_hidden()
    real.restart()
    settings = real.client().get("/settings").json
    assert settings["maximumRunning"] == 3 and "2" in str(settings["speedLimit"])
    page.reload()
    page.locator("#open-settings").click()
    expect(page.locator("#maximum-running")).to_have_value("3")
    expect(page.locator("#limit-rate")).to_have_value(re.compile(r"^2(\.00)? MiB/s$"))


def test_removing_deletes_the_file_if_asked_to(real, files, enter):
    page = enter(real)
    add(page, files.add("/keep.iso", content(1000)), files.add("/drop.iso", content(1000)))
    for left, name, deletes in ((2, "keep.iso", False), (1, "drop.iso", True)):
        in_state(page, name, "completed")
        # Elements are used again: until the list was read, another one shows this download.
        expect(page.locator(".row:not([hidden])")).to_have_count(left)
        row(page, name).locator(".row-name").click()
        page.locator(".detail-buttons .danger").click()
        if deletes:
            page.locator("#remove-files").check()
        page.locator("#remove button[value=remove]").click()
        expect(row(page, name)).to_have_count(0)
    # The row goes with the press of the button, the file with the answer.
    until(page, lambda: [path.name for path in real.downloads.iterdir()] == ["keep.iso"])


def test_by_keyboard_alone(real, files, enter):
    url = files.add("/keys.iso", content(SIZE))
    files.hold("/keys.iso", after=1000)
    page = enter(real)
    page.keyboard.press("n")
    page.keyboard.type(url)
    expect(page.locator("#add-submit")).to_be_enabled()
    page.keyboard.press("Control+Enter")
    in_state(page, "keys.iso", "running")
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    in_state(page, "keys.iso", "paused")
    files.release("/keys.iso")
    page.keyboard.press(" ")
    in_state(page, "keys.iso", "completed")
    page.keyboard.press("Delete")
    expect(page.get_by_role("dialog")).to_be_visible()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No downloads yet")).to_be_visible()


def test_in_chinese_and_on_a_phone_nothing_is_wrong(real, files, enter, violations):
    files.add("/手册.iso", content(1000))
    page = enter(real, locale="zh-CN", viewport={"width": 390, "height": 844}, color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("lang", re.compile("^zh"))
    assert violations(page) == []
    add(page, files.origin + "/%E6%89%8B%E5%86%8C.iso")
    page.wait_for_selector(".row")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def names(page):
    """The rows from top to bottom."""
    rows = page.locator(".row:not([hidden])").evaluate_all("rows => rows.map((row) => [Number(row.ariaRowIndex), row.querySelector('.row-name').textContent])")
    return [name for _, name in sorted(rows)]


def paused(service, *names):
    """Adds downloads that do not run."""
    return [service.client().add({"url": f"http://127.0.0.1:9/{name}", "paused": True})["id"] for name in names]


@pytest.fixture
def opened(visit):
    """The page entered by a link that needs no token, so that the console must have no error at all."""
    service = Service("--open").start()
    link = re.search(r"http://\S+(/api/v1/login/\S+)", service.log)[1]
    page = visit(Entrance(service), path=link)
    page.wait_for_selector("body:not(.is-loading):not(.login)")
    page.service, page.link = service, link
    yield page
    service.close()


def test_nothing_breaks_the_policy_or_complains_in_the_console(opened, files):
    page = opened
    files.add("/quiet.iso", content(SIZE))
    files.hold("/quiet.iso", after=SIZE // 2)
    add(page, files.origin + "/quiet.iso")
    in_state(page, "quiet.iso", "running").locator(".row-name").click()
    expect(page.locator(".connections li").first).to_be_visible(timeout=60_000)
    expect(page.locator(".map")).to_have_attribute("aria-label", re.compile("stored"))
    page.locator("#open-settings").click()
    expect(page.locator("#settings")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("#more").click()
    page.keyboard.press("Escape")
    files.release("/quiet.iso")
    in_state(page, "quiet.iso", "completed")
    hosts = page.evaluate("performance.getEntriesByType('resource').map((one) => new URL(one.name).origin)")
    assert set(hosts) == {page.service.origin}


def test_a_used_link_asks_for_the_token_and_says_why(opened):
    other = opened.context.browser.new_page()
    other.goto(opened.service.origin + opened.link)
    expect(other.locator("#login-status")).to_contain_text("was used or is too old")
    other.close()


def test_S30_a_link_with_a_made_up_key_logs_nobody_out(real, enter):
    page = enter(real)
    page.goto("about:blank")
    page.goto(f"{real.origin}/#key=made&fileKey=up")
    page.wait_for_selector("body:not(.is-loading):not(.login)")
    assert page.url == f"{real.origin}/"


def test_too_many_wrong_tokens_are_told(real, visit):
    page = visit(Entrance(real), expects_errors=True)
    for _ in range(11):
        page.locator("#token").fill("wrong")
        with page.expect_response("**/api/v1/login"):
            page.locator("#login button").click()
    expect(page.locator("#login-status")).to_contain_text(re.compile(r"Try again in \d+ s"))


def test_several_links_are_added_and_a_duplicate_is_told(real, files, enter):
    links = [files.add(f"/{name}.iso", content(1000)) for name in ("one", "two")]
    page = enter(real)
    add(page, *links)
    for name in ("one.iso", "two.iso"):
        in_state(page, name, "completed")
    files.add("/three.iso", content(SIZE))
    three = files.hold("/three.iso", after=1000)
    add(page, three)
    in_state(page, "three.iso", "running")
    page.locator("header [data-open=add]").click()
    page.locator("#add-links").fill(three)
    expect(page.locator(".found")).to_contain_text("Already in the list")
    page.locator("#add-submit").click()
    expect(page.locator("#live")).to_contain_text("is already in the list")
    assert real.client().page()["total"] == 3


def test_a_request_copied_as_curl_is_downloaded_or_refused_by_its_options(real, files, enter):
    link = files.add("/copied.iso", content(1000))
    page = enter(real)
    add(page, f"curl '{link}' \\\n  -H 'X-Page: 1' \\\n  --compressed")
    in_state(page, "copied.iso", "completed")
    add(page, f"curl '{link}?again' -d a=b -T c")
    expect(page.locator("#add-status")).to_contain_text("-d is an option of curl")
    expect(page.locator("#add-status")).to_contain_text("-T is an option of curl")
    expect(page.locator("#add-links")).to_have_value(f"curl '{link}?again' -d a=b -T c")


def test_what_is_no_link_is_told_and_a_refusal_has_the_words_of_the_service(real, files, enter):
    chosen = real.downloads / "films"
    chosen.mkdir()
    page = enter(real)
    page.locator("header [data-open=add]").click()
    page.locator("#add-links").fill("javascript:alert(1)")
    expect(page.locator("#add-status")).to_have_text("No http or https link found.")
    expect(page.locator("#add-submit")).to_be_disabled()
    page.locator("#add-links").fill(files.add("/film.mkv", content(1000)))
    page.locator("#add-directory").select_option(str(chosen))
    expect(page.locator("#add-submit")).to_be_enabled()
    chosen.rmdir()
    page.locator("#add-submit").click()
    expect(page.locator("#add-status")).to_contain_text("films")
    expect(page.locator("#add-links")).to_have_value(files.origin + "/film.mkv")
    chosen.mkdir()
    page.locator("#add-submit").click()
    in_state(page, "film.mkv", "completed")
    assert (chosen / "film.mkv").exists()


def test_the_list_is_searched_filtered_and_put_in_order(real, enter):
    paused(real, "alpha.iso", "beta.iso", "gamma.iso")
    page = enter(real)
    until(page, lambda: names(page) == ["alpha.iso", "beta.iso", "gamma.iso"])
    page.locator("#search").fill("BETA")
    until(page, lambda: names(page) == ["beta.iso"])
    page.locator("#search").fill("")
    until(page, lambda: len(names(page)) == 3)
    page.locator("#filters [data-state=completed]").click()
    expect(page.get_by_text("Nothing here right now")).to_be_visible()
    page.locator("#clear-filter").click()
    until(page, lambda: len(names(page)) == 3)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Alt+ArrowDown")
    until(page, lambda: names(page) == ["beta.iso", "alpha.iso", "gamma.iso"])
    line = row(page, "gamma.iso")
    line.hover()
    grip, target = line.locator(".row-grip").bounding_box(), row(page, "beta.iso").bounding_box()
    page.mouse.move(grip["x"] + 5, grip["y"] + 20)
    page.mouse.down()
    page.mouse.move(grip["x"] + 5, target["y"] + 30, steps=5)
    page.mouse.move(grip["x"] + 5, target["y"] + 4, steps=5)
    page.mouse.up()
    until(page, lambda: names(page) == ["gamma.iso", "beta.iso", "alpha.iso"])
    until(page, lambda: [one["url"].rsplit("/", 1)[1] for one in real.client().page()["downloads"]] == names(page))


def test_several_are_steered_together_and_other_pages_see_it(real, files, enter):
    for name in ("first", "second", "third"):
        files.add(f"/{name}.iso", content(SIZE))
        files.hold(f"/{name}.iso", after=1000)
    page, witness = enter(real), enter(real)
    add(page, *[f"{files.origin}/{name}.iso" for name in ("first", "second", "third")])
    for name in ("first", "second", "third"):
        in_state(witness, name, "running")
    page.locator("#select-mode").click()
    for name in ("first", "third"):
        row(page, name).locator(".row-check").check()
    page.locator("#selection [data-action=pause]").click()
    for name, state in (("first", "paused"), ("second", "running"), ("third", "paused")):
        in_state(witness, name, state)
    files.release_all()
    page.locator("#selection [data-action=resume]").click()
    for name in ("first", "second", "third"):
        in_state(witness, name, "completed")
    page.locator("#selection-all").click()
    page.locator("#selection [data-action=remove]").click()
    page.locator("#remove button[value=remove]").click()
    expect(witness.get_by_text("No downloads yet")).to_be_visible(timeout=60_000)


def test_a_new_link_continues_a_download_that_failed(real, files, enter):
    page = enter(real)
    add(page, files.origin + "/old.iso")
    in_state(page, "old.iso", "failed").locator(".row-name").click()
    page.locator("#detail-url").fill(files.add("/new.iso", content(1000)))
    page.locator(".url-form button").click()
    expect(page.locator("#detail")).to_have_attribute("data-state", "completed")


def test_a_timetable_stays_and_its_limit_is_shown(real, enter):
    page = enter(real)
    page.locator("#open-settings").click()
    page.locator("input[value=timetable]").check()
    rows = page.locator(".timetable-row")
    expect(rows).to_have_count(2)
    for index in range(2):
        rows.nth(index).locator("input").nth(1).fill("3 MiB/s")
    page.locator("#settings-form button.primary").click()
    expect(page.locator("#settings")).to_be_hidden()
    expect(page.locator("#speed-limit")).to_have_text("of 3.00 MiB/s")
    real.restart()
    page.reload()
    page.locator("#open-settings").click()
    expect(page.locator("input[value=timetable]")).to_be_checked()
    expect(rows.first.locator("input").nth(1)).to_have_value("3.00 MiB/s")


def test_axe_finds_nothing_in_the_dialogs_and_opened_views(real, files, enter, violations):
    page = enter(real)
    add(page, files.add("/done.iso", content(1000)), files.origin + "/none.iso")
    for name, state in (("done.iso", "completed"), ("none.iso", "failed")):
        in_state(page, name, state).locator(".row-name").click()
        expect(page.locator(".log li").first).to_be_visible()
        assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("#open-settings").click()
    expect(page.locator("#settings")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator("header [data-open=add]").click()
    page.locator("#add-links").fill(f"{files.origin}/done.iso {files.origin}/none.iso")
    expect(page.locator(".found[data-tone=failed]")).to_have_count(1)
    assert violations(page) == []


@pytest.mark.skipif(not NGINX, reason="nginx is not installed")
def test_the_page_works_behind_nginx_with_tls_and_a_prefix(files, enter, tmp_path):
    services = []

    def start(*options):
        services.append(Service(*options).start())
        return services[-1]

    proxy = Proxy(start)
    try:
        outside = Outside(proxy)
        page = enter(outside, ignore_https_errors=True)
        body = content(SIZE)
        files.add("/far.iso", body)
        files.hold("/far.iso", after=SIZE // 2)
        add(page, files.origin + "/far.iso")
        in_state(page, "far.iso", "running")
        proxy.service.restart(kills=False)
        files.release("/far.iso")
        line = in_state(page, "far.iso", "completed")
        expect(page.locator("#banner")).to_be_hidden(timeout=60_000)
        with page.expect_download() as saved:
            line.locator(".row-save").click()
        saved.value.save_as(tmp_path / "saved")
        assert (tmp_path / "saved").read_bytes() == body
        assert page.url == outside.origin + "/"
    finally:
        proxy.close()
        for service in services:
            service.close()


class Outside:
    """The service as its public URL shows it."""

    def __init__(self, proxy):
        self.origin, self.token = proxy.origin + PREFIX, proxy.service.token
