"""Saved proxies and pools, in both clients."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from . import proxy_calls
from .calls import Unpack
from .models import ProxyCheck, ProxyDay, ProxyPolicy, ProxyPool, SavedProxy
from .pages import AsyncCaller, Caller
from .proxy_calls import PoolChange, SavedProxyChange, SavedProxyOptions


class Proxies:
    """The proxies that the account has saved. A create names one as ``name:<name>``."""

    def __init__(self, call: Caller) -> None:
        self._call = call

    def list(self) -> builtins.list[SavedProxy]:
        """Lists the saved proxies by name, without their passwords."""
        return self._call(proxy_calls.list_proxies())

    def get(self, name: str) -> SavedProxy:
        """Reads one saved proxy."""
        return self._call(proxy_calls.get_proxy(name))

    def create(self, name: str, url: str, **options: Unpack[SavedProxyOptions]) -> SavedProxy:
        """Saves a proxy. Its credentials are never shown again. Never retried."""
        return self._call(proxy_calls.create_proxy(name, url, options))

    def change(self, name: str, **change: Unpack[SavedProxyChange]) -> SavedProxy:
        """Changes what is given; ``new_name`` renames it. Sessions that run keep what they have."""
        return self._call(proxy_calls.change_proxy(name, change))

    def delete(self, name: str) -> None:
        """Deletes a saved proxy."""
        self._call(proxy_calls.delete_proxy(name))

    def check(self, name: str, *, url: str | None = None, country: str | None = None) -> ProxyCheck:
        """Dials it now, and fetches ``url`` through it if one is given. A proxy that fails is an answer, not
        an error."""
        return self._call(proxy_calls.check_proxy(name, url, country))

    def usage(self, name: str) -> builtins.list[ProxyDay]:
        """What sessions have seen of it, by the UTC day on which they ended, the oldest first."""
        return self._call(proxy_calls.usage("proxies", name))

    def get_default(self) -> str | None:
        """Reads the proxy of creates that name none: ``name:…``, ``pool:…``, or None."""
        return self._call(proxy_calls.get_default())

    def set_default(self, proxy: str | None) -> str | None:
        """Sets it. With None, a create must name its proxy."""
        return self._call(proxy_calls.set_default(proxy))


class Pools:
    """Lists of saved proxies, of which a create with ``pool:<name>`` gets one."""

    def __init__(self, call: Caller) -> None:
        self._call = call

    def list(self) -> builtins.list[ProxyPool]:
        """Lists the pools by name."""
        return self._call(proxy_calls.list_pools())

    def get(self, name: str) -> ProxyPool:
        """Reads one pool."""
        return self._call(proxy_calls.get_pool(name))

    def create(self, name: str, policy: ProxyPolicy, members: Sequence[str]) -> ProxyPool:
        """Creates a pool of saved proxies, by their names in their order. Never retried."""
        return self._call(proxy_calls.create_pool(name, policy, [*members]))

    def change(self, name: str, **change: Unpack[PoolChange]) -> ProxyPool:
        """Changes what is given; ``members`` replaces all members."""
        return self._call(proxy_calls.change_pool(name, change))

    def delete(self, name: str) -> None:
        """Deletes a pool. Its proxies stay."""
        self._call(proxy_calls.delete_pool(name))

    def usage(self, name: str) -> builtins.list[ProxyDay]:
        """What sessions that named the pool have seen of its members, by UTC day, the oldest first."""
        return self._call(proxy_calls.usage("pools", name))


class AsyncProxies:
    """Like ``Proxies``."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def list(self) -> builtins.list[SavedProxy]:
        """Lists the saved proxies by name, without their passwords."""
        return await self._call(proxy_calls.list_proxies())

    async def get(self, name: str) -> SavedProxy:
        """Reads one saved proxy."""
        return await self._call(proxy_calls.get_proxy(name))

    async def create(self, name: str, url: str, **options: Unpack[SavedProxyOptions]) -> SavedProxy:
        """Saves a proxy. Its credentials are never shown again. Never retried."""
        return await self._call(proxy_calls.create_proxy(name, url, options))

    async def change(self, name: str, **change: Unpack[SavedProxyChange]) -> SavedProxy:
        """Changes what is given; ``new_name`` renames it. Sessions that run keep what they have."""
        return await self._call(proxy_calls.change_proxy(name, change))

    async def delete(self, name: str) -> None:
        """Deletes a saved proxy."""
        await self._call(proxy_calls.delete_proxy(name))

    async def check(self, name: str, *, url: str | None = None, country: str | None = None) -> ProxyCheck:
        """Dials it now, and fetches ``url`` through it if one is given. A proxy that fails is an answer, not
        an error."""
        return await self._call(proxy_calls.check_proxy(name, url, country))

    async def usage(self, name: str) -> builtins.list[ProxyDay]:
        """What sessions have seen of it, by the UTC day on which they ended, the oldest first."""
        return await self._call(proxy_calls.usage("proxies", name))

    async def get_default(self) -> str | None:
        """Reads the proxy of creates that name none: ``name:…``, ``pool:…``, or None."""
        return await self._call(proxy_calls.get_default())

    async def set_default(self, proxy: str | None) -> str | None:
        """Sets it. With None, a create must name its proxy."""
        return await self._call(proxy_calls.set_default(proxy))


class AsyncPools:
    """Like ``Pools``."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def list(self) -> builtins.list[ProxyPool]:
        """Lists the pools by name."""
        return await self._call(proxy_calls.list_pools())

    async def get(self, name: str) -> ProxyPool:
        """Reads one pool."""
        return await self._call(proxy_calls.get_pool(name))

    async def create(self, name: str, policy: ProxyPolicy, members: Sequence[str]) -> ProxyPool:
        """Creates a pool of saved proxies, by their names in their order. Never retried."""
        return await self._call(proxy_calls.create_pool(name, policy, [*members]))

    async def change(self, name: str, **change: Unpack[PoolChange]) -> ProxyPool:
        """Changes what is given; ``members`` replaces all members."""
        return await self._call(proxy_calls.change_pool(name, change))

    async def delete(self, name: str) -> None:
        """Deletes a pool. Its proxies stay."""
        await self._call(proxy_calls.delete_pool(name))

    async def usage(self, name: str) -> builtins.list[ProxyDay]:
        """What sessions that named the pool have seen of its members, by UTC day, the oldest first."""
        return await self._call(proxy_calls.usage("pools", name))
