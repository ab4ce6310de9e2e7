"""What a client takes from the environment."""

from __future__ import annotations

import os


def settings(endpoint: str | None, api_key: str | None, proxy: str | None) -> tuple[str, str, str | None]:
    """Fills in what was not given. The proxy of the environment goes with its key."""
    if api_key is None:
        proxy = proxy or os.environ.get("TURNPIKE_PROXY") or None
    endpoint = os.environ.get("TURNPIKE_URL") if endpoint is None else endpoint
    api_key = os.environ.get("TURNPIKE_API_KEY") if api_key is None else api_key
    if not endpoint:
        raise ValueError("endpoint is required. Pass it, or set TURNPIKE_URL.")
    if not api_key:
        raise ValueError("api_key is required. Pass it, or set TURNPIKE_API_KEY.")
    return endpoint, api_key, proxy
