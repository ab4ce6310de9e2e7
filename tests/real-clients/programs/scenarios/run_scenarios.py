"""Runs a client's scenarios one after the other, and prints for each "ok" or what went wrong."""

import json
import os
import time
from collections.abc import Callable

gateway, key, proxy, site, scratch = (
    os.environ[name] for name in ("GATEWAY", "KEY", "PROXY", "SITE", "SCRATCH")
)
letter = f"{scratch}/letter.txt"
large = f"{scratch}/large.bin"
large_bytes = 80_000_000

scenarios: dict[str, Callable[[], None]] = {}


def scenario(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Names a function in the list of scenarios."""

    def add(function: Callable[[], None]) -> Callable[[], None]:
        scenarios[name] = function
        return function

    return add


def equal(actual: object, expected: object) -> None:
    if actual != expected:
        raise AssertionError(f"{actual!r} is not {expected!r}")


def becomes(read: Callable[[], object], expected: object) -> None:
    """Waits until a function returns that value."""
    end = time.monotonic() + 15
    while (actual := read()) != expected and time.monotonic() < end:
        time.sleep(0.05)
    equal(actual, expected)


def run_scenarios() -> None:
    outcome = {}
    for name, function in scenarios.items():
        try:
            function()
            outcome[name] = "ok"
        except Exception as error:
            outcome[name] = f"{type(error).__name__}: {error}"[:500]
    print(json.dumps(outcome))
