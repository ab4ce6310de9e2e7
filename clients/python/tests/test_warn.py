from __future__ import annotations

import json
import warnings

import pytest

from turnpike import TurnpikeWarning, calls
from turnpike.calls import Answer
from turnpike.plans import Send, Terms, plan_call, plan_create
from turnpike.warn import tell_warnings

TOLD = "headles: unknown parameter; did you mean headless?"
TERMS = Terms(timeout=120, retries=2)


def test_a_warning_of_the_service_is_raised_at_the_line_that_called() -> None:
    limits = b'{"limit":5,"active":0,"remaining":5,"unlimited":false}'
    plan = plan_call(calls.get_limits(), TERMS)
    next(plan)
    with pytest.warns(TurnpikeWarning, match="did you mean headless") as caught, pytest.raises(StopIteration):
        plan.send(Answer(200, {"x-turnpike-warnings": json.dumps([TOLD])}, limits))
    assert [each.filename for each in caught] == [__file__]


@pytest.mark.parametrize("text", ["", "no JSON", "1", '{"a":1}', "[1]"])
def test_a_header_that_is_not_the_services_is_nothing_to_fail_on(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tell_warnings(Answer(200, {"x-turnpike-warnings": text}, b""))


def test_a_create_leaves_no_session_where_warnings_are_errors() -> None:
    plan = plan_create(calls.create({"proxy": "http://a:1", "headles": True}), TERMS)
    next(plan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step = plan.send(Answer(200, {"x-turnpike-warnings": json.dumps([TOLD])}, b"{}"))
        assert isinstance(step, Send)
        assert step.path == "/api/browser/close"
        with pytest.raises(TurnpikeWarning):
            plan.send(Answer(200, {}, b"{}"))
