"""The requests of the API: how each is built, whether it may be repeated, how its answer is read."""

from __future__ import annotations

import datetime
import json
import re
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum, auto
from typing import Any, Generic, Literal, TypedDict, TypeVar
from urllib.parse import quote, urlsplit

from .browser_options import RENAMED, BrowserOptions
from .decoding import Undecodable, decode
from .models import (
    AccountSettings,
    AccountTraffic,
    Bandwidth,
    BandwidthSummary,
    CloseResult,
    Countries,
    DeliveryList,
    EventType,
    Extension,
    Extensions,
    FileList,
    Health,
    Limits,
    Me,
    ModelEndpoint,
    NewKey,
    NewWebhook,
    NoSession,
    Recording,
    RecordingFormat,
    RecordingPage,
    Replayed,
    RunningSession,
    SavedCache,
    SavedCaches,
    SavedProfile,
    SavedProfiles,
    Session,
    SessionPage,
    SessionStatus,
    SessionTraffic,
    ShareLink,
    Snapshot,
    Snapshots,
    Usage,
    WebhookList,
)

if sys.version_info >= (3, 11):
    from typing import Unpack as Unpack
else:
    from typing_extensions import Unpack as Unpack

T = TypeVar("T")
Day = datetime.date | str
Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


class Answer:
    """A whole HTTP answer."""

    __slots__ = ("content", "headers", "status")

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.status = status
        #: Names in lower case.
        self.headers = headers
        self.content = content

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")

    def json(self, *, exact: bool = False) -> Any:
        """Parses JSON; with ``exact``, fractions keep all their digits."""
        try:
            return json.loads(self.content, parse_float=Decimal if exact else float)
        except ValueError:
            raise Undecodable("answer is not JSON") from None


class Repeat(Enum):
    """What repeating a request would do."""

    #: Nothing new.
    SAFE = auto()
    #: Return the first one's session, by its Idempotency-Key.
    UNDER_KEY = auto()
    #: Return the first one's answer, by its Idempotency-Key.
    PAGE_UNDER_KEY = auto()
    #: Harm, since the first may have worked.
    HARMFUL = auto()


class Subject(Enum):
    """What a request is for: the same status means different errors."""

    CREATE = auto()
    SESSION = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    method: Method
    path: str
    parse: Callable[[Answer], T]
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeat: Repeat = Repeat.SAFE
    subject: Subject = Subject.OTHER
    #: The status of success.
    success: int = 200
    #: The raw body, in place of ``body``.
    content: bytes | None = None
    #: Another server's URL in place of the gateway's ``path``; it does not get the key.
    url: str | None = None
    #: Seconds for the call with all its retries, if the client has no timeout of its own.
    timeout: float = 120.0


class CreateOptions(BrowserOptions, total=False):
    """What a create takes. The service's own names work too, so that an option newer than this client can be
    given; what is None is left out."""

    #: Your own key: the same key and options within 24 hours are the same session.
    idempotency_key: str


def with_proxy(call: Call[T], proxy: str | None) -> Call[T]:
    """The same call with this proxy, if it opens browsers and names none."""
    if proxy is None or call.body is None or "proxy" in call.body or "sessionId" in call.body:
        return call
    return replace(call, body={"proxy": proxy, **call.body})


class SessionLabels(TypedDict, total=False):
    """What people call a session, as it is changed."""

    name: str | None
    tags: Sequence[str] | None


def create(options: Mapping[str, object]) -> Call[Session]:
    # In the body, not in /connect's query: a URL with the proxy's password would end up in logs.
    given = {name: value for name, value in options.items() if value is not None}
    for name in ("token", "session_id", "sessionId"):
        if name in given:
            hint = "Pass the API key to the constructor." if name == "token" else "Use reconnect_url."
            raise TypeError(f"{name} is not an option of a create. {hint}")
    key = given.pop("idempotency_key", None) or secrets.token_hex(16)
    return Call(
        "POST",
        "/api/browser/create",
        _decoded(Session),
        body=under_names(RENAMED, given),
        headers={"idempotency-key": header_value("idempotency_key", key)},
        repeat=Repeat.UNDER_KEY,
        subject=Subject.CREATE,
    )


def under_names(names: Mapping[str, str], given: Mapping[str, object]) -> dict[str, object]:
    """The same under the service's names."""
    body: dict[str, object] = {}
    for name, value in given.items():
        if body.setdefault(names.get(name, name), value) != value:
            raise TypeError(f"{name} is given under two names that differ. Give one of them.")
    return body


