"""Adding, watching and steering downloads."""

import re

import pytest
from playwright.sync_api import expect


def row(page, text):
    return page.locator(".row", has_text=text)


def offset(page, text):
    return float(row(page, text).locator(".ring-arc").get_attribute("stroke-dashoffset"))


def test_added_download_appears_and_its_ring_moves(serve, visit):
    service = serve("empty")
    page = visit(service)
    expect(page.get_by_text("No downloads yet")).to_be_visible()
    page.get_by_role("button", name="Add downloads").click()
    page.get_by_role("textbox", name="Links").fill("https://downloads.example.org/first.iso\n")
    expect(page.locator(".found")).to_contain_text("700 MiB")
    page.locator("#add-submit").click()
    expect(row(page, "first.iso")).to_be_visible()
    service.steer("step")
    before = offset(page, "first.iso")
    service.steer("step", times=2)
    page.wait_for_function("([before]) => Number(document.querySelector('.ring-arc').getAttribute('stroke-dashoffset')) < before", arg=[before])


def test_one_button_pauses_and_resumes(serve, visit):
    service = serve("demo")
    page = visit(service)
    line = row(page, "wikipedia-en")
    line.get_by_role("button", name="Pause").click()
    expect(line.get_by_role("button", name="Resume")).to_be_visible()
    assert next(one for one in service.downloads() if one["file"] and "wikipedia" in one["file"])["state"] == "paused"
    line.get_by_role("button", name="Resume").click()
    expect(line.get_by_role("button", name="Pause")).to_be_visible()
    assert next(one for one in service.downloads() if one["file"] and "wikipedia" in one["file"])["state"] == "running"


def test_done_download_has_no_toggle_but_can_be_saved(serve, visit):
    page = visit(serve("demo"))
    line = row(page, "Fedora-Workstation")
    expect(line.locator(".ring-button")).to_be_hidden()
    with page.expect_download() as saved:
        line.get_by_role("link", name="Save").click()
    assert saved.value.suggested_filename == "Fedora-Workstation-44.iso"


def test_a_failure_has_the_title_of_what_failed(serve, visit):
    service = serve("empty")
    page = visit(service)
    for name, words, error in [
        ("big.iso", "The file is too large", {"code": "tooLarge", "message": "It has 5 bytes.", "remedies": ["raiseMaximumSize"], "step": "fetch"}),
        ("members.zip", "The archive is too large when unpacked", {"code": "tooLarge", "message": "It becomes too large.", "remedies": ["raiseMaximumBytes"], "step": "fetch"}),
        ("whole.zip", "The archive is too large when unpacked", {"code": "tooLarge", "message": "It becomes too large.", "remedies": [], "step": "unpack"}),
        ("a.meta4", "The Metalink has no http or https URL for the file.", {"code": "invalidArgument", "message": "The Metalink has no http or https URL for the file.", "remedies": [], "step": "resolve"}),
    ]:
        service.steer("add", url="https://example.org/" + name, state="failed", file=name, error={"hint": None, "recovery": "giveUp", **error})
        expect(row(page, name)).to_contain_text(words)


def test_completion_is_told_once(serve, visit):
    service = serve("empty")
    service.steer("freeze")
    page = visit(service)
    service.steer("add", url="https://example.org/a.bin", state="running", file="a.bin", total=1000, bytes=10)
    expect(row(page, "a.bin")).to_be_visible()
    service.steer("step", times=4)
    expect(page.locator("#live")).to_contain_text("a.bin")
    expect(page.locator("#live")).to_contain_text("completed")
    expect(page.locator(".toast")).to_have_count(1)


def test_what_of_a_text_is_not_added_is_told(serve, visit):
    page = visit(serve("demo"))
    page.keyboard.press("n")
    field = page.get_by_role("textbox", name="Links")
    field.fill("https://example.org/a.iso\nftp://example.org/b.iso\n\nhttps://example.org/a.iso\nnot a link")
    expect(page.locator("#add-status")).to_have_text("One link is listed twice; it is added once. 2 lines have no http or https link. The first: \u2068ftp://example.org/b.iso\u2069")
    expect(page.locator("#add-submit")).to_have_text("Add download")
    field.fill("one\ntwo")
    expect(page.locator("#add-status")).to_have_text("No http or https link found.")
    field.fill("https://example.org/a.iso\n")
    expect(page.locator("#add-status")).to_have_text("")


