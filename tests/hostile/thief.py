"""A search for an answer among all that the box with student code holds.

A thief takes any function of ours that the box mounts and whose result has the type of an answer,
hands it the arguments in every way that fits, and returns what it gives. What the box does not
mount cannot be imported here either.

The search is bounded, always in the same way: every function is asked, in each of at most `WAYS`
ways, about `FEW` of the hidden cases of each function that the exercise asks for. The `BEST` answers
among these are asked about all cases. A call that takes longer than `SECONDS` is no answer.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib
import inspect
import pkgutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import onnx_ir as ir
from onnx import ModelProto

import formatlab
import formatlab_exercises as exercises_of_ours
import nbjudge
from nbjudge.asking import ask
from nbjudge.boxes import mounts
from nbjudge.contract import Answer, Case, Exercise
from nbjudge.rungs.ladder import climb
from tests.mutants import SEED, cases_of, references

PACKAGES = (nbjudge, exercises_of_ours, formatlab)
MODELS, NUMBERS = ("ModelProto", "bytes", "ir.Model"), ("int", "float", "ndarray", "list", "tuple")
MAPPINGS = ("dict", "Mapping", "Counter", "Facts", "tuple")
# Words in the annotation of what a function of ours returns, by a word in an exercise's signature.
GIVES = {
    "ModelProto": MODELS,
    "dict": MAPPINGS,
    "str": ("str",),
    **dict.fromkeys(("int", "float", "ndarray", "list", "codes"), NUMBERS),
    "None": MODELS,  # what is asked for is a file, or an error
    "ScriptModule": (*MODELS, *MAPPINGS, "Module"),
}
# Programs of a box and of the command line: importing or calling them does something.
PROGRAMS = ("nbjudge.boxes", "nbjudge.cli", "nbjudge.lab", "nbjudge.doctor")
# As `ways` gives them: up to four arguments, and a model in five other forms.
WAYS = 9
FEW, BEST, SECONDS = 2, 3, 20


@dataclass(frozen=True)
class Found:
    """What an answer earned: on a few cases in the search, on all of them at its end."""

    score: float
    function: str
    way: int


@cache
def hidden() -> list[str]:
    """The modules that the box does not mount, by their names' beginnings."""
    words = mounts.arguments()
    folders = {Path(words[at + 1]) for at, word in enumerate(words) if word == "--tmpfs"}
    packages = Path(nbjudge.__file__).parents[1]
    return sorted(
        ".".join(folder.relative_to(packages).parts)
        for folder in folders
        if folder.is_relative_to(packages)
    )


def is_below(name: str, folders) -> bool:
    return any(name == folder or name.startswith(f"{folder}.") for folder in folders)


