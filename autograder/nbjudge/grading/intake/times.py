"""When a submission was handed in: the rule, in one place.

1. The time of a submission is the time at which it came in, told by something that its student does
   not write: for the exchange, the file system's change time (ctime) of what lies in the inbound
   folder; for an archive, the time that the instructor gives (`--received`: one for all, or a file
   of the learning platform with each student's), else what Canvas says of it, else the moment of
   collecting. Canvas says by `_LATE_` in a name only whether it was late: what was not came in by
   the student's due date, what was came in behind it, and no more is held against it than a second.
2. `course collect` writes that time into `timestamp.txt` of the collected folder. A `timestamp.txt`
   or a manifest of the student's own is never copied there: what it says decides nothing but which
   of two archives its student calls the newer one.
3. Grading reads `timestamp.txt` of the collected folder, so an instructor can correct a time there,
   backwards too. A time that lies in the future, or that is no time, was not put there by anybody
   who saw the submission come in: the file's own change time takes its place, and a remark says so.
4. Without a `timestamp.txt` the submission has no time, and no penalty for being late.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nbjudge.grading.intake import untrusted

FILE = "timestamp.txt"
FORMAT = "%Y-%m-%d %H:%M:%S.%f UTC"
# Clocks of a class and of its file server differ by less.
SKEW = timedelta(minutes=5)


def now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


def written(when: datetime) -> str:
    """A time (UTC, without a zone) as `timestamp.txt` holds it."""
    return when.strftime(FORMAT)


def shown(when: datetime) -> str:
    """A time for messages, to the second."""
    return f"{when:%Y-%m-%d %H:%M:%S} UTC"


def parsed(text: str | None) -> datetime | None:
    """The time (UTC, without a zone) that a text of a program's gives, or None. Never raises.

    An offset is joined to its time, because nbgrader takes ` +0100` for 100 seconds and ` +01:00`
    for nothing. As for nbgrader, a zone that nobody knows is UTC.
    """
    # It brings all of nbgrader, which intake alone does not need.
    from nbgrader.utils import parse_utc

    try:
        return parse_utc(re.sub(r"\s+(?=[+-]\d\d)", "", text.strip())) if text else None
    except (ValueError, OverflowError, TypeError, AttributeError):
        return None


def changed(status: os.stat_result) -> datetime:
    """The file system's change time, which no call sets to a time of one's own choice."""
    return datetime.fromtimestamp(status.st_ctime, UTC).replace(tzinfo=None)


def arrival(folder: Path) -> datetime:
    """When a folder in the exchange was last changed: it, or anything in it that could be taken.
    Raises OSError.
    """
    return max(map(changed, untrusted.statuses(folder)))


def believed(data: bytes, status: os.stat_result) -> tuple[str | None, str | None]:
    """The time that a collected folder's `timestamp.txt` gives, by rule 3, and a remark when it is
    not what the file says.
    """
    text = data[:64].decode("ascii", "replace").strip()
    if not text:
        return None, None
    when = parsed(text)
    if when is not None and when <= now() + SKEW:
        return text, None
    instead = written(changed(status))
    problem = "lies in the future" if when else "is no time"
    return (
        instead,
        f"{FILE}: the time in it {problem}, so the time of the file itself counts: {instead}",
    )
