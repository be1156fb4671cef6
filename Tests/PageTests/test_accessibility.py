"""axe finds nothing, in any state of the page."""

import pytest

STATES = {
    "empty": ("empty", lambda page: None),
    "list": ("demo", lambda page: None),
    "running": ("demo", lambda page: page.locator(".row[data-state=running] .row-name").first.click()),
    "paused": ("demo", lambda page: page.locator(".row[data-state=paused] .row-name").click()),
    "failed": ("demo", lambda page: page.locator(".row[data-state=failed] .row-name").click()),
    "done": ("demo", lambda page: page.locator(".row[data-state=completed] .row-name").first.click()),
    "adding": ("demo", lambda page: (page.keyboard.press("n"), page.keyboard.type("https://example.org/missing.bin https://downloads.example.org/maps/europe.osm.pbf"), page.wait_for_timeout(700))),
    "settings": ("demo", lambda page: (page.locator("#open-settings").click(), page.locator("input[value=timetable]").check())),
    "keys": ("demo", lambda page: page.keyboard.press("?")),
    "menu": ("demo", lambda page: page.locator("#more").click()),
    "selecting": ("demo", lambda page: (page.locator("#select-mode").click(), page.locator(".row-check").nth(3).check(force=True))),
    "removing": ("demo", lambda page: (page.locator(".row[data-state=paused] .row-name").click(), page.locator(".detail-buttons .danger").click())),
    "nothing found": ("demo", lambda page: (page.locator("#search").fill("zzz"), page.wait_for_timeout(500))),
}
LOOKS = {
    "wide-light": {"color_scheme": "light"},
    "phone-dark": {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


def test_axe_finds_what_is_wrong(serve, visit, violations):
    page = visit(serve("demo"))
    page.evaluate("() => { document.querySelector('#open-settings').removeAttribute('aria-label'); document.querySelector('#open-settings').title = ''; }")
    page.evaluate("() => document.querySelector('.row-facts').style.setProperty('color', '#c8ccd2')")
    assert {line.split(":")[0] for line in violations(page)} == {"button-name", "color-contrast"}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("state", STATES)
def test_axe_finds_nothing(serve, visit, violations, state, look):
    scene, act = STATES[state]
    page = visit(serve(scene), expects_errors=True, **LOOKS[look])
    page.wait_for_timeout(300)
    act(page)
    page.wait_for_timeout(300)
    assert violations(page) == []


def test_axe_finds_nothing_when_stopped(serve, visit, violations):
    service = serve("demo")
    page = visit(service, expects_errors=True)
    service.steer("stop")
    page.locator("#banner").wait_for()
    assert violations(page) == []


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_at_the_login(serve, visit, violations, look):
    assert violations(visit(serve("empty"), path="/login.html", **LOOKS[look])) == []


def test_targets_are_large_enough_on_a_phone(serve, visit):
    page = visit(serve("demo"), **LOOKS["phone-dark"])
    small = page.evaluate("""() => [...document.querySelectorAll("button, a, select, input")]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.getBoundingClientRect().width > 1 && !one.closest("label"))
      .map((one) => [one.id || one.className || one.textContent, Math.round(one.getBoundingClientRect().width), Math.round(one.getBoundingClientRect().height)])
      .filter(([, width, height]) => width < 44 || height < 44)""")
    assert small == []
