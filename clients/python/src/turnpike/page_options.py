# Written by scripts/generate/page-parameters.ts from the parameters of page calls: do not edit.

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

if sys.version_info >= (3, 11):
    from typing import Required
else:
    from typing_extensions import Required

PageFormat = Literal[
    "screenshot",
    "pdf",
    "content",
    "markdown",
    "links",
    "scrape",
    "snapshot",
    "accessibility",
]
WaitUntil = Literal["load", "domcontentloaded", "networkidle0", "networkidle2"]
RejectedType = Literal[
    "document",
    "stylesheet",
    "image",
    "media",
    "font",
    "script",
    "texttrack",
    "xhr",
    "fetch",
    "prefetch",
    "eventsource",
    "websocket",
    "manifest",
    "ping",
    "other",
]


class GotoOptions(TypedDict, total=False):
    #: Milliseconds.
    timeout: int
    wait_until: WaitUntil | Sequence[WaitUntil]
    referer: str


class Viewport(TypedDict, total=False):
    width: Required[int]
    height: Required[int]
    device_scale_factor: float
    is_mobile: bool
    has_touch: bool
    is_landscape: bool


class PageCookie(TypedDict, total=False):
    name: Required[str]
    value: Required[str]
    url: str
    domain: str
    path: str
    #: Seconds since 1970.
    expires: float
    http_only: bool
    secure: bool
    same_site: Literal["Strict", "Lax", "None"]


class PageLogin(TypedDict, total=False):
    username: Required[str]
    password: Required[str]


class ScriptTag(TypedDict, total=False):
    content: str
    url: str
    type: str


class StyleTag(TypedDict, total=False):
    content: str
    url: str


class WaitForSelector(TypedDict, total=False):
    #: A CSS selector.
    selector: Required[str]
    visible: bool
    hidden: bool
    #: Milliseconds.
    timeout: int


class WaitForFunction(TypedDict, total=False):
    #: A function or expression.
    fn: Required[str]
    polling: int | str
    #: Milliseconds.
    timeout: int


class ScreenshotClip(TypedDict, total=False):
    x: Required[float]
    y: Required[float]
    width: Required[float]
    height: Required[float]
    scale: float


class ScreenshotOptions(TypedDict, total=False):
    type: Literal["png", "jpeg", "webp"]
    quality: int
    full_page: bool
    omit_background: bool
    capture_beyond_viewport: bool
    optimize_for_speed: bool
    clip: ScreenshotClip
    encoding: Literal["binary", "base64"]


class PdfMargin(TypedDict, total=False):
    #: Pixels, or a number with px, in, cm or mm.
    top: float | str
    #: Pixels, or a number with px, in, cm or mm.
    right: float | str
    #: Pixels, or a number with px, in, cm or mm.
    bottom: float | str
    #: Pixels, or a number with px, in, cm or mm.
    left: float | str


class PdfOptions(TypedDict, total=False):
    #: letter, legal, tabloid, ledger or a0 to a6.
    format: str
    #: Pixels, or a number with px, in, cm or mm.
    width: float | str
    #: Pixels, or a number with px, in, cm or mm.
    height: float | str
    landscape: bool
    scale: float
    margin: PdfMargin
    print_background: bool
    omit_background: bool
    prefer_css_page_size: bool
    display_header_footer: bool
    header_template: str
    footer_template: str
    page_ranges: str
    tagged: bool
    outline: bool
    #: Milliseconds.
    timeout: int


class ElementToScrape(TypedDict, total=False):
    #: A CSS selector.
    selector: Required[str]
    #: Milliseconds.
    timeout: int


class PageParameters(TypedDict, total=False):
    """How a page is loaded, and what is read of it."""

    #: The page to load: http or https.
    url: str
    #: A document to show instead of a url.
    html: str
    goto_options: GotoOptions
    viewport: Viewport
    cookies: Sequence[PageCookie]
    authenticate: PageLogin
    set_extra_http_headers: Mapping[str, str]
    user_agent: str
    add_script_tag: Sequence[ScriptTag]
    add_style_tag: Sequence[StyleTag]
    wait_for_selector: WaitForSelector
    #: Milliseconds.
    wait_for_timeout: int
    wait_for_function: WaitForFunction
    emulate_media_type: Literal["screen", "print"]
    reject_resource_types: Sequence[RejectedType]
    #: Regular expressions in the syntax of RE2. A request whose URL one of them finds is not sent.
    reject_request_pattern: Sequence[str]
    set_java_script_enabled: bool
    #: Scrolls down first, so that what loads late is there.
    scroll_page: bool
    #: Consent banners are not loaded, or removed, by the operator's filter lists.
    block_consent_modals: bool
    #: Goes on when a load or a wait times out or fails.
    best_attempt: bool
    #: A page with a status of 400 or more is no error.
    ignore_http_errors: bool
    #: A CSS selector.
    selector: str
    screenshot_options: ScreenshotOptions
    pdf_options: PdfOptions
    #: What scrape reads.
    elements: Sequence[ElementToScrape]
    visible_links_only: bool
    #: Markdown of the main content alone. The default.
    only_main_content: bool
    #: Markdown of these elements alone.
    include_tags: Sequence[str]
    #: Elements that are left out of Markdown.
    exclude_tags: Sequence[str]
    #: Markdown begins with title, author, date and address.
    front_matter: bool


