"""Prints the titles of several pages, each in a browser of its own, as many at a time as may run.

export TURNPIKE_URL=http://127.0.0.1:8080 TURNPIKE_API_KEY=tp_live_… TURNPIKE_PROXY=http://…
python many_pages.py URL…
"""

import asyncio
import os
import sys

from playwright.async_api import Playwright, async_playwright

from turnpike import AsyncTurnpike

proxy = os.environ["TURNPIKE_PROXY"]


async def title(client: AsyncTurnpike, playwright: Playwright, free: asyncio.Semaphore, url: str) -> str:
    async with (
        free,
        client.with_browser(playwright.chromium, proxy=proxy, headless=True) as browser,
    ):
        page = await browser.contexts[0].new_page()
        await page.goto(url)
        return await page.title()


async def main() -> None:
    endpoint, key = os.environ["TURNPIKE_URL"], os.environ["TURNPIKE_API_KEY"]
    async with AsyncTurnpike(endpoint, key) as client, async_playwright() as playwright:
        free = asyncio.Semaphore((await client.get_limits()).remaining)
        titles = await asyncio.gather(*(title(client, playwright, free, url) for url in sys.argv[1:]))
    for url, found in zip(sys.argv[1:], titles, strict=True):
        print(url, found)


asyncio.run(main())
