"""A page in a real Chromium, with a record of all that must not happen: errors, failed requests,
requests to other hosts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, expect

SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
SETTLED = "'settled' in document.documentElement.dataset"  # all that the theme's script measures
LONG = 120_000  # a bound for a loaded machine, in ms; nothing here waits for it to pass
expect.set_options(timeout=LONG)  # Playwright's own bound of 5 s says something about the machine


@dataclass
class Watched:
    page: Page
    host: str
    wrong: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def request(self, request) -> None:
        self.asked.append(request.url)
        if urlsplit(request.url).netloc not in {self.host, ""}:
            self.wrong.append(f"asks {request.url}")

    def failed(self, request) -> None:
        # A page that is left takes back what it still waits for.
        if request.failure != "net::ERR_ABORTED":
            self.wrong.append(f"failed: {request.url}")

    def console(self, message) -> None:
        if message.type in {"error", "warning"}:
            self.wrong.append(f"console: {message.text}")

    def response(self, response) -> None:
        if response.status >= 400:
            self.wrong.append(f"{response.status} for {response.url}")


def new_context(
    browser: Browser, size: str = "desktop", theme: str = "light", **settings
) -> BrowserContext:
    context = browser.new_context(
        viewport=SIZES[size], color_scheme=theme, has_touch=size == "phone", **settings
    )
    context.set_default_timeout(LONG)
    return context


def watch(context: BrowserContext, address: str) -> Watched:
    """A new page whose faults are noted. Chromium's requests for anything but the site at `address`
    fail, and are recorded.
    """
    watching = Watched(context.new_page(), urlsplit(address).netloc)
    watching.page.on("request", watching.request)
    watching.page.on("console", watching.console)
    watching.page.on("response", watching.response)
    watching.page.on("pageerror", lambda error: watching.wrong.append(f"error: {error}"))
    watching.page.on("requestfailed", watching.failed)
    return watching


@contextmanager
def watched(
    browser: Browser, address: str, size: str = "desktop", theme: str = "light", **settings
) -> Iterator[Watched]:
    """A new page in a context of its own."""
    context = new_context(browser, size, theme, **settings)
    try:
        yield watch(context, address)
    finally:
        context.close()
