from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, Protocol, cast

import hypothesis
import pytest
from blocking import blocking

from turnpike import Turnpike

# No files are left in the tree, and a busy machine is no failure.
hypothesis.settings.register_profile("here", database=None, deadline=None)
hypothesis.settings.load_profile("here")


class Account(Protocol):
    """What tests/clients/python.test.ts started for us, as it hands it over."""

    endpoint: str
    key: str
    proxy: str
    statsToken: str
    #: A page that browsers can load.
    page: str


def handed_over(name: str) -> Account:
    facts = os.environ.get("TURNPIKE_TEST_ACCOUNTS")
    if not facts:
        pytest.skip("needs running gateways: npx vitest run tests/clients/python.test.ts")
    return cast(Account, SimpleNamespace(**json.loads(facts)[name]))


@pytest.fixture
def real_account() -> Account:
    """On the whole service, with real browsers."""
    return handed_over("real")


@pytest.fixture(params=["sync", "asyncio"])
def flavour(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Connect(Protocol):
    def __call__(self, endpoint: str, api_key: str, **terms: Any) -> Turnpike: ...


@pytest.fixture
def connect(flavour: str) -> Iterator[Connect]:
    """A client of the flavour at hand, behind the synchronous one's face."""
    with ExitStack() as clients:
        yield lambda endpoint, api_key, **terms: clients.enter_context(
            blocking(flavour, endpoint, api_key, **terms)
        )


@pytest.fixture
def account(flavour: str) -> Account:
    """One for each flavour, on a real gateway whose host has no browsers, and takes a moment to open one."""
    return handed_over(flavour)


@pytest.fixture
def client(account: Account, connect: Connect) -> Turnpike:
    return connect(account.endpoint, account.key)
