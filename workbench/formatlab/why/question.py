"""Is it the same question? Two models with their inputs brought together, and which node and value of
one is which of the other.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import GraphProto, ModelProto, NodeProto, helper

from formatlab.diff import CannotDiff, given
from formatlab.diff.compare import ScopeDiff
from formatlab.diff.inputs import CannotFeed, Inputs, draw
from formatlab.diff.parts import Whole, flat, reads
from formatlab.diff.reading import Model, Source, read
from formatlab.diff.words import plain, quoted
from formatlab.numerics import Feeds
from formatlab.why import runs as sessions

RUNS = 3
# Models that hold more are refused: the search holds both, and A's values.
LARGEST = 2 << 30


@dataclass(eq=False, kw_only=True)
class Question:
    """`inputs` and `outputs` are the pairs of names; `twins` says of the first output of a node of B
    which node of A it is; `values` which value of A is which of B. `moved` are the axes by which an
    input of A is moved for B. `notes` are sentences on what was changed to ask at all.
    """

    a: Whole
    b: Whole
    inputs: dict[str, str]
    outputs: list[tuple[str, str]]
    values: list[tuple[str, str]]
    twins: dict[str, str]
    feeds_a: list[Feeds]
    feeds_b: list[Feeds]
    drawn: bool
    moved: dict[str, tuple[int, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


Fed = str | Path | Mapping[str, np.ndarray] | Sequence[Mapping[str, np.ndarray]]


class Unlike(ValueError):
    """The two models do not answer the same question. The text says how."""


def load(source: Source, letter: str, notes: list[str]) -> ModelProto:
    """Return a model with its weights, `flat`. `notes` gets what is wrong with the file and changes no
    number. Raises CannotDiff.
    """
    model = read(source, letter)
    if model.weight_bytes + (model.bytes or model.proto.ByteSize()) > LARGEST:
        raise CannotDiff(
            f"{model.label} holds more than {LARGEST >> 30} GiB, and the search would hold it several times: ask about a part of it"
        )
    proto = model.proto
    if model.path is not None:
        _check_weights(model)
        proto = onnx.load(str(model.path))
    if (unsorted := _unsorted(proto.graph)) is not None:
        reader, name = unsorted
        notes.append(
            f"the nodes of {letter} are not sorted: {plain(reader.op_type)} reads {quoted(name)}, which a node behind it gives. "
            "ONNX's checker refuses such a file, and a session puts the nodes in order itself"
        )
    try:
        return flat(proto)
    except CannotDiff:
        raise
    except Exception as problem:  # of onnx's inliner  # noqa: BLE001
        raise CannotDiff(
            f"{model.label} cannot be read as one graph: {plain(str(problem), 160)}"
        ) from None


def _unsorted(graph: GraphProto) -> tuple[NodeProto, str] | None:
    """The first node that reads what a later one gives, and that value."""
    later = {name for node in graph.node for name in node.output if name}
    for node in graph.node:
        for name in reads(node):
            if name in later:
                return node, name
        later.difference_update(node.output)
    return None


def _check_weights(model: Model) -> None:
    """Where its weights lie is looked at before onnx reads them."""
    for tensor in model.proto.graph.initializer:
        model.weight(tensor)


def ask(
    a: ModelProto,
    b: ModelProto,
    feeds: Fed | None,
    seed: int,
    *,
    runs: int = RUNS,
    sizes: Mapping[str, int] | None = None,
    ranges: Mapping[str, tuple[int, int]] | None = None,
    careful: bool = False,
) -> Question:
    """Return the question. `careful` does not run B. Raises Unlike, CannotDiff and CannotFeed."""
    from formatlab.diff import diff

    compared = diff(a, b, inputs=0)
    scope = compared.scopes[0]
    inputs = _inputs(scope)
    notes: list[str] = []
    first = Whole(a)
    second = Whole(b)
    missing = [name for name in first.inputs if name not in inputs and name in first.readers]
    extra = [
        name for name in second.inputs if name not in inputs.values() and name in second.readers
    ]
    if missing or extra:
        who, name = ("B", missing[0]) if missing else ("A", extra[0])
        raise Unlike(f"{who} has no input like {quoted(name)}")
    moved = _moved(first, second, inputs)
    if feeds is None:
        laid_out = _laid_out(a, b, inputs, moved)
        drawn = draw(a, laid_out, inputs, runs=runs, seed=seed, sizes=sizes, ranges=ranges)
        source = Inputs.of(a, laid_out, inputs, seed=seed, sizes=sizes, ranges=ranges)
        both = [sessions.session(a)]
        if not careful:
            with contextlib.suppress(Exception):  # that B does not load is told when it is run
                both.append(sessions.session(b))
        mine = [
            each
            for run, feeds in enumerate(drawn)
            if (
                each := _taken(
                    source, feeds, run, both, lambda one: _for_b(one, second, inputs, moved)
                )
            )
        ]
        if not mine:
            raise CannotFeed(
                "no drawn input runs in both models: give those of your program (--feeds), or a size (--dim)"
            )
    else:
        mine = given_feeds(feeds, first, notes)
    theirs = [_for_b(each, second, inputs, moved) for each in mine]
    return Question(
        a=first,
        b=second,
        inputs=inputs,
        outputs=[
            (scope.pairs.a.output_names[one], scope.pairs.b.output_names[other])
            for one, other in scope.pairs.outputs.items()
        ],
        values=_values(scope),
        twins=_twins(scope),
        feeds_a=mine,
        feeds_b=theirs,
        drawn=feeds is None,
        moved=moved,
        notes=notes,
    )


def _taken(
    source: Inputs,
    first: Feeds,
    run: int,
    both: Sequence[ort.InferenceSession],
    for_b: Callable[[Feeds], Feeds],
) -> Feeds | None:
    """The first of the drawn inputs of a run that both models take: sizes that one refuses are drawn
    again.
    """
    others = (source.feeds(each, run) for each in itertools.islice(source.candidates(run), 12))
    for feeds in itertools.chain([first], others):
        try:
            both[0].run(None, feeds)
            for session in both[1:]:
                session.run(None, for_b(feeds))
        except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
            continue
        return feeds
    return None


def given_feeds(
    feeds: Fed,
    model: Whole,
    notes: list[str],
) -> list[Feeds]:
    """Return the user's inputs by the names of the model. Raises CannotFeed."""
    if isinstance(feeds, (str, Path)):
        found, said = given.load_feeds(Path(feeds), list(model.proto.graph.input))
        notes += said
        return found
    each = [feeds] if isinstance(feeds, Mapping) else list(feeds)
    for one in each:
        if missing := [name for name in model.inputs if name not in one]:
            raise CannotFeed(f"the inputs lack {quoted(missing[0])}: give each input its name")
    return [{name: np.asarray(one[name]) for name in model.inputs} for one in each]


