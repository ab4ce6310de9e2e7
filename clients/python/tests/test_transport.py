"""What goes over the wire and what it does to the clients, with a server that does as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from conftest import Connect

import turnpike
from turnpike import AsyncTurnpike, Turnpike

KEY = "tp_live_" + "5" * 64
NOON = "2026-11-15T12:00:00.000Z"
LIMITS = b'{"limit":5,"active":0,"remaining":5,"unlimited":false}'

Respond = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture(params=["sync", "asyncio", "trio"])
def flavour(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Server:
    def __init__(self) -> None:
        self.respond: Respond = json_answer(LIMITS)
        self.seen: list[tuple[str, dict[str, str]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
                outer.respond(self)

            def log_message(self, *_args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"


def json_answer(content: bytes, status: int = 200, **headers: str) -> Respond:
    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"content-length": str(len(content)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return respond


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


def test_the_key_goes_in_the_header_only(server: Server, connect: Connect) -> None:
    client = connect(server.url, KEY)
    client.get_limits()
    ((path, headers),) = server.seen
    assert headers.pop("x-api-key") == KEY
    assert headers["user-agent"] == f"turnpike-python/{turnpike.__version__}"
    assert KEY not in f"{path}{headers}"


def test_a_gateway_below_a_path_is_reached_there(server: Server, connect: Connect) -> None:
    connect(f"{server.url}/below/", KEY).get_limits()
    assert server.seen[0][0] == "/below/user/api/limits"


def test_a_redirect_is_not_followed_so_the_key_goes_nowhere_else(server: Server, connect: Connect) -> None:
    server.respond = json_answer(b"", 307, location=f"{server.url}/elsewhere")
    with pytest.raises(turnpike.TurnpikeError) as refused:
        connect(server.url, KEY).get_limits()
    assert refused.value.status_code == 307
    assert len(server.seen) == 1


def test_a_file_is_asked_for_where_the_gateway_says_without_the_key(server: Server, connect: Connect) -> None:
    def respond(handler: BaseHTTPRequestHandler) -> None:
        at_host = handler.path == "/cdp/secret/files/a%20b"
        place = json_answer(b"", 307, location=f"{server.url}/cdp/secret/files/a%20b")
        (json_answer(b"content") if at_host else place)(handler)

    server.respond = respond
    assert connect(server.url, KEY).download_file("br_1", "a b") == b"content"
    (asked, with_key), (_, without) = server.seen
    assert (asked, with_key["x-api-key"]) == ("/api/browser/br_1/files/a%20b", KEY)
    assert KEY not in str(without)


def test_a_stream_that_breaks_is_taken_up_again_where_it_was(server: Server, connect: Connect) -> None:
    def event(seq: int) -> bytes:
        told = {"id": f"evt_{seq}", "seq": seq, "type": "usage.80", "timestamp": NOON, "data": {}}
        return f"id: {seq}\nevent: usage.80\ndata: {json.dumps(told)}\n\n".encode()

    # It begins at 7; breaks before an event, then within one.
    parts = [b"id: 7\nretry: 2000\n\n:\n\n", event(8) + event(9)[:-20], event(9)]
    kind: Any = {"content-type": "text/event-stream"}
    server.respond = lambda handler: json_answer(parts[len(server.seen) - 1], **kind)(handler)
    events = iter(connect(server.url, KEY).events())
    assert [next(events).seq, next(events).seq] == [8, 9]
    assert [headers.get("last-event-id") for _, headers in server.seen] == [None, "7", "8"]


def test_an_answer_that_drips_ends_in_time(server: Server, connect: Connect) -> None:
    left = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-length", "10000")
        handler.end_headers()
        try:
            while not left.wait(0.02):
                handler.wfile.write(b" ")
        except OSError:
            pass

    server.respond = drip
    began = time.monotonic()
    with pytest.raises(turnpike.ConnectionFailedError, match="did not answer in time"):
        connect(server.url, KEY, timeout=0.3).get_limits()
    assert time.monotonic() - began < 10
    left.set()


def test_terms_can_be_changed_for_one_call(server: Server, connect: Connect) -> None:
    server.respond = json_answer(b"", 503, **{"retry-after": "0"})
    client = connect(server.url, KEY)
    with pytest.raises(turnpike.TurnpikeError):
        client.with_terms(retries=0).get_limits()
    assert len(server.seen) == 1
    with pytest.raises(turnpike.TurnpikeError):
        client.get_limits()
    assert len(server.seen) == 4


@pytest.mark.parametrize("kind", [Turnpike, AsyncTurnpike])
def test_the_key_is_in_no_error_and_no_representation(kind: type[Turnpike] | type[AsyncTurnpike]) -> None:
    with pytest.raises(ValueError, match="api_key must be") as refused:
        kind("http://gateway.example", f"{KEY}\r\nx: y")
    assert KEY not in repr(refused.value)
    assert KEY not in repr(kind("http://gateway.example", KEY))


@pytest.mark.parametrize(
    "endpoint", ["gateway.example", "ftp://gateway.example", "http://u:p@gateway.example"]
)
def test_an_endpoint_that_is_none_is_refused(endpoint: str) -> None:
    with pytest.raises(ValueError, match="endpoint must"):
        Turnpike(endpoint, KEY)


def test_there_must_be_a_session_to_close() -> None:
    with pytest.raises(ValueError, match="no session"):
        Turnpike("http://gateway.example", KEY).close()
