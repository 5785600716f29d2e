"""Results of a class in little memory: about a kilobyte each, so that ten thousand fit beside the
rest of a run.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, MutableSequence

from nbjudge.grading.results import SubmissionResult

# Names of fields and of cells are the same in every result; the first level finds them as well.
_LEVEL = 1


class KeptResults(MutableSequence[SubmissionResult]):
    """A list of results without their documents, files and secrets. An item is a copy, as it was
    put in: to change one, assign it again.
    """

    def __init__(self, results: Iterable[SubmissionResult] = ()):
        self._packed: list[tuple[str, bytes]] = []
        self.extend(results)

    def __len__(self) -> int:
        return len(self._packed)

    def __getitem__(self, index: int) -> SubmissionResult:
        _, packed = self._packed[index]
        return SubmissionResult.from_journal(json.loads(zlib.decompress(packed)))

    def __setitem__(self, index: int, result: SubmissionResult) -> None:
        self._packed[index] = _packed(result)

    def __delitem__(self, index: int) -> None:
        del self._packed[index]

    def insert(self, index: int, result: SubmissionResult) -> None:
        self._packed.insert(index, _packed(result))

    def sort(self) -> None:
        """By student, without unpacking any."""
        self._packed.sort(key=lambda each: each[0])


def _packed(result: SubmissionResult) -> tuple[str, bytes]:
    parts = {**result.to_journal(with_documents=False), "files": {}, "secret": None}
    return result.student, zlib.compress(json.dumps(parts).encode(), _LEVEL)
