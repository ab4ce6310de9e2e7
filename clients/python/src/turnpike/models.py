# Written by scripts/generate/client-types.ts from docs/openapi.json: do not edit.
"""The service's answers, with Python's names. Times are aware, in UTC."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

SessionStatus = Literal["ACTIVE", "CLOSED", "DEAD", "EXPIRED"]
EndReason = Literal[
    "client_close",
    "lifetime",
    "browser_closed",
    "browser_crashed",
    "out_of_memory",
    "stalled",
    "host_stopped",
    "host_lost",
    "operator",
    "idle",
]
Product = Literal["residential", "rotating-isp", "rotating-dc", "web-unblocker"]
Unit = Literal["Kb", "Mb", "Gb", "Tb"]
EventType = Literal[
    "session.started",
    "session.standby",
    "session.woke",
    "session.closed",
    "session.expired",
    "session.dead",
    "recording.ready",
    "usage.80",
    "usage.cap_reached",
    "crawl.started",
    "crawl.progress",
    "crawl.finished",
    "session.proxy_failed",
    "session.exit_changed",
    "proxy.failing",
    "proxy.recovered",
    "proxy.exit_changed",
]
RecordingFormat = Literal["har", "ndjson", "webm"]
ProxyState = Literal["unknown", "healthy", "failing"]
ProxyPolicy = Literal["round_robin", "least_sessions", "least_bytes", "random", "sticky"]
CrawlState = Literal["queued", "running", "done", "cancelled", "failed"]


@dataclass(frozen=True, slots=True)
class RunningSession:
    #: Session id, as in ``x-session-id``; what a reconnect takes.
    browser_id: str
    #: WebSocket URL for CDP clients. Whoever has it has the browser. ``repr`` leaves it out.
    cdp_url: str = field(repr=False)
    #: ACTIVE runs. CLOSED was closed, EXPIRED reached its lifetime, DEAD lost its browser.
    status: SessionStatus
    created_at: datetime.datetime
    #: When the lifetime runs out. The value to trust: ``max_lifetime`` is clamped.
    expires_at: datetime.datetime
    #: The name that people gave it.
    name: str | None = None
    #: Words to find it by.
    tags: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(RunningSession):
    #: What was asked for, under the names of a create: ``os``, ``proxy`` (its password is ``***``),
    #: ``headless``, ``vnc``, ``maxLifetime`` and the rest as given, with ``idleTimeout`` and ``saveProfile``
    #: under these older names; ``profile`` is the device that the session claims to be, ``savedProfile`` the
    #: saved profile that it began with.
    browser_params: Mapping[str, Any]
    #: The object given at the create. The gateway's own facts are under ``turnpike``: the host's name, the
    #: Chromium version and, where they could be measured, the proxy's exit IP and country; of a session that
    #: was to save its profile, ``profileSaved``, and where that is false ``profileError`` says why; of its
    #: cache ``cacheSaved`` and ``cacheError``.
    metadata: Mapping[str, Any]
    #: WebSocket URL for WebDriver BiDi, where the host offers it. ``repr`` leaves it out.
    bidi_url: str | None = field(default=None, repr=False)
    #: WebSocket URL for Playwright's own protocol (``chromium.connect``), where the host offers it. ``repr``
    #: leaves it out.
    playwright_url: str | None = field(default=None, repr=False)
    #: URL for WebDriver clients, where the host offers it. ``repr`` leaves it out.
    webdriver_url: str | None = field(default=None, repr=False)
    #: Live view, where the session has one. ``repr`` leaves it out.
    vnc_url: str | None = field(default=None, repr=False)
    #: Whether it is asleep; only of a session with ``standby``.
    standby: bool | None = None
    #: Since when it is asleep; only while it is.
    standby_since: datetime.datetime | None = None


@dataclass(frozen=True, slots=True)
class NoSession:
    """What a bulk status has for an id that is no readable session of the account."""

    #: The id as it was asked for.
    browser_id: str
    #: No session of the caller's has this id.
    status: Literal["NOT_FOUND"] = "NOT_FOUND"


@dataclass(frozen=True, slots=True)
class CloseResult:
    #: Session id, as in ``x-session-id``; what a reconnect takes.
    browser_id: str
    #: ACTIVE runs. CLOSED was closed, EXPIRED reached its lifetime, DEAD lost its browser.
    status: SessionStatus


@dataclass(frozen=True, slots=True)
class TrafficUse:
    """What was sent to one destination, or to several together, and came from there."""

    #: Plain HTTP requests.
    requests: int
    #: Tunnels, for HTTPS and WebSockets.
    tunnels: int
    #: Bytes to the proxy.
    bytes_up: int
    #: Bytes from the proxy.
    bytes_down: int
    #: Requests and tunnels that came to nothing, by what refused them: a create parameter, or
    #: ``proxy_failure`` where the proxy did not carry them. Only reasons that occurred are there.
    refused: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SummaryDestination(TrafficUse):
    #: Name or address.
    host: str
    port: int
    #: ``name:<saved proxy>``, or its URL with a masked password.
    proxy: str | None = None


@dataclass(frozen=True, slots=True)
class TrafficSummary:
    """Where its traffic went, once it has ended: the largest destinations."""

    #: Bytes that came from the browser's cache instead of the proxy.
    bytes_from_cache: int
    #: The session has used its ``max_bytes``.
    max_bytes_reached: bool
    #: Requests and tunnels that came to nothing, by what refused them: a create parameter, or
    #: ``proxy_failure`` where the proxy did not carry them. Only reasons that occurred are there.
    refused: Mapping[str, int]
    #: The 10 largest, the largest first.
    destinations: list[SummaryDestination]
    #: All other destinations together.
    other: TrafficUse


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One row of the permanent record. While the session runs, ``ended_at`` is None and nothing is billed
    yet."""

    #: Session id, as in ``x-session-id``; what a reconnect takes.
    browser_id: str
    #: ACTIVE runs. CLOSED was closed, EXPIRED reached its lifetime, DEAD lost its browser.
    status: SessionStatus
    created_at: datetime.datetime
    #: When the lifetime runs out. The value to trust: ``max_lifetime`` is clamped.
    expires_at: datetime.datetime
    #: None while it runs.
    ended_at: datetime.datetime | None
    #: So far, while it runs.
    duration_seconds: int
    #: At least 30 once it has ended; 0 until then.
    billed_seconds: int
    #: Why it ended; None while it runs.
    end_reason: EndReason | None
    #: Bytes that it sent to its proxy.
    bytes_up: int
    #: Bytes that came from its proxy.
    bytes_down: int
    #: What was asked for, under the names of a create: ``os``, ``proxy`` (its password is ``***``),
    #: ``headless``, ``vnc``, ``maxLifetime`` and the rest as given, with ``idleTimeout`` and ``saveProfile``
    #: under these older names; ``profile`` is the device that the session claims to be, ``savedProfile`` the
    #: saved profile that it began with.
    browser_params: Mapping[str, Any]
    #: The object given at the create. The gateway's own facts are under ``turnpike``: the host's name, the
    #: Chromium version and, where they could be measured, the proxy's exit IP and country; of a session that
    #: was to save its profile, ``profileSaved``, and where that is false ``profileError`` says why; of its
    #: cache ``cacheSaved`` and ``cacheError``.
    metadata: Mapping[str, Any]
    #: Whole seconds that it has been asleep; only of a session with ``standby``.
    standby_seconds: int | None = None
    #: What a second asleep costs, of one awake; only of a session with ``standby``.
    standby_factor: float | None = None
    #: The signal that ended the browser, where there was one: SIGSEGV.
    end_signal: str | None = None
    #: Where its traffic went, once it has ended: the largest destinations.
    traffic: TrafficSummary | None = None
    #: How many requests ``block`` refused, by what for, as ``{"images": 12, "ads": 3}``; only of a session
    #: with ``block``.
    refused_requests: Mapping[str, int] | None = None
    #: An estimate of the bytes that came from its HTTP cache and not from its proxy; only with ``cache``.
    bytes_from_cache: int | None = None
    #: Its name; where it has none, the text ``name`` of its metadata.
    name: str | None = None
    #: Words to find it by.
    tags: list[str] | None = None


