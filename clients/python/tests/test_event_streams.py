"""Streams of server-sent events, and what is read of them; one list for both clients."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from httpx_sse import EventSource

CASES = json.loads((Path(__file__).parents[3] / "tests/clients/event-streams.json").read_text("utf-8"))


class Stream(httpx.SyncByteStream):
    def __init__(self, chunks: Sequence[bytes]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        yield from self._chunks


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_stream_is_read_by_the_standard(case: dict[str, Any]) -> None:
    whole = [chunk.encode() for chunk in case["chunks"]]
    bytewise = [bytes([byte]) for byte in b"".join(whole)]
    for chunks in (whole, bytewise):
        headers = {"content-type": "text/event-stream"}
        blocks = list(EventSource(httpx.Response(200, headers=headers, stream=Stream(chunks))).iter_sse())
        assert [[block.id, block.data] for block in blocks if block.data] == case["events"]
        assert (blocks[-1].id if blocks else "") == case["lastId"]