class CrawlParameters(TypedDict, total=False):
    """What is crawled, and how fast."""

    #: Where a crawl begins.
    url: str
    #: In place of ``url``: a batch. These pages are loaded, and no links of theirs.
    urls: Sequence[str]
    #: How many pages are taken up.
    limit: int
    #: How many links lead from the first page to the last one. Default: no limit.
    depth: int
    #: Only addresses that one of these matches are taken up. ``*`` stands for anything but ``/``, ``**`` for
    #: anything. The first page is always loaded.
    include_patterns: Sequence[str]
    #: Addresses that one of these matches are not taken up.
    exclude_patterns: Sequence[str]
    #: Whether addresses come from sitemaps too, from them alone, or from links alone.
    sitemap: Literal["include", "only", "skip"]
    #: Whether pages on subdomains of the first page's host belong to the crawl.
    subdomains: bool
    formats: Sequence[PageFormat]
    #: Milliseconds between the beginnings of two loads from one host.
    delay: int
    #: Whether robots.txt is obeyed, with its crawl-delay.
    robots: bool
    #: How many pages of one host are loaded at once.
    host_concurrency: int
    #: How many sessions it has at once. Default: half of the account's limit.
    concurrency: int
    #: Whether pages that name the same canonical address are kept all. A batch's always are.
    ignore_canonical: bool
    #: Whether ``utm_…``, ``gclid``, ``fbclid`` and the like are taken out of addresses.
    drop_tracking: bool
    #: A page that is as it was in the account's last crawl of it has no formats in the results.
    skip_unchanged: bool


#: The service's names of the parameters, and of their members, that it does not write as Python does.
PAGE_NAMES = {
    "wait_until": "waitUntil",
    "device_scale_factor": "deviceScaleFactor",
    "is_mobile": "isMobile",
    "has_touch": "hasTouch",
    "is_landscape": "isLandscape",
    "http_only": "httpOnly",
    "same_site": "sameSite",
    "full_page": "fullPage",
    "omit_background": "omitBackground",
    "capture_beyond_viewport": "captureBeyondViewport",
    "optimize_for_speed": "optimizeForSpeed",
    "print_background": "printBackground",
    "prefer_css_page_size": "preferCSSPageSize",
    "display_header_footer": "displayHeaderFooter",
    "header_template": "headerTemplate",
    "footer_template": "footerTemplate",
    "page_ranges": "pageRanges",
    "goto_options": "gotoOptions",
    "set_extra_http_headers": "setExtraHTTPHeaders",
    "user_agent": "userAgent",
    "add_script_tag": "addScriptTag",
    "add_style_tag": "addStyleTag",
    "wait_for_selector": "waitForSelector",
    "wait_for_timeout": "waitForTimeout",
    "wait_for_function": "waitForFunction",
    "emulate_media_type": "emulateMediaType",
    "reject_resource_types": "rejectResourceTypes",
    "reject_request_pattern": "rejectRequestPattern",
    "set_java_script_enabled": "setJavaScriptEnabled",
    "scroll_page": "scrollPage",
    "block_consent_modals": "blockConsentModals",
    "best_attempt": "bestAttempt",
    "ignore_http_errors": "ignoreHttpErrors",
    "screenshot_options": "screenshotOptions",
    "pdf_options": "pdfOptions",
    "visible_links_only": "visibleLinksOnly",
    "only_main_content": "onlyMainContent",
    "include_tags": "includeTags",
    "exclude_tags": "excludeTags",
    "front_matter": "frontMatter",
    "include_patterns": "includePatterns",
    "exclude_patterns": "excludePatterns",
    "host_concurrency": "hostConcurrency",
    "ignore_canonical": "ignoreCanonical",
    "drop_tracking": "dropTracking",
    "skip_unchanged": "skipUnchanged",
}

#: The parameters whose values are objects with such members, or lists of them.
WITH_MEMBERS = frozenset(
    (
        "gotoOptions",
        "viewport",
        "cookies",
        "authenticate",
        "addScriptTag",
        "addStyleTag",
        "waitForSelector",
        "waitForFunction",
        "screenshotOptions",
        "pdfOptions",
        "elements",
    )
)
