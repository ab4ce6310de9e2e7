"""Decodes JSON into the dataclasses of ``models``. Unknown members are ignored."""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import decimal
import functools
import types
import typing
from typing import Any, TypeVar

T = TypeVar("T")


class Undecodable(ValueError):
    """An answer that does not fit. The message names the member, never its value, which may be a secret."""


def decode(kind: type[T], value: object, where: str = "answer") -> T:
    return typing.cast(T, _decode(kind, value, where))


def _decode(kind: Any, value: object, where: str) -> object:
    if dataclasses.is_dataclass(kind):
        return _decode_object(typing.cast(type, kind), value, where)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        # The only unions are with None.
        (inner,) = (argument for argument in arguments if argument is not types.NoneType)
        return None if value is None else _decode(inner, value, where)
    if origin is list:
        items = _expect(value, list, where)
        return [_decode(arguments[0], item, f"{where}[{index}]") for index, item in enumerate(items)]
    if origin is typing.Literal:
        # A newer gateway may know more words: any string passes.
        return _expect(value, str, where)
    if origin is collections.abc.Mapping:
        return _expect(value, dict, where)
    return _decode_scalar(kind, value, where)


def _decode_scalar(kind: Any, value: object, where: str) -> object:
    if kind is datetime.datetime or kind is datetime.date:
        text = _expect(value, str, where)
        try:
            # Python 3.10 cannot parse the Z.
            return kind.fromisoformat(text.replace("Z", "+00:00"))
        except ValueError:
            raise Undecodable(f"{where} is not a {kind.__name__}") from None
    if kind is not bool and isinstance(value, bool):
        raise Undecodable(f"{where} is not of type {kind.__name__}")
    if kind in (float, decimal.Decimal):
        return kind(_expect(value, (int, float, decimal.Decimal), where))
    return _expect(value, kind, where)


def _decode_object(kind: type, value: object, where: str) -> object:
    members = _expect(value, dict, where)
    found: dict[str, object] = {}
    for name, hint in _fields(kind):
        wire = name.rstrip("_")
        key = wire if wire in members else _camel_case(wire)
        if key in members:
            found[name] = _decode(hint, members[key], f"{where}.{key}")
        elif types.NoneType in typing.get_args(hint):
            # Left out, or not known to a gateway of an earlier version.
            found[name] = None
        else:
            raise Undecodable(f"{where}.{key} is missing")
    return kind(**found)


@functools.cache
def _fields(kind: type) -> list[tuple[str, Any]]:
    hints = typing.get_type_hints(kind)
    return [(field.name, hints[field.name]) for field in dataclasses.fields(kind)]


def _expect(value: object, kind: Any, where: str) -> Any:
    if not isinstance(value, kind):
        raise Undecodable(f"{where} is not of type {getattr(kind, '__name__', 'number')}")
    return value


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
