"""`course release --bundle`: the students' edition as one zip file, without solutions and tests."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from nbjudge.grading.config.folders import Project

# What a student needs to type `make lab`; everything else stays with the instructors.
INCLUDED = (
    *("labs", "notebooks", "exercises", "autograder", "workbench", "tools"),
    *(
        "README.md",
        "LICENSE",
        "NOTICE.md",
        "Makefile",
        "pyproject.toml",
        "hatch_build.py",
        "requirements.lock",
        "environment.yml",
    ),
)
LEFT_OUT = {"__pycache__", ".ipynb_checkpoints", "answers"}


def bundle(project: Project, target: Path) -> list[str]:
    """Write the zip file, the same bytes for the same files. Returns the names in it."""
    fresh = target.with_name(f".{target.name}.new")
    try:
        names = _write(project, fresh)
        os.replace(fresh, target)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(target)) from None
    return names


def _write(project: Project, target: Path) -> list[str]:
    names = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for top in INCLUDED:
            path = project.root / top
            files = sorted(path.rglob("*")) if path.is_dir() else [path] if path.exists() else []
            for file in files:
                # A link may lead to what stays with the instructors.
                if file.is_symlink() or not file.is_file() or LEFT_OUT & set(file.parts):
                    continue
                name = f"ml-model-formats/{file.relative_to(project.root).as_posix()}"
                entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
                entry.external_attr = (file.stat().st_mode & 0o777) << 16
                archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
                names.append(name)
    return names
