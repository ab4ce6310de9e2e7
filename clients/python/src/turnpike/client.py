"""The synchronous client."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from types import TracebackType
from typing import Any, Protocol, TypeVar

import httpx
from httpx_sse import EventSource

from . import calls, proxy_calls
from .answer_error import answer_error
from .calls import Answer, Call, CreateOptions, Day, SessionLabels, Unpack
from .crawls import Crawls
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
from .pages import Pages
from .plans import LEAVING, Plan, Send, Terms, Wait, plan_call, plan_create, plan_located
from .proxies import Pools, Proxies

T = TypeVar("T")


class Closable(Protocol):
    def close(self) -> object: ...


Browser = TypeVar("Browser", bound=Closable)
BrowserOut = TypeVar("BrowserOut", bound=Closable, covariant=True)


class BrowserType(Protocol[BrowserOut]):
    """``playwright.chromium``, or anything else that connects over CDP."""

    def connect_over_cdp(self, endpoint_url: str, /) -> BrowserOut: ...


class Turnpike:
    """A client of one gateway with one account's key. Threads may share it.

    ``endpoint`` and ``api_key`` are by default ``TURNPIKE_URL`` and ``TURNPIKE_API_KEY`` of the environment.
    ``proxy`` is for what opens browsers and names none: by default ``TURNPIKE_PROXY``, if the key is from the
    environment too, and else the account's own default.
    ``timeout`` is for a call with all its retries, in seconds: by default 120, and 280 for page calls.
    ``retries`` is how often a failed call is retried where that can help, and 0 turns retries off.
    ``with_terms`` changes them for a call.
    """

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
        self._transport = _Transport(calls.base_url(endpoint), key_header(api_key))
        #: The session of the latest create or reconnect.
        self.last_session_id: str | None = None
        self.last_vnc_url: str | None = None

    def connect_url(self, **options: Unpack[CreateOptions]) -> str:
        """Opens a browser and returns its CDP URL."""
        return self.create(**options).cdp_url

    def reconnect_url(self, session_id: str) -> str:
        """Returns the CDP URL of a running session again."""
        return self._remember(self._call(calls.reconnect(session_id))).cdp_url

    def create(self, **options: Unpack[CreateOptions]) -> Session:
        """Opens a browser and returns the whole session."""
        call = calls.with_proxy(calls.create(options), self._proxy)
        return self._remember(self._transport.run(plan_create(call, self._terms)))

    def close(self, session_id: str | None = None) -> CloseResult:
        """Closes a session, the latest if none is named. Safe to repeat."""
        session_id = session_id or self.last_session_id
        if not session_id:
            raise ValueError("There is no session to close. Pass a session id.")
        return self._call(calls.close(session_id))

    def status(self, session_id: str) -> Session:
        """Reads one session, by its session id or the CDP id at the end of its CDP URL."""
        return self._call(calls.status(session_id))

    def statuses(self, session_ids: Sequence[str]) -> list[Session | NoSession]:
        """Reads up to 100 sessions at once, by either id: one for each distinct id, in the order given."""
        return self._call(calls.statuses(session_ids))

    def list_browsers(self) -> list[RunningSession]:
        """Lists the running sessions, newest first."""
        return self._call(calls.list_browsers())

    def list_sessions(
        self,
        *,
        status: SessionStatus | None = None,
        name: str | None = None,
        tag: str | None = None,
        page_size: int = 200,
    ) -> Iterator[SessionRecord]:
        """Iterates over the permanent record of sessions, newest first, page by page."""
        cursor = None
        while True:
            page = self._call(calls.session_page(page_size, cursor, status=status, name=name, tag=tag))
            yield from page.sessions
            cursor = page.next_cursor
            if cursor is None:
                return

    def change_labels(self, session_id: str, **labels: Unpack[SessionLabels]) -> Session:
        """Changes what people call a session. None removes it; what is not given stays."""
        return self._call(proxy_calls.change_labels(session_id, labels))

    def change_proxy(
        self,
        session_id: str,
        proxy: str,
        *,
        proxy_key: str | None = None,
        proxy_country: str | None = None,
    ) -> Session:
        """Changes the proxy of a running session. Its pages stay; connections through the former are cut."""
        return self._call(proxy_calls.change_session(session_id, proxy, proxy_key, proxy_country))

    def rotate(self, session_id: str) -> Session:
        """Gives a running session another exit of its template or pool. Never retried."""
        return self._call(proxy_calls.rotate(session_id))

    def traffic(self, session_id: str) -> SessionTraffic:
        """Reads where a session's traffic went: live while it runs, final when it has ended."""
        return self._call(calls.traffic(session_id))

    def traffic_csv(self, session_id: str) -> str:
        """The same as CSV, with a header line."""
        return self._call(calls.traffic_csv(session_id))

    def account_traffic(
        self, from_: Day | None = None, to: Day | None = None, *, limit: int | None = None
    ) -> AccountTraffic:
        """Reads where the account's traffic went, by day; the last 30 by default. ``limit`` is for the
        destinations of each day."""
        return self._call(calls.account_traffic(from_, to, limit))

    def account_traffic_csv(
        self, from_: Day | None = None, to: Day | None = None, *, limit: int | None = None
    ) -> str:
        """The same as CSV, with a header line."""
        return self._call(calls.account_traffic_csv(from_, to, limit))

    def receipt(self, session_id: str) -> dict[str, Any]:
        """Gets the signed receipt of a session that has ended."""
        return self._call(calls.receipt(session_id))

    def receipt_keys(self) -> dict[str, Any]:
        """Gets the keys that verify receipts."""
        return self._call(calls.receipt_keys())

    def list_profiles(self) -> list[SavedProfile]:
        """Lists the saved profiles by name."""
        return self._call(calls.list_profiles())

    def delete_profile(self, name: str) -> None:
        """Deletes a saved profile."""
        self._call(calls.delete_profile(name))

    def take_snapshot(self, session_id: str, *, keep: int | None = None, name: str | None = None) -> Snapshot:
        """Takes a snapshot of a running session, kept for ``keep`` days (30). Never retried."""
        return self._call(calls.take_snapshot(session_id, keep, name))

    def list_snapshots(self) -> list[Snapshot]:
        """Lists the snapshots, newest first."""
        return self._call(calls.list_snapshots())

    def delete_snapshot(self, snapshot: str) -> None:
        """Deletes a snapshot. Sessions that began with it go on."""
        self._call(calls.delete_snapshot(snapshot))

    def list_caches(self) -> list[SavedCache]:
        """Lists the saved HTTP caches by name."""
        return self._call(calls.list_caches())

    def delete_cache(self, name: str) -> None:
        """Deletes a saved HTTP cache."""
        self._call(calls.delete_cache(name))

    def list_extensions(self) -> list[Extension]:
        """Lists the uploaded extensions by name."""
        return self._call(calls.list_extensions())

    def upload_extension(self, file: bytes) -> Extension:
        """Uploads an extension, a zip or crx file. Replaces the one with the same id."""
        return self._call(calls.upload_extension(file))

    def delete_extension(self, extension_id: str) -> None:
        """Deletes an uploaded extension, by its id."""
        self._call(calls.delete_extension(extension_id))

    @property
    def proxies(self) -> Proxies:
        """The account's saved proxies, and its default."""
        return Proxies(self._call)

    @property
    def pools(self) -> Pools:
        """Pools of saved proxies."""
        return Pools(self._call)

    @property
    def page(self) -> Pages:
        """One call, one page: pictures, PDFs, HTML, Markdown, links and more."""
        return Pages(self._call_with_proxy)

    @property
    def crawl(self) -> Crawls:
        """Crawls of sites, and batches of pages."""
        return Crawls(self._call_with_proxy)

    def list_recordings(self) -> Iterator[RecordingSummary]:
        """Iterates over the recordings, newest first, page by page."""
        cursor: str | None = None
        while True:
            page = self._call(calls.list_recordings(cursor))
            yield from page.recordings
            cursor = page.next_cursor
            if cursor is None:
                return

    def get_recording(self, session_id: str, *, after: int | None = None) -> Recording:
        """Reads a recording and its chunks; with ``after``, only later ones: ask again while it runs."""
        return self._call(calls.get_recording(session_id, after))

    def recording_events(
        self, session_id: str, *, from_: int | None = None, to: int | None = None
    ) -> list[dict[str, Any]]:
        """Reads the events of the chunks ``from_`` to ``to``, with the service's own names."""
        return self._call(calls.recording_events(session_id, from_, to))

    def recording_picture(self, session_id: str, chunk: int, picture: int) -> bytes:
        """Reads a JPEG: the number of its chunk, and its place in the chunk's ``picture_times``."""
        return self._call(calls.recording_picture(session_id, chunk, picture))

    def export_recording(self, session_id: str, format: RecordingFormat) -> bytes:
        """Exports a recording: HAR 1.2, all events as newline-delimited JSON, or a video."""
        return self._call(calls.export_recording(session_id, format))

    def delete_recording(self, session_id: str) -> None:
        """Deletes a recording, with its pictures."""
        self._call(calls.delete_recording(session_id))

    def share_recording(self, session_id: str, *, hours: int) -> ShareLink:
        """Creates a link to the player that expires. Whoever has it can read this recording."""
        return self._call(calls.share_recording(session_id, hours))

    def get_limits(self) -> Limits:
        """Reads how many browsers may run at once, how many do, and how many slots are free."""
        return self._call(calls.get_limits())

    def get_session_count(self) -> int:
        """Counts the running sessions."""
        return self.get_limits().active

    def get_usage(self) -> Usage:
        """Reads the totals of the account, and its latest 30 days."""
        return self._call(calls.get_usage())

    def get_me(self) -> Me:
        """Reads the account, its limits and what it has used."""
        return self._call(calls.get_me())

    def get_settings(self) -> AccountSettings:
        """Reads what the account has decided for itself."""
        return self._call(calls.get_settings())

    def change_settings(self, *, page_calls: bool) -> AccountSettings:
        """Turns page calls and crawls of the account on or off."""
        return self._call(calls.change_settings(page_calls=page_calls))

    def get_model(self) -> ModelEndpoint:
        """Reads the account's model endpoint, without its key."""
        return self._call(calls.get_model())

    def set_model(self, *, url: str, model: str, key: str) -> ModelEndpoint:
        """Sets the endpoint, compatible with OpenAI, that ``page.json`` uses. It replaces the one before."""
        return self._call(calls.set_model(url, model, key))

    def delete_model(self) -> None:
        """Deletes the endpoint and its key. Safe to repeat."""
        self._call(calls.delete_model())

    def get_health(self) -> Health:
        """Reads the gateway's health. Needs no key."""
        return self._call(calls.get_health())

    def regenerate_key(self) -> str:
        """Creates a new key, which this client uses from now on; the old one stops working. Never retried."""
        key = self._call(calls.regenerate_key()).api_key
        self._transport.credentials = key_header(key)
        return key

    def events(self, last_event_id: int | None = None) -> Iterator[AccountEvent]:
        """Streams the account's events, after the event of this ``seq`` or from now on: sessions that start
        and end, hours used. Never ends: it reconnects by itself and misses no event."""
        position = EventPosition(last_event_id, self._terms.retries)
        while True:
            failure: TurnpikeError | None = None
            try:
                with self._transport.stream(calls.EVENTS, position.headers()) as response:
                    position.begin(response.headers.get("content-type", ""))
                    for block in EventSource(response).iter_sse():
                        event = position.take(block)
                        if event:
                            yield event
            except httpx.RequestError as error:
                failure = connection_failed(error, self._transport.base_url)
            except TurnpikeError as error:
                failure = error
            time.sleep(position.pause(failure))

    def list_webhooks(self) -> list[Webhook]:
        """Lists the webhooks, without their secrets."""
        return self._call(calls.list_webhooks()).webhooks

    def create_webhook(self, url: str, *, events: Sequence[EventType] | None = None) -> NewWebhook:
        """Creates a webhook for all events, or for those that are named. Never retried."""
        return self._call(calls.create_webhook(url, events))

    def delete_webhook(self, webhook_id: str) -> None:
        """Deletes a webhook, by its id."""
        self._call(calls.delete_webhook(webhook_id))

    def list_deliveries(self, webhook_id: str) -> list[Delivery]:
        """Lists the latest hundred deliveries."""
        return self._call(calls.list_deliveries(webhook_id)).deliveries

    def replay_webhook(
        self, webhook_id: str, *, event_id: str | None = None, since: datetime.datetime | str | None = None
    ) -> int:
        """Sends one event again, or all since a time. Returns how many."""
        return self._call(calls.replay_webhook(webhook_id, event_id, since)).replayed

    def list_files(self, session_id: str) -> list[SessionFile]:
        """Lists what the browser downloaded, and what was uploaded."""
        return self._at_host(calls.locate_files("GET", session_id), calls.list_files).files

    def download_file(self, session_id: str, name: str) -> bytes:
        """Downloads one of a session's files."""
        return self._at_host(calls.locate_files("GET", session_id, name), calls.download_file)

    def upload_file(self, session_id: str, name: str, content: bytes) -> None:
        """Uploads a file, which the browser finds at ``/home/user/files/<name>``."""
        place = calls.locate_files("PUT", session_id, name)
        self._at_host(place, lambda url: calls.upload_file(url, content))

    def delete_file(self, session_id: str, name: str) -> None:
        """Deletes one of a session's files."""
        self._at_host(calls.locate_files("DELETE", session_id, name), calls.delete_file)

    @contextmanager
    def open(self, **options: Unpack[CreateOptions]) -> Iterator[Session]:
        """Opens a session for a ``with`` block and closes it at the end of the block."""
        session = self.create(**options)
        try:
            yield session
        except BaseException:
            try:
                self._leave(session)
            except TurnpikeError:
                # The block's own error is the one to report.
                pass
            raise
        self._leave(session)

    @contextmanager
    def with_browser(
        self, browser_type: BrowserType[Browser], **options: Unpack[CreateOptions]
    ) -> Iterator[Browser]:
        """Opens a browser for a ``with`` block: ``with client.with_browser(playwright.chromium, …)``."""
        with self.open(**options) as session:
            browser = browser_type.connect_over_cdp(session.cdp_url)
            try:
                yield browser
            finally:
                browser.close()

    def stats(self, token: str, *, endpoint: str | None = None) -> Stats:
        """Bandwidth statistics, with a statistics token; ``endpoint`` is for statistics served elsewhere."""
        base_url = calls.base_url(endpoint) if endpoint else self._transport.base_url
        return Stats(self._transport.sharing(base_url, token_header(token)), self._terms)

    def with_terms(self, *, timeout: float | None = None, retries: int | None = None) -> Turnpike:
        """Returns the same client, on the same connections, with another timeout or number of retries."""
        other = copy(self)
        other._terms = self._terms.changed(timeout, retries)
        return other

    def close_connections(self) -> None:
        """Closes this client's connections; sessions go on. Leaving ``with Turnpike(…)`` does the same."""
        self._transport.http.close()

    def __enter__(self) -> Turnpike:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close_connections()

    def __repr__(self) -> str:
        return f"Turnpike({self._transport.base_url!r})"

    def _at_host(self, place: Call[str], call: Callable[[str], Call[T]]) -> T:
        return self._transport.run(plan_located(place, call, self._terms))

    def _call(self, call: Call[T]) -> T:
        return self._transport.run(plan_call(call, self._terms))

    def _call_with_proxy(self, call: Call[T]) -> T:
        return self._call(calls.with_proxy(call, self._proxy))

    def _remember(self, session: Session) -> Session:
        self.last_session_id, self.last_vnc_url = session.browser_id, session.vnc_url
        return session

    def _leave(self, session: Session) -> None:
        try:
            self._transport.run(plan_call(calls.close(session.browser_id), LEAVING))
        except SessionNotFoundError:
            # It ended so long ago that the service has forgotten it.
            pass


