"""The seed of an assignment's hidden cases: drawn once, kept with the course, never shown."""

from __future__ import annotations

import hashlib
import secrets

from autograder.grading.folders import Course, write_private


def of_assignment(course: Course, assignment: str, override: int | None = None, renew: bool = False) -> int:
    """The 64-bit seed that every student of the assignment is graded with.

    The first call draws it from `secrets` and stores it (mode 0600); `renew` draws another; `override` is used for this run only.
    """
    if override is not None:
        return override
    path = course.private("seeds") / assignment
    if path.exists() and not renew:
        return int(path.read_text())
    seed = secrets.randbits(64)
    write_private(path, str(seed).encode())
    return seed


def public_id(seed: int) -> str:
    """What reports show in place of the seed: 16 hex digits of its SHA-256, with a label of its own."""
    return hashlib.sha256(f"seed-id/{seed}".encode()).hexdigest()[:16]
