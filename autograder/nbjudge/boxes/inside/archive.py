"""Unpack one submitted archive, which may be a bomb or lie about itself.

In: `archive` {"bulk", "tars"} with the blob `archive.zip`; `bulk` is true for a whole class in one
file, `tars` where a tar archive, packed by gzip or not, is taken beside zip archives.
Out: one `file` {"path"} with the blob "data" for each regular file, one `left_out` {"path",
"reason", "is_work"} for each that cannot be taken, then `done`; or `refused` {"reason"} in words
for the student. `is_work` is true of what a student's submission cannot be without.

1. What systems leave behind is passed over (`leftovers`), and counts for no limit.
2. A backslash separates folders, as PowerShell 5 and older .NET write it, and a name is in
   Unicode's composed form (NFC), whatever the system that packed it. What is UTF-8 is read as that,
   although macOS does not say so in its zip archives. All that follows looks at the path that comes
   of that.
3. Links, devices, and paths that lead out of the archive are refused: nobody packs them by mistake.
4. A name that cannot be kept is refused where it is a notebook's or an archive's, else left out.
5. Two members of one path are refused: programs differ in which of the two they take.
Whatever has to be refused refuses the archive; in a bulk download, where others have no part in it,
it is left out.
"""

from __future__ import annotations

import gzip
import io
import re
import stat
import tarfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import IO

from nbjudge import limits
from nbjudge.boxes.inside.channel import Channel
from nbjudge.leftovers import is_leftover

