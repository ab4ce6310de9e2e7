"""browser-use without a model: its session and its page, which speak CDP."""

import asyncio
import base64
import json
import os

os.environ.setdefault("ANONYMIZED_TELEMETRY", "false")
os.environ.setdefault("BROWSER_USE_LOGGING_LEVEL", "result")

from browser_use import BrowserSession  # noqa: E402

cdp_url, site, letter = os.environ["CDP_URL"], os.environ["SITE"], os.environ["LETTER"]


async def main() -> dict[str, object]:
    outcome: dict[str, object] = {}
    browser = BrowserSession(cdp_url=cdp_url, keep_alive=True)
    await browser.start()
    page = await browser.new_page(f"{site}/")

    async def element(selector: str):
        for _ in range(100):
            if found := await page.get_elements_by_css_selector(selector):
                return found[0]
            await asyncio.sleep(0.1)
        raise LookupError(selector)

    await (await element("#press")).click()
    await (await element("#name")).fill("Ada")
    await (await element("#report")).click()
    # The path is the browser's: what the files API put there.
    backend_node_id = (await element("#letter"))._backend_node_id
    session_id = await page.session_id
    await browser.cdp_client.send.DOM.setFileInputFiles(
        params={"files": [letter], "backendNodeId": backend_node_id}, session_id=session_id
    )
    for _ in range(100):
        outcome["uploaded"] = await page.evaluate("() => document.querySelector('#out').textContent")
        if outcome["uploaded"]:
            break
        await asyncio.sleep(0.1)
    outcome["picture"] = base64.b64decode(await page.screenshot())[1:4].decode()
    second = await browser.new_page(f"{site}/second")
    # A new page is answered before it has loaded, and its address is its title until then.
    for _ in range(100):
        outcome["second"] = await second.get_title()
        if outcome["second"] == "Second":
            break
        await asyncio.sleep(0.1)
    await browser.stop()

    browser = BrowserSession(cdp_url=cdp_url, keep_alive=True)
    await browser.start()
    tabs = [tab for tab in await browser.get_tabs() if tab.url.startswith(site)]
    outcome["tabs"] = len(tabs)
    for again in await browser.get_pages():
        if await again.get_url() == f"{site}/":
            outcome["pressed"] = await again.evaluate("() => document.querySelector('#press').textContent")
            outcome["filled"] = await again.evaluate("() => document.querySelector('#name').value")
    await browser.stop()
    return outcome


print(json.dumps(asyncio.run(main())))