def _inputs(scope: ScopeDiff) -> dict[str, str]:
    pairs = scope.pairs
    return {pairs.a.inputs[one]: pairs.b.inputs[other] for one, other in pairs.inputs.items()}


def _values(scope: ScopeDiff) -> list[tuple[str, str]]:
    pairs = scope.pairs
    twice = {*pairs.a.twice, *pairs.b.twice}
    found = []
    for one, other in pairs.forth.items():
        names = zip(pairs.a.nodes[one].outputs, pairs.b.nodes[other].outputs, strict=False)
        found += [
            (mine, theirs)
            for mine, theirs in names
            if mine and theirs and not twice & {mine, theirs}
        ]
    return found


def _twins(scope: ScopeDiff) -> dict[str, str]:
    pairs = scope.pairs
    found = {}
    for one, other in pairs.forth.items():
        mine = next(filter(None, pairs.a.nodes[one].outputs), "")
        theirs = next(filter(None, pairs.b.nodes[other].outputs), "")
        if mine and theirs:
            found[theirs] = mine
    return found


def _dims(model: Whole, name: str) -> list[int | None]:
    value = next(each for each in model.proto.graph.input if each.name == name)
    return [
        dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else None
        for dim in value.type.tensor_type.shape.dim
    ]


def _moved(a: Whole, b: Whole, inputs: Mapping[str, str]) -> dict[str, tuple[int, ...]]:
    """The axes by which inputs of A become those of B, where the sizes say that they have to: one model
    takes channels first and the other last.
    """
    found = {}
    for name, other in inputs.items():
        mine = _dims(a, name)
        theirs = _dims(b, other)
        if len(mine) != len(theirs) or _agree(mine, theirs):
            continue
        for axes in [(0, 2, 3, 1), (0, 3, 1, 2), (0, 2, 1)]:
            if len(axes) == len(mine) and _agree([mine[at] for at in axes], theirs):
                found[name] = axes
                break
    return found


def _agree(mine: Sequence[int | None], theirs: Sequence[int | None]) -> bool:
    return all(
        one in (None, other) or other is None for one, other in zip(mine, theirs, strict=True)
    )


def _laid_out(
    a: ModelProto, b: ModelProto, inputs: Mapping[str, str], moved: Mapping[str, tuple[int, ...]]
) -> ModelProto:
    """B as it would declare its inputs if it took A's, so that inputs can be drawn for both."""
    if not moved:
        return b
    new = ModelProto.FromString(b.SerializeToString())
    mine = {value.name: value for value in a.graph.input}
    names = {other: name for name, other in inputs.items()}
    for value in new.graph.input:
        if names.get(value.name) in moved:
            value.type.CopyFrom(mine[names[value.name]].type)
    return new


def _for_b(
    feeds: Feeds, b: Whole, inputs: Mapping[str, str], moved: Mapping[str, tuple[int, ...]]
) -> Feeds:
    """The inputs as B takes them; those of A are rounded where B's type is narrower."""
    found = {}
    types = b.types
    for name, value in feeds.items():
        if name not in inputs:
            continue
        wanted = np.dtype(helper.tensor_dtype_to_np_dtype(types[inputs[name]]))
        laid = np.ascontiguousarray(value.transpose(moved[name])) if name in moved else value
        narrow = laid.astype(wanted)
        found[inputs[name]] = narrow
        if wanted.kind == "f" and narrow.dtype.itemsize < value.dtype.itemsize:
            feeds[name] = value.astype(wanted).astype(value.dtype)
    return found


__all__ = ["CannotFeed", "Question", "Unlike", "ask", "load"]