@dataclass(frozen=True, slots=True)
class SessionPage:
    sessions: list[SessionRecord]
    #: Give it as ``cursor`` for the next page; None on the last one.
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class TrafficDestination(TrafficUse):
    #: Name or address.
    host: str
    port: int
    #: First use.
    first_at: datetime.datetime
    #: Last use.
    last_at: datetime.datetime
    #: ``name:<saved proxy>``, or its URL with a masked password.
    proxy: str | None = None


@dataclass(frozen=True, slots=True)
class ProxyTraffic:
    """What one proxy of a session has carried."""

    #: ``name:<saved proxy>``, or its URL with a masked password.
    proxy: str
    #: Bytes to it.
    bytes_up: int
    #: Bytes from it.
    bytes_down: int
    #: Connections to it that were tried.
    connections: int
    #: Those that failed, by cause. Only causes that occurred are there.
    failures: Mapping[str, int]
    #: By the price of the saved proxy when the session began to use it. None: it has none.
    cost: float | None


@dataclass(frozen=True, slots=True)
class SessionTraffic:
    """Where a session's traffic went. ``destinations`` and ``other`` add up to ``bytes_up`` and
    ``bytes_down`` exactly."""

    browser_id: str
    status: SessionStatus
    #: Read from the browser just now. Otherwise it is what was stored last, final for an ended session.
    live: bool
    as_of: datetime.datetime
    #: Bytes to the proxy: the sum of ``destinations`` and ``other``.
    bytes_up: int
    #: Bytes from the proxy: the sum of ``destinations`` and ``other``.
    bytes_down: int
    #: Bytes that came from the browser's cache instead of the proxy.
    bytes_from_cache: int
    #: ``max_bytes`` of the create.
    max_bytes: int | None
    #: The session has used its ``max_bytes``.
    max_bytes_reached: bool
    #: Requests and tunnels that came to nothing, by what refused them: a create parameter, or
    #: ``proxy_failure`` where the proxy did not carry them. Only reasons that occurred are there.
    refused: Mapping[str, int]
    #: The 1000 largest, the largest first.
    destinations: list[TrafficDestination]
    #: All other destinations together.
    other: TrafficUse
    #: The session's proxies: its own first, then in the order of their first use. They add up to ``bytes_up``
    #: and ``bytes_down``. Empty where the host did not tell.
    proxies: list[ProxyTraffic]
    #: What all of them cost. None: the price of one is not known.
    cost: float | None
    #: What all bytes would have cost through the first, which is the own proxy of the session. None: it has
    #: no price.
    cost_of_one_proxy: float | None
    #: Bytes by type of resource, as the browser tells them. None where the host does not estimate it.
    estimate: Mapping[str, int] | None


