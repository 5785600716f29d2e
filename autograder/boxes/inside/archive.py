"""Unpack one submitted zip archive, which may be a bomb or lie about itself.

In: `archive` {"bulk"} with the blob `archive.zip`; `bulk` is true for a whole class in one file.
Out: one `file` {"path"} with the blob "data" for each regular file, in a bulk download one
`left_out` {"path", "reason"} for each that cannot be taken, then `done`; or `refused` {"reason"} in
words for the student.
"""

from __future__ import annotations

import io
import stat
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from autograder.boxes.inside.channel import Channel

MAX_FILES, MAX_BYTES = 500, 100 << 20
BULK_FILES, BULK_BYTES = 10_000, 240 << 20
MAX_NAME = 200  # bytes of each part of a path; file systems allow 255, and some lose the rest
# What is looked for in an archive. Anything else is no part of the work, whatever it is called:
# macOS, for one, writes a blank into the names of its screenshots that nothing prints.
WORK = (".ipynb", ".zip")


class Refused(ValueError):
    """The archive, or a file in it, is not one that can be taken; the text says why."""


Member = tuple[str, bytes | Refused]


def main() -> None:
    channel = Channel()
    frame = next(frame for frame in channel.frames() if frame.kind == "archive")
    bulk = frame.header.get("bulk") is True
    try:
        members = _once(unpack(frame.blobs["archive.zip"], bulk), bulk)
    except Refused as refusal:
        channel.send("refused", reason=str(refusal))
        return
    for path, content in members.items():
        if isinstance(content, Refused):
            channel.send("left_out", path=path, reason=str(content))
        else:
            channel.send("file", {"data": content}, path=path)
    channel.send("done")


def _once(members: Iterator[Member], bulk: bool) -> dict[str, bytes | Refused]:
    """Members by path. A path that is there twice is refused: programs differ in which of the two
    they take.
    """
    found: dict[str, bytes | Refused] = {}
    for path, content in members:
        if path in found:
            content = Refused(f"{path[:100]!r} is in the archive twice")
            if not bulk:
                raise content
        found[path] = content
    return found


def unpack(data: bytes, bulk: bool = False) -> Iterator[Member]:
    """Relative path and content of every file. What cannot be taken stands as a Refused in the
    place of its content in a bulk download, where others have no part in it; elsewhere that raises.
    """
    max_files, max_bytes = (BULK_FILES, BULK_BYTES) if bulk else (MAX_FILES, MAX_BYTES)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if len(archive.infolist()) > max_files:
                raise Refused(f"the archive holds more than {max_files} files")
            yield from _files(archive, max_bytes, bulk)
    except (Refused, MemoryError):
        raise
    except Exception as error:  # one of a dozen, by what is wrong and how the file was packed
        raise Refused(
            f"the file is no readable zip archive ({str(error)[:200]}); make it again with course submit --zip"
        ) from None


def _files(archive: zipfile.ZipFile, max_bytes: int, bulk: bool) -> Iterator[Member]:
    files = [one for one in archive.infolist() if not (one.filename and one.is_dir())]
    heavy = _heaviest(files, max_bytes) if bulk else {}
    left = max_bytes
    for member in files:
        if problem := _outside(member):
            problem = Refused(problem)
        elif problem := _unfit(member):
            if not member.filename.lower().endswith(WORK):
                continue
            problem = Refused(problem)
        elif size := heavy.get(_owner(member)):
            problem = Refused(
                f"{size >> 20} MB of it, unpacked, are more than fits into one download with the others"
            )
        if problem and not bulk:
            raise problem
        if problem:
            yield member.filename[:1000], problem
            continue
        with archive.open(member) as file:
            content = file.read(left + 1)  # never more than the directory says, which may say less
        left -= len(content)
        if left < 0:
            raise Refused(f"the archive unpacks to more than {max_bytes >> 20} MB")
        yield str(PurePosixPath(member.filename)), content


def _owner(member: zipfile.ZipInfo) -> str:
    """A platform's download has a folder for each student, or begins each file's name alike."""
    return member.filename.partition("/")[0]


def _heaviest(members: Iterable[zipfile.ZipInfo], most: int) -> dict[str, int]:
    """Whose files have to be left out for the others to fit, with their sizes: the largest ones."""
    sizes: Counter[str] = Counter()
    for member in members:
        sizes[_owner(member)] += member.file_size
    left_out, whole = {}, sizes.total()
    for owner, size in sizes.most_common():
        if whole <= most:
            break
        left_out[owner] = size
        whole -= size
    return left_out


def _outside(member: zipfile.ZipInfo) -> str | None:
    """Why a member is no file in the archive's own folder, which nobody packs by mistake."""
    name, path = member.filename, PurePosixPath(member.filename)
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        return f"{name[:100]!r} in the archive is no regular file"
    # A path without parts is the folder itself: `.`, or no name at all.
    if path.is_absolute() or ".." in path.parts or "\\" in name or not path.parts:
        return f"{name[:100]!a} in the archive is no path inside it"
    return None


def _unfit(member: zipfile.ZipInfo) -> str | None:
    """Why a member cannot be kept under its name."""
    name = member.filename
    if not name.isprintable():
        return f"{name[:100]!a} in the archive has a name with characters that cannot be shown: rename it"
    if any(len(part.encode()) > MAX_NAME for part in PurePosixPath(name).parts):
        return f"{name[:60]!r}… in the archive has a name longer than {MAX_NAME} bytes: rename it"
    return None


if __name__ == "__main__":
    main()
