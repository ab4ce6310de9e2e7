"""The error for an answer that is not 200: by its status, then by its code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .calls import Answer, Call, Subject
from .decoding import Undecodable, decode
from .errors import (
    AuthError,
    BrowserCreateError,
    CapacityError,
    ConcurrencyLimitError,
    PageError,
    ProxyError,
    RateLimitError,
    SessionEndedError,
    SessionNotFoundError,
    TurnpikeError,
    UsageCapError,
)
from .page_calls import PageReport


def answer_error(call: Call[Any], answer: Answer) -> TurnpikeError:
    members = _members(answer)
    kind = _kind(call, answer.status, _code(answer, members))
    message = _text(members, "error") or answer.text.strip()[:500] or f"HTTP {answer.status}"
    detail = _text(members, "detail")
    error = kind(
        f"{message} ({detail})" if detail else message,
        status_code=answer.status,
        body=members or answer.text,
        code=_code(answer, members),
        retry_after=_retry_after(answer),
    )
    if isinstance(error, ConcurrencyLimitError):
        error.limit, error.active = _integer(members, "limit"), _integer(members, "active")
    if isinstance(error, ProxyError):
        error.detail = detail
    if isinstance(error, PageError):
        error.session_id, error.page = _text(members, "sessionId"), _page(members)
    if isinstance(error, SessionEndedError):
        found = re.fullmatch(r"Session is (CLOSED|DEAD|EXPIRED)", message)
        error.final_status = found[1] if found else None
    return error


def _kind(call: Call[Any], status: int, code: str | None) -> type[TurnpikeError]:
    if code is not None and code.startswith("PAGE_"):
        return PageError
    if status in (401, 403):
        return AuthError
    if status == 402:
        return UsageCapError
    if status == 429:
        return ConcurrencyLimitError if code == "CONCURRENCY_LIMIT" else RateLimitError
    if code is not None and code.startswith("PROXY_"):
        return ProxyError
    if status == 503 and code == "CAPACITY":
        return CapacityError
    if status == 404 and call.subject is Subject.SESSION:
        return SessionNotFoundError
    # A create is answered so too, with the idempotency key of a session that has ended.
    if status == 410:
        return SessionEndedError
    return BrowserCreateError if call.subject is Subject.CREATE else TurnpikeError


def _retry_after(answer: Answer) -> float | None:
    """Parses seconds. The gateway never sends a date, which the header allows too."""
    value = answer.headers.get("retry-after", "")
    return float(value) if re.fullmatch(r"\d{1,6}", value) else None


def _code(answer: Answer, members: Mapping[str, object]) -> str | None:
    return _text(members, "code") or answer.headers.get("x-error-code")


def _members(answer: Answer) -> Mapping[str, object]:
    try:
        body = answer.json()
    except Undecodable:
        return {}
    return body if isinstance(body, dict) else {}


def _page(members: Mapping[str, object]) -> PageReport | None:
    try:
        return decode(PageReport, members.get("page"))
    except Undecodable:
        return None


def _text(members: Mapping[str, object], name: str) -> str | None:
    value = members.get(name)
    return value if isinstance(value, str) else None


def _integer(members: Mapping[str, object], name: str) -> int | None:
    value = members.get(name)
    return value if isinstance(value, int) else None
