# Written by scripts/generate/create-parameters.ts from the table of create parameters: do not edit.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class BrowserOptions(TypedDict, total=False):
    """What to ask of the browser."""

    #: Proxy for all traffic: name:NAME of a saved one, pool:NAME, or the URL of an http, https, socks5 or
    #: socks5h proxy with its port and percent-encoded credentials. Default: the account's default; without
    #: one it is required.
    proxy: str
    #: Key of your own: the same key gets the same proxy of a sticky pool, and the same session of a template.
    #: Default: none.
    proxy_key: str
    #: Country for the placeholder {country} of a saved proxy; the device follows it. Default: the country of
    #: the saved proxy.
    proxy_country: str
    #: Hosts that go through another proxy, as JSON: a list of rules with hosts and a proxy. The first that
    #: matches counts. Default: all through proxy.
    proxy_rules: str
    #: Read the proxy's exit address at an interval: true sends an event when it changes, stop ends all
    #: traffic. Default: it may change.
    proxy_pin_exit: Literal["true", "stop"]
    #: Operating system of the device that the session claims to be. Default: windows.
    os: Literal["windows", "android", "linux", "macos"]
    #: Device of an earlier session, by its id in browserParams.profile.device. Default: the saved profile's,
    #: or any.
    device: str
    #: Text of your own: the same text and system get the same device. Default: none.
    device_seed: str
    #: Run without a display. Default: false.
    headless: bool
    #: Offer a live view, a page to watch and use the browser; not for headless sessions. Default: false.
    vnc: bool
    #: Seconds until the session ends by itself, from 120 to 86400. Default: 7200.
    max_lifetime: int
    #: Seconds without a CDP or viewer message after which the session is closed, from 10 to 86400. Default:
    #: never.
    idle_timeout: int
    #: Seconds after its last client has left after which the session is closed, from 1 to 86400. Default:
    #: never.
    close_on_disconnect: int
    #: Seconds without use after which the browser sleeps until it is used again, from 1 to 86400. Default:
    #: never.
    standby: int
    #: Seconds to wait for a free slot or seat, from 0 to 60. Default: 0.
    wait: int
    #: Region where the browser runs, as the operator has named it. Default: anywhere.
    region: str
    #: Saved profile to start with: its cookies, local storage and IndexedDB. Default: none.
    profile: str
    #: Save the profile when the session is closed; one session at a time. Default: false.
    save_profile: bool
    #: Snapshot to begin with: its cookies, storage, tabs and device. Default: none.
    snapshot: str
    #: Begin with the snapshot although a session of the same identity runs. Default: false.
    fork: bool
    #: Hosts that the session may reach; all others are refused. Default: all.
    allow_hosts: Sequence[str]
    #: Hosts that the session may not reach. Default: none.
    block_hosts: Sequence[str]
    #: Bytes to and from the proxy, together, that the session may use, from 65536 to 1125899906842624.
    #: Default: no limit.
    max_bytes: int
    #: What the browser does not load, to save traffic: images, media, fonts, stylesheets, ads, trackers.
    #: Default: nothing.
    block: Sequence[str]
    #: HTTP cache to start with, kept from an earlier session; saved when the session is closed. Default:
    #: none.
    cache: str
    #: Ids or names of uploaded extensions that the browser loads. Default: none.
    extensions: Sequence[str]
    #: Lowest Chromium major version that the device may claim, from 1 to 999. Default: the running version.
    browser_version_min: int
    #: Highest Chromium major version that the device may claim, from 1 to 999. Default: the running version.
    browser_version_max: int
    #: Languages that pages see, as in Accept-Language. Default: auto.
    browser_language: str
    #: Language of the browser's own interface. Default: auto.
    ui_language: str
    #: Lowest screen width of the device in pixels, at most 7680. Default: auto.
    screen_width_min: int
    #: Lowest screen height of the device in pixels, at most 4320. Default: auto.
    screen_height_min: int
    #: Keep background tabs visible, focused and running at full speed. Default: false.
    force_visibility: bool
    #: Hide from pages that a CDP client drives the browser. Default: false.
    stealth: bool
    #: Record what the session does: commands, requests, console, pictures. Default: false.
    record: bool
    #: Record the bodies of requests and responses, up to 64 KiB of each. Default: false.
    record_bodies: bool
    #: Most pictures a second of the visible tab that are recorded when it changes, from 0 to 4. Default: 1.
    record_pictures: int
    #: Name of the session for people. Several sessions may have the same. Default: `metadata.name`, where
    #: that is a text.
    name: str
    #: Words to find the session by. Default: none.
    tags: Sequence[str]
    #: JSON object of your own, kept on the session.
    metadata: Mapping[str, Any]


#: The service's names of the options that it does not write as Python does.
RENAMED = {
    "max_lifetime": "maxLifetime",
    "idle_timeout": "idleTimeout",
    "save_profile": "saveProfile",
}
