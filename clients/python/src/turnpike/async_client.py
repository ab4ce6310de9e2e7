"""The asynchronous client, for asyncio and trio."""

from __future__ import annotations

import datetime
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from copy import copy
from types import TracebackType
from typing import Any, Protocol, TypeVar

import anyio
import httpx
from httpx_sse import EventSource

from . import calls, proxy_calls
from .answer_error import answer_error
from .calls import Answer, Call, CreateOptions, Day, SessionLabels, Unpack
from .crawls import AsyncCrawls
from .environment import settings
from .errors import SessionNotFoundError, TurnpikeError
from .event_position import SILENCE_SECONDS, EventPosition
from .http import build_request, connection_failed, key_header, token_header, whole_answer
from .models import (
    AccountEvent,
    AccountSettings,
    AccountTraffic,
    Bandwidth,
    BandwidthSummary,
    CloseResult,
    Countries,
    Delivery,
    EventType,
    Extension,
    Health,
    Limits,
    Me,
    ModelEndpoint,
    NewWebhook,
    NoSession,
    Product,
    Recording,
    RecordingFormat,
    RecordingSummary,
    RunningSession,
    SavedCache,
    SavedProfile,
    Session,
    SessionFile,
    SessionRecord,
    SessionStatus,
    SessionTraffic,
    ShareLink,
    Snapshot,
    Unit,
    Usage,
    Webhook,
)
from .pages import AsyncPages
from .plans import LEAVING, Plan, Send, Terms, Wait, plan_call, plan_create, plan_located
from .proxies import AsyncPools, AsyncProxies

T = TypeVar("T")


class AsyncClosable(Protocol):
    def close(self) -> Awaitable[object]: ...


Browser = TypeVar("Browser", bound=AsyncClosable)
BrowserOut = TypeVar("BrowserOut", bound=AsyncClosable, covariant=True)


class AsyncBrowserType(Protocol[BrowserOut]):
    """``playwright.chromium``, or anything else that connects over CDP."""

    def connect_over_cdp(self, endpoint_url: str, /) -> Awaitable[BrowserOut]: ...


