"""Playwright for Python over connect(), at the gateway's own address: it creates a session."""

from urllib.parse import urlencode

from playwright.sync_api import Route, sync_playwright
from run_scenarios import (
    becomes,
    equal,
    gateway,
    key,
    large,
    large_bytes,
    letter,
    proxy,
    run_scenarios,
    scenario,
    scratch,
    site,
)

playwright = sync_playwright().start()
asked = urlencode({"token": key, "proxy": proxy, "headless": "true"})
browser = playwright.chromium.connect(f"{gateway.replace('http', 'ws', 1)}/playwright?{asked}")
context = browser.contexts[0]
page = context.new_page()


@scenario("navigate")
def navigate() -> None:
    page.goto(f"{site}/second")
    page.goto(f"{site}/")
    page.go_back()
    equal(page.title(), "Second")
    page.go_forward()
    page.reload()
    equal(page.url, f"{site}/")


@scenario("find")
def find() -> None:
    equal(page.locator("button").count(), 3)
    equal(page.get_by_role("button", name="Press").text_content(), "Press")


@scenario("click")
def click() -> None:
    page.click("#press")
    equal(page.text_content("#press"), "pressed")


@scenario("type")
def type_text() -> None:
    page.get_by_label("Name").press_sequentially("Ada")
    equal(page.input_value("#name"), "Ada")


@scenario("frames")
def frames() -> None:
    inside = page.frame_locator("#frame").locator("#inside")
    inside.click()
    equal(inside.text_content(), "inner")


@scenario("windows")
def windows() -> None:
    with page.expect_popup() as popup:
        page.click("#second")
    popup.value.wait_for_load_state()
    equal(popup.value.title(), "Second")
    popup.value.close()


@scenario("alerts")
def alerts() -> None:
    page.once("dialog", lambda dialog: dialog.accept("Ada"))
    page.click("#ask")
    becomes(lambda: page.text_content("#out"), "Ada")


@scenario("upload")
def upload() -> None:
    page.set_input_files("#letter", letter)
    becomes(lambda: page.text_content("#out"), "letter.txt: dear all")


@scenario("upload 80 MB")
def upload_large() -> None:
    page.set_input_files("#letter", large)
    becomes(lambda: page.text_content("#size"), str(large_bytes))


@scenario("download")
def download() -> None:
    with page.expect_download() as started:
        page.click("#report")
    started.value.save_as(f"{scratch}/saved.txt")
    with open(f"{scratch}/saved.txt") as file:
        equal(file.read(), "the report")


@scenario("screenshot")
def screenshot() -> None:
    equal(page.screenshot()[1:4], b"PNG")


@scenario("PDF")
def pdf() -> None:
    equal(page.pdf()[:5], b"%PDF-")


@scenario("intercept")
def intercept() -> None:
    def answer(route: Route) -> None:
        route.fulfill(body="from the client")

    page.route("**/made-up", answer)
    page.goto(f"{site}/made-up")
    equal(page.text_content("body"), "from the client")
    page.unroute_all()


@scenario("log")
def log() -> None:
    page.goto(f"{site}/")
    with page.expect_console_message() as message:
        page.click("#log")
    equal(message.value.text, "a line")


@scenario("cookies")
def cookies() -> None:
    context.add_cookies([{"name": "flavour", "value": "oat", "url": site}])
    page.goto(f"{site}/cookies")
    equal(page.text_content("body"), "flavour=oat")
    equal([cookie["value"] for cookie in context.cookies()], ["oat"])


@scenario("contexts")
def contexts() -> None:
    other = browser.new_context()
    other_page = other.new_page()
    other_page.goto(f"{site}/cookies")
    equal(other_page.text_content("body"), "")
    other.close()


run_scenarios()
browser.close()
playwright.stop()
