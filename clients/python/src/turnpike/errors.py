"""What can go wrong, one class for each thing that a caller would do something else about."""

from __future__ import annotations


class TurnpikeError(Exception):
    """The base of all: any answer that is not 200, and no answer at all."""

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
        #: None where there was no answer.
        self.status_code = status_code
        #: The answer's JSON, or its text where it is none.
        self.body = body
        #: The gateway's own word for it, such as ``CONCURRENCY_LIMIT``.
        self.code = code
        #: Seconds after which another try makes sense, where the service says so.
        self.retry_after = retry_after


class AuthError(TurnpikeError):
    """The key, or the statistics token, is missing or not valid (401), or the account is suspended (403)."""


class UsageCapError(TurnpikeError):
    """The account's browser hours are used up (402). Running sessions go on and can be reconnected."""


class RateLimitError(TurnpikeError):
    """Too many creates, or requests for statistics, in a minute (429 ``RATE_LIMIT``)."""


class ConcurrencyLimitError(TurnpikeError):
    """As many browsers run as the account may have (429 ``CONCURRENCY_LIMIT``)."""

    limit: int | None = None
    active: int | None = None


class CapacityError(TurnpikeError):
    """No seat is free on any host (503 ``CAPACITY``)."""


class ProxyError(TurnpikeError):
    """The proxy is missing, malformed (400) or does not work (422); ``code`` says which."""

    #: The broken rule or the cause.
    detail: str | None = None


class SessionNotFoundError(TurnpikeError):
    """No such session of this account; it may have aged out (404)."""


class SessionEndedError(TurnpikeError):
    """The session to reconnect to, or the one of a create's idempotency key, has ended (410)."""

    #: CLOSED, DEAD or EXPIRED.
    final_status: str | None = None


class BrowserCreateError(TurnpikeError):
    """A create failed for another reason: a malformed parameter, or a browser that did not start."""


class ConnectionFailedError(TurnpikeError):
    """The gateway could not be reached, did not answer in time, or its answer broke off."""

    #: Whether the gateway may have had the request.
    may_have_arrived: bool = True