class AsyncTurnpike:
    """Like ``Turnpike``, for one event loop. When a create is cancelled, its session is closed before the
    cancellation goes on, which takes a moment."""

    def __init__(
        self,
        endpoint: str | None = None,
        api_key: str | None = None,
        timeout: float | None = None,
        *,
        retries: int = 2,
        proxy: str | None = None,
    ) -> None:
        endpoint, api_key, self._proxy = settings(endpoint, api_key, proxy)
        self._terms = Terms(timeout, retries)
        self._transport = _AsyncTransport(calls.base_url(endpoint), key_header(api_key))
        #: The session of the latest create or reconnect.
        self.last_session_id: str | None = None
        self.last_vnc_url: str | None = None

    async def connect_url(self, **options: Unpack[CreateOptions]) -> str:
        """Opens a browser and returns its CDP URL."""
        return (await self.create(**options)).cdp_url

    async def reconnect_url(self, session_id: str) -> str:
        """Returns the CDP URL of a running session again."""
        return self._remember(await self._call(calls.reconnect(session_id))).cdp_url

    async def create(self, **options: Unpack[CreateOptions]) -> Session:
        """Opens a browser and returns the whole session."""
        call = calls.with_proxy(calls.create(options), self._proxy)
        return self._remember(await self._transport.run(plan_create(call, self._terms)))

    async def close(self, session_id: str | None = None) -> CloseResult:
        """Closes a session, the latest if none is named. Safe to repeat."""
        session_id = session_id or self.last_session_id
        if not session_id:
            raise ValueError("There is no session to close. Pass a session id.")
        return await self._call(calls.close(session_id))

    async def status(self, session_id: str) -> Session:
        """Reads one session, by its session id or the CDP id at the end of its CDP URL."""
        return await self._call(calls.status(session_id))

    async def statuses(self, session_ids: Sequence[str]) -> list[Session | NoSession]:
        """Reads up to 100 sessions at once, by either id: one for each distinct id, in the order given."""
        return await self._call(calls.statuses(session_ids))

    async def list_browsers(self) -> list[RunningSession]:
        """Lists the running sessions, newest first."""
        return await self._call(calls.list_browsers())

    async def list_sessions(
        self,
        *,
        status: SessionStatus | None = None,
        name: str | None = None,
        tag: str | None = None,
        page_size: int = 200,
    ) -> AsyncIterator[SessionRecord]:
        """Iterates over the permanent record of sessions, newest first, page by page."""
        cursor = None
        while True:
            call = calls.session_page(page_size, cursor, status=status, name=name, tag=tag)
            page = await self._call(call)
            for record in page.sessions:
                yield record
            cursor = page.next_cursor
            if cursor is None:
                return

    async def change_labels(self, session_id: str, **labels: Unpack[SessionLabels]) -> Session:
        """Changes what people call a session. None removes it; what is not given stays."""
        return await self._call(proxy_calls.change_labels(session_id, labels))

    async def change_proxy(
        self,
        session_id: str,
        proxy: str,
        *,
        proxy_key: str | None = None,
        proxy_country: str | None = None,
    ) -> Session:
        """Changes the proxy of a running session. Its pages stay; connections through the former are cut."""
        return await self._call(proxy_calls.change_session(session_id, proxy, proxy_key, proxy_country))

    async def rotate(self, session_id: str) -> Session:
        """Gives a running session another exit of its template or pool. Never retried."""
        return await self._call(proxy_calls.rotate(session_id))

    async def traffic(self, session_id: str) -> SessionTraffic:
        """Reads where a session's traffic went: live while it runs, final when it has ended."""
        return await self._call(calls.traffic(session_id))

    async def traffic_csv(self, session_id: str) -> str:
        """The same as CSV, with a header line."""
        return await self._call(calls.traffic_csv(session_id))

    async def account_traffic(
        self, from_: Day | None = None, to: Day | None = None, *, limit: int | None = None
    ) -> AccountTraffic:
        """Reads where the account's traffic went, by day; the last 30 by default. ``limit`` is for the
        destinations of each day."""
        return await self._call(calls.account_traffic(from_, to, limit))

    async def account_traffic_csv(
        self, from_: Day | None = None, to: Day | None = None, *, limit: int | None = None
    ) -> str:
        """The same as CSV, with a header line."""
        return await self._call(calls.account_traffic_csv(from_, to, limit))

    async def receipt(self, session_id: str) -> dict[str, Any]:
        """Gets the signed receipt of a session that has ended."""
        return await self._call(calls.receipt(session_id))

    async def receipt_keys(self) -> dict[str, Any]:
        """Gets the keys that verify receipts."""
        return await self._call(calls.receipt_keys())

    async def list_profiles(self) -> list[SavedProfile]:
        """Lists the saved profiles by name."""
        return await self._call(calls.list_profiles())

    async def delete_profile(self, name: str) -> None:
        """Deletes a saved profile."""
        await self._call(calls.delete_profile(name))

    async def take_snapshot(
        self, session_id: str, *, keep: int | None = None, name: str | None = None
    ) -> Snapshot:
        """Takes a snapshot of a running session, kept for ``keep`` days (30). Never retried."""
        return await self._call(calls.take_snapshot(session_id, keep, name))

    async def list_snapshots(self) -> list[Snapshot]:
        """Lists the snapshots, newest first."""
        return await self._call(calls.list_snapshots())

    async def delete_snapshot(self, snapshot: str) -> None:
        """Deletes a snapshot. Sessions that began with it go on."""
        await self._call(calls.delete_snapshot(snapshot))

    async def list_caches(self) -> list[SavedCache]:
        """Lists the saved HTTP caches by name."""
        return await self._call(calls.list_caches())

    async def delete_cache(self, name: str) -> None:
        """Deletes a saved HTTP cache."""
        await self._call(calls.delete_cache(name))

    async def list_extensions(self) -> list[Extension]:
        """Lists the uploaded extensions by name."""
        return await self._call(calls.list_extensions())

    async def upload_extension(self, file: bytes) -> Extension:
        """Uploads an extension, a zip or crx file. Replaces the one with the same id."""
        return await self._call(calls.upload_extension(file))

    async def delete_extension(self, extension_id: str) -> None:
        """Deletes an uploaded extension, by its id."""
        await self._call(calls.delete_extension(extension_id))

    @property
    def proxies(self) -> AsyncProxies:
        """The account's saved proxies, and its default."""
        return AsyncProxies(self._call)

    @property
    def pools(self) -> AsyncPools:
        """Pools of saved proxies."""
        return AsyncPools(self._call)

    @property
    def page(self) -> AsyncPages:
        """One call, one page: pictures, PDFs, HTML, Markdown, links and more."""
        return AsyncPages(self._call_with_proxy)

    @property
    def crawl(self) -> AsyncCrawls:
        """Crawls of sites, and batches of pages."""
        return AsyncCrawls(self._call_with_proxy)

    async def list_recordings(self) -> AsyncIterator[RecordingSummary]:
        """Iterates over the recordings, newest first, page by page."""
        cursor: str | None = None
        while True:
            page = await self._call(calls.list_recordings(cursor))
            for recording in page.recordings:
                yield recording
            cursor = page.next_cursor
            if cursor is None:
                return

    async def get_recording(self, session_id: str, *, after: int | None = None) -> Recording:
        """Reads a recording and its chunks; with ``after``, only later ones: ask again while it runs."""
        return await self._call(calls.get_recording(session_id, after))

    async def recording_events(
        self, session_id: str, *, from_: int | None = None, to: int | None = None
    ) -> list[dict[str, Any]]:
        """Reads the events of the chunks ``from_`` to ``to``, with the service's own names."""
        return await self._call(calls.recording_events(session_id, from_, to))

    async def recording_picture(self, session_id: str, chunk: int, picture: int) -> bytes:
        """Reads a JPEG: the number of its chunk, and its place in the chunk's ``picture_times``."""
        return await self._call(calls.recording_picture(session_id, chunk, picture))

    async def export_recording(self, session_id: str, format: RecordingFormat) -> bytes:
        """Exports a recording: HAR 1.2, all events as newline-delimited JSON, or a video."""
        return await self._call(calls.export_recording(session_id, format))

    async def delete_recording(self, session_id: str) -> None:
        """Deletes a recording, with its pictures."""
        await self._call(calls.delete_recording(session_id))

    async def share_recording(self, session_id: str, *, hours: int) -> ShareLink:
        """Creates a link to the player that expires. Whoever has it can read this recording."""
        return await self._call(calls.share_recording(session_id, hours))

    async def get_limits(self) -> Limits:
        """Reads how many browsers may run at once, how many do, and how many slots are free."""
        return await self._call(calls.get_limits())

    async def get_session_count(self) -> int:
        """Counts the running sessions."""
        return (await self.get_limits()).active

    async def get_usage(self) -> Usage:
        """Reads the totals of the account, and its latest 30 days."""
        return await self._call(calls.get_usage())

    async def get_me(self) -> Me:
        """Reads the account, its limits and what it has used."""
        return await self._call(calls.get_me())

    async def get_settings(self) -> AccountSettings:
        """Reads what the account has decided for itself."""
        return await self._call(calls.get_settings())

    async def change_settings(self, *, page_calls: bool) -> AccountSettings:
        """Turns page calls and crawls of the account on or off."""
        return await self._call(calls.change_settings(page_calls=page_calls))

    async def get_model(self) -> ModelEndpoint:
        """Reads the account's model endpoint, without its key."""
        return await self._call(calls.get_model())

    async def set_model(self, *, url: str, model: str, key: str) -> ModelEndpoint:
        """Sets the endpoint, compatible with OpenAI, that ``page.json`` uses. It replaces the one before."""
        return await self._call(calls.set_model(url, model, key))

    async def delete_model(self) -> None:
        """Deletes the endpoint and its key. Safe to repeat."""
        await self._call(calls.delete_model())

    async def get_health(self) -> Health:
        """Reads the gateway's health. Needs no key."""
        return await self._call(calls.get_health())

    async def regenerate_key(self) -> str:
        """Creates a new key, which this client uses from now on; the old one stops working. Never retried."""
        key = (await self._call(calls.regenerate_key())).api_key
        self._transport.credentials = key_header(key)
        return key

    async def events(self, last_event_id: int | None = None) -> AsyncIterator[AccountEvent]:
        """Streams the account's events, after the event of this ``seq`` or from now on: sessions that start
        and end, hours used. Never ends: it reconnects by itself and misses no event."""
        position = EventPosition(last_event_id, self._terms.retries)
        while True:
            failure: TurnpikeError | None = None
            try:
                async with self._transport.stream(calls.EVENTS, position.headers()) as response:
                    position.begin(response.headers.get("content-type", ""))
                    async with aclosing(EventSource(response).aiter_sse()) as blocks:
                        async for block in blocks:
                            event = position.take(block)
                            if event:
                                yield event
            except httpx.RequestError as error:
                failure = connection_failed(error, self._transport.base_url)
            except TurnpikeError as error:
                failure = error
            await anyio.sleep(position.pause(failure))

    async def list_webhooks(self) -> list[Webhook]:
        """Lists the webhooks, without their secrets."""
        return (await self._call(calls.list_webhooks())).webhooks

    async def create_webhook(self, url: str, *, events: Sequence[EventType] | None = None) -> NewWebhook:
        """Creates a webhook for all events, or for those that are named. Never retried."""
        return await self._call(calls.create_webhook(url, events))

    async def delete_webhook(self, webhook_id: str) -> None:
        """Deletes a webhook, by its id."""
        await self._call(calls.delete_webhook(webhook_id))

    async def list_deliveries(self, webhook_id: str) -> list[Delivery]:
        """Lists the latest hundred deliveries."""
        return (await self._call(calls.list_deliveries(webhook_id))).deliveries

    async def replay_webhook(
        self, webhook_id: str, *, event_id: str | None = None, since: datetime.datetime | str | None = None
    ) -> int:
        """Sends one event again, or all since a time. Returns how many."""
        return (await self._call(calls.replay_webhook(webhook_id, event_id, since))).replayed

    async def list_files(self, session_id: str) -> list[SessionFile]:
        """Lists what the browser downloaded, and what was uploaded."""
        return (await self._at_host(calls.locate_files("GET", session_id), calls.list_files)).files

    async def download_file(self, session_id: str, name: str) -> bytes:
        """Downloads one of a session's files."""
        return await self._at_host(calls.locate_files("GET", session_id, name), calls.download_file)

    async def upload_file(self, session_id: str, name: str, content: bytes) -> None:
        """Uploads a file, which the browser finds at ``/home/user/files/<name>``."""
        place = calls.locate_files("PUT", session_id, name)
        await self._at_host(place, lambda url: calls.upload_file(url, content))

    async def delete_file(self, session_id: str, name: str) -> None:
        """Deletes one of a session's files."""
        await self._at_host(calls.locate_files("DELETE", session_id, name), calls.delete_file)

    @asynccontextmanager
    async def open(self, **options: Unpack[CreateOptions]) -> AsyncIterator[Session]:
        """Opens a session for an ``async with`` block and closes it at the end of the block."""
        session = await self.create(**options)
        try:
            yield session
        except BaseException:
            try:
                await self._leave(session)
            except TurnpikeError:
                # The block's own error is the one to report.
                pass
            raise
        await self._leave(session)

    @asynccontextmanager
    async def with_browser(
        self, browser_type: AsyncBrowserType[Browser], **options: Unpack[CreateOptions]
    ) -> AsyncIterator[Browser]:
        """Opens a browser for a block: ``async with client.with_browser(playwright.chromium, …)``."""
        async with self.open(**options) as session:
            browser = await browser_type.connect_over_cdp(session.cdp_url)
            try:
                yield browser
            finally:
                await browser.close()

    def stats(self, token: str, *, endpoint: str | None = None) -> AsyncStats:
        """Bandwidth statistics, with a statistics token; ``endpoint`` is for statistics served elsewhere."""
        base_url = calls.base_url(endpoint) if endpoint else self._transport.base_url
        return AsyncStats(self._transport.sharing(base_url, token_header(token)), self._terms)

    def with_terms(self, *, timeout: float | None = None, retries: int | None = None) -> AsyncTurnpike:
        """Returns the same client, on the same connections, with another timeout or number of retries."""
        other = copy(self)
        other._terms = self._terms.changed(timeout, retries)
        return other

    async def close_connections(self) -> None:
        """Closes this client's connections; sessions go on. Leaving ``async with AsyncTurnpike(…)`` does the
        same."""
        await self._transport.http.aclose()

    async def __aenter__(self) -> AsyncTurnpike:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close_connections()

    def __repr__(self) -> str:
        return f"AsyncTurnpike({self._transport.base_url!r})"

    async def _at_host(self, place: Call[str], call: Callable[[str], Call[T]]) -> T:
        return await self._transport.run(plan_located(place, call, self._terms))

    async def _call(self, call: Call[T]) -> T:
        return await self._transport.run(plan_call(call, self._terms))

    async def _call_with_proxy(self, call: Call[T]) -> T:
        return await self._call(calls.with_proxy(call, self._proxy))

    def _remember(self, session: Session) -> Session:
        self.last_session_id, self.last_vnc_url = session.browser_id, session.vnc_url
        return session

    async def _leave(self, session: Session) -> None:
        try:
            await self._transport.run(plan_call(calls.close(session.browser_id), LEAVING))
        except SessionNotFoundError:
            # It ended so long ago that the service has forgotten it.
            pass


