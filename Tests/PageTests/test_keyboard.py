"""Everything by keyboard alone."""

from playwright.sync_api import expect


def focused_name(page):
    return page.evaluate("document.activeElement.querySelector?.('.row-name')?.textContent ?? document.activeElement.id")


def test_download_is_added_paused_and_removed_by_keyboard(serve, visit):
    service = serve("empty")
    service.steer("freeze")
    page = visit(service)
    page.keyboard.press("n")
    page.keyboard.type("https://example.org/keys.bin")
    expect(page.locator("#add-submit")).to_be_enabled()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    # A field that is no longer shown has the keys until the next frame.
    expect(page.locator("#add-links")).not_to_be_focused()
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    assert focused_name(page) == "keys.bin"
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#detail-name")).to_be_focused()
    page.keyboard.press("Escape")
    assert focused_name(page) == "keys.bin"
    page.keyboard.press("Delete")
    expect(page.get_by_role("dialog")).to_be_visible()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No downloads yet")).to_be_visible()
    assert service.downloads() == []


def test_arrows_move_and_shift_selects(serve, visit):
    page = visit(serve("demo"))
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    expect(page.locator("#selection-count")).to_have_text("2 selected")
    page.keyboard.press("Escape")
    expect(page.locator("#selection")).to_be_hidden()
    page.keyboard.press("End")
    assert focused_name(page) == "manual.pdf"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.className") == "ring-button"


def test_alt_arrow_moves_in_the_queue_and_keeps_the_focus(serve, visit):
    service = serve("demo")
    page = visit(service)
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Alt+ArrowDown")
    page.wait_for_timeout(600)
    assert [one["file"] for one in service.downloads()[:2]] == ["wikipedia-en-2026-03.xml.zst", "debian-13.1.0-amd64-DVD-1.iso"]
    assert focused_name(page) == "debian-13.1.0-amd64-DVD-1.iso"


def test_focus_stays_while_the_list_changes(serve, visit):
    service = serve("demo")
    page = visit(service)
    page.keyboard.press("/")
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    name = focused_name(page)
    for index in range(5):
        added = service.steer("add", url=f"https://example.org/{index}", file=f"{index}.bin")
        service.call("PATCH", f"/api/v1/downloads/{added['id']}", {"position": "top"})
    expect(page.locator(".row", has_text="4.bin")).to_be_visible()
    page.wait_for_timeout(600)
    assert focused_name(page) == name


def test_every_control_shows_its_focus_and_tab_leaves_the_list(serve, visit):
    page = visit(serve("demo"))
    seen = []
    for _ in range(30):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.tagName"))
    assert {"open-settings", "more", "search", "sort", "select-mode", "row", "ring-button"} <= {part for one in seen for part in one.split()}
    assert sum("row" in one.split() for one in seen) <= 2


def test_opened_view_on_a_phone_keeps_the_focus_inside(serve, visit):
    page = visit(serve("demo"), viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.locator(".row-name").first.click()
    expect(page.locator("#detail-name")).to_be_focused()
    for _ in range(25):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || Boolean(document.activeElement.closest('#detail'))")
    page.keyboard.press("Escape")
    expect(page.locator(".row:focus")).to_have_count(1)