def reconnect(session_id: str) -> Call[Session]:
    body = {"sessionId": session_id}
    return Call("POST", "/api/browser/create", _decoded(Session), body=body, subject=Subject.SESSION)


def close(session_id: str) -> Call[CloseResult]:
    body = {"browserId": session_id}
    return Call("POST", "/api/browser/close", _decoded(CloseResult), body=body, subject=Subject.SESSION)


def close_key(key: str) -> Call[None]:
    """Closes what a create with this key has opened or would open."""
    return Call(
        "POST",
        "/api/browser/close",
        lambda _answer: None,
        body={"idempotencyKey": key},
        subject=Subject.OTHER,
    )


def status(session_id: str) -> Call[Session]:
    path = f"/api/browser/{quote(session_id, safe='')}/status"
    return Call("GET", path, _decoded(Session), subject=Subject.SESSION)


def statuses(session_ids: Sequence[str]) -> Call[list[Session | NoSession]]:
    body = {"browserIds": list(session_ids)}
    return Call("POST", "/api/browser/status/bulk", _statuses, body=body)


def _statuses(answer: Answer) -> list[Session | NoSession]:
    members = answer.json()
    browsers = members.get("browsers") if isinstance(members, dict) else None
    if not isinstance(browsers, list):
        raise Undecodable("answer has no browsers")
    return [_status(item, f"browsers[{index}]") for index, item in enumerate(browsers)]


def _status(item: object, where: str) -> Session | NoSession:
    if isinstance(item, dict) and item.get("status") == "NOT_FOUND":
        return decode(NoSession, item, where)
    return decode(Session, item, where)


def list_browsers() -> Call[list[RunningSession]]:
    return Call("GET", "/api/browsers", _decoded(list[RunningSession]))


def session_page(
    page_size: int,
    cursor: str | None,
    *,
    status: SessionStatus | None,
    name: str | None,
    tag: str | None,
) -> Call[SessionPage]:
    query = _query(limit=page_size, status=status, name=name, tag=tag, cursor=cursor)
    return Call("GET", "/user/api/sessions", _decoded(SessionPage), query=query)


def traffic(session_id: str) -> Call[SessionTraffic]:
    return Call("GET", _traffic_path(session_id), _decoded(SessionTraffic), subject=Subject.SESSION)


def traffic_csv(session_id: str) -> Call[str]:
    path = _traffic_path(session_id)
    return Call("GET", path, _csv, headers={"accept": "text/csv"}, subject=Subject.SESSION)


def _traffic_path(session_id: str) -> str:
    return f"/api/browser/{quote(session_id, safe='')}/traffic"


def account_traffic(from_: Day | None, to: Day | None, limit: int | None) -> Call[AccountTraffic]:
    query = _query(**{"from": from_, "to": to, "limit": limit})
    return Call("GET", "/user/api/traffic", _decoded(AccountTraffic), query=query)


def account_traffic_csv(from_: Day | None, to: Day | None, limit: int | None) -> Call[str]:
    query = _query(**{"from": from_, "to": to, "limit": limit})
    return Call("GET", "/user/api/traffic", _csv, query=query, headers={"accept": "text/csv"})


def receipt(session_id: str) -> Call[dict[str, Any]]:
    path = f"/api/browser/{quote(session_id, safe='')}/receipt"
    return Call("GET", path, _decoded(dict[str, Any]), subject=Subject.SESSION)


def receipt_keys() -> Call[dict[str, Any]]:
    return Call("GET", "/.well-known/turnpike-receipt-keys", _decoded(dict[str, Any]))


def list_profiles() -> Call[list[SavedProfile]]:
    return Call("GET", "/user/api/profiles", lambda answer: _decoded(SavedProfiles)(answer).profiles)


def delete_profile(name: str) -> Call[None]:
    return Call("DELETE", f"/user/api/profiles/{quote(name, safe='')}", lambda _answer: None)


def take_snapshot(session_id: str, keep: int | None, name: str | None) -> Call[Snapshot]:
    path = f"/api/browser/{quote(session_id, safe='')}/snapshot"
    given = {"keep": keep, "name": name}
    body = {key: value for key, value in given.items() if value is not None}
    return Call("POST", path, _decoded(Snapshot), body=body, repeat=Repeat.HARMFUL, subject=Subject.SESSION)


def list_snapshots() -> Call[list[Snapshot]]:
    return Call("GET", _SNAPSHOTS, lambda answer: _decoded(Snapshots)(answer).snapshots)


