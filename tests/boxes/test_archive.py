"""Zip archives of submissions, honest and not."""

import io
import stat
import struct
import zipfile

import pytest

from nbjudge import boxes, wire


def unpack(data: bytes):
    """The files by path, or the reason for refusing them."""
    ended = boxes.run(
        "nbjudge.boxes.inside.archive",
        [wire.encode("archive", {"archive.zip": data})],
        boxes.limits_for_checker(),
    )
    assert ended.ended == "finished", ended
    if ended.frames[0].kind == "refused":
        return ended.frames[0].header["reason"]
    return {
        frame.header["path"]: frame.blobs["data"] for frame in ended.frames if frame.kind == "file"
    }


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


def test_files_come_out():
    assert unpack(zipped(("day-50/", b""), ("day-50/inspect.ipynb", b"{}"))) == {
        "day-50/inspect.ipynb": b"{}"
    }


class Silent(zipfile.ZipInfo):
    """A member whose name is in an encoding that the archive does not say."""

    encoding = "utf-8"

    def _encodeFilenameFlags(self):  # as `zipfile` calls it
        return self.filename.encode(self.encoding), self.flag_bits


@pytest.mark.parametrize("encoding", ["utf-8", "cp850"])
def test_a_name_is_read_as_macos_and_windows_write_it_without_saying_how(encoding):
    """macOS takes letters and their accents apart, too."""
    name = "U\u0308bung 2.ipynb" if encoding == "utf-8" else "Übung 2.ipynb"
    silent = Silent(name)
    silent.encoding = encoding
    assert unpack(zipped((silent, b"{}"), ("größe.csv", b"x"))) == {
        "Übung 2.ipynb": b"{}",
        "größe.csv": b"x",
    }


def bent(method: int, offset: int) -> bytes:
    """An archive of one file with one wrong byte in what was packed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.ipynb", b"x" * 1000)
    data = bytearray(buffer.getvalue())
    data[data.index(b"a.ipynb") + 7 + offset] ^= 0xFF
    return bytes(data)


def nameless() -> bytes:
    """An archive of one file that has no name."""
    data = zipped(("a", b"{}"))
    directory, end = data.index(b"PK\1\2"), data.index(b"PK\5\6")
    first = data[:26] + bytes(4) + data[31:directory]
    second = data[directory : directory + 28] + bytes(2) + data[directory + 30 : directory + 46]
    sizes = struct.pack("<LL", len(second), len(first))
    return first + second + data[end : end + 12] + sizes + data[end + 20 :]


# Named, because the bytes of an archive hold the time at which it was made.
REFUSED = {
    "empty": (b"", "no readable zip"),
    "rar": (b"Rar!\x1a\x07\x01\0", "a RAR archive, whatever its name says"),
    "tar.gz": (b"\x1f\x8b\x08\0", "a gzip file (.tar.gz"),
    "tar": (bytes(257) + b"ustar\0", "a tar archive"),
    "notebook": (b'{"cells": []}', "a notebook"),
    "start only": (b"PK\x03\x04 cut short", "no readable zip"),
    "cut short": (zipped(("a.ipynb", b"x" * 1000))[:-30], "no readable zip"),
    "above": (zipped(("../a.ipynb", b"")), "no path inside"),
    "absolute": (zipped(("/a.ipynb", b"")), "no path inside"),
    "link": (zipped((link("a.ipynb"), b"/etc/passwd")), "no regular file"),
    "unprintable": (zipped(("3.00\u202fPM.ipynb", b"{}")), "cannot be shown: rename it"),
    "long": (zipped(("x" * 201 + ".ipynb", b"{}")), "longer than 200 bytes: rename it"),
    "bomb": (zipped(("bomb", bytes(101 << 20))), "more than 100 MB"),
    "bent, deflated": (bent(zipfile.ZIP_DEFLATED, 2), "no readable zip"),
    "bent, lzma": (bent(zipfile.ZIP_LZMA, 9), "no readable zip"),
    "bent, bzip2": (bent(zipfile.ZIP_BZIP2, 3), "no readable zip"),
    "nameless": (nameless(), "no path inside"),
    "folder itself": (zipped(("a.ipynb", b"{}"), (".", b"{}")), "no path inside"),
    "many": (zipped(*((f"{number}", b"") for number in range(501))), "more than 500"),
}


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_taken_is_refused(data, reason):
    assert reason in unpack(data)


def test_one_bad_member_refuses_them_all():
    assert "no path inside" in unpack(zipped(("a.ipynb", b"{}"), ("../b.ipynb", b"{}")))


@pytest.mark.parametrize(
    "name", ["Screenshot at 3.00\u202fPM.png", "x" * 201 + ".txt", "\u200e.csv"]
)
def test_what_is_no_work_may_be_called_anything(name):
    assert unpack(zipped(("a.ipynb", b"{}"), (name, b"x"))) == {"a.ipynb": b"{}"}
