from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnpike
from turnpike import calls, page_calls
from turnpike.answer_error import answer_error
from turnpike.calls import Answer, Call

CREATE = calls.create({"proxy": "http://proxy.example:3128"})
RECONNECT = calls.reconnect("br_1")
STATUS = calls.status("br_1")
LIMITS = calls.get_limits()
PAGE = page_calls.page_bytes("pdf", {"url": "https://example.com/"})


def answer(status: int, body: object, headers: dict[str, str] | None = None) -> Answer:
    content = body if isinstance(body, str) else json.dumps(body)
    return Answer(status, headers or {}, content.encode())


@pytest.mark.parametrize(
    ("call", "given_answer", "kind", "fields"),
    [
        (
            LIMITS,
            answer(401, {"error": "Invalid API key"}),
            turnpike.AuthError,
            {"message": "Invalid API key"},
        ),
        (LIMITS, answer(403, {"status": "FAIL", "error": "Account suspended"}), turnpike.AuthError, {}),
        (CREATE, answer(402, {"code": "USAGE_CAP_REACHED"}), turnpike.UsageCapError, {}),
        (
            CREATE,
            answer(400, {"code": "PROXY_INVALID", "error": "Not valid.", "detail": "missing port"}),
            turnpike.ProxyError,
            {"code": "PROXY_INVALID", "detail": "missing port", "message": "Not valid. (missing port)"},
        ),
        (CREATE, answer(422, "no", {"x-error-code": "PROXY_UNREACHABLE"}), turnpike.ProxyError, {}),
        (CREATE, answer(422, {"code": "IDEMPOTENCY_MISMATCH"}), turnpike.BrowserCreateError, {}),
        (CREATE, answer(400, {"error": "Malformed browser params: os"}), turnpike.BrowserCreateError, {}),
        (CREATE, answer(502, {"error": "Browser creation failed"}), turnpike.BrowserCreateError, {}),
        (
            CREATE,
            answer(503, {"code": "CAPACITY"}, {"retry-after": "2"}),
            turnpike.CapacityError,
            {"retry_after": 2.0},
        ),
        (
            PAGE,
            answer(422, {"code": "PAGE_HTTP_403", "error": "No.", "sessionId": "br_1", "page": {"url": 7}}),
            turnpike.PageError,
            {"code": "PAGE_HTTP_403", "session_id": "br_1", "page": None},
        ),
        (PAGE, answer(400, {"error": "url is required"}), turnpike.TurnpikeError, {"status_code": 400}),
        (STATUS, answer(404, {"error": "Session not found"}), turnpike.SessionNotFoundError, {}),
        (LIMITS, answer(404, {"error": "Not found"}), turnpike.TurnpikeError, {"status_code": 404}),
        (
            RECONNECT,
            answer(410, {"error": "Session is EXPIRED"}),
            turnpike.SessionEndedError,
            {"final_status": "EXPIRED"},
        ),
        (CREATE, answer(410, {"error": "Session is CLOSED"}), turnpike.SessionEndedError, {}),
        (LIMITS, answer(500, ""), turnpike.TurnpikeError, {"message": "HTTP 500", "body": ""}),
    ],
)
def test_each_refusal_is_its_own_error(
    call: Call[Any], given_answer: Answer, kind: type[turnpike.TurnpikeError], fields: dict[str, object]
) -> None:
    error = answer_error(call, given_answer)
    assert type(error) is kind
    assert error.status_code == given_answer.status
    assert {name: getattr(error, name) for name in fields} == fields


@given(limit=st.integers(), active=st.integers(), wait=st.integers(0, 3600))
def test_the_two_429s_are_told_apart_by_their_code_whatever_else_they_carry(
    limit: int, active: int, wait: int
) -> None:
    headers = {"retry-after": str(wait)}
    body = {"error": "too many", "limit": limit, "active": active}
    concurrency = answer_error(CREATE, answer(429, {**body, "code": "CONCURRENCY_LIMIT"}, headers))
    rate = answer_error(CREATE, answer(429, {**body, "code": "RATE_LIMIT"}, headers))
    assert isinstance(concurrency, turnpike.ConcurrencyLimitError)
    assert (concurrency.limit, concurrency.active, concurrency.retry_after) == (limit, active, wait)
    assert isinstance(rate, turnpike.RateLimitError)
    assert rate.retry_after == wait


@given(
    status=st.integers(300, 599),
    content=st.binary(max_size=200),
    headers=st.dictionaries(st.sampled_from(["retry-after", "x-error-code"]), st.text(max_size=20)),
)
def test_whatever_answers_there_is_an_error_for_it(
    status: int, content: bytes, headers: dict[str, str]
) -> None:
    for call in (CREATE, RECONNECT, LIMITS):
        error = answer_error(call, Answer(status, headers, content))
        assert error.status_code == status
        assert str(error)