def test_duplicate_is_told_and_not_added(serve, visit):
    service = serve("demo")
    page = visit(service)
    before = len(service.downloads())
    page.keyboard.press("n")
    page.get_by_role("textbox", name="Links").fill("https://downloads.example.org/maps/europe.osm.pbf")
    expect(page.locator(".found")).to_contain_text("Already in the list")
    page.locator("#add-submit").click()
    expect(page.locator(".toast")).to_contain_text("already in the list")
    assert len(service.downloads()) == before


def test_refused_link_stays_in_the_field_with_the_reason(serve, visit):
    service = serve("empty")
    page = visit(service)
    page.keyboard.press("n")
    page.get_by_role("textbox", name="Links").fill("https://example.org/good.bin https://example.org/refused.bin")
    page.locator("#add-submit").click()
    expect(page.locator("#add-status")).to_contain_text("Another download writes to this file")
    expect(page.get_by_role("textbox", name="Links")).to_have_value("https://example.org/refused.bin")
    # What is found out about a link later must not take the reason away.
    expect(page.locator("#add-found .line-side")).not_to_have_text("example.org")
    page.wait_for_timeout(500)
    expect(page.locator("#add-status")).to_contain_text("Another download writes to this file")
    page.get_by_role("textbox", name="Links").fill("https://example.org/other.bin")
    expect(page.locator("#add-status")).to_have_text("")
    assert [one["url"] for one in service.downloads()] == ["https://example.org/good.bin"]


def test_many_links_are_added_in_requests_that_the_service_takes(serve, visit):
    service = serve("empty")
    service.steer("freeze")
    page = visit(service)
    page.keyboard.press("n")
    links = "\n".join(f"https://example.org/{index}/{'x' * 300}.bin" for index in range(6000))
    page.evaluate("(links) => { const field = document.querySelector('#add-links'); field.value = links; field.dispatchEvent(new Event('input')); }", links)
    expect(page.locator("#add-submit")).to_have_text("Add 6,000 downloads")
    page.locator("#add-submit").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".filter-count").first).to_have_text("6,000")


def test_documents_become_jobs(serve, visit):
    service = serve("empty")
    page = visit(service)
    page.keyboard.press("n")
    document = '<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="one.iso"/><file name="two.iso"/></metalink>'
    page.locator("#add-file").set_input_files([
        {"name": "discs.meta4", "mimeType": "application/metalink4+xml", "buffer": document.encode()},
        {"name": "list.txt", "mimeType": "text/plain", "buffer": b"https://example.org/three.iso\n"},
    ])
    expect(page.locator("#add-submit")).to_have_text("Add 3 downloads")
    page.locator("#add-submit").click()
    expect(page.locator(".row:not([hidden])")).to_have_count(3)


def test_links_are_pasted_anywhere(serve, visit):
    page = visit(serve("empty"))
    page.evaluate("""() => {
      const data = new DataTransfer();
      data.setData("text/plain", "see https://example.org/a.bin and javascript:alert(1) and https://example.org/b.bin");
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
    }""")
    expect(page.get_by_role("textbox", name="Links")).to_have_value("https://example.org/a.bin\nhttps://example.org/b.bin")


def test_a_request_copied_as_curl_is_pasted_and_added_as_it_is(serve, visit):
    service = serve("empty")
    page = visit(service)
    copied = "curl 'https://example.org/a.bin?x=1' \\\n  -H 'Referer: https://example.net/' \\\n  --compressed"
    page.evaluate("""(text) => {
      const data = new DataTransfer();
      data.setData("text/plain", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
    }""", copied)
    field = page.get_by_role("textbox", name="Links")
    expect(field).to_have_value(copied)
    # The page that led there is no link of its own.
    expect(page.locator("#add-submit")).to_have_text("Add download")
    expect(page.locator(".found")).to_contain_text("example.org")
    field.fill(copied + "\nhttps://example.org/b.bin\n" + copied)
    expect(page.locator("#add-submit")).to_have_text("Add 2 downloads")
    expect(page.locator("#add-status")).to_contain_text("One link is listed twice")
    with page.expect_request(lambda request: request.method == "POST" and request.url.endswith("/downloads")) as sent:
        page.locator("#add-submit").click()
    assert [job.get("curl") or job["url"] for job in sent.value.post_data_json] == [copied, "https://example.org/b.bin"]
    expect(page.locator(".row:not([hidden])")).to_have_count(2)


