"""Text from servers stays text, and the page needs nothing that the Content-Security-Policy forbids."""

import pathlib
import re

from playwright.sync_api import expect

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/PawlServer/Page"


def test_markup_in_names_and_errors_is_shown_as_text(serve, visit):
    page = visit(serve("hostile"))
    line = page.locator(".row", has_text="bold")
    expect(line.locator(".row-name")).to_contain_text("<img src=x onerror=")
    line.locator(".row-name").click()
    expect(page.locator("#detail-name")).to_contain_text("<b>bold</b>")
    page.locator(".row[data-state=failed] .row-name").click()
    expect(page.locator(".note")).to_contain_text("<script>")
    assert page.locator(".row img, .row b, .detail b, .detail script").count() == 0
    assert "owned" not in page.title()
    assert page.locator("[href^='javascript:' i], [src^='javascript:' i]").count() == 0


def test_page_takes_nothing_from_elsewhere_and_breaks_no_policy(serve, visit):
    service = serve("demo")
    page = visit(service)
    hosts = page.evaluate("performance.getEntriesByType('resource').map((one) => new URL(one.name).origin)")
    assert set(hosts) == {service.origin}


def test_sources_have_no_inline_code_and_no_markup_from_text():
    for file in PAGE.rglob("*.html"):
        text = file.read_text()
        assert not re.search(r"\sstyle=|\son\w+=|<style|<script(?![^>]*src=)", text), file
        assert not re.search(r'(?:src|href)="(?:/|https?:)', text), f"{file}: not relative"
    for file in PAGE.rglob("*.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", file.read_text()), file


def test_every_module_is_preloaded():
    preloaded = set(re.findall(r'modulepreload" href="(app/[\w-]+\.js)', (PAGE / "index.html").read_text()))
    assert preloaded == {f"app/{file.name}" for file in (PAGE / "app").glob("*.js")} - {"app/main.js", "app/login.js"}
