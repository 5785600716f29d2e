"""The course's own nbgrader settings: `nbgrader_config.py` and `nbgrader_config.json` in the course
folder, read here and nowhere else.

1. traitlets' loaders read them, as nbgrader's commands do: the Python file is executed, so that an
   alias, an `if`, an import or `load_subconfig` means what it means in Python; where both files set
   something, the JSON file counts. What stands under a name that nbgrader has given up
   (`c.NbGrader.course_id`) counts under today's.
2. Only the course folder's own files are read. They are the instructor's, so they may be executed;
   a folder that a student has filled is never looked at.
3. They run in the course folder, whose modules they may name. One command executes them once, and
   again only when their text has changed.
4. Whatever is wrong with them is one line that names the file, and the line in it.
"""

from __future__ import annotations

import contextlib
import copy
import logging
import sys
import traceback
from functools import lru_cache
from pathlib import Path

from traitlets import TraitError
from traitlets.config import Config
from traitlets.config.loader import (
    ConfigFileNotFound,
    FileConfigLoader,
    JSONFileConfigLoader,
    PyFileConfigLoader,
)

from nbjudge.grading import CONFIG


class _JSONLoader(JSONFileConfigLoader):
    """Refuses a list, which traitlets takes for no settings at all."""

    def _convert_to_config(self, dictionary: dict) -> Config:
        if not isinstance(dictionary, dict):
            raise TypeError("it must hold settings by name, as {} does")
        return super()._convert_to_config(dictionary)


# In the order in which they count, the last one most.
LOADERS: dict[str, type[FileConfigLoader]] = {
    CONFIG: PyFileConfigLoader,
    "nbgrader_config.json": _JSONLoader,
}
MEND = "Mend the file, or move it away and type the command again"


class SettingsError(RuntimeError):
    """The settings cannot be used. The text says where, why, and what to do."""


def read(folder: Path) -> Config:
    """What the files of a course folder set, as a copy of the caller's own; nothing where there is
    none. Raises SettingsError.
    """
    folder = folder.absolute()  # the files are read with the folder as the working directory
    texts = tuple(_bytes(folder / name) for name in LOADERS)
    return (
        copy.deepcopy(_executed(folder, texts))
        if any(text is not None for text in texts)
        else Config()
    )


def text(config: Config, section: str, name: str) -> str | None:
    """One setting that is a text, for example `CourseDirectory.db_url`; None where it is not set.
    Raises SettingsError.
    """
    value = config.get(section, {}).get(name)
    if value is None or isinstance(value, str):
        return value or None
    raise SettingsError(
        f"c.{section}.{name} in {CONFIG} must be a text, and it is {value!r}. {MEND}"
    )


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read ({error.strerror}). {MEND}") from None


@lru_cache(maxsize=16)
def _executed(folder: Path, texts: tuple[bytes | None, ...]) -> Config:
    if str(folder) not in sys.path:
        # Last, so that a file of the course never stands in for an installed module.
        sys.path.append(str(folder))
    merged = Config()
    with contextlib.chdir(folder):
        for name, text in zip(LOADERS, texts, strict=True):
            if text is not None:
                merged.merge(_loaded(folder / name))
    return _of_today(folder, merged)


def _loaded(path: Path) -> Config:
    """What one file sets. Raises SettingsError."""
    try:
        config = LOADERS[path.name](path.name, path=str(path.parent)).load_config()
        if wrong := [
            name for name in config if name[:1].isupper() and not isinstance(config[name], Config)
        ]:
            raise TypeError(f"{wrong[0]} must hold settings by name")
    except ConfigFileNotFound as error:
        raise SettingsError(f"{path} cannot be read ({error}). {MEND}") from None
    except (Exception, SystemExit) as error:  # whatever its author's code does  # noqa: BLE001
        why = " ".join(str(getattr(error, "msg", None) or error or "no reason was given").split())
        raise SettingsError(
            f"{path}{_line(error, path)}: {type(error).__name__}: {why}. {MEND}"
        ) from None
    return config


def _line(error: BaseException, path: Path) -> str:
    """Where in the file the error is: its own words, or the line that the file had come to."""
    if isinstance(error, SyntaxError) and error.filename not in (None, str(path), "<string>"):
        return _reached(error, path) + f", by {error.filename}, line {error.lineno}"
    number = getattr(error, "lineno", None)
    return f", line {number}" if number else _reached(error, path)


def _reached(error: BaseException, path: Path) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    number = next((frame.lineno for frame in frames if frame.filename == str(path)), None)
    return f", line {number}" if number else ""


def _of_today(folder: Path, config: Config) -> Config:
    """The settings under the names that nbgrader has for them today, once nbgrader's own classes
    take their values. Raises SettingsError.
    """
    # They bring all of nbgrader, which a folder without settings does not need.
    from nbgrader.apps.baseapp import NbGrader
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.exchange.default import Exchange

    try:
        application = NbGrader(log_level=logging.CRITICAL)
        application.update_config(config)
        for configured in (CourseDirectory, Exchange):
            configured(config=application.config)
    except (TraitError, TypeError, ValueError, AttributeError) as error:
        raise SettingsError(f"{folder / CONFIG}: {error}. {MEND}") from None
    return application.config
