"""The rules of streaming the account's events over as many connections as it takes, without any I/O."""

from __future__ import annotations

from collections.abc import Mapping

from httpx_sse import ServerSentEvent

from .calls import Answer, Repeat
from .decoding import Undecodable, decode
from .errors import ConnectionFailedError, TurnpikeError
from .models import AccountEvent
from .plans import retry_in

#: The gateway writes at least a comment every 15 seconds.
SILENCE_SECONDS = 45.0


class EventPosition:
    """The position in the stream, and when to reconnect."""

    def __init__(self, last_event_id: int | None, retries: int) -> None:
        self._position = last_event_id
        self._retries = retries
        self._connected = False
        self._failed = 0

    def headers(self) -> Mapping[str, str]:
        return {} if self._position is None else {"last-event-id": str(self._position)}

    def begin(self, content_type: str) -> None:
        if not content_type.startswith("text/event-stream"):
            raise ConnectionFailedError("the gateway's answer makes no sense: it is no stream of events")
        self._connected, self._failed = True, 0

    def take(self, block: ServerSentEvent) -> AccountEvent | None:
        """The event of a block of the stream. An id without an event moves the position too."""
        try:
            event = decode(AccountEvent, Answer(200, {}, block.data.encode()).json()) if block.data else None
            if block.id:
                self._position = int(block.id)
        except (Undecodable, ValueError) as error:
            raise ConnectionFailedError(f"the gateway's answer makes no sense: {error}") from error
        return event

    def pause(self, failure: TurnpikeError | None) -> float:
        """Seconds until the next connection; raises an error that reconnecting would not fix."""
        self._failed += 1
        if failure is None:
            return 0.25
        seconds = retry_in(Repeat.SAFE, failure, self._failed)
        if seconds is None or (not self._connected and self._failed > self._retries):
            raise failure
        return seconds
