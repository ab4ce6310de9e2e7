"""The requests of page calls, and what they answer."""

from __future__ import annotations

import builtins
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import unquote

from .browser_options import RENAMED, BrowserOptions
from .calls import Answer, Call, Repeat, Subject, header_value, under_names
from .decoding import Undecodable, decode
from .errors import PageError
from .page_options import PAGE_NAMES, WITH_MEMBERS, PageFormat, PageParameters

T = TypeVar("T")

#: Longer than a page may take, with the waits for a slot, a browser and a model.
PAGE_SECONDS = 280.0


class PageOptions(PageParameters, BrowserOptions, total=False):
    """A page call: what to load, how, and in which browser. What is None is left out."""

    #: Acts on this session, and on its page as it stands if there is no ``url`` and no ``html``. Never
    #: retried.
    session_id: str
    #: Calls with the same key and the same options load the page once. Default: a new key for each call.
    idempotency_key: str


@dataclass(frozen=True, slots=True)
class PageTimings:
    """Milliseconds since the call began on the host."""

    total: float
    loaded: float | None = None
    ready: float | None = None


@dataclass(frozen=True, slots=True)
class FailedRequest:
    url: str
    reason: str


@dataclass(frozen=True, slots=True)
class PageReport:
    """What is known of a page, also of one that did not load."""

    #: After redirects.
    url: str
    timings: PageTimings
    #: Errors that the page logged, and exceptions: the first ones.
    console_errors: list[str]
    #: The first ones.
    failed_requests: list[FailedRequest]
    #: Limits that were reached, and waits that ``best_attempt`` gave up.
    warnings: list[str]
    #: The HTTP status of the document, if there was a response.
    status: int | None = None
    title: str | None = None
    content_type: str | None = None
    #: The document's ``etag`` header.
    etag: str | None = None
    #: The document's ``last-modified`` header, as it came.
    last_modified: str | None = None
    #: Through the proxy, up and down.
    bytes: int | None = None


@dataclass(frozen=True, slots=True)
class PageBytes:
    """A page as bytes."""

    session_id: str
    #: The page's own HTTP status, if there was a response.
    status: int | None
    #: After redirects.
    url: str
    #: How long the browser took, in milliseconds.
    browser_ms: int
    #: Bytes through the proxy, up and down.
    bytes: int | None
    content_type: str
    #: The file's name, if the address was a download: then ``data`` is the file.
    file_name: str | None
    data: builtins.bytes = field(repr=False)

    @property
    def text(self) -> str:
        """The body as text."""
        found = re.search(r'charset="?([\w-]+)', self.content_type, re.IGNORECASE)
        try:
            return self.data.decode(found[1] if found else "utf-8", "replace")
        except LookupError:
            # A page may name a charset that there is not.
            return self.data.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class PageJson:
    """A page as JSON, in one or more formats."""

    session_id: str
    page: PageReport
    #: By format, with the service's own names. Pictures and PDFs are base64.
    results: Mapping[str, Any]


def page_bytes(format_: PageFormat, options: Mapping[str, object]) -> Call[PageBytes]:
    return _call(f"/{format_}", _bytes, options)


def page_json(format_: PageFormat, options: Mapping[str, object]) -> Call[PageJson]:
    return _call(f"/{format_}", _json, options)


def read_page(formats: Sequence[PageFormat], options: Mapping[str, object]) -> Call[PageJson]:
    return _call("", _json, {**options, "formats": list(formats)})


def json_of_page(
    schema: Mapping[str, object], prompt: str | None, options: Mapping[str, object]
) -> Call[PageJson]:
    return _call("/json", _json, {**options, "schema": schema, "prompt": prompt})


def _call(path: str, parse: Callable[[Answer], T], options: Mapping[str, object]) -> Call[T]:
    key, body = page_body(options)
    # There is no key for a call on a session, and a second one would act on its page again.
    on_session = "sessionId" in body
    return Call(
        "POST",
        f"/api/page{path}",
        parse,
        body=body,
        headers={} if on_session else {"idempotency-key": key},
        repeat=Repeat.HARMFUL if on_session else Repeat.PAGE_UNDER_KEY,
        subject=Subject.SESSION if on_session else Subject.OTHER,
        timeout=PAGE_SECONDS,
    )


def page_body(options: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """The Idempotency-Key and the body of a call with these options."""
    given = {name: _value(name, value) for name, value in options.items() if value is not None}
    key = given.pop("idempotency_key", None) or secrets.token_hex(16)
    body = under_names({**RENAMED, **PAGE_NAMES, "session_id": "sessionId"}, given)
    return header_value("idempotency_key", key), body


def _value(name: str, value: object) -> object:
    """Gives members of a page parameter the service's names. The keys of the others are the caller's own."""
    return _renamed(value) if PAGE_NAMES.get(name, name) in WITH_MEMBERS else value


def _renamed(value: object) -> object:
    if isinstance(value, Mapping):
        return {PAGE_NAMES.get(str(name), name): _renamed(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_renamed(item) for item in value]
    return value


def _bytes(answer: Answer) -> PageBytes:
    headers = answer.headers
    if "x-session-id" not in headers or "x-page-url" not in headers:
        raise Undecodable("answer is not one of a page call")
    return PageBytes(
        session_id=headers["x-session-id"],
        status=_number(headers, "x-page-status"),
        url=headers["x-page-url"],
        browser_ms=_number(headers, "x-browser-ms") or 0,
        bytes=_number(headers, "x-bytes"),
        content_type=headers.get("content-type", ""),
        file_name=_file_name(headers),
        data=answer.content,
    )


def _json(answer: Answer) -> PageJson:
    if _file_name(answer.headers) is not None:
        error = PageError("The address is a download. Get the file with content.", status_code=answer.status)
        error.session_id = answer.headers.get("x-session-id")
        raise error
    return decode(PageJson, answer.json())


def _number(headers: Mapping[str, str], name: str) -> int | None:
    value = headers.get(name, "")
    return int(value) if re.fullmatch(r"\d{1,15}", value) else None


def _file_name(headers: Mapping[str, str]) -> str | None:
    found = re.fullmatch(r"attachment; filename\*=UTF-8''(.*)", headers.get("content-disposition", ""))
    return unquote(found[1]) if found else None
