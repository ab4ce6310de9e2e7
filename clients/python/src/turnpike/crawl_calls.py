"""The requests of crawls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import quote

from .browser_options import BrowserOptions
from .calls import Answer, Call
from .decoding import decode
from .models import Crawl, CrawledPages, CrawlList
from .page_calls import page_body
from .page_options import CrawlParameters, PageParameters

T = TypeVar("T")

_PATH = "/api/crawl"


class CrawlOptions(CrawlParameters, PageParameters, BrowserOptions, total=False):
    """A crawl of ``url``, or a batch of ``urls``: what to load, what to read of each page, and in which
    browsers. What is None is left out."""

    #: Starts with the same key and the same options are one crawl. Default: a new key for each call.
    idempotency_key: str


def start(options: Mapping[str, object]) -> Call[Crawl]:
    key, body = page_body(options)
    headers = {"idempotency-key": key}
    return Call("POST", _PATH, _decoded(Crawl), body=body, headers=headers, success=202)


def status(crawl_id: str) -> Call[Crawl]:
    return Call("GET", _path(crawl_id), _decoded(Crawl))


def list_crawls(cursor: str | None) -> Call[CrawlList]:
    return Call("GET", _PATH, _decoded(CrawlList), query={"limit": "200", **_cursor(cursor)})


def pages(crawl_id: str, cursor: str | None) -> Call[CrawledPages]:
    return Call("GET", f"{_path(crawl_id)}/pages", _decoded(CrawledPages), query=_cursor(cursor))


def cancel(crawl_id: str, *, delete_results: bool) -> Call[Crawl]:
    query = {"deleteResults": "true"} if delete_results else {}
    return Call("DELETE", _path(crawl_id), _decoded(Crawl), query=query)


def has_ended(crawl: Crawl) -> bool:
    return crawl.state not in ("queued", "running")


def _path(crawl_id: str) -> str:
    return f"{_PATH}/{quote(crawl_id, safe='')}"


def _cursor(cursor: str | None) -> dict[str, str]:
    return {} if cursor is None else {"cursor": cursor}


def _decoded(kind: type[T]) -> Callable[[Answer], T]:
    return lambda answer: decode(kind, answer.json())
