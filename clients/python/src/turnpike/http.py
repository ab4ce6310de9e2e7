"""What the two clients share of httpx: requests, headers and errors."""

from __future__ import annotations

import httpx

from .calls import Answer, header_value
from .errors import ConnectionFailedError
from .plans import Send
from .version import __version__

_USER_AGENT = f"turnpike-python/{__version__}"

#: Raised before any byte of the request was sent.
_NEVER_LEFT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


def build_request(base_url: str, credentials: dict[str, str], step: Send) -> httpx.Request:
    own = credentials if step.url is None else {}
    headers = {"user-agent": _USER_AGENT, "accept": "*/*", **own, **step.headers}
    return httpx.Request(
        step.method,
        step.url or base_url + step.path,
        params=dict(step.query) or None,
        headers=headers,
        content=step.content,
        extensions={"timeout": httpx.Timeout(step.timeout).as_dict()},
    )


def key_header(api_key: str) -> dict[str, str]:
    return {"x-api-key": header_value("api_key", api_key)}


def token_header(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {header_value('token', token)}"}


def whole_answer(response: httpx.Response, content: bytes) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, headers, content)


def connection_failed(error: httpx.RequestError | TimeoutError, base_url: str) -> ConnectionFailedError:
    late = isinstance(error, (httpx.TimeoutException, TimeoutError))
    what = "did not answer in time" if late else f"could not be reached: {error or type(error).__name__}"
    failure = ConnectionFailedError(f"The gateway at {base_url} {what}")
    failure.may_have_arrived = not isinstance(error, _NEVER_LEFT)
    failure.__cause__ = error
    return failure
