from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnpike import BandwidthDay, Health, RunningSession, Session, SessionRecord, Usage
from turnpike.calls import Answer, summary
from turnpike.decoding import Undecodable, decode

WIRE: dict[str, Any] = {
    "browserId": "br_1",
    "cdpUrl": "wss://host/cdp/br_2",
    "status": "ACTIVE",
    "createdAt": "2026-03-01T10:00:00.250Z",
    "expiresAt": "2026-03-01T12:00:00.250Z",
    "browserParams": {"os": "linux"},
    "metadata": {"price": 0.5},
}


def test_a_session_has_pythons_names_and_times_in_utc() -> None:
    session = decode(Session, WIRE)
    assert session.browser_id == "br_1"
    assert session.created_at == datetime.datetime(2026, 3, 1, 10, 0, 0, 250_000, datetime.timezone.utc)
    assert session.metadata == {"price": 0.5}
    assert session.vnc_url is None


def test_the_record_of_a_session_has_its_largest_destinations() -> None:
    use = {"requests": 1, "tunnels": 2, "bytesUp": 30, "bytesDown": 400, "refused": {"block": 1}}
    traffic = {
        "bytesFromCache": 7,
        "maxBytesReached": False,
        "refused": {"block": 2},
        "destinations": [{**use, "host": "a.example", "port": 443}],
        "other": use,
    }
    row = {**WIRE, "endedAt": None, "durationSeconds": 1, "billedSeconds": 1, "bytesUp": 60, "bytesDown": 800}
    assert decode(SessionRecord, row).traffic is None
    summary = decode(SessionRecord, {**row, "traffic": traffic}).traffic
    assert summary is not None
    assert (summary.destinations[0].host, summary.destinations[0].bytes_down) == ("a.example", 400)
    assert summary.other.refused == {"block": 1}


def test_a_printed_session_does_not_let_others_drive_it() -> None:
    printed = repr(decode(Session, {**WIRE, "vncUrl": "https://host/vnc/br_4"}))
    assert "br_1" in printed
    assert "br_2" not in printed
    assert "br_4" not in printed


def test_members_that_a_newer_gateway_adds_are_ignored() -> None:
    assert decode(Session, {**WIRE, "idleSince": 1}) == decode(Session, WIRE)


def test_a_status_that_a_newer_gateway_adds_is_passed_on() -> None:
    assert decode(Session, {**WIRE, "status": "WAITING"}).status in {"WAITING"}


@pytest.mark.parametrize("name", list(WIRE))
def test_what_is_missing_or_of_another_type_is_named_and_its_value_is_not(name: str) -> None:
    without = {key: value for key, value in WIRE.items() if key != name}
    with pytest.raises(Undecodable, match=rf"answer\.{name} is missing"):
        decode(Session, without)
    with pytest.raises(Undecodable, match=rf"answer\.{name} is not") as raised:
        decode(Session, {**WIRE, name: ["s3cret"]})
    assert "s3cret" not in str(raised.value)


def test_lists_say_which_item_is_wrong() -> None:
    with pytest.raises(Undecodable, match=r"answer\[1\]\.cdpUrl is missing"):
        decode(list[RunningSession], [WIRE, {"browserId": "br_3"}])


def test_an_integer_is_not_a_boolean_and_a_float_takes_integers() -> None:
    assert decode(Health, {"status": "ok", "uptime": 3}) == Health("ok", 3.0)
    with pytest.raises(Undecodable):
        decode(Health, {"status": "ok", "uptime": True})


@given(st.decimals(min_value=0, allow_nan=False, allow_infinity=False, places=12))
def test_bandwidth_keeps_every_digit(value: Decimal) -> None:
    data = (
        '{"status":"SUCCESS","data":{"product":"residential","unit":"Gb","from":"2026-01-01","to":"2026-01-30",'
        f'"window_days":30,"total_value":{value:f},"today_value":0}}}}'
    )
    found = summary("residential").parse(Answer(200, {}, data.encode()))
    assert found.total_value == value
    assert (found.from_, found.today_value) == (datetime.date(2026, 1, 1), Decimal(0))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_any_json_is_decoded_or_refused(value: object) -> None:
    for kind in (Session, Usage, list[BandwidthDay]):
        try:
            decode(kind, value)
        except Undecodable:
            pass
