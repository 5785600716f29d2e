"""What the coordinator asks of a runner box; see `runner` for the frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from nbjudge import wire
from nbjudge.boxes.inside.testing import tested_exercise

_BOUNDS = ("cell_seconds", "notebook_seconds", "case_seconds", "output_bytes")


@dataclass(frozen=True)
class Cell:
    index: int
    source: str
    exercise: str | None

    @classmethod
    def of(cls, cell: dict) -> Cell:
        exercise = cell.get("exercise", tested_exercise(cell["source"]))
        return cls(cell["index"], cell["source"], exercise)


@dataclass(kw_only=True)
class Job:
    """One notebook's run."""

    cells: list[Cell]
    plain: bool = False
    cell_seconds: float = 120.0
    notebook_seconds: float = 900.0
    case_seconds: float = 30.0
    output_bytes: int = 1 << 20
    skip: frozenset[int] = frozenset()
    endures: frozenset[tuple] | None = None
    imports: tuple[str, ...] = ()
    cases: list[wire.Frame] = field(default_factory=list)
    given: list[wire.Frame] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def read(cls, frames: Iterable[wire.Frame]) -> Job | None:
        """The next job; None when there is none any more."""
        header: dict = {}
        cases = []
        public = []
        files = {}
        for frame in frames:
            if frame.kind == "job":
                header = frame.header
            elif frame.kind == "case":
                cases.append(frame)
            elif frame.kind == "given":
                public.append(frame)
            elif frame.kind == "file":
                files[frame.header["path"]] = frame.files["data"]
            elif frame.kind == "go":
                break
        return cls._of(header, cases=cases, given=public, files=files) if header else None

    @classmethod
    def _of(cls, header: dict, **sent) -> Job:
        endured = header.get("endures")
        return cls(
            cells=[Cell.of(cell) for cell in header["cells"]],
            plain=header["mode"] == "plain",
            **{key: header[key] for key in _BOUNDS if key in header},
            skip=frozenset(header.get("skip", ())),
            endures=None if endured is None else frozenset(map(tuple, endured)),
            imports=tuple(header.get("imports", ())),
            **sent,
        )