class AsyncStats:
    """Bandwidth statistics, read-only. Values are exact."""

    def __init__(self, transport: _AsyncTransport, terms: Terms) -> None:
        self._transport = transport
        self._terms = terms

    async def summary(self, product: Product) -> BandwidthSummary:
        """Total of the last 30 days, in Gb."""
        return await self._call(calls.summary(product))

    async def bandwidth(
        self, product: Product, from_: Day, to: Day | None = None, *, unit: Unit | None = None
    ) -> Bandwidth:
        """Daily totals, both ends included, at most 366 days; ``to`` defaults to today."""
        return await self._call(calls.bandwidth(product, from_=from_, to=to, unit=unit))

    async def bandwidth_csv(
        self, product: Product, from_: Day, to: Day | None = None, *, unit: Unit | None = None
    ) -> str:
        """The same as CSV, with a header line."""
        return await self._call(calls.bandwidth_csv(product, from_=from_, to=to, unit=unit))

    async def countries(
        self,
        from_: Day,
        to: Day | None = None,
        *,
        unit: Unit | None = None,
        product: Product = "residential",
    ) -> Countries:
        """Totals by country, largest first; only ``residential`` has them."""
        return await self._call(calls.countries(product, from_=from_, to=to, unit=unit))

    async def _call(self, call: Call[T]) -> T:
        return await self._transport.run(plan_call(call, self._terms))


