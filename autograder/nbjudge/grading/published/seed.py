"""The seed of an assignment's hidden cases: drawn once, kept with the course, never shown."""

from __future__ import annotations

import hashlib
import json
import secrets
from pathlib import Path

from nbjudge.grading.config.folders import Course, write_private


class SeedError(RuntimeError):
    """The stored seed cannot be read. The text says which file, and what to type."""


def of_assignment(
    course: Course, assignment: str, override: int | None = None, renew: bool = False
) -> int:
    """The 64-bit seed that every student of the assignment is graded with.

    The first call draws it from `secrets` and stores it (mode 0600); `renew` draws another;
    `override` is used for this run only. A file that was cut or altered is never taken for another
    seed: it carries the seed's public id beside it. Raises SeedError.
    """
    if override is not None:
        return override
    path = course.private("seeds") / assignment
    if path.exists() and not renew:
        return _read(course, path, assignment)
    seed = secrets.randbits(64)
    write_private(path, json.dumps({"seed": seed, "id": public_id(seed)}).encode())
    return seed


def _read(course: Course, path: Path, assignment: str) -> int:
    why = "it is damaged, or of a newer version"
    try:
        stored = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        why = str(error.strerror) if isinstance(error, OSError) else "it is damaged"
        stored = None
    # Seeds were stored so before they had an id beside them.
    if type(stored) is int and 0 <= stored < 1 << 64:
        return stored
    seed = stored.get("seed") if isinstance(stored, dict) else None
    if type(seed) is int and stored.get("id") == public_id(seed):
        return seed
    raise SeedError(
        f"the seed in {path} cannot be read ({why}): restore it from a backup, or type `{course.typed('grade', assignment, '--new-seed')}`, "
        "which grades everybody again"
    )


def public_id(seed: int) -> str:
    """What reports show in place of the seed: 16 hex digits of its SHA-256, with a label of its
    own.
    """
    return hashlib.sha256(f"seed-id/{seed}".encode()).hexdigest()[:16]