class Stats:
    """Bandwidth statistics, read-only. Values are exact."""

    def __init__(self, transport: _Transport, terms: Terms) -> None:
        self._transport = transport
        self._terms = terms

    def summary(self, product: Product) -> BandwidthSummary:
        """Total of the last 30 days, in Gb."""
        return self._call(calls.summary(product))

    def bandwidth(
        self, product: Product, from_: Day, to: Day | None = None, *, unit: Unit | None = None
    ) -> Bandwidth:
        """Daily totals, both ends included, at most 366 days; ``to`` defaults to today."""
        return self._call(calls.bandwidth(product, from_=from_, to=to, unit=unit))

    def bandwidth_csv(
        self, product: Product, from_: Day, to: Day | None = None, *, unit: Unit | None = None
    ) -> str:
        """The same as CSV, with a header line."""
        return self._call(calls.bandwidth_csv(product, from_=from_, to=to, unit=unit))

    def countries(
        self,
        from_: Day,
        to: Day | None = None,
        *,
        unit: Unit | None = None,
        product: Product = "residential",
    ) -> Countries:
        """Totals by country, largest first; only ``residential`` has them."""
        return self._call(calls.countries(product, from_=from_, to=to, unit=unit))

    def _call(self, call: Call[T]) -> T:
        return self._transport.run(plan_call(call, self._terms))


