"""Playwright for Python, as docs/connecting.md has it."""

import json
import os

from playwright.sync_api import sync_playwright

cdp_url, site = os.environ["CDP_URL"], os.environ["SITE"]
outcome: dict[str, object] = {}

with sync_playwright() as playwright:
    browser = playwright.chromium.connect_over_cdp(cdp_url)
    context = browser.contexts[0]
    page = context.new_page()
    page.goto(f"{site}/")
    page.click("#press")
    page.fill("#name", "Ada")
    with page.expect_download() as download:
        page.click("#report")
    outcome["download"] = download.value.suggested_filename
    # Playwright looks for a path on this machine, so it is given the content.
    page.set_input_files("#letter", {"name": "letter.txt", "mimeType": "text/plain", "buffer": b"dear all"})
    page.wait_for_function("out.textContent !== ''")
    outcome["uploaded"] = page.text_content("#out")
    outcome["picture"] = page.screenshot()[1:4].decode()
    second = context.new_page()
    second.goto(f"{site}/second")
    outcome["second"] = second.title()
    browser.close()

    browser = playwright.chromium.connect_over_cdp(cdp_url)
    pages = browser.contexts[0].pages
    again = next(page for page in pages if page.url == f"{site}/")
    outcome["pressed"] = again.text_content("#press")
    outcome["filled"] = again.input_value("#name")
    outcome["tabs"] = sum(page.url.startswith(site) for page in pages)
    browser.close()

print(json.dumps(outcome))
