"""Against a real gateway, and over a real browser."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from typing import Any

import pytest
from conftest import Account, Connect, handed_over
from playwright.async_api import async_playwright
from playwright.sync_api import sync_playwright

import turnpike
from turnpike import AsyncTurnpike, Turnpike


def expect_nothing_left(client: Turnpike) -> None:
    deadline = time.monotonic() + 20
    while (limits := client.get_limits()).remaining != limits.limit:
        assert time.monotonic() < deadline, limits
        time.sleep(0.05)


def test_a_session_is_made_found_again_recorded_and_closed(client: Turnpike, account: Account) -> None:
    metadata = {"job": "seven", "price": 0.5, "order": 12345678901234567890}
    session = client.create(proxy=account.proxy, headless=True, max_lifetime=600, metadata=metadata)
    assert (session.expires_at - session.created_at).total_seconds() == 600
    assert {**session.metadata, "turnpike": None} == {**metadata, "turnpike": None}
    assert session.browser_params["headless"] is True
    assert client.last_session_id == session.browser_id
    assert client.reconnect_url(session.browser_id) == session.cdp_url
    assert client.status(session.browser_id) == session
    missing = turnpike.NoSession("br_none")
    assert client.statuses(["br_none", session.browser_id]) == [missing, session]
    assert [running.cdp_url for running in client.list_browsers()] == [session.cdp_url]
    assert client.get_session_count() == 1
    assert client.close().status == "CLOSED"
    assert client.close(session.browser_id).status == "CLOSED"
    with pytest.raises(turnpike.SessionEndedError) as ended:
        client.reconnect_url(session.browser_id)
    assert ended.value.final_status == "CLOSED"
    assert client.get_health().status == "healthy"
    assert client.get_me().limits.concurrent == 5
    assert client.get_usage().totals.sessions >= 1


def test_the_same_key_is_the_same_session_and_all_pages_of_the_record_are_read(
    client: Turnpike, account: Account
) -> None:
    options: Any = {"proxy": account.proxy, "headless": True, "idempotency_key": f"once-{os.getpid()}"}
    with client.open(**options) as session:
        assert client.connect_url(**options) == session.cdp_url
        with pytest.raises(turnpike.BrowserCreateError) as refused:
            client.create(**{**options, "headless": False})
        assert (refused.value.status_code, refused.value.code) == (422, "IDEMPOTENCY_MISMATCH")
    with client.open(proxy=account.proxy, headless=True):
        pass
    ids = [record.browser_id for record in client.list_sessions(page_size=1)]
    assert len(ids) >= 2
    assert len(set(ids)) == len(ids)
    assert session.browser_id in ids
    assert next(client.list_sessions()).end_reason == "client_close"
    assert list(client.list_sessions(status="DEAD")) == []


def test_open_closes_when_the_block_fails_and_tells_the_blocks_own_error(
    client: Turnpike, account: Account
) -> None:
    with pytest.raises(ZeroDivisionError), client.open(proxy=account.proxy, headless=True):
        1 / 0  # noqa: B018
    expect_nothing_left(client)


def test_events_are_followed_from_any_of_them_on(client: Turnpike, account: Account) -> None:
    with client.open(proxy=account.proxy, headless=True) as session:
        pass
    own = []
    for event in client.events(last_event_id=0):
        if event.data.get("browserId") == session.browser_id:
            own.append(event)
        if len(own) == 2:
            break
    assert [event.type for event in own] == ["session.started", "session.closed"]
    assert own[1].data["endReason"] == "client_close"
    later = next(iter(client.events(last_event_id=own[0].seq)))
    assert later.seq == own[0].seq + 1


def test_a_stream_that_cannot_be_had_is_refused(account: Account, connect: Connect) -> None:
    with pytest.raises(turnpike.AuthError):
        next(iter(connect(account.endpoint, f"tp_live_{'0' * 64}").events()))
    with pytest.raises(turnpike.ConnectionFailedError):
        next(iter(connect("http://127.0.0.1:1", "x", retries=1).events()))


def test_webhooks_are_made_listed_replayed_and_deleted(client: Turnpike) -> None:
    made = client.create_webhook("https://hook.invalid/", events=["session.dead"])
    assert made.secret.startswith("whsec_")
    assert made.secret not in repr(made)
    assert [(webhook.id, webhook.events) for webhook in client.list_webhooks()] == [
        (made.id, ["session.dead"])
    ]
    assert client.list_deliveries(made.id) == []
    assert client.replay_webhook(made.id, since="2020-01-01T00:00:00Z") == 0
    client.delete_webhook(made.id)
    assert client.list_webhooks() == []
    with pytest.raises(turnpike.TurnpikeError) as missing:
        client.delete_webhook(made.id)
    assert missing.value.status_code == 404


def test_files_go_both_ways(real_account: Account, connect: Connect) -> None:
    client = connect(real_account.endpoint, real_account.key)
    with client.open(proxy=real_account.proxy, headless=True) as session:
        client.upload_file(session.browser_id, "a b#ü.txt", b"by the client")
        (file,) = client.list_files(session.browser_id)
        assert (file.name, file.bytes) == ("a b#ü.txt", 13)
        assert client.download_file(session.browser_id, file.name) == b"by the client"
        client.delete_file(session.browser_id, file.name)
        with pytest.raises(turnpike.TurnpikeError, match="File not found"):
            client.download_file(session.browser_id, file.name)
    with pytest.raises(turnpike.SessionEndedError):
        client.list_files(session.browser_id)


def test_pages_are_read_by_one_call(client: Turnpike, account: Account) -> None:
    url = "https://example.com/"
    shot = client.page.screenshot(url=url, proxy=account.proxy, screenshot_options={"full_page": True})
    assert (shot.status, shot.url, shot.data, shot.text) == (200, url, b"a page", "a page")
    read = client.page.read(["markdown", "links"], url=url, proxy=account.proxy)
    assert (read.page.url, read.results["markdown"]) == (url, "markdown")
    assert read.results["links"] == [f"{url}a"]
    with pytest.raises(turnpike.TurnpikeError, match="elements is required"):
        client.page.scrape(url=url, proxy=account.proxy)
    with pytest.raises(turnpike.SessionNotFoundError):
        client.page.markdown(session_id="br_none")


def test_page_calls_are_turned_off_and_the_model_is_set(client: Turnpike, account: Account) -> None:
    assert client.change_settings(page_calls=False).page_calls is False
    with pytest.raises(turnpike.TurnpikeError, match="turned page calls off"):
        client.page.markdown(url="https://example.com/", proxy=account.proxy)
    client.change_settings(page_calls=True)
    assert client.get_settings().page_calls is True
    url = "https://models.example/v1"
    assert client.set_model(url=url, model="some", key="k").url == url
    assert client.get_model().model == "some"
    client.delete_model()
    with pytest.raises(turnpike.TurnpikeError, match="no model endpoint"):
        client.get_model()


def test_proxies_are_saved_and_put_in_a_pool(client: Turnpike, account: Account) -> None:
    saved = client.proxies.create("a", account.proxy, country="DE", price_per_gb=4.5)
    assert (saved.name, saved.country, saved.price_per_gb) == ("a", "DE", 4.5)
    assert saved.health.state == "unknown"
    assert client.proxies.change("a", new_name="b", notes="fast", country=None).notes == "fast"
    assert [proxy.name for proxy in client.proxies.list()] == ["b"]
    assert client.proxies.check("b").ok
    pool = client.pools.create("p", "round_robin", ["b"])
    assert [member.name for member in pool.members] == ["b"]
    assert client.pools.change("p", policy="random").policy == "random"
    assert client.proxies.set_default("pool:p") == client.proxies.get_default() == "pool:p"
    session = client.create()
    assert session.browser_params["proxyName"] == "b"
    assert client.change_proxy(session.browser_id, "name:b").browser_id == session.browser_id
    with pytest.raises(turnpike.TurnpikeError, match="no other exit"):
        client.rotate(session.browser_id)
    client.close(session.browser_id)
    assert client.proxies.set_default(None) is None
    client.pools.delete("p")
    assert all(day.sessions == 1 for day in client.proxies.usage("b") if day.connections)
    client.proxies.delete("b")
    with pytest.raises(turnpike.TurnpikeError, match=r"[Nn]ot found|does not exist"):
        client.proxies.get("b")


def test_a_batch_of_pages_is_loaded(client: Turnpike, account: Account) -> None:
    urls = ["https://example.com/a", "https://example.com/b"]
    crawl = client.crawl.start(urls=urls, proxy=account.proxy, robots=False)
    pages = sorted(client.crawl.pages(crawl.id), key=lambda page: page.url)
    assert [(page.url, page.formats) for page in pages] == [(url, {"markdown": "markdown"}) for url in urls]
    seen: list[int] = []
    assert client.crawl.wait(crawl.id, lambda crawl: seen.append(crawl.pages.done)).state == "done"
    assert seen == [2]
    assert crawl.id in [one.id for one in client.crawl.list()]
    assert client.crawl.cancel(crawl.id, delete_results=True).state == "done"
    with pytest.raises(turnpike.TurnpikeError):
        client.crawl.status(crawl.id)


def test_statistics_are_read(client: Turnpike, account: Account) -> None:
    stats = client.stats(account.statsToken)
    assert stats.summary("residential").window_days == 30
    assert len(stats.bandwidth("residential", "2026-02-27", "2026-03-01", unit="Kb").series) == 3
    assert stats.bandwidth_csv("rotating-dc", "2026-03-01", "2026-03-01").endswith("\n2026-03-01,0\n")
    assert stats.countries("2026-03-01", "2026-03-02").countries == []


def test_playwright_drives_a_session_that_closes_by_itself(real_account: Account) -> None:
    account = real_account
    with Turnpike(account.endpoint, account.key) as client, sync_playwright() as playwright:
        with client.with_browser(playwright.chromium, proxy=account.proxy, headless=True) as browser:
            tab = browser.contexts[0].new_page()
            tab.goto(account.page)
            assert tab.title() == "Turnpike test page"
        expect_nothing_left(client)


def test_playwright_drives_a_session_asynchronously(real_account: Account) -> None:
    account = real_account

    async def drive() -> str:
        async with (
            AsyncTurnpike(account.endpoint, account.key) as client,
            async_playwright() as playwright,
        ):
            chromium = playwright.chromium
            async with client.with_browser(chromium, proxy=account.proxy, headless=True) as browser:
                tab = await browser.contexts[0].new_page()
                await tab.goto(account.page)
                title = await tab.title()
            assert await client.get_session_count() == 0
            return title

    assert asyncio.run(drive()) == "Turnpike test page"


def test_a_create_that_takes_too_long_is_closed(client: Turnpike, account: Account, connect: Connect) -> None:
    hasty = connect(account.endpoint, account.key, timeout=0.05)
    with pytest.raises(turnpike.ConnectionFailedError, match="did not answer in time"):
        hasty.create(proxy=account.proxy, headless=True)
    expect_nothing_left(client)


def test_a_create_that_ctrl_c_interrupts_is_closed() -> None:
    account = handed_over("sync")
    with Turnpike(account.endpoint, account.key) as client:
        ctrl_c = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        ctrl_c.start()
        with pytest.raises(KeyboardInterrupt):
            client.create(proxy=account.proxy, headless=True)
        ctrl_c.join()
        expect_nothing_left(client)


def test_a_create_that_is_cancelled_is_closed() -> None:
    account = handed_over("asyncio")

    async def cancel() -> None:
        async with AsyncTurnpike(account.endpoint, account.key) as client:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.create(proxy=account.proxy, headless=True), 0.1)
            limits = await client.get_limits()
            assert limits.active == 0

    asyncio.run(cancel())
    with Turnpike(account.endpoint, account.key) as client:
        expect_nothing_left(client)


def test_a_new_key_is_used_from_then_on_and_the_old_one_is_dead(flavour: str, connect: Connect) -> None:
    account = handed_over(f"rotating {flavour}")
    client = connect(account.endpoint, account.key)
    new = client.regenerate_key()
    assert client.get_limits().active == 0
    with pytest.raises(turnpike.AuthError):
        connect(account.endpoint, account.key).get_limits()
    assert connect(account.endpoint, new).get_limits().active == 0
