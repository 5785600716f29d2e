"""The Chromium that tests look at pages with."""

import shutil

from playwright.sync_api import expect

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
# Without a display, as root, and without the calls home that Chromium makes by itself.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MINUTES = 240_000  # a bound for a loaded machine, in ms; nothing waits for it to pass
expect.set_options(timeout=MINUTES)  # Playwright's own bound is 5 s