def test_links_are_dropped(serve, visit):
    page = visit(serve("empty"))
    page.evaluate("""() => {
      const data = new DataTransfer();
      data.setData("text/uri-list", "https://example.org/dropped.bin");
      const send = (name) => document.body.dispatchEvent(new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true }));
      send("dragenter");
      send("drop");
    }""")
    expect(page.get_by_role("textbox", name="Links")).to_have_value("https://example.org/dropped.bin")
    expect(page.locator("#drop")).to_be_hidden()


def test_opened_view_shows_connections_sources_and_log(serve, visit):
    service = serve("demo")
    page = visit(service)
    row(page, "debian-13").locator(".row-name").click()
    detail = page.get_by_role("complementary")
    expect(detail.locator(".connections li")).to_have_count(4)
    expect(detail.locator("canvas")).to_have_attribute("aria-label", re.compile("stored, 4 connections"))
    expect(detail).to_contain_text("mirror.example.net")
    expect(detail).to_contain_text("sha-256")
    expect(detail.locator(".log li")).to_have_count(2)
    page.wait_for_function("() => document.querySelector('.graph-line').getAttribute('d').length > 20")
    page.keyboard.press("Escape")
    expect(detail).to_be_hidden()


def test_failed_download_says_what_would_help_and_takes_a_new_link(serve, visit):
    service = serve("demo")
    page = visit(service)
    row(page, "manual.pdf").locator(".row-name").click()
    expect(page.locator(".note")).to_contain_text("Check the URL")
    page.get_by_label("New link").fill("https://example.org/new/manual.pdf")
    page.get_by_role("button", name="Use", exact=True).click()
    expect(page.locator(".note")).to_be_hidden()
    changed = next(one for one in service.downloads() if one["file"] == "manual.pdf")
    assert (changed["url"], changed["state"]) == ("https://example.org/new/manual.pdf", "running")


def test_selection_is_paused_and_removed_together(serve, visit):
    service = serve("demo")
    page = visit(service)
    page.get_by_role("button", name="Select several").click()
    for name in ("wikipedia", "debian"):
        row(page, name).locator(".row-check").check()
    expect(page.locator("#selection-count")).to_have_text("2 selected")
    page.get_by_role("toolbar").get_by_role("button", name="Pause").click()
    expect(row(page, "wikipedia").get_by_role("button", name="Resume")).to_be_visible()
    page.get_by_role("toolbar").get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(row(page, "wikipedia")).to_have_count(0)
    assert len(service.downloads()) == 9


def test_all_of_a_filter_are_removed(serve, visit):
    service = serve("demo")
    page = visit(service)
    page.locator("#filters [data-state=completed]").click()
    expect(page.locator(".row:not([hidden])")).to_have_count(3)
    page.get_by_role("button", name="Select several").click()
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("toolbar").get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_text("Nothing here right now")).to_be_visible()
    assert "completed" not in {one["state"] for one in service.downloads()}


def test_search_narrows_the_list(serve, visit):
    page = visit(serve("demo"))
    page.get_by_label("Search").fill("LINUX")
    expect(page.locator(".row:not([hidden])")).to_have_count(1)
    page.get_by_label("Search").fill("nothing like this")
    expect(page.get_by_text("Nothing matches your search")).to_be_visible()
    page.get_by_role("button", name="Show all downloads").click()
    expect(page.locator(".row:not([hidden])")).to_have_count(11)