@dataclass(frozen=True, slots=True)
class DayTrafficUse:
    """Traffic on one day."""

    #: Plain HTTP requests.
    requests: int
    #: Tunnels, for HTTPS and WebSockets.
    tunnels: int
    #: Bytes to the proxy.
    bytes_up: int
    #: Bytes from the proxy.
    bytes_down: int
    #: Requests and tunnels that came to nothing.
    refused: int


@dataclass(frozen=True, slots=True)
class DayTrafficDestination(DayTrafficUse):
    #: Name or address.
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class TrafficDay:
    #: UTC; a session counts on the day it ended.
    date: datetime.date
    #: Bytes to the proxy: the sum of ``destinations`` and ``other``.
    bytes_up: int
    #: Bytes from the proxy: the sum of ``destinations`` and ``other``.
    bytes_down: int
    bytes_from_cache: int
    #: Requests and tunnels that came to nothing.
    refused: int
    #: The largest, the largest first.
    destinations: list[DayTrafficDestination]
    #: All other destinations together.
    other: DayTrafficUse


@dataclass(frozen=True, slots=True)
class AccountTraffic:
    from_: datetime.date
    to: datetime.date
    #: Days on which sessions ended, the latest first.
    days: list[TrafficDay]


@dataclass(frozen=True, slots=True)
class Limits:
    #: Concurrent browsers; 2147483647 where there is no limit.
    limit: int
    #: Sessions that run now.
    active: int
    #: Free slots; creates in progress have theirs already.
    remaining: int
    unlimited: bool


