"""Answers to a create that are no session, and what a client makes of them; one list for both clients."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnpike import calls
from turnpike.answer_error import answer_error
from turnpike.calls import Answer
from turnpike.plans import may_have_opened

CASES = json.loads((Path(__file__).parents[3] / "tests/clients/create-answers.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_each_answer_is_its_own_error(case: dict[str, Any]) -> None:
    text = case.get("text", json.dumps(case.get("body")))
    answer = Answer(case["status"], case.get("headers", {}), text.encode())
    error = answer_error(calls.create({"proxy": "http://p:1"}), answer)
    assert type(error).__name__ == case["error"]
    assert error.status_code == case["status"]
    assert error.code == case.get("code")
    assert error.retry_after == case.get("retryAfter")
    assert getattr(error, "final_status", None) == case.get("finalStatus")
    assert may_have_opened(error) is case["mayHaveOpened"]
