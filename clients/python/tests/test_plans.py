from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnpike import (
    BrowserCreateError,
    CapacityError,
    ConcurrencyLimitError,
    ConnectionFailedError,
    PageError,
    RateLimitError,
    TurnpikeError,
    calls,
    page_calls,
)
from turnpike.calls import Answer
from turnpike.plans import Plan, Send, Terms, Wait, plan_call, plan_create

T = TypeVar("T")

SESSION = {
    "browserId": "br_1",
    "cdpUrl": "wss://host/cdp/br_2",
    "status": "ACTIVE",
    "createdAt": "2026-03-01T10:00:00.250Z",
    "expiresAt": "2026-03-01T12:00:00.250Z",
    "browserParams": {},
    "metadata": {},
}
CREATED = Answer(200, {}, json.dumps(SESSION).encode())
CLOSED = Answer(200, {}, b'{"browserId":"br_1","status":"CLOSED"}')
LIMITS = Answer(200, {}, b'{"limit":5,"active":0,"remaining":5,"unlimited":false}')
HALF = Answer(200, {}, CREATED.content[:40])
TERMS = Terms(timeout=120, retries=2)


def refused(status: int, retry_after: int | None = None, **members: object) -> Answer:
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Answer(status, headers, json.dumps({"error": "no", **members}).encode())


def page(status: int) -> Answer:
    return Answer(status, {}, b"<h1>Bad day</h1>")


def lost(*, may_have_arrived: bool = True) -> ConnectionFailedError:
    error = ConnectionFailedError("gone")
    error.may_have_arrived = may_have_arrived
    return error


class Played:
    """A plan played through with these results of its Sends; what it asked for is kept."""

    def __init__(self, plan: Plan[Any], results: Sequence[Answer | BaseException]) -> None:
        self.sent: list[Send] = []
        self.waits: list[float] = []
        self.result: Any = None
        self.error: BaseException | None = None
        left = list(results)
        try:
            step = next(plan)
            while True:
                if isinstance(step, Wait):
                    self.waits.append(step.seconds)
                    step = plan.send(None)
                    continue
                self.sent.append(step)
                result = left.pop(0)
                step = plan.throw(result) if isinstance(result, BaseException) else plan.send(result)
        except StopIteration as end:
            self.result = end.value
        except BaseException as error:
            self.error = error
        assert left == []

    @property
    def paths(self) -> list[str]:
        return [step.path.rsplit("/", 1)[-1] for step in self.sent]


def created(*results: Answer | BaseException, terms: Terms = TERMS) -> Played:
    return Played(plan_create(calls.create({"proxy": "http://p:1"}), terms), results)


def read(*results: Answer | BaseException, terms: Terms = TERMS) -> Played:
    return Played(plan_call(calls.get_limits(), terms), results)


def test_a_create_is_repeated_under_one_key_with_one_body() -> None:
    played = created(lost(), HALF, CREATED)
    assert played.result.browser_id == "br_1"
    assert len({step.headers["idempotency-key"] for step in played.sent}) == 1
    assert len({step.content for step in played.sent}) == 1


def test_each_create_has_a_key_of_its_own() -> None:
    keys = {created(CREATED).sent[0].headers["idempotency-key"] for _ in range(100)}
    assert len(keys) == 100


def test_retry_after_is_waited_for() -> None:
    assert created(refused(429, 5, code="CONCURRENCY_LIMIT"), CREATED).waits == [5]
    assert created(refused(503, 2, code="CAPACITY"), refused(503, 2, code="CAPACITY"), CREATED).waits == [
        2,
        2,
    ]


def test_a_wait_that_ends_after_the_deadline_is_not_begun() -> None:
    played = created(refused(429, 60, code="RATE_LIMIT"), terms=Terms(timeout=30, retries=2))
    assert isinstance(played.error, RateLimitError)
    assert played.waits == []