@dataclass(frozen=True, slots=True)
class Account:
    id: str
    email: str
    name: str
    status: Literal["active", "suspended"]
    created_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class AccountLimits:
    #: 2147483647: unlimited.
    concurrent: int
    #: No limit on concurrent browsers.
    unlimited: bool
    creates_per_minute: int
    #: For the whole life of the account; 2147483647: unlimited.
    browser_seconds_cap: int


@dataclass(frozen=True, slots=True)
class LifetimeUsage:
    #: Billed so far.
    browser_seconds: int
    #: Until the cap; 2147483647: unlimited.
    remaining_seconds: int
    #: Sessions that have ended.
    sessions: int


@dataclass(frozen=True, slots=True)
class Me:
    account: Account
    limits: AccountLimits
    usage: LifetimeUsage


@dataclass(frozen=True, slots=True)
class UsageTotals:
    sessions: int
    browser_seconds: int
    remaining_seconds: int
    bytes_up: int
    bytes_down: int


@dataclass(frozen=True, slots=True)
class UsageDay:
    #: UTC; a session counts on the day it ended.
    date: datetime.date
    sessions: int
    browser_seconds: int
    bytes_up: int
    bytes_down: int


@dataclass(frozen=True, slots=True)
class Usage:
    totals: UsageTotals
    #: At most 30 UTC days, oldest first. A session counts on the day it ended.
    days: list[UsageDay]


@dataclass(frozen=True, slots=True)
class NewKey:
    #: Shown this once. ``repr`` leaves it out.
    api_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AccountSettings:
    #: Whether page calls and crawls are allowed.
    page_calls: bool


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    #: Base of an API that is compatible with OpenAI: ``/chat/completions`` is added.
    url: str
    #: The model's name.
    model: str
    created_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class ProxyHealth:
    state: ProxyState
    since: datetime.datetime
    #: When it was last dialled to see how it is.
    checked_at: datetime.datetime | None
    #: Of the last handshake that succeeded.
    latency_ms: int | None
    #: Where it came out last.
    exit_ip: str | None
    #: Where that address is.
    exit_country: str | None
    #: How it failed last.
    last_error: str | None


@dataclass(frozen=True, slots=True)
class SavedProxy:
    #: Up to 64 characters.
    name: str
    #: Its password is masked.
    url: str
    tags: list[str]
    #: Where it comes out; the default of ``{country}``.
    country: str | None
    #: For people.
    notes: str | None
    #: What it costs.
    price_per_gb: float | None
    #: A create without a proxy uses it.
    is_default: bool
    #: It has a CA bundle of its own.
    has_ca: bool
    #: The browsers of its sessions trust that bundle too.
    trust_ca_in_browser: bool
    has_client_certificate: bool
    health: ProxyHealth
    created_at: datetime.datetime
    updated_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class SavedProxies:
    proxies: list[SavedProxy]


@dataclass(frozen=True, slots=True)
class PoolMember:
    #: Up to 64 characters.
    name: str
    state: ProxyState


@dataclass(frozen=True, slots=True)
class ProxyPool:
    #: Up to 64 characters.
    name: str
    policy: ProxyPolicy
    #: Saved proxies, in their order.
    members: list[PoolMember]
    #: A create without a proxy uses it.
    is_default: bool
    created_at: datetime.datetime
    updated_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class ProxyPoolList:
    pools: list[ProxyPool]


@dataclass(frozen=True, slots=True)
class FetchedUrl:
    status: int
    first_byte_ms: int


@dataclass(frozen=True, slots=True)
class ProxyCheck:
    ok: bool
    #: Of the handshake with the proxy.
    latency_ms: int | None
    #: Where the operator has set TURNPIKE_PROXY_PROBE_URL.
    exit_ip: str | None
    #: Where that address is.
    exit_country: str | None
    #: Of the URL that was asked for.
    fetched: FetchedUrl | None
    #: How it failed.
    error: str | None
    checked_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class DefaultProxy:
    #: ``name:<saved proxy>`` or ``pool:<pool>``; None: a create must name its proxy.
    proxy: str | None


