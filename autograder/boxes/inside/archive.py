"""Unpack one submitted zip archive, which may be a bomb or lie about itself.

In: `archive` with the blob `archive.zip`. Out: one `file` {"path"} with the blob "data" for each regular file, then `done`; or
`refused` {"reason"} in words for the student.
"""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from autograder.boxes.inside.channel import Channel

MAX_FILES = 500
MAX_BYTES = 100 << 20


class Refused(ValueError):
    """The archive is not one that can be taken; the text says why."""


def main() -> None:
    channel = Channel()
    data = next(frame.blobs["archive.zip"] for frame in channel.frames() if frame.kind == "archive")
    try:
        files = dict(unpack(data))
    except Refused as refusal:
        channel.send("refused", reason=str(refusal))
        return
    for path, content in files.items():
        channel.send("file", {"data": content}, path=path)
    channel.send("done")


def unpack(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Relative path and content of every file. Raises Refused."""
    left = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if len(archive.infolist()) > MAX_FILES:
                raise Refused(f"the archive holds more than {MAX_FILES} files")
            for member in archive.infolist():
                if member.is_dir():
                    continue
                path = _path(member)
                with archive.open(member) as file:
                    content = file.read(left + 1)  # what is really there, whatever the archive's directory says
                left -= len(content)
                if left < 0:
                    raise Refused(f"the archive unpacks to more than {MAX_BYTES >> 20} MB")
                yield path, content
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, zipfile.zlib.error) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(f"the file is no readable zip archive ({str(error)[:200]}); make it again with course submit --zip") from None


def _path(member: zipfile.ZipInfo) -> str:
    path = PurePosixPath(member.filename)
    mode = member.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        raise Refused(f"{member.filename[:100]!r} in the archive is no regular file")
    if path.is_absolute() or ".." in path.parts or "\\" in member.filename or not member.filename.isprintable():
        raise Refused(f"{member.filename[:100]!r} in the archive is no path inside it")
    return str(path)


if __name__ == "__main__":
    main()
