"""Reads a call a line and writes its outcome a line, for the scenarios that all clients run:
``python scenario_driver.py sync|asyncio|trio``."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any

from blocking import blocking

from turnpike import Turnpike, TurnpikeError

Options = dict[str, Any]


def camel_case(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def snake_case(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: "_" + found[0].lower(), name)


def wire(value: object, name: Callable[[str], str] = camel_case) -> Any:
    """As the gateway has it."""
    if dataclasses.is_dataclass(value):
        fields = (field.name for field in dataclasses.fields(value))
        return {name(field).rstrip("_"): wire(getattr(value, field), name) for field in fields}
    if isinstance(value, list):
        return [wire(item, name) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value


def connected(client: Turnpike, cdp_url: str) -> Options:
    return {"cdpUrl": cdp_url, "sessionId": client.last_session_id, "vncUrl": client.last_vnc_url}


def statistic(client: Turnpike, method: str, options: Options) -> Any:
    stats = client.stats(options.pop("token"))
    if "from" in options:
        options["from_"] = options.pop("from")
    return wire(getattr(stats, method)(**options), str)


def perform(client: Turnpike, call: str, options: Options) -> Any:
    method = snake_case(call)
    if call in ("summary", "bandwidth", "bandwidthCsv", "countries"):
        return statistic(client, method, options)
    if "from" in options:
        options["from_"] = options.pop("from")
    given = {snake_case(name): value for name, value in options.items()}
    if "ids" in given:
        given["session_ids"] = given.pop("ids")
    if "id" in given:
        names = {"deleteExtension": "extension_id", "deleteSnapshot": "snapshot"}
        given[names.get(call, "session_id")] = given.pop("id")
    if "file" in given:
        given["file"] = Path(given["file"]).read_bytes()
    result = getattr(client, method)(**given)
    if call in ("connectUrl", "reconnectUrl"):
        return connected(client, result)
    return wire(list(result) if call == "listSessions" else result)


def described(error: TurnpikeError) -> Options:
    names = ("status_code", "code", "limit", "active", "retry_after", "detail", "final_status")
    fields = {camel_case(name): getattr(error, name, None) for name in names}
    return {"class": type(error).__name__, **fields}


def main() -> None:
    with ExitStack() as clients:
        client: Turnpike | None = None
        for line in sys.stdin:
            request = json.loads(line)
            call, options = request["call"], request["options"]
            outcome: Options
            try:
                if call == "configure":
                    terms = {"retries": options.get("retries", 2)}
                    if "timeoutMs" in options:
                        terms["timeout"] = options["timeoutMs"] / 1000
                    client = clients.enter_context(
                        blocking(sys.argv[1], options["endpoint"], options["apiKey"], **terms)
                    )
                    outcome = {"ok": None}
                else:
                    if client is None:
                        raise RuntimeError("not configured")
                    outcome = {"ok": perform(client, call, options)}
            except TurnpikeError as error:
                outcome = {"error": described(error)}
            print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
