"""Archives, each unpacked in a box: their bytes are a student's."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from autograder import boxes, wire
from autograder.course.identity import Unclear
from autograder.grading.untrusted import shown

UNPACKER = "autograder.boxes.inside.archive"
MAX_ARCHIVE, MAX_BULK = 100 << 20, 240 << 20
AT_ONCE = 2  # archives in memory, each of which may be as large as that


@dataclass(frozen=True)
class Opened:
    """Path and content of every file in an archive. `left_out` has the others of a bulk download, by
    path, with the reason.
    """

    files: dict[str, bytes]
    left_out: dict[str, str] = field(default_factory=dict)


def all_opened(archives: Sequence[Path], bulk: bool) -> Iterator[tuple[Path, Opened | Unclear]]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for start in range(0, len(archives), AT_ONCE):
            some = archives[start : start + AT_ONCE]
            yield from zip(
                some, pool.map(lambda archive: _opened(archive, bulk), some), strict=True
            )


def _opened(archive: Path, bulk: bool) -> Opened | Unclear:
    """A file's content; the problem is returned, so that the others go on."""
    limit = MAX_BULK if bulk else MAX_ARCHIVE
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


def unpacked(data: bytes, bulk: bool = False) -> Opened:
    """What is in an archive, unpacked in a box. Raises Unclear."""
    job = wire.encode("archive", {"archive.zip": data}, bulk=bulk)
    ended = boxes.run(UNPACKER, [job], boxes.limits_for_checker())
    refused = (frame.header.get("reason") for frame in ended.frames if frame.kind == "refused")
    if why := next(refused, None):
        raise Unclear(shown(str(why)[:400], 400))
    if ended.ended != "finished" or not any(frame.kind == "done" for frame in ended.frames):
        raise Unclear(f"it could not be unpacked within the limits ({ended.ended})")
    told = {
        kind: [one for one in ended.frames if one.kind == kind] for kind in ("file", "left_out")
    }
    return Opened(
        {str(frame.header["path"]): frame.blobs["data"] for frame in told["file"]},
        {
            str(frame.header["path"]): shown(str(frame.header["reason"])[:400], 400)
            for frame in told["left_out"]
        },
    )