@pytest.mark.parametrize("answer", [refused(400), refused(401), refused(402), refused(404), refused(422)])
def test_what_another_try_would_not_change_is_told_at_once(answer: Answer) -> None:
    assert isinstance(created(answer).error, TurnpikeError)
    assert isinstance(read(answer).error, TurnpikeError)


def test_a_browser_that_does_not_start_is_tried_once_more() -> None:
    played = created(refused(502), refused(502))
    assert isinstance(played.error, BrowserCreateError)
    assert isinstance(created(refused(502), CREATED).error, type(None))


def test_a_close_that_the_backend_refuses_is_asked_again_as_often_as_allowed() -> None:
    played = Played(plan_call(calls.close("br_1"), TERMS), [refused(502), refused(500), CLOSED])
    assert played.result.status == "CLOSED"


def test_a_new_key_is_never_asked_for_twice() -> None:
    for trouble in (lost(), refused(503, 2), page(502)):
        played = Played(plan_call(calls.regenerate_key(), TERMS), [trouble])
        assert isinstance(played.error, TurnpikeError)


def test_retries_can_be_turned_off() -> None:
    played = created(refused(429, 5, code="CONCURRENCY_LIMIT"), terms=Terms(timeout=120, retries=0))
    assert isinstance(played.error, ConcurrencyLimitError)
    assert played.waits == []


@pytest.mark.parametrize("trouble", [lost(), HALF, page(502), page(503), page(504)])
def test_a_create_whose_outcome_is_not_known_is_closed_by_its_key(
    trouble: Answer | ConnectionFailedError,
) -> None:
    played = created(trouble, CLOSED, terms=Terms(timeout=120, retries=0))
    assert played.paths == ["create", "close"]
    key = played.sent[0].headers["idempotency-key"]
    assert json.loads(played.sent[1].content or b"") == {"idempotencyKey": key}
    assert [step.shielded for step in played.sent] == [False, True]
    assert isinstance(played.error, TurnpikeError)


@pytest.mark.parametrize(
    "trouble", [lost(may_have_arrived=False), refused(502), refused(503, code="CAPACITY"), refused(422)]
)
def test_a_create_that_made_nothing_needs_no_closing(trouble: Answer | ConnectionFailedError) -> None:
    assert created(trouble, terms=Terms(timeout=120, retries=0)).paths == ["create"]


def test_a_rate_limit_says_nothing_about_the_try_before_it() -> None:
    played = created(lost(), refused(429, 60, code="RATE_LIMIT"), CLOSED, terms=Terms(50, retries=2))
    assert isinstance(played.error, RateLimitError)
    assert played.paths == ["create", "create", "close"]


class Cancelled(BaseException):
    pass


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), Cancelled()])
def test_an_interrupted_create_is_closed_and_the_interruption_goes_on(interruption: BaseException) -> None:
    played = created(interruption, CLOSED)
    assert played.error is interruption
    assert played.paths == ["create", "close"]


def test_when_closing_fails_too_the_caller_hears_the_first_error() -> None:
    played = created(HALF, *[lost()] * 6, terms=Terms(timeout=120, retries=0))
    assert isinstance(played.error, ConnectionFailedError)
    assert "makes no sense" in str(played.error)


def test_an_answer_that_makes_no_sense_keeps_its_secrets_to_itself() -> None:
    error = created(HALF, CLOSED, terms=Terms(timeout=120, retries=0)).error
    assert "cdp" not in f"{error} {vars(error)}"


@given(
    st.lists(
        st.sampled_from([lost(), HALF, page(502), refused(503, 1), refused(500), refused(429, 1)]), min_size=9
    ),
    st.integers(0, 5),
)
def test_a_read_is_sent_no_more_often_than_allowed(
    troubles: list[Answer | ConnectionFailedError], retries: int
) -> None:
    played = read(*troubles[: retries + 1], terms=Terms(timeout=120, retries=retries))
    assert len(played.sent) == retries + 1
    assert len(played.waits) == retries
    assert isinstance(played.error, TurnpikeError)
    assert all(0 < wait <= 5 for wait in played.waits)


