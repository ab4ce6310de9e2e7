"""Vibium, a client of WebDriver BiDi, at a session's bidiUrl."""

import os
import urllib.request

from run_scenarios import becomes, equal, large, large_bytes, letter, run_scenarios, scenario, site
from vibium import browser as vibium
from vibium.sync_api.page import Page

browser = vibium.start(os.environ["BIDI_URL"])
page = browser.new_page()
files = f"{os.environ['CDP_URL'].replace('ws', 'http', 1)}/files"


def put(name: str, path: str) -> None:
    """BiDi has no way to send a file, only paths of the browser's machine. So files go by the session's files."""
    with open(path, "rb") as file:
        request = urllib.request.Request(f"{files}/{name}", file.read(), method="PUT")
    urllib.request.urlopen(request).close()


@scenario("navigate")
def navigate() -> None:
    page.go(f"{site}/second")
    page.go(f"{site}/")
    page.back()
    equal(page.title(), "Second")
    page.forward()
    page.reload()
    equal(page.url(), f"{site}/")


@scenario("find")
def find() -> None:
    equal(len(page.find_all("button")), 3)
    equal(page.find("#press").text(), "Press")


@scenario("click")
def click() -> None:
    page.find("#press").click()
    equal(page.find("#press").text(), "pressed")


@scenario("type")
def type_text() -> None:
    page.find("#name").type("Ada")
    equal(page.find("#name").value(), "Ada")


@scenario("frames")
def frames() -> None:
    frame = page.frame(f"{site}/inner")
    assert frame
    frame.find("#inside").click()
    equal(frame.find("#inside").text(), "inner")


@scenario("windows")
def windows() -> None:
    # Not pages(): its second object for the same page would continue the requests that this one answers.
    opened: list[Page] = []
    browser.on_popup(opened.append)
    page.find("#second").click()
    becomes(lambda: [popup.title() for popup in opened], ["Second"])
    opened[0].close()


@scenario("alerts")
def alerts() -> None:
    page.on_dialog(lambda dialog: dialog.accept("Ada"))
    page.find("#ask").click()
    becomes(lambda: page.find("#out").text(), "Ada")


@scenario("upload")
def upload() -> None:
    put("letter.txt", letter)
    page.find("#letter").set_files(["/home/user/files/letter.txt"])
    becomes(lambda: page.find("#out").text(), "letter.txt: dear all")


@scenario("upload 80 MB")
def upload_large() -> None:
    put("large.bin", large)
    page.find("#letter").set_files(["/home/user/files/large.bin"])
    becomes(lambda: page.find("#size").text(), str(large_bytes))


@scenario("download")
def download() -> None:
    page.find("#report").click()

    def names() -> str:
        with urllib.request.urlopen(files) as listed:
            return listed.read().decode()

    becomes(lambda: "report.txt" in names(), True)
    with urllib.request.urlopen(f"{files}/report.txt") as report:
        equal(report.read(), b"the report")


@scenario("screenshot")
def screenshot() -> None:
    equal(page.screenshot()[1:4], b"PNG")


@scenario("PDF")
def pdf() -> None:
    equal(page.pdf()[:5], b"%PDF-")


@scenario("intercept")
def intercept() -> None:
    page.route("**/made-up", {"status": 200, "body": "from the client"})
    page.go(f"{site}/made-up")
    equal(page.find("body").text(), "from the client")
    page.unroute("**/made-up")


@scenario("log")
def log() -> None:
    page.on_console("collect")
    page.go(f"{site}/")
    page.find("#log").click()
    becomes(lambda: [message["text"] for message in page.console_messages()], ["a line"])


@scenario("cookies")
def cookies() -> None:
    page.context.set_cookies([{"name": "flavour", "value": "oat", "domain": "127.0.0.1", "path": "/"}])
    page.go(f"{site}/cookies")
    equal(page.find("body").text(), "flavour=oat")
    equal([cookie["value"] for cookie in page.context.cookies()], ["oat"])


@scenario("contexts")
def contexts() -> None:
    context = browser.new_context()
    other = context.new_page()
    other.go(f"{site}/cookies")
    equal(other.evaluate("document.body.textContent"), "")
    context.close()


run_scenarios()
browser.stop()
