"""100,000 downloads."""

import pytest
from playwright.sync_api import expect


@pytest.fixture(scope="module")
def long_list():
    from conftest import Service

    service = Service("many")
    # The first answer sorts the list; a real service has an index.
    service.call("GET", "/api/v1/downloads?sort=position")
    yield service
    service.kill()


def test_first_paint_within_a_second(long_list, visit):
    page = visit(long_list)
    expect(page.locator(".row").first).to_be_visible()
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    print(f"first contentful paint after {paint:.0f} ms")
    assert paint <= 1000


def test_scrolling_has_no_long_tasks(long_list, visit):
    page = visit(long_list)
    page.wait_for_timeout(1500)
    page.evaluate("""() => {
      window.tasks = [];
      new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: "longtask" });
    }""")
    page.mouse.move(700, 500)
    for _ in range(60):
        page.mouse.wheel(0, 900)
        page.wait_for_timeout(30)
    page.evaluate("""async () => {
      const viewport = document.querySelector("#viewport");
      for (let step = 1; step <= 60; step += 1) {
        viewport.scrollTop = (viewport.scrollHeight * step) / 60;
        await new Promise(requestAnimationFrame);
      }
    }""")
    page.wait_for_timeout(1500)
    tasks = page.evaluate("window.tasks")
    print(f"long tasks: {[round(one) for one in tasks]}")
    assert max(tasks, default=0) <= 100
    assert page.locator(".row").count() < 60
    expect(page.locator(".row:not([hidden])[data-state=loading]")).to_have_count(0)


def test_end_key_reaches_the_last_download(long_list, visit):
    page = visit(long_list)
    page.keyboard.press("/")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    expect(page.locator(".row:focus")).to_have_attribute("aria-rowindex", "100000")
    page.wait_for_function("() => document.activeElement.querySelector('.row-name').textContent !== ''")


def test_page_is_quiet_when_nothing_happens(long_list, visit):
    page = visit(long_list)
    page.wait_for_timeout(500)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    busy = lambda: next(one["value"] for one in session.send("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")
    before = busy()
    page.wait_for_timeout(4000)
    share = (busy() - before) / 4
    print(f"busy {share:.1%} of the time with three running downloads")
    assert share < 0.3
