"""Which of the system's shared libraries the programs of a box load: those that the interpreter and
the packages' own libraries name (ELF's DT_NEEDED), those that these name in turn, and what the C
library opens by itself.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import sysconfig
from collections.abc import Iterable
from glob import glob

from nbjudge.boxes import mounts

_FOLDERS = ("/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64")
_CONFIGURED = "/etc/ld.so.conf.d/*.conf"
# For names of people and machines, and to end a thread.
_OPENED_BY_LIBC = ("libgcc_s.so.1", "libnss_files.so.2", "libnss_dns.so.2", "libnss_compat.so.2")
_ELF = b"\x7fELF\x02\x01"  # of 64 bits, little endian, as all processors that have a filter
_LOAD = 1
_DYNAMIC = 2
_INTERPRETER = 3
_NEEDED = 1
_STRINGS = 5


def places(programs: Iterable[str]) -> set[str]:
    """The paths at which the loader looks for what `programs` need, whether something is there or
    not: the first that is there is loaded.
    """
    folders = _searched()
    found = set()
    known = set()
    names = {*_OPENED_BY_LIBC, *(name for path in programs for name in needed(path))}
    while names:
        known |= names
        at = {os.path.join(folder, name) for folder in folders for name in names}
        found |= at
        names = {name for path in at for name in needed(path)} - known
    return found


def needed(path: str) -> list[str]:
    """The libraries that an ELF file names; none of a file that is none, or cannot be read."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _needed(data) if data[: len(_ELF)] == _ELF else []
    except (OSError, ValueError, struct.error, StopIteration):
        return []


def _needed(data: mmap.mmap) -> list[str]:
    (start,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    # type, flags, offset, address, physical address, size in the file
    segments = [struct.unpack_from("<IIQQQQ", data, start + size * each) for each in range(count)]
    names = [_text(data, each[2]) for each in segments if each[0] == _INTERPRETER]
    for _, _, offset, _, _, length in (each for each in segments if each[0] == _DYNAMIC):
        entries = list(struct.iter_unpack("<qQ", data[offset : offset + length // 16 * 16]))
        strings = next(value for tag, value in entries if tag == _STRINGS)
        place = next(
            offset + strings - address
            for kind, _, offset, address, _, length in segments
            if kind == _LOAD and address <= strings < address + length
        )
        names += [_text(data, place + value) for tag, value in entries if tag == _NEEDED]
    return names


def _text(data: mmap.mmap, place: int) -> str:
    return os.fsdecode(data[place : data.find(b"\0", place)])


def _searched() -> list[str]:
    """The folders in which the loader looks, each once."""
    multiarch = sysconfig.get_config_var("MULTIARCH")
    own = [f"{folder}/{multiarch}" for folder in _FOLDERS if multiarch]
    configured = [line.strip() for path in glob(_CONFIGURED) for line in _lines(path)]
    packages = [f"{prefix}/lib" for prefix in (*mounts.prefixes(), sys.base_prefix)]
    given = [*own, *_FOLDERS, *(line for line in configured if line.startswith("/")), *packages]
    return sorted({os.path.realpath(folder) for folder in given})


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readlines()
    except OSError:
        return []
