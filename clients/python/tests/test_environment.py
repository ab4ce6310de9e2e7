from __future__ import annotations

from typing import Any

import pytest

from turnpike import calls, page_calls
from turnpike.environment import settings


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNPIKE_URL", "http://gateway")
    monkeypatch.setenv("TURNPIKE_API_KEY", "key")
    monkeypatch.setenv("TURNPIKE_PROXY", "name:shop")


def test_a_client_without_arguments_is_that_of_the_environment() -> None:
    assert settings(None, None, None) == ("http://gateway", "key", "name:shop")
    assert settings("http://other", None, "name:own") == ("http://other", "key", "name:own")


def test_a_client_with_a_key_of_its_own_does_not_use_the_proxy_of_the_environment() -> None:
    assert settings(None, "own", None) == ("http://gateway", "own", None)


def test_what_is_missing_is_said_with_the_variable_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNPIKE_API_KEY", "")
    with pytest.raises(ValueError, match="set TURNPIKE_API_KEY"):
        settings(None, None, None)
    monkeypatch.delenv("TURNPIKE_URL")
    with pytest.raises(ValueError, match="set TURNPIKE_URL"):
        settings(None, "own", None)


def test_the_proxy_of_the_client_is_for_what_opens_browsers_and_names_none() -> None:
    def body(call: calls.Call[Any], proxy: str | None) -> object:
        return (calls.with_proxy(call, proxy).body or {}).get("proxy")

    assert body(calls.create({}), "name:a") == "name:a"
    assert body(calls.create({"proxy": "name:b"}), "name:a") == "name:b"
    assert body(calls.create({}), None) is None
    assert body(page_calls.page_bytes("pdf", {"url": "http://a/"}), "name:a") == "name:a"
    assert body(page_calls.page_bytes("pdf", {"session_id": "br_1"}), "name:a") is None
    assert body(calls.get_limits(), "name:a") is None
