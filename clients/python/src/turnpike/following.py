"""Following the account's events over as many connections as it takes, without any I/O."""

from __future__ import annotations

from collections.abc import Mapping

from .calls import Answer, Repeat
from .decoding import Undecodable, decode
from .errors import ConnectionFailedError, TurnpikeError
from .models import AccountEvent
from .plans import retry_in

#: The gateway says something every 15 seconds, be it nothing.
SILENCE_SECONDS = 45.0


class Following:
    """Where the stream is, and when to try again."""

    def __init__(self, last_event_id: int | None, retries: int) -> None:
        self._position = last_event_id
        self._retries = retries
        self._connected = False
        self._failed = 0
        self._id: str | None = None
        self._data = ""

    def headers(self) -> Mapping[str, str]:
        self._id, self._data = None, ""
        return {} if self._position is None else {"last-event-id": str(self._position)}

    def begin(self, content_type: str) -> None:
        if not content_type.startswith("text/event-stream"):
            raise ConnectionFailedError("the gateway's answer makes no sense: it is no stream of events")
        self._connected, self._failed = True, 0

    def take(self, line: str) -> AccountEvent | None:
        """One line of the stream; the event that it completes. An id counts also without an event."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self._id = value
        elif name == "data":
            self._data += value
        elif line == "":
            return self._complete()
        return None

    def pause(self, failure: TurnpikeError | None) -> float:
        """Seconds until the next connection; raises what another would not mend."""
        self._failed += 1
        if failure is None:
            return 0.25
        seconds = retry_in(Repeat.SAFE, failure, self._failed)
        if seconds is None or (not self._connected and self._failed > self._retries):
            raise failure
        return seconds

    def _complete(self) -> AccountEvent | None:
        data, self._data = self._data, ""
        try:
            event = decode(AccountEvent, Answer(200, {}, data.encode()).json()) if data else None
            if self._id is not None:
                self._position = int(self._id)
        except (Undecodable, ValueError) as error:
            raise ConnectionFailedError(f"the gateway's answer makes no sense: {error}") from error
        self._id = None
        return event
