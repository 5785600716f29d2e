"""Silence: what libraries print while they fail does not reach the page."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Nothing is printed inside: neither through `sys` nor by native code."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {descriptor: os.dup(descriptor) for descriptor in (1, 2)}
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        try:
            for descriptor in kept:
                os.dup2(nowhere.fileno(), descriptor)
            with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
                yield
        finally:
            for descriptor, copy in kept.items():
                os.dup2(copy, descriptor)
                os.close(copy)
