"""What a process of a box does to itself: hide its memory from the others, and put a filter on what
it may call.
"""

from __future__ import annotations

import ctypes
import os
import struct

_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2


def dumpable(value: bool) -> None:
    """Whether processes of the same user can read this one's memory and descriptors."""
    _call("prctl", _PR_SET_DUMPABLE, int(value), 0, 0, 0)


def install(program: bytes) -> None:
    """Put a filter on this process and all that it starts. Raises OSError."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    _call("prctl", _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0)


def _call(name: str, *arguments: int | bytes) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    words = [each if isinstance(each, bytes) else ctypes.c_ulong(each) for each in arguments]
    if getattr(libc, name)(*words):
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
