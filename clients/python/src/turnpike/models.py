"""The service's answers, with Python's names. Times are aware, in UTC."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

SessionStatus = Literal["ACTIVE", "CLOSED", "DEAD", "EXPIRED"]
Product = Literal["residential", "rotating-isp", "rotating-dc", "web-unblocker"]
Unit = Literal["Kb", "Mb", "Gb", "Tb"]
EventType = Literal[
    "session.started",
    "session.closed",
    "session.expired",
    "session.dead",
    "recording.ready",
    "usage.80",
    "usage.cap_reached",
]


@dataclass(frozen=True, slots=True)
class RunningSession:
    browser_id: str
    #: A secret: whoever has it can drive the browser. ``repr`` leaves it out.
    cdp_url: str = field(repr=False)
    status: SessionStatus
    created_at: datetime.datetime
    expires_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class Session(RunningSession):
    browser_params: Mapping[str, Any]
    metadata: Mapping[str, Any]
    #: The live view's page, if one was asked for and started.
    vnc_url: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class NoSession:
    """The entry of ``statuses`` for an id that is no readable session of the account."""

    #: The id as it was asked for.
    browser_id: str
    status: Literal["NOT_FOUND"] = "NOT_FOUND"


@dataclass(frozen=True, slots=True)
class TrafficUse:
    """What was sent to several destinations together, and came from there."""

    #: Plain HTTP requests.
    requests: int
    #: Tunnels, for HTTPS and WebSockets.
    tunnels: int
    bytes_up: int
    bytes_down: int
    #: Requests and tunnels that came to nothing, by what refused them. Only reasons that occurred.
    refused: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SummaryDestination(TrafficUse):
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class TrafficSummary:
    bytes_from_cache: int
    max_bytes_reached: bool
    refused: Mapping[str, int]
    #: The ten largest, the largest first.
    destinations: list[SummaryDestination]
    #: All other destinations together.
    other: TrafficUse


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One row of the permanent record. While a session runs, nothing is billed yet."""

    browser_id: str
    status: SessionStatus
    created_at: datetime.datetime
    expires_at: datetime.datetime
    ended_at: datetime.datetime | None
    duration_seconds: int
    billed_seconds: int
    bytes_up: int
    bytes_down: int
    browser_params: Mapping[str, Any]
    metadata: Mapping[str, Any]
    #: More than the status says: ``client_close``, ``idle``, ``out_of_memory``, …
    end_reason: str | None = None
    #: The signal that ended the browser, if there was one.
    end_signal: str | None = None
    #: Where its traffic went, once it has ended: the ten largest destinations.
    traffic: TrafficSummary | None = None
    #: How many requests ``block`` refused, by what for. Only of a session with ``block``.
    refused_requests: Mapping[str, int] | None = None
    #: An estimate of the bytes that came from its HTTP cache. Only of a session with ``cache``.
    bytes_from_cache: int | None = None


@dataclass(frozen=True, slots=True)
class TrafficDestination(TrafficUse):
    host: str
    port: int
    first_at: datetime.datetime
    last_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class SessionTraffic:
    """Where a session's traffic went. ``destinations`` and ``other`` add up to the bytes exactly."""

    browser_id: str
    status: SessionStatus
    #: Read from the browser just now. Otherwise it is what was stored last, final for an ended session.
    live: bool
    as_of: datetime.datetime
    bytes_up: int
    bytes_down: int
    #: Bytes that came from the browser's cache instead of the proxy.
    bytes_from_cache: int
    #: ``max_bytes`` of the create.
    max_bytes: int | None
    max_bytes_reached: bool
    refused: Mapping[str, int]
    #: The 1,000 largest, the largest first.
    destinations: list[TrafficDestination]
    #: All other destinations together.
    other: TrafficUse
    #: Bytes by type of resource, as the browser tells them; ``None`` where the host does not estimate it.
    estimate: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class DayTrafficUse:
    requests: int
    tunnels: int
    bytes_up: int
    bytes_down: int
    #: Requests and tunnels that came to nothing.
    refused: int


@dataclass(frozen=True, slots=True)
class DayTrafficDestination(DayTrafficUse):
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class TrafficDay:
    """A UTC day on which sessions ended."""

    date: datetime.date
    bytes_up: int
    bytes_down: int
    bytes_from_cache: int
    refused: int
    #: The largest first.
    destinations: list[DayTrafficDestination]
    #: All other destinations together.
    other: DayTrafficUse


@dataclass(frozen=True, slots=True)
class AccountTraffic:
    from_: datetime.date
    to: datetime.date
    #: The latest first.
    days: list[TrafficDay]


