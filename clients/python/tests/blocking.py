"""The asynchronous client behind the synchronous one's face, so that each test is written once for both."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, cast

from anyio.from_thread import BlockingPortal, start_blocking_portal

from turnpike import AsyncCrawls, AsyncPages, AsyncPools, AsyncProxies, AsyncTurnpike, Turnpike


class _Blocking:
    def __init__(self, portal: BlockingPortal, inner: object) -> None:
        self._portal = portal
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._inner, name)
        if isinstance(member, (AsyncCrawls, AsyncPages, AsyncPools, AsyncProxies)):
            return _Blocking(self._portal, member)
        return self._calling(member) if callable(member) else member

    def _calling(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            result = function(*args, **options)
            if inspect.isawaitable(result):
                return self._portal.call(_await, result)
            if isinstance(result, AbstractAsyncContextManager) and not isinstance(result, AsyncTurnpike):
                return self._portal.wrap_async_context_manager(result)
            if isinstance(result, AsyncIterator):
                return self._iterate(result)
            return _Blocking(self._portal, result)

        return call

    def _iterate(self, source: AsyncIterator[Any]) -> Iterator[Any]:
        end = object()
        while (item := self._portal.call(anext, source, end)) is not end:
            yield item


async def _await(result: Any) -> Any:
    return await result


@contextmanager
def blocking(backend: str, endpoint: str, api_key: str, **terms: Any) -> Iterator[Turnpike]:
    """``sync``, or the asynchronous client on ``asyncio`` or ``trio``."""
    if backend == "sync":
        with Turnpike(endpoint, api_key, **terms) as client:
            yield client
        return
    with start_blocking_portal(backend) as portal:
        inner = AsyncTurnpike(endpoint, api_key, **terms)
        yield cast(Turnpike, _Blocking(portal, inner))
        portal.call(inner.close_connections)