# What a submission cannot be without: notebooks, as browsers and systems name them, and archives.
# Anything else may have a name that cannot be kept: macOS, for one, writes a blank into the names
# of its screenshots that nothing prints.
_WORK = re.compile("|".join(map(re.escape, (".ipynb", *limits.ARCHIVE_SUFFIXES))), re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
_SAYS_UTF_8 = 0x800  # among a member's flags
_UPWARDS = re.compile(r"\.\.\\")  # whatever stands before it


class Refused(ValueError):
    """The archive, or a file in it, is not one that can be taken; the text says why. `is_work` is
    false of a file whose absence leaves the submission whole.
    """

    def __init__(self, reason: str, is_work: bool = True):
        super().__init__(reason)
        self.is_work = is_work


Member = tuple[str, bytes | Refused]


def main() -> None:
    channel = Channel()
    frame = next(frame for frame in channel.frames() if frame.kind == "archive")
    bulk = frame.header.get("bulk") is True
    tars = frame.header.get("tars") is True
    try:
        members = _once(unpack(frame.files["archive.zip"], bulk, tars), bulk)
    except Refused as refusal:
        channel.send("refused", reason=str(refusal))
        return
    for path, content in members.items():
        if isinstance(content, Refused):
            channel.send("left_out", path=path, reason=str(content), is_work=content.is_work)
        else:
            channel.send("file", {"data": content}, path=path)
    channel.send("done")


def _once(members: Iterator[Member], bulk: bool) -> dict[str, bytes | Refused]:
    """Members by path, each once. Raises Refused, in a bulk download never."""
    found: dict[str, bytes | Refused] = {}
    for path, content in members:
        if path in found:
            problem = f"{path[:100]!r} is in the archive twice: pack it with one of them"
            if not bulk:
                raise Refused(problem)
            content = Refused(problem)
        found[path] = content
    return found


_GZIP = b"\x1f\x8b"
_KINDS = (
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (_GZIP, "a gzip file (.tar.gz or .tgz)"),
    (b"BZh", "a bzip2 file (.tar.bz2)"),
    (b"\xfd7zXZ\0", "an xz file (.tar.xz)"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"%PDF", "a PDF"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
)


def unpack(data: bytes, bulk: bool = False, tars: bool = False) -> Iterator[Member]:
    """Relative path of every file, with its content or why it was left out. Raises Refused."""
    max_files, max_bytes = (
        (limits.DOWNLOAD_FILES, limits.DOWNLOAD) if bulk else (limits.FILES, limits.ARCHIVE)
    )
    try:
        with _opened(data, max_bytes, tars) as archive:
            files = [
                (path, one)
                for one in archive.infolist()
                if not _is_folder(path := _path(one), one) and not is_leftover(path)
            ]
            if len(files) > max_files:
                raise Refused(
                    f"the archive holds more than {max_files} files: pack the lab's folder alone"
                )
            yield from _files(archive, files, max_bytes, bulk)
    except (Refused, MemoryError):
        raise
    except Exception as error:  # one of a dozen, by what is wrong and how the file was packed  # noqa: BLE001
        if kind := _kind(data):
            raise Refused(
                f"the file is {kind}, whatever its name says, and zip archives are taken: ask for a zip file, as course submit --zip "
                "makes it, or unpack it and pack it as one"
            ) from None
        raise Refused(
            f"the file is no readable zip archive ({str(error)[:200]}); make it again with course submit --zip"
        ) from None


class _Tar:
    """A tar archive, asked as a `ZipFile` is. Its size is known before its members are."""

    def __init__(self, data: bytes, max_bytes: int):
        # What stands around each member, too.
        most = max_bytes + limits.DOWNLOAD_FILES * 4 * tarfile.BLOCKSIZE
        if data.startswith(_GZIP):
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(most + 1)
        if len(data) > most:
            raise Refused(f"the archive unpacks to more than {max_bytes >> 20} MB")
        self._archive = tarfile.TarFile(fileobj=io.BytesIO(data))

    def __enter__(self) -> _Tar:
        return self

    def __exit__(self, *_error: object) -> None:
        self._archive.close()

    def infolist(self) -> list[zipfile.ZipInfo]:
        self._members = {}
        for member in self._archive:
            kind = (
                stat.S_IFREG if member.isreg() else stat.S_IFDIR if member.isdir() else stat.S_IFLNK
            )
            told = zipfile.ZipInfo(f"{member.name}/" if member.isdir() else member.name)
            told.file_size = member.size
            told.flag_bits = _SAYS_UTF_8
            told.external_attr = kind << 16
            self._members[id(told)] = member, told
        return [told for _, told in self._members.values()]

    def open(self, told: zipfile.ZipInfo) -> IO[bytes]:
        member, _ = self._members[id(told)]
        return self._archive.extractfile(member)  # type: ignore[return-value]  # it is a regular one


def _opened(data: bytes, max_bytes: int, tars: bool) -> zipfile.ZipFile | _Tar:
    if not tars or zipfile.is_zipfile(io.BytesIO(data)):
        return zipfile.ZipFile(io.BytesIO(data))
    return _Tar(data, max_bytes)


def _kind(data: bytes) -> str | None:
    """What the bytes are instead of a zip archive, as far as their beginning says."""
    if data[257:262] == b"ustar":
        return "a tar archive"
    if data.lstrip()[:1] == b"{":
        return "a notebook or another JSON file"
    return next((kind for begins, kind in _KINDS if data.startswith(begins)), None)


def _path(member: zipfile.ZipInfo) -> str:
    return unicodedata.normalize("NFC", _name(member).replace("\\", "/"))


def _name(member: zipfile.ZipInfo) -> str:
    """The name, which `zipfile` reads as that of MS-DOS where the archive does not say UTF-8."""
    if member.flag_bits & _SAYS_UTF_8:
        return member.filename
    try:
        return member.filename.encode("cp437").decode()
    except UnicodeError:
        return member.filename


def _is_folder(path: str, member: zipfile.ZipInfo) -> bool:
    return path.endswith("/") and not member.file_size


def _files(
    archive: zipfile.ZipFile | _Tar,
    files: list[tuple[str, zipfile.ZipInfo]],
    max_bytes: int,
    bulk: bool,
) -> Iterator[Member]:
    heavy = _heaviest(files, max_bytes) if bulk else {}
    left = max_bytes
    for path, member in files:
        if problem := _problem(path, member, heavy):
            if not bulk and problem.is_work:
                raise problem
            yield path[:1000], problem
            continue
        with archive.open(member) as file:
            content = file.read(left + 1)  # never more than the directory says, which may say less
        left -= len(content)
        if left < 0:
            raise Refused(f"the archive unpacks to more than {max_bytes >> 20} MB")
        yield str(PurePosixPath(path)), content


def _problem(path: str, member: zipfile.ZipInfo, heavy: dict[str, int]) -> Refused | None:
    """Why a member cannot be taken."""
    if problem := _outside(path, member):
        return Refused(problem)
    if problem := _unfit(path):
        return Refused(problem, is_work=bool(_WORK.search(path)))
    if size := heavy.get(_owner(path)):
        return Refused(
            f"{size >> 20} MB of it, unpacked, are more than fits into one download with the others"
        )
    return None


def _owner(path: str) -> str:
    """A platform's download has a folder for each student, or begins each file's name alike."""
    return path.partition("/")[0]


def _heaviest(files: Iterable[tuple[str, zipfile.ZipInfo]], most: int) -> dict[str, int]:
    """Whose files have to be left out for the others to fit, with their sizes: the largest ones."""
    sizes: Counter[str] = Counter()
    for path, member in files:
        sizes[_owner(path)] += member.file_size
    left_out = {}
    whole = sizes.total()
    for owner, size in sizes.most_common():
        if whole <= most:
            break
        left_out[owner] = size
        whole -= size
    return left_out


def _outside(name: str, member: zipfile.ZipInfo) -> str | None:
    """Why a member is no file in the archive's own folder, which nobody packs by mistake."""
    path = PurePosixPath(name)
    if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
        return f"{name[:100]!r} in the archive is no regular file: pack the file itself, and no link to it"
    # A path without parts is the folder itself: `.`, or no name at all.
    is_outside = path.is_absolute() or ".." in path.parts or _DRIVE.match(name) or not path.parts
    if is_outside or _UPWARDS.search(member.filename):
        return f"{name[:100]!a} in the archive is no path inside it: pack the lab's folder itself"
    return None


def _unfit(name: str) -> str | None:
    """Why a member cannot be kept under its name."""
    if not name.isprintable():
        return f"{name[:100]!a} in the archive has a name with characters that cannot be shown: rename it"
    if any(len(part.encode()) > limits.NAME for part in PurePosixPath(name).parts):
        return (
            f"{name[:60]!r}… in the archive has a name longer than {limits.NAME} bytes: rename it"
        )
    return None


if __name__ == "__main__":
    main()
