"""The errors, one class for each case that callers handle differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .page_calls import PageReport


class TurnpikeError(Exception):
    """The base class of all errors: an answer that is not 200, or no answer."""

    def __init__(
        self,
        message: str,
        *,
        status_code: int | None = None,
        body: object = None,
        code: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: HTTP status; None if there was no answer.
        self.status_code = status_code
        #: The answer's body: parsed if it is JSON, else its text.
        self.body = body
        #: The service's error code, such as ``CONCURRENCY_LIMIT``, if it sent one.
        self.code = code
        #: Seconds after which to retry, if the service says so.
        self.retry_after = retry_after


class TurnpikeWarning(UserWarning):
    """A call asked for something and does not get it: a mistyped parameter, or a value that was changed."""


class AuthError(TurnpikeError):
    """The key, or the statistics token, is missing or not valid (401), or the account is suspended (403)."""


class UsageCapError(TurnpikeError):
    """The account's browser hours are used up (402). Running sessions go on and can be reconnected."""


class RateLimitError(TurnpikeError):
    """Too many creates, or requests for statistics, in a minute (429 ``RATE_LIMIT``)."""


class ConcurrencyLimitError(TurnpikeError):
    """The account runs as many browsers as it may (429 ``CONCURRENCY_LIMIT``). Close one."""

    limit: int | None = None
    active: int | None = None


class CapacityError(TurnpikeError):
    """No host has a free seat (503 ``CAPACITY``)."""


class ProxyError(TurnpikeError):
    """The proxy is missing, malformed (400) or does not work (422); ``code`` says which."""

    #: The broken rule or the cause.
    detail: str | None = None


class SessionNotFoundError(TurnpikeError):
    """The account has no such session, or it ended too long ago (404)."""


class SessionEndedError(TurnpikeError):
    """The session to reconnect to, or the one of a create's idempotency key, has ended (410)."""

    #: CLOSED, DEAD or EXPIRED.
    final_status: str | None = None


class PageError(TurnpikeError):
    """The page of a page call did not load or could not be read; ``code`` says why: ``PAGE_DNS``,
    ``PAGE_TIMEOUT``, ``PAGE_HTTP_403`` and others."""

    #: The session that tried.
    session_id: str | None = None
    #: What is known of the page.
    page: PageReport | None = None


class BrowserCreateError(TurnpikeError):
    """A create failed for another reason: a malformed parameter, or a browser that did not start."""


class ConnectionFailedError(TurnpikeError):
    """The gateway could not be reached, did not answer in time, or its answer makes no sense."""

    #: Whether the gateway may have received the request.
    may_have_arrived: bool = True
