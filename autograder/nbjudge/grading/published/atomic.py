"""A folder takes another's place in one rename, so that no reader ever finds neither."""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import shutil
from pathlib import Path


def swap(fresh: Path, target: Path) -> None:
    """Put a folder in the place of another in one rename; the old one ends up where the fresh one
    was.
    """
    if not target.exists():
        fresh.rename(target)
        return
    try:
        _exchange(fresh, target)
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
            raise
        old = target.with_name(f".{target.name}.old")
        target.rename(old)
        fresh.rename(target)
        shutil.rmtree(old)


def _exchange(one: Path, other: Path) -> None:
    """renameat2(RENAME_EXCHANGE): both names change places in one step. Raises OSError where the
    system has none.
    """
    libc = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    if not hasattr(libc, "renameat2"):
        raise OSError(errno.ENOSYS, "no renameat2")
    at_cwd = -100
    exchange = 2
    if libc.renameat2(at_cwd, os.fsencode(one), at_cwd, os.fsencode(other), exchange):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(other))