@dataclass(frozen=True, slots=True)
class SessionPage:
    sessions: list[SessionRecord]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class CloseResult:
    browser_id: str
    status: SessionStatus


@dataclass(frozen=True, slots=True)
class SavedProfile:
    name: str
    #: Size as stored, compressed.
    bytes: int
    updated_at: datetime.datetime
    #: A session that will save it runs.
    in_use: bool


@dataclass(frozen=True, slots=True)
class SavedProfiles:
    profiles: list[SavedProfile]


@dataclass(frozen=True, slots=True)
class SavedCache(SavedProfile):
    """A saved HTTP cache. It is kept like a profile."""


@dataclass(frozen=True, slots=True)
class SavedCaches:
    caches: list[SavedCache]


@dataclass(frozen=True, slots=True)
class Limits:
    limit: int
    active: int
    #: Creates in progress are subtracted too.
    remaining: int
    unlimited: bool


@dataclass(frozen=True, slots=True)
class Account:
    id: str
    email: str
    name: str
    status: str
    created_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class AccountLimits:
    concurrent: int
    unlimited: bool
    creates_per_minute: int
    browser_seconds_cap: int


@dataclass(frozen=True, slots=True)
class LifetimeUsage:
    browser_seconds: int
    remaining_seconds: int
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
    date: datetime.date
    sessions: int
    browser_seconds: int
    bytes_up: int
    bytes_down: int


@dataclass(frozen=True, slots=True)
class Usage:
    totals: UsageTotals
    days: list[UsageDay]


@dataclass(frozen=True, slots=True)
class AccountEvent:
    #: The same however often it is sent.
    id: str
    #: The event's number in the account: what ``events`` takes as ``last_event_id``.
    seq: int
    type: EventType
    timestamp: datetime.datetime
    #: Of a session: its record, with the service's own names. Of usage: the seconds.
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Webhook:
    id: str
    url: str
    #: Event types that it gets; empty: all.
    events: list[EventType]
    #: ``disabled`` by an answer of 410.
    status: Literal["enabled", "disabled"]
    created_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class NewWebhook(Webhook):
    #: The key of its signatures, shown only once.
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


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A running session's file, which its browser finds at ``/home/user/files/<name>``."""

    name: str
    bytes: int
    modified_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class FileList:
    files: list[SessionFile]


RecordingFormat = Literal["har", "ndjson", "webm"]


@dataclass(frozen=True, slots=True)
class RecordingSummary:
    """What a session did; see ``record``."""

    session_id: str
    started_at: datetime.datetime
    #: None while the session runs.
    ended_at: datetime.datetime | None
    #: ``ready``: nothing more will come. Both can be read.
    state: Literal["recording", "ready"]
    duration_ms: float
    events: int
    #: Failed requests, exceptions, console errors, failed commands and crashes.
    errors: int
    #: Those that are kept.
    pictures: int
    bytes: int
    #: Whether it ended early, because it, or all recordings of the account, grew too large.
    is_full: bool
    #: When it will be deleted.
    expires_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class RecordingPage:
    recordings: list[RecordingSummary]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class RecordingChunk:
    """About two seconds of a recording. Times are milliseconds since its start."""

    index: int
    from_ms: float
    to_ms: float
    events: int
    errors: int
    #: Empty where the pictures were deleted to make room.
    picture_times: list[float]


@dataclass(frozen=True, slots=True)
class Recording(RecordingSummary):
    chunks: list[RecordingChunk]


@dataclass(frozen=True, slots=True)
class ShareLink:
    #: Whoever has it can read the recording.
    url: str = field(repr=False)
    expires_at: datetime.datetime


@dataclass(frozen=True, slots=True)
class NewKey:
    api_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Health:
    status: str
    uptime: float


@dataclass(frozen=True, slots=True)
class BandwidthSummary:
    product: str
    unit: str
    from_: datetime.date
    to: datetime.date
    window_days: int
    total_value: Decimal
    today_value: Decimal


@dataclass(frozen=True, slots=True)
class BandwidthDay:
    traffic_date: datetime.date
    total_value: Decimal


@dataclass(frozen=True, slots=True)
class Bandwidth:
    product: str
    unit: str
    from_: datetime.date
    to: datetime.date
    series: list[BandwidthDay]


@dataclass(frozen=True, slots=True)
class CountryBandwidth:
    #: ISO 3166-1 alpha-2; ZZ if unknown.
    country: str
    total_value: Decimal


@dataclass(frozen=True, slots=True)
class Countries:
    product: str
    unit: str
    from_: datetime.date
    to: datetime.date
    countries: list[CountryBandwidth]