class _AsyncTransport:
    """Carries out the steps of plans, one after the other."""

    def __init__(
        self, base_url: str, credentials: dict[str, str], http: httpx.AsyncClient | None = None
    ) -> None:
        self.base_url = base_url
        self.credentials = credentials
        self.http = http or httpx.AsyncClient()

    def sharing(self, base_url: str, credentials: dict[str, str]) -> _AsyncTransport:
        return _AsyncTransport(base_url, credentials, self.http)

    @asynccontextmanager
    async def stream(self, call: Call[None], headers: Mapping[str, str]) -> AsyncIterator[httpx.Response]:
        """Streams an answer."""
        limits = httpx.Timeout(SILENCE_SECONDS)
        url = self.base_url + call.path
        all_headers = {**self.credentials, **headers}
        async with self.http.stream(call.method, url, headers=all_headers, timeout=limits) as response:
            if response.status_code != 200:
                raise answer_error(call, whole_answer(response, await response.aread()))
            yield response

    async def run(self, plan: Plan[T]) -> T:
        try:
            step = next(plan)
            while True:
                try:
                    with anyio.CancelScope(shield=step.shielded):
                        answer = await self._do(step)
                except BaseException as error:
                    step = plan.throw(error)
                else:
                    step = plan.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _do(self, step: Send | Wait) -> Answer | None:
        if isinstance(step, Wait):
            await anyio.sleep(step.seconds)
            return None
        request = build_request(self.base_url, self.credentials, step)
        try:
            # httpx's time limits are for one read each; this is for all of them.
            with anyio.fail_after(step.timeout):
                response = await self.http.send(request)
        except (httpx.RequestError, TimeoutError) as error:
            raise connection_failed(error, self.base_url) from error
        return whole_answer(response, response.content)