class _Transport:
    """Carries out the steps of plans, one after the other."""

    def __init__(self, base_url: str, credentials: dict[str, str], http: httpx.Client | None = None) -> None:
        self.base_url = base_url
        self.credentials = credentials
        self.http = http or httpx.Client()

    def sharing(self, base_url: str, credentials: dict[str, str]) -> _Transport:
        return _Transport(base_url, credentials, self.http)

    @contextmanager
    def stream(self, call: Call[None], headers: Mapping[str, str]) -> Iterator[httpx.Response]:
        """Streams an answer."""
        limits = httpx.Timeout(SILENCE_SECONDS)
        url = self.base_url + call.path
        all_headers = {**self.credentials, **headers}
        with self.http.stream(call.method, url, headers=all_headers, timeout=limits) as response:
            if response.status_code != 200:
                raise answer_error(call, whole_answer(response, response.read()))
            yield response

    def run(self, plan: Plan[T]) -> T:
        try:
            step = next(plan)
            while True:
                try:
                    answer = self._do(step)
                except BaseException as error:
                    step = plan.throw(error)
                else:
                    step = plan.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    def _do(self, step: Send | Wait) -> Answer | None:
        if isinstance(step, Wait):
            time.sleep(step.seconds)
            return None
        request = build_request(self.base_url, self.credentials, step)
        deadline = time.monotonic() + step.timeout
        try:
            response = self.http.send(request, stream=True)
            try:
                content = bytearray()
                # httpx's timeouts are for one read each; this one is for all of them.
                for chunk in response.iter_bytes():
                    content += chunk
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout("the answer took too long", request=request)
            finally:
                response.close()
        except httpx.RequestError as error:
            raise connection_failed(error, self.base_url) from error
        return whole_answer(response, bytes(content))