def delete_snapshot(snapshot: str) -> Call[None]:
    return Call("DELETE", f"{_SNAPSHOTS}/{quote(snapshot, safe='')}", lambda _answer: None)


def list_caches() -> Call[list[SavedCache]]:
    return Call("GET", "/user/api/caches", lambda answer: _decoded(SavedCaches)(answer).caches)


def delete_cache(name: str) -> Call[None]:
    return Call("DELETE", f"/user/api/caches/{quote(name, safe='')}", lambda _answer: None)


def list_extensions() -> Call[list[Extension]]:
    return Call("GET", _EXTENSIONS, lambda answer: _decoded(Extensions)(answer).extensions)


def upload_extension(file: bytes) -> Call[Extension]:
    headers = {"content-type": "application/octet-stream"}
    return Call("POST", _EXTENSIONS, _decoded(Extension), headers=headers, content=file)


def delete_extension(extension_id: str) -> Call[None]:
    return Call("DELETE", f"{_EXTENSIONS}/{quote(extension_id, safe='')}", lambda _answer: None)


def list_recordings(cursor: str | None) -> Call[RecordingPage]:
    query = _query(limit=200, cursor=cursor)
    return Call("GET", "/user/api/recordings", _decoded(RecordingPage), query=query)


def get_recording(session_id: str, after: int | None) -> Call[Recording]:
    return Call("GET", _recording_path(session_id), _decoded(Recording), query=_query(after=after))


def recording_events(session_id: str, from_: int | None, to: int | None) -> Call[list[dict[str, Any]]]:
    query = _query(**{"from": from_, "to": to})
    return Call("GET", f"{_recording_path(session_id)}/events", _lines, query=query)


def recording_picture(session_id: str, chunk: int, picture: int) -> Call[bytes]:
    path = f"{_recording_path(session_id)}/pictures/{chunk}/{picture}"
    return Call("GET", path, lambda answer: answer.content)


def export_recording(session_id: str, format_: RecordingFormat) -> Call[bytes]:
    path = f"{_recording_path(session_id)}/export"
    return Call("GET", path, lambda answer: answer.content, query={"format": format_})


def delete_recording(session_id: str) -> Call[None]:
    return Call("DELETE", _recording_path(session_id), lambda _answer: None)


def share_recording(session_id: str, hours: int) -> Call[ShareLink]:
    path = f"{_recording_path(session_id)}/share"
    return Call("POST", path, _decoded(ShareLink), body={"hours": hours})


def _recording_path(session_id: str) -> str:
    return f"/api/browser/{quote(session_id, safe='')}/recording"


def _lines(answer: Answer) -> list[dict[str, Any]]:
    try:
        return [json.loads(line) for line in answer.content.splitlines() if line]
    except ValueError:
        raise Undecodable("answer is not newline-delimited JSON") from None


def get_limits() -> Call[Limits]:
    return Call("GET", "/user/api/limits", _decoded(Limits))


def get_usage() -> Call[Usage]:
    return Call("GET", "/user/api/usage", _decoded(Usage))


def get_me() -> Call[Me]:
    return Call("GET", "/user/api/me", _decoded(Me))


def get_health() -> Call[Health]:
    return Call("GET", "/health", _decoded(Health))


_SETTINGS = "/user/api/settings"
_MODEL = "/user/api/model"


def get_settings() -> Call[AccountSettings]:
    return Call("GET", _SETTINGS, _decoded(AccountSettings))


def change_settings(*, page_calls: bool) -> Call[AccountSettings]:
    return Call("POST", _SETTINGS, _decoded(AccountSettings), body={"pageCalls": page_calls})


def get_model() -> Call[ModelEndpoint]:
    return Call("GET", _MODEL, _decoded(ModelEndpoint))


def set_model(url: str, model: str, key: str) -> Call[ModelEndpoint]:
    body = {"url": url, "model": model, "key": key}
    return Call("PUT", _MODEL, _decoded(ModelEndpoint), body=body)


def delete_model() -> Call[None]:
    return Call("DELETE", _MODEL, lambda _answer: None)


def regenerate_key() -> Call[NewKey]:
    return Call("POST", "/user/api/regenerate-key", _decoded(NewKey), repeat=Repeat.HARMFUL)


_WEBHOOKS = "/user/api/webhooks"
_SNAPSHOTS = "/user/api/snapshots"
_EXTENSIONS = "/user/api/extensions"
EVENTS: Call[None] = Call("GET", "/user/api/events", lambda _answer: None)


