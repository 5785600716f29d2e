"""The instructor's own nbgrader settings: `nbgrader_config.py` in the course folder, read as
nbgrader itself reads it.
"""

from __future__ import annotations

import contextlib
import sys

from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from autograder.grading.folders import Course

NAME = "nbgrader_config.py"


class SettingsError(RuntimeError):
    """The file cannot be used. The text says why, and what to do."""


def of(course: Course) -> Config:
    """What the file sets; nothing where there is none. Like nbgrader's commands, it runs in the
    course folder, whose modules it may name.

    Raises SettingsError.
    """
    if not (course.root / NAME).exists():
        return Config()
    if str(course.root) not in sys.path:
        # Last, so that a file of the course never stands in for an installed module.
        sys.path.append(str(course.root))
    try:
        with contextlib.chdir(course.root):
            return PyFileConfigLoader(NAME, path=str(course.root)).load_config()
    except ConfigFileNotFound as error:
        raise SettingsError(f"{course.root / NAME} cannot be read: {error}") from None
    except Exception as error:
        where = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise SettingsError(
            f"{course.root / NAME}{where}: {type(error).__name__}: {error}. Mend the file, or move it away and type the command again"
        ) from None