@dataclass(frozen=True, slots=True)
class ProxyDay:
    date: datetime.date
    sessions: int
    connections: int
    failures: int
    #: The mean time to the first byte of an answer.
    first_byte_ms: int | None
    exit_changes: int
    bytes_up: int
    bytes_down: int
    #: By the prices of that time.
    cost: float | None


@dataclass(frozen=True, slots=True)
class ProxyUsage:
    days: list[ProxyDay]


@dataclass(frozen=True, slots=True)
class Health:
    #: ``healthy``.
    status: str
    #: Seconds since the gateway started.
    uptime: float


@dataclass(frozen=True, slots=True)
class AccountEvent:
    #: ``evt_…``; the same however often it is sent (``webhook-id``).
    id: str
    #: Counts the account's events; what ``Last-Event-ID`` takes on the stream.
    seq: int
    type: EventType
    timestamp: datetime.datetime
    #: For a session: its record. For a recording: its summary. For a crawl: the crawl. For usage:
    #: ``browserSeconds``, ``browserSecondsCap`` and ``remainingSeconds``. For a proxy: ``proxy``, and what
    #: has changed; ``browserId`` if one session has seen it.
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Webhook:
    id: str
    url: str
    #: Which events it gets; empty: all.
    events: list[EventType]
    #: Disabled after an answer of 410: the receiver wants no more.
    status: Literal["enabled", "disabled"]
    created_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class NewWebhook(Webhook):
    #: ``whsec_…``, the key of its signatures. Shown this once. ``repr`` leaves it out.
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class WebhookList:
    webhooks: list[Webhook]


@dataclass(frozen=True, slots=True)
class Delivery:
    event_id: str
    seq: int
    type: EventType
    browser_id: str | None
    status: Literal["pending", "delivered", "failed"]
    attempts: int
    next_attempt_at: datetime.datetime | None
    last_error: str | None
    created_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class DeliveryList:
    deliveries: list[Delivery]


@dataclass(frozen=True, slots=True)
class Replayed:
    replayed: int
    #: Not all: ``since`` of the next replay.
    next_since: datetime.datetime | None = None


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A running session's file. Its browser finds it at ``/home/user/files/<name>``."""

    name: str
    bytes: int
    modified_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class FileList:
    files: list[SessionFile]


@dataclass(frozen=True, slots=True)
class SavedProfile:
    name: str
    #: As it is kept, compressed.
    bytes: int
    #: When it was last saved.
    updated_at: datetime.datetime
    #: A session that will save it runs.
    in_use: bool


@dataclass(frozen=True, slots=True)
class SavedProfiles:
    profiles: list[SavedProfile]


@dataclass(frozen=True, slots=True)
class Snapshot:
    #: Its id, for ``snapshot`` of a create.
    snapshot: str
    #: The session that it was taken of.
    browser_id: str
    #: What its owner called it.
    name: str | None
    #: As it is kept, compressed.
    bytes: int
    #: Tabs that are opened again.
    tabs: int
    #: What could not be read, in sentences.
    lost: list[str]
    created_at: datetime.datetime
    #: When it is deleted.
    expires_at: datetime.datetime
    #: A session of its identity runs: another needs ``fork=true``.
    in_use: bool


@dataclass(frozen=True, slots=True)
class Snapshots:
    snapshots: list[Snapshot]


@dataclass(frozen=True, slots=True)
class SavedCache(SavedProfile):
    """A saved HTTP cache. It is kept like a profile."""


@dataclass(frozen=True, slots=True)
class SavedCaches:
    caches: list[SavedCache]


@dataclass(frozen=True, slots=True)
class Extension:
    #: Chromium's id, in every session.
    id: str
    #: As in its manifest.
    name: str
    version: str
    #: SHA-256 of what was uploaded.
    checksum: str
    #: Bytes that were uploaded.
    size: int
    #: When this version was uploaded.
    created_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class Extensions:
    extensions: list[Extension]


