"""The family's Python client, unchanged: what its users call, in the order in which they would."""

import json
import os

from rayobrowse import BrowserCreateError, ConcurrencyLimitError, Rayobrowse, ensure_daemon_running

endpoint, key, proxy = os.environ["ENDPOINT"], os.environ["KEY"], os.environ["PROXY"]
outcome: dict[str, object] = {}


def status_of(error: BrowserCreateError) -> list[object]:
    return [error.status_code, error.body]


def attempt(client: Rayobrowse, **params: object) -> object:
    try:
        client.connect_url(headless=True, **params)
    except BrowserCreateError as error:
        return status_of(error)
    return "opened"


outcome["healthy"] = ensure_daemon_running(endpoint=endpoint, api_key=key)
client = Rayobrowse(endpoint=endpoint, api_key=key)
outcome["none"] = client.list_browsers()
outcome["badKey"] = attempt(Rayobrowse(endpoint=endpoint, api_key="tp_live_" + "0" * 64), proxy=proxy)
outcome["noProxy"] = attempt(client)

first_url = client.connect_url(proxy=proxy, headless=True, os="linux", max_lifetime=600)
first = client.last_session_id
outcome["connected"] = {"url": first_url, "id": first}
outcome["again"] = client.reconnect_url(first)
outcome["idAgain"] = client.last_session_id
outcome["status"] = client.get_status(first)

created = client.create_browser(
    max_lifetime=600, browser_params={"os": "linux", "headless": True, "proxy": proxy}
)
second = client.last_session_id
outcome["created"] = created
outcome["idCreated"] = second

outcome["listed"] = sorted(each["browserId"] for each in client.list_browsers())
outcome["bulk"] = {each["browserId"]: each["status"] for each in client.bulk_get_status([first, second, "br_none"])}
try:
    client.connect_url(proxy=proxy, headless=True)
except ConcurrencyLimitError as error:
    outcome["full"] = [error.limit, error.active, error.retry_after > 0]

outcome["closed"] = client.close_browser(first)
outcome["closedAgain"] = client.close_browser(first)
outcome["statusClosed"] = client.get_status(first)["status"]
outcome["statusUnknown"] = client.get_status("br_none")["status"]
client.close()
outcome["left"] = client.list_browsers()
print(json.dumps(outcome))
