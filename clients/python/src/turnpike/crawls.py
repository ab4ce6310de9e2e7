"""Crawls of sites, and batches of pages, in both clients."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator

import anyio

from . import crawl_calls
from .calls import Unpack
from .crawl_calls import CrawlOptions, has_ended
from .models import Crawl, CrawledPage
from .pages import AsyncCaller, Caller

#: Between two looks at a crawl that goes on.
_PAUSE_SECONDS = 1.0


class Crawls:
    """A crawl goes on by itself on the service, in sessions of the account."""

    def __init__(self, call: Caller) -> None:
        self._call = call

    def start(self, **options: Unpack[CrawlOptions]) -> Crawl:
        """Starts a crawl at ``url``, or loads a batch of ``urls``. Returns at once."""
        return self._call(crawl_calls.start(options))

    def status(self, crawl_id: str) -> Crawl:
        """Reads how far a crawl is."""
        return self._call(crawl_calls.status(crawl_id))

    def list(self) -> Iterator[Crawl]:
        """Iterates over the crawls, newest first."""
        cursor: str | None = None
        while True:
            page = self._call(crawl_calls.list_crawls(cursor))
            yield from page.crawls
            cursor = page.next_cursor
            if cursor is None:
                return

    def pages(self, crawl_id: str) -> Iterator[CrawledPage]:
        """Iterates over the results, as pages are loaded, until the crawl ends."""
        cursor: str | None = None
        while True:
            found = self._call(crawl_calls.pages(crawl_id, cursor))
            yield from found.pages
            cursor = found.next_cursor
            if cursor is None:
                return
            if not found.pages:
                time.sleep(_PAUSE_SECONDS)

    def wait(self, crawl_id: str, on_progress: Callable[[Crawl], object] | None = None) -> Crawl:
        """Waits until the crawl has ended."""
        while True:
            crawl = self.status(crawl_id)
            if on_progress is not None:
                on_progress(crawl)
            if has_ended(crawl):
                return crawl
            time.sleep(_PAUSE_SECONDS)

    def cancel(self, crawl_id: str, *, delete_results: bool = False) -> Crawl:
        """Cancels a crawl; with ``delete_results``, it is deleted too. Safe to repeat."""
        return self._call(crawl_calls.cancel(crawl_id, delete_results=delete_results))


class AsyncCrawls:
    """Like ``Crawls``."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def start(self, **options: Unpack[CrawlOptions]) -> Crawl:
        """Starts a crawl at ``url``, or loads a batch of ``urls``. Returns at once."""
        return await self._call(crawl_calls.start(options))

    async def status(self, crawl_id: str) -> Crawl:
        """Reads how far a crawl is."""
        return await self._call(crawl_calls.status(crawl_id))

    async def list(self) -> AsyncIterator[Crawl]:
        """Iterates over the crawls, newest first."""
        cursor: str | None = None
        while True:
            page = await self._call(crawl_calls.list_crawls(cursor))
            for crawl in page.crawls:
                yield crawl
            cursor = page.next_cursor
            if cursor is None:
                return

    async def pages(self, crawl_id: str) -> AsyncIterator[CrawledPage]:
        """Iterates over the results, as pages are loaded, until the crawl ends."""
        cursor: str | None = None
        while True:
            found = await self._call(crawl_calls.pages(crawl_id, cursor))
            for page in found.pages:
                yield page
            cursor = found.next_cursor
            if cursor is None:
                return
            if not found.pages:
                await anyio.sleep(_PAUSE_SECONDS)

    async def wait(self, crawl_id: str, on_progress: Callable[[Crawl], object] | None = None) -> Crawl:
        """Waits until the crawl has ended."""
        while True:
            crawl = await self.status(crawl_id)
            if on_progress is not None:
                on_progress(crawl)
            if has_ended(crawl):
                return crawl
            await anyio.sleep(_PAUSE_SECONDS)

    async def cancel(self, crawl_id: str, *, delete_results: bool = False) -> Crawl:
        """Cancels a crawl; with ``delete_results``, it is deleted too. Safe to repeat."""
        return await self._call(crawl_calls.cancel(crawl_id, delete_results=delete_results))
