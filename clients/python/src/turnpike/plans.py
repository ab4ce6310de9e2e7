"""How a call is carried out: retries, waits, deadlines, giving up. A plan is a generator that asks for one
step after another and does no I/O, so that the two clients, which only do the steps, have the same rules."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from . import calls
from .answer_error import answer_error
from .calls import Answer, Call, Repeat
from .decoding import Undecodable
from .errors import ConnectionFailedError, SessionEndedError, TurnpikeError
from .models import Session
from .warn import tell_warnings

T = TypeVar("T")

#: Timeout of closing what an abandoned create may have opened.
GIVE_UP_SECONDS = 10.0

_BACKOFF_SECONDS = (0.1, 5.0)


@dataclass(frozen=True, slots=True)
class Send:
    """A request to send; its result is an `Answer`, or ConnectionFailedError is raised."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes | None
    timeout: float
    #: Carried out even if the caller is being cancelled.
    shielded: bool
    #: Another server's URL, which does not get the key; None: the gateway.
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float
    shielded: bool


#: Is sent the answer after a Send, and None after a Wait.
Plan = Generator[Send | Wait, Any, T]


@dataclass(frozen=True, slots=True)
class Terms:
    """The timeout of a call with all its retries, in seconds, and how many retries it may have."""

    #: None: as long as is usual for the call.
    timeout: float | None
    retries: int
    shielded: bool = False

    def __post_init__(self) -> None:
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError("timeout must be a number of seconds above 0")
        if self.retries < 0:
            raise ValueError("retries must be 0 or more")

    def changed(self, timeout: float | None, retries: int | None) -> Terms:
        return Terms(
            self.timeout if timeout is None else timeout, self.retries if retries is None else retries
        )


#: For a call that must be made on the way out, even if the caller is being cancelled.
LEAVING = Terms(timeout=GIVE_UP_SECONDS, retries=5, shielded=True)


class Doubt:
    """Whether the gateway may have done what was asked without this client knowing the result."""

    exists = False


def plan_call(call: Call[T], terms: Terms, doubt: Doubt | None = None) -> Plan[T]:
    doubt = doubt or Doubt()
    headers, content = _encode(call)
    deadline = time.monotonic() + (call.timeout if terms.timeout is None else terms.timeout)
    failed = 0
    first: TurnpikeError | None = None
    while True:
        doubted = doubt.exists
        doubt.exists = True
        failure: TurnpikeError
        try:
            left = max(deadline - time.monotonic(), 0.001)
            answer: Answer = yield Send(
                call.method, call.path, call.query, headers, content, left, terms.shielded, call.url
            )
            # Before the result: where warnings are errors, a create leaves no session.
            tell_warnings(answer)
            if answer.status == call.success:
                result = call.parse(answer)
                doubt.exists = False
                return result
            failure = answer_error(call, answer)
            doubt.exists = doubted or may_have_opened(failure)
        except ConnectionFailedError as error:
            failure = error
            doubt.exists = doubted or error.may_have_arrived
        except Undecodable as error:
            failure = _unreadable(answer, error)
        if first is not None and _ended_unanswered(call, failure):
            raise first
        first = first or failure
        failed += 1
        seconds = retry_in(call.repeat, failure, failed)
        if seconds is None or failed > terms.retries or time.monotonic() + seconds >= deadline:
            raise failure
        yield Wait(seconds, terms.shielded)


def _ended_unanswered(call: Call[Any], failure: TurnpikeError) -> bool:
    """Whether the page call with this key has ended without an answer: what went wrong is what it told."""
    return call.repeat is Repeat.PAGE_UNDER_KEY and isinstance(failure, SessionEndedError)


def plan_located(place: Call[str], call: Callable[[str], Call[T]], terms: Terms) -> Plan[T]:
    """Asks the gateway for a URL, and then makes the call there."""
    url = yield from plan_call(place, terms)
    return (yield from plan_call(call(url), terms))


def plan_create(call: Call[Session], terms: Terms) -> Plan[Session]:
    """A create; when it fails or is cancelled, it leaves no session behind."""
    doubt = Doubt()
    try:
        return (yield from plan_call(call, terms, doubt))
    except GeneratorExit:
        raise
    except BaseException:
        # KeyboardInterrupt and cancellation too: nobody else knows the session's id.
        if doubt.exists:
            yield from _close_unknown(call)
        raise


def _close_unknown(call: Call[Session]) -> Plan[None]:
    """Makes sure that the create leaves no session, whether it failed, succeeded or has not arrived yet."""
    try:
        yield from plan_call(calls.close_key(call.headers["idempotency-key"]), LEAVING)
    except TurnpikeError:
        # The first error is the one to report.
        pass


def retry_in(repeat: Repeat, failure: TurnpikeError, failed: int) -> float | None:
    """Seconds until the next retry after so many failures; None: a retry would not help."""
    if repeat is Repeat.HARMFUL or not _worth_repeating(repeat, failure, failed):
        return None
    if failure.retry_after is not None:
        return failure.retry_after
    first, most = _BACKOFF_SECONDS
    # With jitter, so that clients that failed together do not retry together.
    return float(min(most, first * 2**failed) * random.uniform(0.5, 1))  # noqa: S311


def _worth_repeating(repeat: Repeat, failure: TurnpikeError, failed: int) -> bool:
    if isinstance(failure, ConnectionFailedError) or failure.status_code in (429, 503):
        return True
    if failure.status_code in (500, 502, 504):
        # A browser that did not start is retried once; other calls as often as allowed.
        return repeat is Repeat.SAFE or failed <= 1
    # A page call with the same key is under way.
    return repeat is Repeat.PAGE_UNDER_KEY and failure.code == "CONFLICT"


def may_have_opened(failure: TurnpikeError) -> bool:
    """Whether a create that was answered like this may have opened a session. Below 500 nothing was opened.
    From 500 on it depends on who answers: the gateway, which sends a code or JSON with an ``error``, knows
    that it opened nothing, except with 500, when it failed half-way; a load balancer or proxy does not know
    what the gateway did. The Node client has the same rule (may-have-opened.ts), and
    tests/clients/create-answers.json has cases for both."""
    status = failure.status_code or 0
    if status < 500:
        return False
    body = failure.body
    from_gateway = failure.code is not None or (isinstance(body, dict) and isinstance(body.get("error"), str))
    return status == 500 or not from_gateway


def _unreadable(answer: Answer, cause: Undecodable) -> ConnectionFailedError:
    failure = ConnectionFailedError(
        f"the gateway's answer makes no sense: {cause}", status_code=answer.status
    )
    failure.__cause__ = cause
    return failure


def _encode(call: Call[Any]) -> tuple[Mapping[str, str], bytes | None]:
    if call.body is None:
        return call.headers, call.content
    content = json.dumps(call.body, allow_nan=False).encode()
    return {**call.headers, "content-type": "application/json"}, content
