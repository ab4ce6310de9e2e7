"""Prints the title of a page as seen through your proxy.

    TURNPIKE_ENDPOINT=http://127.0.0.1:8080 TURNPIKE_KEY=tp_live_… PROXY=http://… python page_title.py [URL]

Needs `pip install turnpike-client playwright`; no browser on this machine.
"""

import os
import sys

from playwright.sync_api import sync_playwright

from turnpike import ConcurrencyLimitError, ProxyError, Turnpike

url = sys.argv[1] if len(sys.argv) > 1 else "https://example.com/"

with (
    Turnpike(os.environ["TURNPIKE_ENDPOINT"], os.environ["TURNPIKE_KEY"]) as client,
    sync_playwright() as playwright,
):
    try:
        with client.with_browser(playwright.chromium, proxy=os.environ["PROXY"], headless=True) as browser:
            page = browser.contexts[0].new_page()
            page.goto(url)
            print(page.title())
    except ProxyError as error:
        sys.exit(f"the proxy will not do: {error}")
    except ConcurrencyLimitError as error:
        sys.exit(f"all {error.limit} browsers are in use")