@dataclass(frozen=True, slots=True)
class RecordingSummary:
    """What a session did; see ``record``."""

    session_id: str
    started_at: datetime.datetime
    #: None while the session runs.
    ended_at: datetime.datetime | None
    #: ``ready``: nothing more will come. Both can be read.
    state: Literal["recording", "ready"]
    #: The time of the last event.
    duration_ms: float
    events: int
    #: Failed requests, statuses from 400 on, exceptions, console errors, failed actions and crashes.
    errors: int
    #: Those that are kept.
    pictures: int
    #: What it takes in the storage.
    bytes: int
    #: Whether it ended early, because it, or all recordings of the account, grew too large.
    is_full: bool
    #: How much of the session is missing at its end, because it could not be stored; 0: nothing.
    missing_ms: float
    #: When it will be deleted.
    expires_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class RecordingPage:
    recordings: list[RecordingSummary]
    #: Give it as ``cursor`` for the next page; None on the last one.
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class RecordingChunk:
    """About two seconds of a recording. Times are milliseconds since its start."""

    index: int
    from_ms: float
    to_ms: float
    events: int
    errors: int
    #: Times of its pictures, in their order; empty where they were deleted to make room.
    picture_times: list[float]


@dataclass(frozen=True, slots=True)
class Recording(RecordingSummary):
    #: Parts of about two seconds, in order. Times are milliseconds since the start.
    chunks: list[RecordingChunk]


@dataclass(frozen=True, slots=True)
class ShareLink:
    #: Whoever has it can read this recording, and nothing else. ``repr`` leaves it out.
    url: str = field(repr=False)
    expires_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class CrawlCounts:
    #: Taken up so far.
    found: int
    #: Still to be loaded.
    open: int
    #: Loaded.
    done: int
    #: Did not load.
    failed: int
    #: Left out, because of robots.txt or because nothing has changed.
    skipped: int
    #: Have the canonical address of another page.
    duplicates: int


@dataclass(frozen=True, slots=True)
class Crawl:
    id: str
    state: CrawlState
    #: Where it began; None for a batch.
    url: str | None
    #: The code of the limit that it waits for; None if it waits for none.
    waiting: str | None
    #: Why it failed.
    why: str | None
    limit: int
    pages: CrawlCounts
    #: Sessions that it has now.
    sessions: int
    #: Size of its results, as they are stored.
    bytes: int
    created_at: datetime.datetime
    started_at: datetime.datetime | None
    ended_at: datetime.datetime | None
    #: When its results are deleted.
    expires_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class CrawlList:
    crawls: list[Crawl]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class CrawlPageError:
    #: ``PAGE_…``, ``ROBOTS`` or ``UNCHANGED``.
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class CrawledPage:
    #: As it was found, in its canonical form.
    url: str
    #: After redirects.
    loaded_url: str | None
    #: The canonical address that the page names.
    canonical: str | None
    depth: int
    result: Literal["done", "failed", "skipped"]
    #: The HTTP status.
    status: int | None
    title: str | None
    content_type: str | None
    error: CrawlPageError | None
    session_id: str | None
    loaded_at: datetime.datetime
    #: Size of ``formats``, as JSON.
    bytes: int
    #: A member for each format; or ``file``, if the address was a download.
    formats: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class CrawledPages:
    pages: list[CrawledPage]
    #: Where the next call goes on, also while the crawl has no more yet. None: it has ended, and this was
    #: all.
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class BandwidthSummary:
    """Bandwidth over a rolling 30 days, up to today."""

    product: Product
    from_: datetime.date
    to: datetime.date
    window_days: int
    total_value: Decimal
    today_value: Decimal
    unit: Literal["Gb"] = "Gb"


@dataclass(frozen=True, slots=True)
class BandwidthDay:
    traffic_date: datetime.date
    total_value: Decimal


@dataclass(frozen=True, slots=True)
class Bandwidth:
    product: Product
    unit: Unit
    from_: datetime.date
    to: datetime.date
    #: One element a day, zeros included.
    series: list[BandwidthDay]


@dataclass(frozen=True, slots=True)
class CountryBandwidth:
    #: ISO 3166-1 alpha-2, ``ZZ`` where unknown.
    country: str
    total_value: Decimal


@dataclass(frozen=True, slots=True)
class Countries:
    product: Product
    unit: Unit
    from_: datetime.date
    to: datetime.date
    #: The largest first.
    countries: list[CountryBandwidth]