def test_row_is_dragged_to_another_place(serve, visit):
    service = serve("demo")
    page = visit(service)
    line = row(page, "europe.osm.pbf")
    line.hover()
    grip = line.locator(".row-grip").bounding_box()
    target = row(page, "texlive2026").bounding_box()
    page.mouse.move(grip["x"] + 5, grip["y"] + 20)
    page.mouse.down()
    page.mouse.move(grip["x"] + 5, target["y"] + 30, steps=5)
    page.mouse.move(grip["x"] + 5, target["y"] + 4, steps=5)
    page.mouse.up()
    page.wait_for_timeout(500)
    names = [one["file"] or one["url"] for one in service.downloads()]
    assert names.index("https://downloads.example.org/maps/europe.osm.pbf") == names.index("texlive2026.iso") - 1


def test_limits_are_set_now_or_by_timetable(serve, visit):
    service = serve("demo")
    page = visit(service)
    page.get_by_role("button", name="Limits and settings").click()
    page.get_by_label("Limit", exact=True).check()
    page.get_by_label("At most").fill("2 MiB/s")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#speed-limit")).to_have_text("of 2.00 MiB/s")
    assert service.call("GET", "/api/v1/settings")["speedLimit"] == 2 << 20
    page.get_by_role("button", name="Limits and settings").click()
    page.get_by_label("Timetable").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert service.call("GET", "/api/v1/settings")["timetable"] == "08:00,1048576 19:00,off"
    page.get_by_role("button", name="Limits and settings").click()
    page.get_by_label("Speed", exact=True).first.fill("Pause")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert service.call("GET", "/api/v1/settings")["timetable"] == "08:00,pause 19:00,off"
    page.get_by_role("button", name="Limits and settings").click()
    expect(page.get_by_label("Speed", exact=True).first).to_have_value("pause")


def test_title_has_the_total_speed(serve, visit):
    page = visit(serve("demo"))
    page.wait_for_function("() => /^[0-9.]+ MiB\\/s · Pawl$/.test(document.title)")


def test_chinese(serve, visit):
    page = visit(serve("demo"), locale="zh-CN")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    row(page, "manual.pdf").locator(".row-name").click()
    expect(page.locator(".note")).to_contain_text("请检查链接。")


def test_login_by_token(serve, visit):
    service = serve("demo", "--token", "secret")
    page = visit(service, path="/login.html", expects_errors=True)
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_have_text("This token is not valid.")
    page.get_by_label("Token").fill("secret")
    page.get_by_role("button", name="Log in").click()
    expect(row(page, "debian-13")).to_be_visible()
    page.context.clear_cookies()
    page.reload()
    expect(page.get_by_label("Token")).to_be_visible()


def logged_in(serve, visit):
    service = serve("demo", "--token", "secret")
    page = visit(service, path="/login.html", expects_errors=True)
    page.get_by_label("Token").fill("secret")
    page.get_by_role("button", name="Log in").click()
    expect(row(page, "debian-13")).to_be_visible()
    return service, page


@pytest.mark.parametrize("fragment", ["key=made%20up", "key=", "key=made&fileKey=up", "key=%0A", "key=%E2%82%AC"])
def test_S30_a_link_with_another_key_leaves_the_session_as_it_is(serve, visit, fragment):
    """Login CSRF: any page may link here."""
    service, page = logged_in(serve, visit)
    kept = page.evaluate("JSON.stringify(localStorage)")
    page.goto("about:blank")
    page.goto(f"{service.origin}/#{fragment}")
    expect(row(page, "debian-13")).to_be_visible()
    assert page.evaluate("JSON.stringify(localStorage)") == kept
    assert page.url == f"{service.origin}/"


def test_S30_a_link_with_the_keys_of_the_cookie_logs_in(serve, visit):
    service, page = logged_in(serve, visit)
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")
    page.goto(f"{service.origin}/#key=a%20key&fileKey=a%20key%20for%20files")
    expect(row(page, "debian-13")).to_be_visible()
    assert page.url == f"{service.origin}/"


def test_S31_a_log_out_that_fails_is_told_and_leaves_the_session(serve, visit):
    service, page = logged_in(serve, visit)
    service.steer("trouble", status=503, code="storeFailed", detail="The disk is full.")
    kept = page.evaluate("JSON.stringify(localStorage)")
    page.locator("#open-settings").click()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("The change could not be saved.").first).to_be_visible()
    assert page.evaluate("JSON.stringify(localStorage)") == kept
    assert "login" not in page.url
    service.steer("trouble")
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login.html")
