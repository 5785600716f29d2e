"""What an archive says of itself: `submission.json`, which `course submit` puts beside the
notebooks.

A student's machine writes it, so it proves nothing. It is held against the file's name and the
roster, and a contradiction is refused; its time decides only which of two archives their student
calls the newer one.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from nbjudge import wire
from nbjudge.grading.intake import times

FILE = "submission.json"
FORMAT = 1
MAX_BYTES = 64 << 10
MAX_TEXT = 300


class BadManifest(ValueError):
    """The bytes are no manifest that this version can read. The text says why."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """`student` and `course` are None where the student named none; `login` is who was logged in,
    which need not be a name in class.
    """

    assignment: str
    student: str | None = None
    course: str | None = None
    login: str | None = None
    version: str | None = None
    time: str | None = None

    @property
    def when(self) -> datetime | None:
        return times.parsed(self.time)

    def to_bytes(self) -> bytes:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False).encode()


def read(data: bytes) -> Manifest:
    """Raises BadManifest."""
    if len(data) > MAX_BYTES:
        raise BadManifest(f"its {FILE} is larger than {MAX_BYTES >> 10} kB")
    try:
        content = wire.safe_json(data, max_depth=4)
    except wire.WireError:
        raise BadManifest(f"its {FILE} is damaged") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise BadManifest(f"its {FILE} was written by another version of the course")
    fields: dict[str, Any] = {name: content.get(name) for name in Manifest.__dataclass_fields__}
    if not isinstance(fields["assignment"], str) or not all(
        value is None or _is_text(value) for value in fields.values()
    ):
        raise BadManifest(f"its {FILE} is damaged")
    return Manifest(**fields)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_TEXT and value.isprintable()