@cache
def functions() -> dict[str, Callable]:
    """Every function of ours that the box mounts, by its whole name."""
    names = [
        module.name
        for package in PACKAGES
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    seen = [
        importlib.import_module(name)
        for name in names
        if not is_below(name, (*hidden(), *PROGRAMS)) and "__main__" not in name
    ]
    return {
        f"{module.__name__}.{name}": each
        for module in seen
        for name, each in vars(module).items()
        if inspect.isfunction(each) and each.__module__ == module.__name__
    }


def candidates(exercise: Exercise) -> dict[str, Callable]:
    asked = " ".join(each.partition(" -> ")[2] for each in exercise.functions.values())
    words = {word for key, several in GIVES.items() if key in asked for word in several}
    return {
        name: each
        for name, each in functions().items()
        if any(word in str(each.__annotations__.get("return")) for word in words)
    }


def ways(arguments: tuple) -> Iterator[tuple]:
    """The arguments as they are, fewer of them, and a model as bytes or as onnx-ir's."""
    for count in range(len(arguments), 0, -1):
        yield arguments[:count]
    first = arguments[0]
    if isinstance(first, ModelProto):
        data = first.SerializeToString()
        yield from (
            (data,),
            (data, 0),
            (data, {}),
            (first.graph,),
            (ir.from_proto(ModelProto.FromString(data)),),
        )


def as_answer(found: object) -> object:
    if isinstance(found, bytes):
        return ModelProto.FromString(found)
    return ir.to_proto(found) if isinstance(found, ir.Model) else found


def thief(function: Callable, way: int) -> Callable:
    def answer(*arguments, **named):
        given = (*arguments, *named.values())
        chosen = list(ways(given))
        if way >= len(chosen):
            raise TypeError("no such way")
        found = as_answer(function(*chosen[way]))
        if isinstance(found, ModelProto) and isinstance(given[-1], str | Path):
            Path(given[-1]).write_bytes(found.SerializeToString())
        return found

    return answer


@contextmanager
def as_in_the_box(monkeypatch) -> Iterator[None]:
    """What the box does not mount cannot be imported, whether it was imported before or not. A
    number is no file: opened and closed, it would cost this process one of its own.
    """
    folders = hidden()
    ours = tuple(f"{package.__name__}." for package in PACKAGES)
    with monkeypatch.context() as patch:
        for name in [each for each in sys.modules if each.startswith(ours)]:
            if is_below(name, folders):
                patch.setitem(sys.modules, name, None)
        patch.setattr(sys, "meta_path", [NotMounted(), *sys.meta_path])
        patch.setattr(builtins, "open", _open)
        yield


def _open(file, *arguments, **named):
    if isinstance(file, int):
        raise OSError(f"a thief opens no descriptor: {file}")
    return open(file, *arguments, **named)


class NotMounted:
    """Finds the modules that the box does not mount, and refuses them."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if is_below(name, hidden()):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class TooLong(BaseException):
    """A function took longer than a thief waits. It is no `Exception`, which a function may catch."""


@contextmanager
def bounded() -> Iterator[None]:
    """What runs here is interrupted after `SECONDS`, and every second from then on: a function may
    catch everything.
    """

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Search:
    """The best answer to one exercise. `tried` counts the answers that came back at all."""

    def __init__(self, exercise: Exercise, scratch: Path, monkeypatch):
        self.exercise, self._scratch, self._patch = exercise, scratch, monkeypatch
        self._cases = cases_of(exercise.id, large=False)
        self._references = references(exercise.id, SEED, self._cases)
        self._seen: set[bytes] = set()
        self.tried = 0

    def best(self) -> Found:
        few = self._few()
        found = [
            found
            for name, function in candidates(self.exercise).items()
            for way in range(WAYS)
            if (found := self._first(name, function, way, few))
        ]
        finalists = sorted(found, key=lambda each: (-each.score, each.function, each.way))[:BEST]
        whole = [self._whole(each) for each in finalists]
        return max(whole, key=lambda each: each.score, default=Found(0.0, "", 0))

    def _few(self) -> list[Case]:
        """Hidden cases, the first and the middle one of each function that is asked for."""
        by_function: dict[str, list[Case]] = {}
        for case in self._cases:
            if not case.public:
                by_function.setdefault(self.exercise.function_of(case), []).append(case)
        return [
            case
            for several in by_function.values()
            for case in several[:: max(1, -(-len(several) // FEW))]
        ]

    def _first(self, name: str, function: Callable, way: int, few: list[Case]) -> Found | None:
        """What a function earns on a few cases; None where it gives nothing, or nothing new."""
        given = self._answers(function, way, few)
        if all(each.outcome != "returned" for each in given.values()):
            return None
        self.tried += 1
        mark = _digest(given)
        if mark in self._seen:
            return None
        self._seen.add(mark)
        return Found(self._score(few, given), name, way)

    def _whole(self, found: Found) -> Found:
        given = self._answers(functions()[found.function], found.way, self._cases)
        return replace(found, score=self._score(self._cases, given))

    def _score(self, cases: list[Case], given: Mapping[str, Answer]) -> float:
        seen = {case.name: self.exercise.judge.observe(case, given[case.name]) for case in cases}
        return climb(self.exercise, cases, seen, self._references).score

    def _answers(self, function: Callable, way: int, cases: list[Case]) -> dict[str, Answer]:
        taken = dict.fromkeys(self.exercise.functions, thief(function, way))
        served = [(case, self.exercise.server(case)) for case in cases]
        with as_in_the_box(self._patch):
            return {case.name: self._answer(taken, case, server) for case, server in served}

    def _answer(self, taken: Mapping[str, Callable], case: Case, server) -> Answer:
        line = server.reply if server else lambda question: None
        with tempfile.TemporaryDirectory(dir=self._scratch) as place, bounded():
            answer = ask(self.exercise, taken, case, Path(place), line=line)
        return replace(answer, files={**answer.files, **server.log()}) if server else answer


def _digest(given: Mapping[str, Answer]) -> bytes:
    told = hashlib.sha256()
    for name, answer in sorted(given.items()):
        told.update(f"{name} {answer.outcome}".encode())
        for file, data in sorted(answer.files.items()):
            told.update(file.encode() + data)
    return told.digest()
