"""Prints the title of a page as seen through your proxy.

    export TURNPIKE_URL=http://127.0.0.1:8080 TURNPIKE_API_KEY=tp_live_… TURNPIKE_PROXY=http://…
    python page_title.py [URL]

Needs the client (docs/clients-python.md) and `pip install playwright`; no browser on this machine.
"""

import os
import sys

from playwright.sync_api import sync_playwright

from turnpike import ConcurrencyLimitError, ProxyError, Turnpike

proxy = os.environ["TURNPIKE_PROXY"]
url = sys.argv[1] if len(sys.argv) > 1 else "https://example.com/"

with (
    Turnpike(os.environ["TURNPIKE_URL"], os.environ["TURNPIKE_API_KEY"]) as client,
    sync_playwright() as playwright,
):
    try:
        with client.with_browser(playwright.chromium, proxy=proxy, headless=True) as browser:
            page = browser.contexts[0].new_page()
            page.goto(url)
            print(page.title())
    except ProxyError as error:
        sys.exit(f"the proxy will not do: {error}")
    except ConcurrencyLimitError as error:
        sys.exit(f"all {error.limit} browsers are in use")
