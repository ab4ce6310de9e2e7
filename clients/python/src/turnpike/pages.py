"""One call, one page, in both clients."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Protocol, TypeVar

from . import page_calls
from .calls import Call, Unpack
from .page_calls import PageBytes, PageJson, PageOptions
from .page_options import PageFormat

T = TypeVar("T")


class Caller(Protocol):
    def __call__(self, call: Call[T], /) -> T: ...


class AsyncCaller(Protocol):
    def __call__(self, call: Call[T], /) -> Awaitable[T]: ...


class Pages:
    """Each call opens a session, loads a page, reads it and closes the session. With ``session_id``, it acts
    on a session that runs, and leaves it open."""

    def __init__(self, call: Caller) -> None:
        self._call = call

    def screenshot(self, **options: Unpack[PageOptions]) -> PageBytes:
        """Takes a picture, a PNG unless ``screenshot_options`` says otherwise."""
        return self._call(page_calls.page_bytes("screenshot", options))

    def pdf(self, **options: Unpack[PageOptions]) -> PageBytes:
        """Prints the page to PDF."""
        return self._call(page_calls.page_bytes("pdf", options))

    def content(self, **options: Unpack[PageOptions]) -> PageBytes:
        """Reads the HTML after scripts ran, as ``text``. A target that is no HTML comes as it is."""
        return self._call(page_calls.page_bytes("content", options))

    def markdown(self, **options: Unpack[PageOptions]) -> PageBytes:
        """Reads the main content as Markdown, as ``text``."""
        return self._call(page_calls.page_bytes("markdown", options))

    def links(self, **options: Unpack[PageOptions]) -> PageJson:
        """Lists the links, in ``results["links"]``."""
        return self._call(page_calls.page_json("links", options))

    def scrape(self, **options: Unpack[PageOptions]) -> PageJson:
        """Reads the elements that ``elements`` names."""
        return self._call(page_calls.page_json("scrape", options))

    def snapshot(self, **options: Unpack[PageOptions]) -> PageJson:
        """Reads the HTML and a picture from one load."""
        return self._call(page_calls.page_json("snapshot", options))

    def accessibility(self, **options: Unpack[PageOptions]) -> PageJson:
        """Reads the accessibility tree."""
        return self._call(page_calls.page_json("accessibility", options))

    def json(
        self, schema: Mapping[str, object], *, prompt: str | None = None, **options: Unpack[PageOptions]
    ) -> PageJson:
        """Makes JSON of the page, by the account's own model: ``results["json"]`` fits the schema."""
        return self._call(page_calls.json_of_page(schema, prompt, options))

    def read(self, formats: Sequence[PageFormat], **options: Unpack[PageOptions]) -> PageJson:
        """Reads a page in several formats, from one load."""
        return self._call(page_calls.read_page(formats, options))


class AsyncPages:
    """Like ``Pages``. A call that is cancelled ends its session on the gateway."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def screenshot(self, **options: Unpack[PageOptions]) -> PageBytes:
        """Takes a picture, a PNG unless ``screenshot_options`` says otherwise."""
        return await self._call(page_calls.page_bytes("screenshot", options))

    async def pdf(self, **options: Unpack[PageOptions]) -> PageBytes:
        """Prints the page to PDF."""
        return await self._call(page_calls.page_bytes("pdf", options))

    async def content(self, **options: Unpack[PageOptions]) -> PageBytes:
        """Reads the HTML after scripts ran, as ``text``. A target that is no HTML comes as it is."""
        return await self._call(page_calls.page_bytes("content", options))

    async def markdown(self, **options: Unpack[PageOptions]) -> PageBytes:
        """Reads the main content as Markdown, as ``text``."""
        return await self._call(page_calls.page_bytes("markdown", options))

    async def links(self, **options: Unpack[PageOptions]) -> PageJson:
        """Lists the links, in ``results["links"]``."""
        return await self._call(page_calls.page_json("links", options))

    async def scrape(self, **options: Unpack[PageOptions]) -> PageJson:
        """Reads the elements that ``elements`` names."""
        return await self._call(page_calls.page_json("scrape", options))

    async def snapshot(self, **options: Unpack[PageOptions]) -> PageJson:
        """Reads the HTML and a picture from one load."""
        return await self._call(page_calls.page_json("snapshot", options))

    async def accessibility(self, **options: Unpack[PageOptions]) -> PageJson:
        """Reads the accessibility tree."""
        return await self._call(page_calls.page_json("accessibility", options))

    async def json(
        self, schema: Mapping[str, object], *, prompt: str | None = None, **options: Unpack[PageOptions]
    ) -> PageJson:
        """Makes JSON of the page, by the account's own model: ``results["json"]`` fits the schema."""
        return await self._call(page_calls.json_of_page(schema, prompt, options))

    async def read(self, formats: Sequence[PageFormat], **options: Unpack[PageOptions]) -> PageJson:
        """Reads a page in several formats, from one load."""
        return await self._call(page_calls.read_page(formats, options))
