"""The journal: each graded submission's result on disk before it reaches the gradebook, so that a
killed run loses nothing.

A result is filed under the student and carries the keys that it was computed for (see `keys`).
Beside it lie the notebooks to record, and the answers that the verdicts are about: what judges may
change, and then nothing of a student's runs again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from nbjudge import wire
from nbjudge.contract import Answer
from nbjudge.grading.config.folders import Course, make_private, write_private
from nbjudge.grading.marks.results import SubmissionResult

# Answers of one exercise that are larger are not kept: they are computed again.
MAX_ANSWERS = 64 << 20
ENTRY = "entry.json"
# Holds the hash of the entry that the gradebook has taken.
RECORDED = "recorded"
Answers = Mapping[str, Answer]


class Entry:
    """What is known of a student's last result; empty when there is none, when it is damaged, or
    when another version wrote it.
    """

    def __init__(self, folder: Path, student: str):
        self._folder = folder
        self._student = student
        found = _read(folder / ENTRY)
        self.found = found if found.get("student") == student else {}

    @property
    def keys(self) -> dict:
        keys = self.found.get("keys")
        return keys if isinstance(keys, dict) else {}

    @property
    def is_recorded(self) -> bool:
        """Whether the gradebook has taken it."""
        try:
            return (self._folder / RECORDED).read_text() == _hash(self._folder / ENTRY)
        except (OSError, ValueError):
            return False

    def result(self, with_documents: bool = True) -> SubmissionResult | None:
        try:
            result = SubmissionResult.from_journal(self.found["result"])
            if with_documents:
                data = (self._folder / "documents.json").read_bytes()
                if hashlib.sha256(data).hexdigest() != self.found["documents"]:
                    return None
                result.documents = json.loads(data)
        except (OSError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
            return None
        return result

    def answers(self, exercise_id: str) -> dict[str, Answer] | None:
        """The stored answers to an exercise, or None."""
        path = self._folder / f"{exercise_id}.answers"
        try:
            if _hash(path) != self.hashes[exercise_id]:
                return None
            with open(path, "rb") as file:
                frames = list(wire.read(file, 2 * MAX_ANSWERS, wire.Store()))
            return {
                frame.header["case"]: Answer(
                    frame.header["outcome"], wire.passed_on(frame.blobs), frame.header["error"]
                )
                for frame in frames
            }
        except (OSError, KeyError, wire.WireError):
            return None

    @property
    def hashes(self) -> dict[str, str]:
        """Of the stored answers, by exercise."""
        hashes = self.found.get("answers")
        return hashes if isinstance(hashes, dict) else {}


class Journal:
    """Results of one assignment. `course` and `assignment` choose the folder."""

    def __init__(self, course: Course, assignment: str):
        self._course = course
        self._assignment = assignment
        self._folder = course.private("journal", assignment)

    @staticmethod
    def is_there(course: Course, assignment: str) -> bool:
        """Whether a course has a journal of the assignment; makes no folder."""
        return (course.root / ".nbjudge" / "journal" / assignment).is_dir()

    def _of(self, student: str) -> Path:
        return self._folder / hashlib.sha256(student.encode()).hexdigest()[:24]

    def read(self, student: str) -> Entry:
        return Entry(self._of(student), student)

    def write(
        self,
        student: str,
        keys: dict,
        result: SubmissionResult,
        answers: Mapping[str, Answers],
        keeping: Collection[str] = (),
    ) -> None:
        """The entry comes last, with the hashes of what lies beside it. Of older answers those of
        the exercises in `keeping` stay.
        """
        folder = make_private(self._folder, self._of(student).name)
        old = self.read(student).hashes if keeping else {}
        hashes = {each: text for each, text in old.items() if each in keeping}
        (folder / ENTRY).unlink(missing_ok=True)
        documents = _together(result.texts)
        try:
            for path in folder.glob("*.answers"):
                if path.stem not in hashes:
                    path.unlink()
            hashes |= _write_answers(folder, answers)
            write_private(folder / "documents.json", documents, lasting=False)
            entry = {
                "student": student,
                "keys": keys,
                "answers": hashes,
                "documents": hashlib.sha256(documents).hexdigest(),
                "result": result.to_journal(with_documents=False),
            }
            write_private(folder / ENTRY, json.dumps(entry).encode())
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def results(self) -> Iterator[SubmissionResult]:
        """What was graded last of each student, with whatever. Damaged files are left out."""
        for folder in sorted(path for path in self._folder.iterdir() if path.is_dir()):
            student = _read(folder / ENTRY).get("student")
            if isinstance(student, str) and (result := Entry(folder, student).result()):
                yield result

    def mark_recorded(self, student: str) -> None:
        """The gradebook has taken the result. Without this note it is recorded once more, which
        changes nothing.
        """
        folder = self._of(student)
        write_private(folder / RECORDED, _hash(folder / ENTRY).encode(), lasting=False)


def _write_answers(folder: Path, answers: Mapping[str, Answers]) -> dict[str, str]:
    """Keep answers by exercise, but for those that are too large. Returns the hashes of the
    files.
    """
    hashes = {}
    for exercise_id, by_case in answers.items():
        if _size(by_case) <= MAX_ANSWERS:
            path = folder / f"{exercise_id}.answers"
            write_private(path, _frames(by_case), lasting=False)
            hashes[exercise_id] = _hash(path)
    return hashes


def _together(texts: Mapping[str, str]) -> bytes:
    """One JSON object of several."""
    inside = ", ".join(f"{json.dumps(name)}: {text}" for name, text in texts.items())
    return f"{{{inside}}}".encode()


def _hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(answers: Answers) -> int:
    return sum(len(data) for answer in answers.values() for data in answer.files.values())


def _frames(answers: Answers) -> Iterator[bytes]:
    for case, answer in answers.items():
        yield from wire.pieces(
            "answer",
            dict(answer.files),
            case=case,
            outcome=answer.outcome,
            error=dict(answer.error),
        )


def _read(path: Path) -> dict:
    try:
        entry = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}
