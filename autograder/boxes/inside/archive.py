"""Unpack a zip file inside a box: notebooks and the time of a submission come out, one frame each; what is unsafe is refused."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import PurePosixPath

from autograder.boxes.inside.channel import Channel

MAX_ENTRIES = 500
MAX_ENTRY = 32 << 20
MAX_TOTAL = 128 << 20


class Refused(ValueError):
    """The archive holds no submission that can be taken. The text says why."""


def main() -> None:
    channel = Channel()
    data = next(frame.blobs["archive.zip"] for frame in channel.frames() if frame.kind == "archive")
    try:
        for name, content in unpack(data).items():
            channel.send("file", {"data": content}, path=name)
    except Refused as refusal:
        channel.send("refused", reason=str(refusal))


def unpack(data: bytes) -> dict[str, bytes]:
    """The notebooks and the time in a zip file, by name without folders. Raises Refused."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _contents(archive)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, zlib.error) as error:
        raise Refused(f"it is not a zip file that can be read ({type(error).__name__})") from None


def _contents(archive: zipfile.ZipFile) -> dict[str, bytes]:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    wanted = {entry: PurePosixPath(entry.filename).name for entry in entries if _is_wanted(entry.filename)}
    if len(entries) > MAX_ENTRIES:
        raise Refused(f"it holds more than {MAX_ENTRIES} files")
    if len(set(wanted.values())) < len(wanted):
        raise Refused("two notebooks in it have the same name: pack the folder of one lab only")
    if not any(name.endswith(".ipynb") for name in wanted.values()):
        raise Refused("it holds no notebook")
    contents: dict[str, bytes] = {}
    for entry, name in wanted.items():
        with archive.open(entry) as file:
            contents[name] = file.read(MAX_ENTRY + 1)
        if len(contents[name]) > MAX_ENTRY or sum(map(len, contents.values())) > MAX_TOTAL:
            raise Refused(f"{name} is too large: clear the notebook's outputs and pack it again")
    return contents


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    visible = not any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return visible and (path.suffix == ".ipynb" or path.name == "timestamp.txt")


if __name__ == "__main__":
    main()
