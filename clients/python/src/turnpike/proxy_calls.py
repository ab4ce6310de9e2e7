"""The requests of saved proxies, pools and the default proxy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict, TypeVar
from urllib.parse import quote

from .calls import Answer, Call, Repeat, Subject
from .decoding import decode
from .models import (
    DefaultProxy,
    ProxyCheck,
    ProxyDay,
    ProxyPolicy,
    ProxyPool,
    ProxyPoolList,
    ProxyUsage,
    SavedProxies,
    SavedProxy,
    Session,
)

T = TypeVar("T")

_PROXIES = "/user/api/proxies"
_POOLS = "/user/api/proxy-pools"
_DEFAULT = "/user/api/default-proxy"

#: The API's names, where they differ.
_NAMES = {
    "price_per_gb": "pricePerGb",
    "trust_ca_in_browser": "trustCaInBrowser",
    "client_certificate": "clientCertificate",
}


class ClientCertificate(TypedDict):
    """PEM: what an ``https`` proxy is shown when it asks for a certificate."""

    certificate: str
    key: str


class SavedProxyOptions(TypedDict, total=False):
    """What a saved proxy has. None takes a value away."""

    #: ISO 3166-1 alpha-2; the default of ``{country}``.
    country: str | None
    tags: list[str]
    notes: str | None
    #: For 10⁹ bytes, in a currency of your own.
    price_per_gb: float | None
    #: PEM: the only authorities that the certificate of an ``https`` proxy may be from.
    ca: str | None
    #: Whether the browsers of its sessions trust ``ca`` too.
    trust_ca_in_browser: bool
    client_certificate: ClientCertificate | None


class SavedProxyChange(SavedProxyOptions, total=False):
    new_name: str
    url: str


class PoolChange(TypedDict, total=False):
    new_name: str
    policy: ProxyPolicy
    members: list[str]


def list_proxies() -> Call[list[SavedProxy]]:
    return Call("GET", _PROXIES, lambda answer: _decoded(SavedProxies)(answer).proxies)


def get_proxy(name: str) -> Call[SavedProxy]:
    return Call("GET", _path(_PROXIES, name), _decoded(SavedProxy))


def create_proxy(name: str, url: str, options: Mapping[str, Any]) -> Call[SavedProxy]:
    body = {"name": name, "url": url, **_renamed(options)}
    return Call("POST", _PROXIES, _decoded(SavedProxy), body=body, repeat=Repeat.HARMFUL)


def change_proxy(name: str, change: Mapping[str, Any]) -> Call[SavedProxy]:
    return Call("PATCH", _path(_PROXIES, name), _decoded(SavedProxy), body=_renamed(change))


def delete_proxy(name: str) -> Call[None]:
    return Call("DELETE", _path(_PROXIES, name), lambda _answer: None)


def check_proxy(name: str, url: str | None, country: str | None) -> Call[ProxyCheck]:
    given = {"url": url, "country": country}
    body = {key: value for key, value in given.items() if value is not None}
    return Call("POST", f"{_path(_PROXIES, name)}/check", _decoded(ProxyCheck), body=body)


def usage(kind: Literal["proxies", "pools"], name: str) -> Call[list[ProxyDay]]:
    path = _path(_PROXIES if kind == "proxies" else _POOLS, name)
    return Call("GET", f"{path}/usage", lambda answer: _decoded(ProxyUsage)(answer).days)


def get_default() -> Call[str | None]:
    return Call("GET", _DEFAULT, lambda answer: _decoded(DefaultProxy)(answer).proxy)


def set_default(proxy: str | None) -> Call[str | None]:
    body = {"proxy": proxy}
    return Call("PUT", _DEFAULT, lambda answer: _decoded(DefaultProxy)(answer).proxy, body=body)


def list_pools() -> Call[list[ProxyPool]]:
    return Call("GET", _POOLS, lambda answer: _decoded(ProxyPoolList)(answer).pools)


def get_pool(name: str) -> Call[ProxyPool]:
    return Call("GET", _path(_POOLS, name), _decoded(ProxyPool))


def create_pool(name: str, policy: ProxyPolicy, members: list[str]) -> Call[ProxyPool]:
    body = {"name": name, "policy": policy, "members": members}
    return Call("POST", _POOLS, _decoded(ProxyPool), body=body, repeat=Repeat.HARMFUL)


def change_pool(name: str, change: Mapping[str, Any]) -> Call[ProxyPool]:
    return Call("PATCH", _path(_POOLS, name), _decoded(ProxyPool), body=_renamed(change))


def delete_pool(name: str) -> Call[None]:
    return Call("DELETE", _path(_POOLS, name), lambda _answer: None)


def change_session(session_id: str, proxy: str, key: str | None, country: str | None) -> Call[Session]:
    given = {"proxy": proxy, "proxy_key": key, "proxy_country": country}
    body = {name: value for name, value in given.items() if value is not None}
    path = f"/api/browser/{quote(session_id, safe='')}"
    return Call("PATCH", path, _decoded(Session), body=body, subject=Subject.SESSION)


def change_labels(session_id: str, labels: Mapping[str, object]) -> Call[Session]:
    path = f"/api/browser/{quote(session_id, safe='')}"
    return Call("PATCH", path, _decoded(Session), body=labels, subject=Subject.SESSION)


def rotate(session_id: str) -> Call[Session]:
    path = f"/api/browser/{quote(session_id, safe='')}/rotate"
    return Call("POST", path, _decoded(Session), repeat=Repeat.HARMFUL, subject=Subject.SESSION)


def _renamed(given: Mapping[str, Any]) -> dict[str, object]:
    names = {**_NAMES, "new_name": "name"}
    return {names.get(name, name): value for name, value in given.items()}


def _path(path: str, name: str) -> str:
    return f"{path}/{quote(name, safe='')}"


def _decoded(kind: type[T]) -> Callable[[Answer], T]:
    return lambda answer: decode(kind, answer.json())