def test_capacity_is_told_apart_from_other_503s() -> None:
    terms = Terms(timeout=120, retries=0)
    assert isinstance(created(refused(503, 2, code="CAPACITY"), terms=terms).error, CapacityError)
    assert isinstance(created(refused(503, 2), terms=terms).error, BrowserCreateError)


def test_options_that_would_make_it_another_call_are_refused() -> None:
    for name in ("token", "session_id", "sessionId"):
        with pytest.raises(TypeError, match=name):
            calls.create({name: "x"})


def test_options_go_out_under_the_services_names_and_none_is_left_out() -> None:
    call = calls.create({"max_lifetime": 600, "idle_timeout": 60, "vnc": None, "headless": False, "new": 1})
    assert call.body == {"maxLifetime": 600, "idleTimeout": 60, "headless": False, "new": 1}
    saving = calls.create({"profile": "shop", "save_profile": True})
    assert saving.body == {"profile": "shop", "saveProfile": True}


def test_older_names_work_and_both_names_together_must_say_the_same() -> None:
    for options in ({"idleTimeout": 60}, {"idle_timeout": 60}, {"idleTimeout": 60, "idle_timeout": 60}):
        assert calls.create(options).body == {"idleTimeout": 60}
    with pytest.raises(TypeError, match="two names that differ"):
        calls.create({"idleTimeout": 60, "idle_timeout": 90})


@pytest.mark.parametrize("terms", [{"timeout": 0, "retries": 0}, {"timeout": 1, "retries": -1}])
def test_terms_that_make_no_sense_are_refused(terms: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Terms(**terms)


PAGE = Answer(200, {"x-session-id": "br_1", "x-page-url": "https://example.com/"}, b"# A")


def read_page(*results: Answer | BaseException, **options: Any) -> Played:
    call = page_calls.page_bytes("markdown", {"url": "https://example.com/", **options})
    return Played(plan_call(call, Terms(timeout=None, retries=2)), results)


def test_a_page_call_is_repeated_under_its_key_and_waits_for_one_that_is_under_way() -> None:
    played = read_page(lost(), refused(409, code="CONFLICT"), PAGE)
    assert played.result.text == "# A"
    assert len({send.headers["idempotency-key"] for send in played.sent}) == 1
    assert 120 < played.sent[0].timeout <= 280


def test_a_page_call_that_ended_without_an_answer_tells_its_own_error() -> None:
    played = read_page(refused(502), refused(410, code="SESSION_ENDED"))
    assert isinstance(played.error, TurnpikeError)
    assert played.error.status_code == 502


def test_a_page_call_on_a_session_is_not_repeated() -> None:
    played = read_page(refused(503), session_id="br_1")
    assert len(played.sent) == 1
    assert "idempotency-key" not in played.sent[0].headers


def test_options_of_a_page_call_go_out_under_the_services_names() -> None:
    played = read_page(
        PAGE,
        max_lifetime=300,
        goto_options={"wait_until": "load"},
        cookies=[{"name": "a", "value": "b", "same_site": "Lax"}],
        set_extra_http_headers={"wait_until": "mine"},
        metadata={"full_page": 1},
        user_agent=None,
    )
    assert json.loads(played.sent[0].content or b"") == {
        "url": "https://example.com/",
        "maxLifetime": 300,
        "gotoOptions": {"waitUntil": "load"},
        "cookies": [{"name": "a", "value": "b", "sameSite": "Lax"}],
        "setExtraHTTPHeaders": {"wait_until": "mine"},
        "metadata": {"full_page": 1},
    }


def test_json_of_a_download_says_that_it_is_one() -> None:
    download = Answer(200, {"content-disposition": "attachment; filename*=UTF-8''a%20b.zip"}, b"PK")
    call = page_calls.page_json("links", {"url": "https://example.com/"})
    assert isinstance(Played(plan_call(call, TERMS), [download]).error, PageError)
