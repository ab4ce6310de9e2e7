"""Warnings of the service: what a call asks for and does not get."""

from __future__ import annotations

import json
import os
import sys
import warnings

from .calls import Answer
from .errors import TurnpikeWarning

_PACKAGE = os.path.dirname(__file__) + os.sep


def tell_warnings(answer: Answer) -> None:
    """Warns at the line that called this package. A header of another server is nothing to fail on."""
    text = answer.headers.get("x-turnpike-warnings")
    if text is None:
        return
    try:
        told = json.loads(text)
    except ValueError:
        return
    for each in told if isinstance(told, list) else ():
        if isinstance(each, str):
            warnings.warn(each, TurnpikeWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """Counts from the caller of this function to the first frame outside of the package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    return level
