"""What the page says when it cannot reach the service, and how it comes back."""

from playwright.sync_api import expect


def test_stopped_service_is_told_from_a_lost_connection(serve, visit):
    service = serve("demo")
    page = visit(service, expects_errors=True)
    banner = page.locator("#banner")
    service.steer("drop", status=500)
    expect(banner).to_contain_text("Connection lost, trying again.")
    service.steer("back")
    banner.get_by_role("button", name="Try now").click()
    expect(banner).to_be_hidden()
    service.steer("stop")
    expect(banner).to_contain_text("The service has stopped.")
    service.steer("back")
    expect(banner).to_be_hidden(timeout=60_000)


def test_page_comes_back_after_the_service_was_killed(serve, visit):
    service = serve("demo")
    page = visit(service, expects_errors=True)
    service.kill()
    expect(page.locator("#banner")).to_contain_text("The service has stopped.")
    page.wait_for_timeout(2500)
    service.start()
    service.steer("add", url="https://example.org/later.bin", file="later.bin")
    expect(page.locator("#banner")).to_be_hidden(timeout=60_000)
    expect(page.locator(".row", has_text="later.bin")).to_be_visible()
    # Nothing of the time without it shows the banner again.
    page.wait_for_timeout(2500)
    expect(page.locator("#banner")).to_be_hidden()


def test_short_interruption_shows_no_banner(serve, visit):
    service = serve("demo")
    page = visit(service, expects_errors=True)
    page.evaluate("""() => {
      window.seen = 0;
      new MutationObserver(() => (window.seen += !document.querySelector("#banner").hidden)).observe(document.querySelector("#banner"), { attributes: true });
    }""")
    service.steer("drop", status=500)
    service.steer("back")
    page.wait_for_timeout(2500)
    assert page.evaluate("window.seen") == 0


def test_page_works_under_the_prefix_of_a_reverse_proxy(serve, visit):
    service = serve("demo", "--token", "secret", prefix="/tools/pawl")
    page = visit(service, expects_errors=True)
    page.wait_for_url("**/tools/pawl/login.html")
    page.get_by_label("Token").fill("secret")
    page.get_by_role("button", name="Log in").click()
    line = page.locator(".row", has_text="wikipedia")
    line.get_by_role("button", name="Pause").click()
    expect(line.get_by_role("button", name="Resume")).to_be_visible()
    assert page.url == service.origin + "/"


def test_a_service_that_cannot_save_says_so_and_why(serve, visit):
    service = serve("demo")
    page = visit(service)
    banner = page.locator("#banner")
    service.steer("trouble", type="docs/api.md#storeFull", title="Store full", status=507, code="storeFull", detail="The disk is full.", hint="Free some space.")
    expect(banner).to_contain_text("The service cannot save changes. What is running continues. The disk is full. Free some space.")
    expect(banner.get_by_role("button")).to_be_hidden()
    expect(page.locator("#speed")).to_be_visible()
    service.steer("trouble")
    expect(banner).to_be_hidden()
