"""Archives, each unpacked in a box: their bytes are a student's."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from nbjudge import boxes, limits, wire
from nbjudge.course.identity import Unclear
from nbjudge.grading.intake.untrusted import shown

UNPACKER = "nbjudge.boxes.inside.archive"
AT_ONCE = 2  # archives in memory, each of which may be as large as that


@dataclass(frozen=True)
class Opened:
    """Path and content of every file in an archive.

    `left_out` has those without which it is no whole submission, by path, with the reason: only a
    bulk download has any. `passed_by` has the others that were not taken.
    """

    files: dict[str, bytes]
    left_out: dict[str, str] = field(default_factory=dict)
    passed_by: dict[str, str] = field(default_factory=dict)


def all_opened(archives: Sequence[Path], bulk: bool) -> Iterator[tuple[Path, Opened | Unclear]]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for start in range(0, len(archives), AT_ONCE):
            some = archives[start : start + AT_ONCE]
            yield from zip(
                some, pool.map(lambda archive: _opened(archive, bulk), some), strict=True
            )


def _opened(archive: Path, bulk: bool) -> Opened | Unclear:
    """A file's content; the problem is returned, so that the others go on."""
    limit = limits.DOWNLOAD if bulk else limits.ARCHIVE
    try:
        status = os.stat(archive)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return Unclear(
                f"it is not a regular file of at most {limit >> 20} MB: unpack it, and give what is in it"
            )
        return unpacked(archive.read_bytes(), bulk)
    except OSError as error:
        return Unclear(f"it cannot be read ({error.strerror})")
    except Unclear as problem:
        return problem


def unpacked(data: bytes, bulk: bool = False, tars: bool = False) -> Opened:
    """What is in a zip archive or, with `tars`, in a tar archive, unpacked in a box. Raises Unclear."""
    job = wire.encode("archive", {"archive.zip": data}, bulk=bulk, tars=tars)
    ended = boxes.run(UNPACKER, [job], boxes.limits_for_checker())
    refused = (frame.header.get("reason") for frame in ended.frames if frame.kind == "refused")
    if why := next(refused, None):
        raise Unclear(shown(str(why)[:400], 400))
    if ended.ended != "finished" or not any(frame.kind == "done" for frame in ended.frames):
        raise Unclear(f"it could not be unpacked within the limits ({ended.ended})")
    files, left_out = (
        [one for one in ended.frames if one.kind == kind] for kind in ("file", "left_out")
    )
    reasons: dict[bool, dict[str, str]] = {True: {}, False: {}}
    for frame in left_out:
        why = shown(str(frame.header["reason"])[:400], 400)
        reasons[frame.header.get("is_work") is True][str(frame.header["path"])] = why
    return Opened(
        {str(frame.header["path"]): frame.blobs["data"] for frame in files},
        left_out=reasons[True],
        passed_by=reasons[False],
    )
