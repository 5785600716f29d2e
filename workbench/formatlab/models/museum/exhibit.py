"""What an exhibit is: a healthy model, one damage, and the repair that undoes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from onnx import GraphProto, ModelProto

from formatlab.models import to_bytes
from formatlab.models.museum import healthy
from formatlab.models.museum.healthy import Family, Healthy
from formatlab.models.museum.runs import Run, make_runs, relative_error, with_outputs_of, write_runs

# A folder of their own, so that a model may point outside of it.
MODEL = "export/model.onnx"
TENSORS = "export/model.safetensors"
RUNS = "export/model.io.safetensors"
Files = dict[str, bytes]
Edit = Callable[[ModelProto], None]
ATTEMPTS = 20


@dataclass(frozen=True)
class Specimen:
    """One broken model as `files` by relative path, `main` among them, and the `repair` that makes
    whole files of broken ones.
    """

    main: str
    files: Files
    repair: Callable[[Mapping[str, bytes]], Files]


@dataclass(frozen=True)
class Exhibit:
    """One fault: its diagnosis, the rung that catches it, how it comes about (`story`), and what
    mends it (`fix`).

    `build(rng)` makes a specimen; the generator decides about the model around the fault: its
    family, sizes, operators and names.
    """

    name: str
    diagnosis: str
    rung: str
    story: str
    fix: str
    build: Callable[[np.random.Generator], Specimen]


EXHIBITS: dict[str, Exhibit] = {}


def exhibit(name: str, diagnosis: str, rung: str, story: str, fix: str) -> Callable[..., Any]:
    """Register `build(rng) -> Specimen`."""

    def register(build: Callable[[np.random.Generator], Specimen]) -> Callable[..., Any]:
        EXHIBITS[name] = Exhibit(
            name=name, diagnosis=diagnosis, rung=rung, story=story, fix=fix, build=build
        )
        return build

    return register


Damage = Callable[[ModelProto, np.random.Generator], Edit]


def fault(
    name: str,
    diagnosis: str,
    rung: str,
    *,
    story: str,
    fix: str,
    families: tuple[Family, ...] = healthy.PLAIN,
) -> Callable[..., Any]:
    """Register `damage(model, rng) -> repair`: it changes a model of one of the families in place,
    and gives the edit that undoes it.
    """

    def build(damage: Damage, rng: np.random.Generator) -> Specimen:
        broken, runs, repair = _damaged(damage, families, rng)
        return specimen(broken, runs, repair)

    return _registered((name, diagnosis, rung, story, fix), build)


def _damaged(
    damage: Damage, families: tuple[Family, ...], rng: np.random.Generator
) -> tuple[Any, ...]:
    """A model of one of the families with the damage, its runs before that, and the repair."""
    subject = families[rng.integers(len(families))](rng)
    runs = make_runs(subject, rng)
    broken = copy(subject.model)
    return broken, runs, damage(broken, rng)


def _registered(words: tuple[str, ...], build: Callable[..., Specimen]) -> Callable[..., Any]:
    """The decorator of a damage of which `build(damage, rng)` makes an exhibit."""

    def register(damage: Damage) -> Damage:
        exhibit(*words)(partial(build, damage))
        return damage

    return register


def wrong_numbers(
    name: str,
    diagnosis: str,
    rung: str,
    *,
    story: str,
    fix: str,
    families: tuple[Family, ...] = healthy.PLAIN,
) -> Callable[..., Any]:
    """Like `fault`, drawing again until the damage changes the outputs by a tenth of the largest
    one at least.

    For the rung `metric`, the expected outputs are those of the damaged model: only the labels
    tell.
    """

    def build(damage: Damage, rng: np.random.Generator) -> Specimen:
        for _ in range(ATTEMPTS):
            broken, runs, repair = _damaged(damage, families, rng)
            given = with_outputs_of(broken, runs)
            if min(_distance(run, other) for run, other in zip(runs, given, strict=True)) > 0.1:
                told = (given, repair, runs) if rung == "metric" else (runs, repair)
                return specimen(broken, *told)
        raise RuntimeError(f"{name}: no model was found whose outputs the damage changes")

    return _registered((name, diagnosis, rung, story, fix), build)


def specimen(
    broken: ModelProto, runs: list[Run], repair: Edit, right_runs: list[Run] | None = None
) -> Specimen:
    """A model in one file with `runs` beside it; the repair puts `right_runs` in their place where
    they are given.
    """

    def whole(files: Mapping[str, bytes]) -> Files:
        model = ModelProto.FromString(files[MODEL])
        repair(model)
        return {**files, MODEL: to_bytes(model), RUNS: write_runs(right_runs or runs)}

    return Specimen(MODEL, {MODEL: to_bytes(broken), RUNS: write_runs(runs)}, whole)


def sound(family: Family, rng: np.random.Generator) -> tuple[Healthy, Files]:
    """A healthy model of that family, and its files."""
    subject = family(rng)
    return subject, {MODEL: to_bytes(subject.model), RUNS: write_runs(make_runs(subject, rng))}


def copy(model: ModelProto) -> ModelProto:
    return ModelProto.FromString(model.SerializeToString())


def nodes_of(graph: GraphProto, *operators: str) -> list[int]:
    """The places of the nodes with one of those operators; of all nodes when none is named."""
    return [at for at, node in enumerate(graph.node) if not operators or node.op_type in operators]


def readers(graph: GraphProto, name: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """The places (node, input) that read `name`, from node `start` on; subgraphs are not searched."""
    for at in range(start, len(graph.node)):
        yield from (
            (at, position) for position, read in enumerate(graph.node[at].input) if read == name
        )


def insert(graph: GraphProto, at: int, nodes: list[Any]) -> None:
    """Put nodes in before place `at`."""
    later = list(graph.node[at:])
    del graph.node[at:]
    graph.node.extend([*nodes, *later])


def fresh(model: ModelProto, rng: np.random.Generator, like: str, count: int = 1) -> list[str]:
    """New names that look like `like`: only the number in them is another one, and nothing in the
    model has it.
    """
    text = model.SerializeToString()
    names: list[str] = []
    while len(names) < count:
        name = re.sub(r"\d+", str(rng.integers(1000)), like)
        if name not in names and name.encode() not in text:
            names.append(name)
    return names


def _distance(run: Run, other: Run) -> float:
    return max(
        relative_error(other.expected[name], wanted) for name, wanted in run.expected.items()
    )
