from __future__ import annotations

import inspect

import pytest

import turnpike

CLASSES = [getattr(turnpike, name) for name in turnpike.__all__]


@pytest.mark.parametrize(
    "kind", [each for each in CLASSES if inspect.isclass(each)], ids=lambda kind: kind.__name__
)
def test_every_public_method_says_what_it_does(kind: type) -> None:
    own = [each for name, each in vars(kind).items() if not name.startswith("_") and inspect.isfunction(each)]
    assert [each.__qualname__ for each in own if not inspect.getdoc(each)] == []
