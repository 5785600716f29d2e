"""Unpack one submitted zip archive, which may be a bomb or lie about itself.

In: `archive` {"bulk"} with the blob `archive.zip`; `bulk` is true for a whole class in one file.
Out: one `file` {"path"} with the blob "data" for each regular file, then `done`; or `refused`
{"reason"} in words for the student.
"""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from autograder.boxes.inside.channel import Channel

MAX_FILES, MAX_BYTES = 500, 100 << 20
BULK_FILES, BULK_BYTES = 10_000, 240 << 20
MAX_NAME = 200  # bytes of each part of a path; file systems allow 255, and some lose the rest


class Refused(ValueError):
    """The archive is not one that can be taken; the text says why."""


def main() -> None:
    channel = Channel()
    frame = next(frame for frame in channel.frames() if frame.kind == "archive")
    caps = (BULK_FILES, BULK_BYTES) if frame.header.get("bulk") is True else (MAX_FILES, MAX_BYTES)
    try:
        files = _once(unpack(frame.blobs["archive.zip"], *caps))
    except Refused as refusal:
        channel.send("refused", reason=str(refusal))
        return
    for path, content in files.items():
        channel.send("file", {"data": content}, path=path)
    channel.send("done")


def _once(files: Iterator[tuple[str, bytes]]) -> dict[str, bytes]:
    """Files by path. Raises Refused when a path is there twice: programs differ in which of the two
    they take.
    """
    found: dict[str, bytes] = {}
    for path, content in files:
        if path in found:
            raise Refused(f"{path[:100]!r} is in the archive twice")
        found[path] = content
    return found


def unpack(
    data: bytes, max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES
) -> Iterator[tuple[str, bytes]]:
    """Relative path and content of every file. Raises Refused."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if len(archive.infolist()) > max_files:
                raise Refused(f"the archive holds more than {max_files} files")
            yield from _files(archive, max_bytes)
    except (Refused, MemoryError):
        raise
    except Exception as error:  # one of a dozen, by what is wrong and how the file was packed
        raise Refused(
            f"the file is no readable zip archive ({str(error)[:200]}); make it again with course submit --zip"
        ) from None


def _files(archive: zipfile.ZipFile, max_bytes: int) -> Iterator[tuple[str, bytes]]:
    left = max_bytes
    for member in archive.infolist():
        if member.filename and member.is_dir():
            continue
        path = _path(member)
        with archive.open(member) as file:
            content = file.read(left + 1)  # what is really there, whatever the directory says
        left -= len(content)
        if left < 0:
            raise Refused(f"the archive unpacks to more than {max_bytes >> 20} MB")
        yield path, content


def _path(member: zipfile.ZipInfo) -> str:
    name, path = member.filename, PurePosixPath(member.filename)
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        raise Refused(f"{name[:100]!r} in the archive is no regular file")
    leads_out = path.is_absolute() or ".." in path.parts or "\\" in name
    # A path without parts is the folder itself: `.`, or no name at all.
    if leads_out or not path.parts or not name.isprintable():
        raise Refused(f"{name[:100]!a} in the archive is no path inside it")
    if any(len(part.encode()) > MAX_NAME for part in path.parts):
        raise Refused(f"{name[:60]!r}… in the archive has a name longer than {MAX_NAME} bytes")
    return str(path)


if __name__ == "__main__":
    main()
