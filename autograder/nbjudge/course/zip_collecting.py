"""`nbgrader zip_collect`: archives of a class, each unpacked in a box with limits before nbgrader
looks at what is in them.

1. nbgrader's extraction is replaced where its class has it, so a class derived from it, or named in
   the settings, unpacks in the same way.
2. A link or a pipe in the folder of downloads refuses the run before anything is written.
3. An archive, or a file in one, that cannot be taken is named with its student's file; the others go
   on, and the command ends with status 1. The archive itself stays where it is.
4. Archives in an archive are unpacked too, as nbgrader does it. All that comes out of one download
   shares its limits of size, number and depth.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from nbgrader.apps.zipcollectapp import ZipCollectApp
from nbgrader.plugins import ExtractorPlugin

from nbjudge import limits
from nbjudge.course import boxed, checked_copy, unpacking
from nbjudge.course.identity import Unclear
from nbjudge.grading.intake.untrusted import shown

DEEPEST = 3  # an archive of a class, each student's in it, and what a student packed
_collect = ZipCollectApp.process_extracted_files


def extract(plugin: ExtractorPlugin, archive_path: str, extracted_path: str) -> None:
    """Unpack what lies in the folder of downloads, and copy the other files. Raises boxed.Refused."""
    places = Path(archive_path), Path(extracted_path)
    found = [line for place in places for line in checked_copy.not_regular(place)]
    for line in found:
        plugin.log.error(
            "Nothing was collected: %s. Take it away, and type the command again", line
        )
    if found:
        raise boxed.Refused
    if not os.listdir(archive_path):
        plugin.log.warning("No files found in directory: %s", archive_path)
    for place, _, names in os.walk(archive_path):
        for name in names:
            download = Path(place, name)
            target = Path(extracted_path, download.parent.relative_to(archive_path))
            target.mkdir(parents=True, exist_ok=True)
            for line in _taken(download, target, plugin):
                plugin.log.error("Not taken: %s", line)
                _not_taken(plugin).append(line)


def process_extracted_files(app: ZipCollectApp) -> None:
    """nbgrader's own, and at the end what was not taken. Raises SystemExit."""
    _collect(app)
    if told := _not_taken(app.extractor_plugin_inst):
        for line in told:
            app.log.error("Not taken of %s: %s", app.coursedir.assignment_id, line)
        raise SystemExit(1)


def _not_taken(plugin: ExtractorPlugin) -> list[str]:
    return vars(plugin).setdefault("not_taken", [])


def _taken(download: Path, target: Path, plugin: ExtractorPlugin) -> Iterator[str]:
    """Put a download, unpacked, into the folder `target`; yields a line for each file that was not
    taken.
    """
    name = shown(download.name)
    if not _is_archive(download.name, plugin):
        if download.stat().st_size > limits.FILE:
            yield f"{name} is larger than {limits.FILE >> 20} MB"
            return
        plugin.log.info("Copying from: %s", download)
        plugin.log.info("  Copying to: %s", target / download.name)
        shutil.copy(download, target)
        return
    if download.stat().st_size > limits.DOWNLOAD:
        yield f"{name} is larger than {limits.DOWNLOAD >> 20} MB: unpack it there, and take it away"
        return
    plugin.log.info("Extracting from: %s", download)
    plugin.log.info("  Extracting to: %s", target / _folder(download.name))
    files: dict[PurePosixPath, bytes] = {}
    for line in _unpacked(
        download.read_bytes(), PurePosixPath(_folder(download.name)), plugin, files
    ):
        yield f"{name}: {line}"
    yield from _put(files, target)


def _unpacked(
    data: bytes,
    folder: PurePosixPath,
    plugin: ExtractorPlugin,
    files: dict[PurePosixPath, bytes],
    depth: int = 1,
) -> Iterator[str]:
    """Add what is in an archive to `files`, and what is in the archives there."""
    if depth > DEEPEST:
        yield f"archives in archives, more than {DEEPEST} deep: pack the files themselves"
        return
    try:
        opened = unpacking.unpacked(data, bulk=True, tars=True)
    except Unclear as problem:
        yield str(problem)
        return
    yield from (
        why if path in why else f"{shown(path)}: {why}"
        for path, why in {**opened.left_out, **opened.passed_by}.items()
    )
    many = len(files) + len(opened.files)
    size = sum(map(len, files.values())) + sum(map(len, opened.files.values()))
    if many > limits.DOWNLOAD_FILES or size > limits.DOWNLOAD:
        yield (
            f"with the archives in it, it unpacks to more than {limits.DOWNLOAD >> 20} MB or {limits.DOWNLOAD_FILES} files"
        )
        return
    files |= {folder / path: content for path, content in opened.files.items()}
    for path, content in opened.files.items():
        if _is_archive(path, plugin):
            inner = (folder / path).parent / _folder(PurePosixPath(path).name)
            for line in _unpacked(content, inner, plugin, files, depth + 1):
                yield f"{shown(path)}: {line}"


def _put(files: dict[PurePosixPath, bytes], target: Path) -> Iterator[str]:
    for path, content in files.items():
        place = target / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("xb") as file:
                file.write(content)
        except OSError as error:  # a file where another's folder is, two of one name
            yield f"{shown(str(path))}: {error.strerror}"


def _is_archive(name: str, plugin: ExtractorPlugin) -> bool:
    return PurePosixPath(name).suffix in plugin.zip_ext


def _folder(name: str) -> str:
    """What nbgrader calls the folder of an archive."""
    return name.removesuffix(PurePosixPath(name).suffix).removesuffix(".tar")