def list_webhooks() -> Call[WebhookList]:
    return Call("GET", _WEBHOOKS, _decoded(WebhookList))


def create_webhook(url: str, events: Sequence[EventType] | None) -> Call[NewWebhook]:
    body = {"url": url, **({"events": list(events)} if events is not None else {})}
    return Call("POST", _WEBHOOKS, _decoded(NewWebhook), body=body, repeat=Repeat.HARMFUL)


def delete_webhook(webhook_id: str) -> Call[None]:
    return Call("DELETE", f"{_WEBHOOKS}/{quote(webhook_id, safe='')}", lambda _answer: None)


def list_deliveries(webhook_id: str) -> Call[DeliveryList]:
    return Call("GET", f"{_WEBHOOKS}/{quote(webhook_id, safe='')}/deliveries", _decoded(DeliveryList))


def replay_webhook(
    webhook_id: str, event_id: str | None, since: datetime.datetime | str | None
) -> Call[Replayed]:
    since = since.isoformat() if isinstance(since, datetime.datetime) else since
    given = {"eventId": event_id, "since": since}
    body = {name: value for name, value in given.items() if value is not None}
    path = f"{_WEBHOOKS}/{quote(webhook_id, safe='')}/replay"
    return Call("POST", path, _decoded(Replayed), body=body)


def locate_files(method: Method, session_id: str, name: str | None = None) -> Call[str]:
    """Finds a session's files, which are on the machine where its browser runs: the result is a URL there."""
    path = f"/api/browser/{quote(session_id, safe='')}/files"
    if name is not None:
        path += f"/{quote(name, safe='')}"
    return Call(method, path, _location, subject=Subject.SESSION, success=307)


def list_files(url: str) -> Call[FileList]:
    return Call("GET", "", _decoded(FileList), url=url)


def download_file(url: str) -> Call[bytes]:
    return Call("GET", "", lambda answer: answer.content, url=url)


def upload_file(url: str, content: bytes) -> Call[None]:
    return Call("PUT", "", lambda _answer: None, url=url, content=content)


def delete_file(url: str) -> Call[None]:
    return Call("DELETE", "", lambda _answer: None, url=url)


def _location(answer: Answer) -> str:
    location = answer.headers.get("location", "")
    if not location.startswith(("http://", "https://")):
        raise Undecodable("answer names no place")
    return location


def summary(product: str) -> Call[BandwidthSummary]:
    return _statistic(product, "summary", _data(BandwidthSummary))


def bandwidth(product: str, **range_: Day | None) -> Call[Bandwidth]:
    return _statistic(product, "bandwidth", _data(Bandwidth), range_)


def bandwidth_csv(product: str, **range_: Day | None) -> Call[str]:
    return _statistic(product, "bandwidth.csv", _csv, range_)


def countries(product: str, **range_: Day | None) -> Call[Countries]:
    return _statistic(product, "countries", _data(Countries), range_)


def _statistic(
    product: str, name: str, parse: Callable[[Answer], T], range_: Mapping[str, Day | None] | None = None
) -> Call[T]:
    query = _query(**{key.rstrip("_"): value for key, value in (range_ or {}).items()})
    return Call("GET", f"/api/users/stats/{quote(product, safe='')}/{name}", parse, query=query)


def _csv(answer: Answer) -> str:
    if not answer.headers.get("content-type", "").startswith("text/csv"):
        raise Undecodable("answer is not CSV")
    return answer.text


def _decoded(kind: type[T]) -> Callable[[Answer], T]:
    return lambda answer: decode(kind, answer.json())


def _data(kind: type[T]) -> Callable[[Answer], T]:
    """Unwraps the envelope of the statistics API."""

    def parse(answer: Answer) -> T:
        envelope = answer.json(exact=True)
        if not isinstance(envelope, dict) or envelope.get("status") != "SUCCESS":
            raise Undecodable("answer is no success")
        return decode(kind, envelope.get("data"), "data")

    return parse


def _query(**values: object) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}


def header_value(name: str, value: object) -> str:
    """Checked here, because the HTTP library's error would quote the value, which may be a secret."""
    if not isinstance(value, str) or not re.fullmatch(r"[\x21-\x7e]+", value):
        raise ValueError(f"{name} must be a string of visible ASCII characters")
    return value


def base_url(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("endpoint must be an http or https URL")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("endpoint must have no credentials, no query and no fragment")
    return endpoint.rstrip("/")
