"""Playwright for Python over connect(), as docs/protocols.md has it."""

import json
import os
import tempfile

from playwright.sync_api import sync_playwright

url, site = os.environ["PLAYWRIGHT_URL"], os.environ["SITE"]
outcome: dict[str, object] = {}

with sync_playwright() as playwright, tempfile.TemporaryDirectory() as scratch:
    browser = playwright.chromium.connect(url)
    context = browser.contexts[0]
    page = context.new_page()
    page.goto(f"{site}/")
    outcome["title"] = page.title()
    page.set_content(
        """<button onclick="this.textContent = 'pressed'">x</button><input id=name><input id=letter type=file>
        <iframe srcdoc="<p>inner</p>"></iframe>"""
    )
    page.click("button")
    page.locator("#name").press_sequentially("Ada")
    outcome["pressed"] = page.text_content("button")
    outcome["typed"] = page.input_value("#name")
    outcome["frame"] = page.frame_locator("iframe").locator("p").text_content()
    page.once("dialog", lambda dialog: dialog.accept("yes"))
    outcome["dialog"] = page.evaluate("prompt('?')")
    with open(f"{scratch}/letter.txt", "w", encoding="utf-8") as letter:
        letter.write("dear all")
    page.set_input_files("#letter", f"{scratch}/letter.txt")
    outcome["uploaded"] = page.evaluate("document.querySelector('#letter').files[0].text()")
    with page.expect_download() as downloading:
        page.evaluate(
            """Object.assign(document.createElement('a'), {
            href: URL.createObjectURL(new Blob(['the report'])), download: 'report.txt' }).click()"""
        )
    downloading.value.save_as(f"{scratch}/report.txt")
    with open(f"{scratch}/report.txt", encoding="utf-8") as report:
        outcome["downloaded"] = report.read()
    outcome["picture"] = page.screenshot()[1:4].decode()
    outcome["pdf"] = page.pdf()[1:4].decode()
    page.expose_function("double", lambda value: value * 2)
    outcome["exposed"] = page.evaluate("double(21)")
    context.tracing.start(snapshots=True)
    page.route("**/made-up", lambda route: route.fulfill(body="from the client"))
    page.goto(f"{site}/made-up")
    outcome["intercepted"] = page.text_content("body")
    context.tracing.stop(path=f"{scratch}/trace.zip")
    outcome["trace"] = os.path.getsize(f"{scratch}/trace.zip") > 100
    outcome["request"] = context.request.get(f"{site}/echo").status
    other = browser.new_context()
    other.add_cookies([{"name": "own", "value": "1", "url": site}])
    outcome["cookies"] = [len(each.cookies(site)) for each in (context, other)]
    other.close()
    page.close()
    browser.close()

print(json.dumps(outcome))
