"""Unpack a zip file inside a box: notebooks and the time of a submission come out, one frame each; what is unsafe is refused."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import PurePosixPath

from autograder import wire

MAX_ENTRIES = 500
MAX_ENTRY = 32 << 20
MAX_TOTAL = 128 << 20


def main() -> None:
    frame = next(wire.read(sys.stdin.buffer, 512 << 20))
    for part in unpack(frame.blobs["archive.zip"]):
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


def unpack(data: bytes):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            wanted = [entry for entry in entries if _is_wanted(entry.filename)]
            names = [PurePosixPath(entry.filename).name for entry in wanted]
            if len(entries) > MAX_ENTRIES or sum(entry.file_size for entry in wanted) > MAX_TOTAL:
                yield wire.encode("refused", reason="the archive holds too many or too large files")
            elif len(set(names)) < len(names):
                yield wire.encode("refused", reason="two notebooks in the archive have the same name")
            elif not any(name.endswith(".ipynb") for name in names):
                yield wire.encode("refused", reason="the archive holds no notebook")
            else:
                for entry, name in zip(wanted, names, strict=True):
                    with archive.open(entry) as file:
                        content = file.read(MAX_ENTRY + 1)
                    if len(content) > MAX_ENTRY:
                        yield wire.encode("refused", reason=f"{name} is larger than {MAX_ENTRY >> 20} MB")
                        return
                    yield wire.encode("file", {"data": content}, path=name)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError) as error:
        yield wire.encode("refused", reason=f"it is not a zip file that can be read ({type(error).__name__})")


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    visible = not any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return visible and (path.suffix == ".ipynb" or path.name == "timestamp.txt")


if __name__ == "__main__":
    main()
