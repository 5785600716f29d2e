"""Two models on the same drawn inputs, in a process of its own: a hostile or enormous model can end
that process and nothing else. `python -m formatlab.diff.running REQUEST` prints what it found as
JSON.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto

from formatlab import graphs, loading
from formatlab.diff import coverage, given, judging, trying
from formatlab.diff.inputs import RUNS, CannotFeed, CannotGive, Inputs, needed
from formatlab.diff.judging import Stopped, said
from formatlab.diff.types import declared
from formatlab.diff.words import joined, quoted
from formatlab.measure.quality import is_quantized
from formatlab.numerics import Feeds

MEMORY = 8 << 30
SECONDS = 120
# The least integer that is drawn where nothing says what integers an input holds.
BELOW = -4
# Operators with a window, or a factor, that may not fit a size, and sizes of which each leaves another
# rest with a stride of up to four.
WINDOWED = frozenset(
    ["Conv", "ConvTranspose", "MaxPool", "AveragePool", "LpPool", "Resize", "Upsample"]
)
IN_A_ROW = range(8, 12)
FILLED = (
    f"the runs need more than {MEMORY >> 30} GiB of memory together: give fewer inputs with --inputs, or "
    "smaller ones with --dim"
)


def main(path: str) -> None:
    _limit()
    request = json.loads(Path(path).read_text())
    sys.stdout.write(json.dumps(answer(request)))


def _limit() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        # Past the first of the two it is told why, past the second it is killed.
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What is false in declarations, and, where `request["runs"]` is not 0, how outputs compare."""
    try:
        a, b = (onnx.load(request[side]) for side in ("a", "b"))
    except Exception as problem:  # of onnx.checker, of protobuf, of the system  # noqa: BLE001
        why = f"onnx does not load the two with their weights: {said(problem)}"
        return {
            "false": {"a": {}, "b": {}},
            "agreement": {"verdict": "not run", "why": why} if request["runs"] else None,
        }
    found: dict[str, Any] = {"false": {"a": false_declarations(a), "b": false_declarations(b)}}
    if request["runs"]:
        try:
            found["agreement"] = agreement(a, b, request)
        except CannotGive as problem:
            return {"refused": str(problem)}
        except Stopped as reason:
            found["agreement"] = {"verdict": "not run", "why": str(reason)}
        except MemoryError:
            found["agreement"] = {"verdict": "not run", "why": FILLED}
    return found


def false_declarations(model: ModelProto) -> dict[str, list[str]]:
    """{value: [what is declared, what its node gives]} of inner values, by shape inference."""
    bare = ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    try:
        inferred = onnx.shape_inference.infer_shapes(bare, data_prop=True)
    except Exception:  # onnx raises errors of several kinds for broken graphs  # noqa: BLE001
        return {}
    gives = {value.name: declared(value) for value in inferred.graph.value_info}
    found = {}
    for value in model.graph.value_info:
        says = declared(value)
        truth = gives.get(value.name)
        if says is not None and truth is not None and says.contradicts(truth):
            found[value.name] = [str(says), str(truth)]
    return found


def agreement(a: ModelProto, b: ModelProto, request: dict[str, Any]) -> dict[str, Any]:
    """How the outputs of the two compare, with what was tried and what was not. Raises Stopped, and
    CannotGive for what somebody gave.
    """
    names = dict(request["inputs"])
    shown = [one for one, _ in request["outputs"]]
    theirs = [other for _, other in request["outputs"]]
    sessions = _sessions(judging.with_outputs(a, shown), judging.with_outputs(b, theirs), names)
    inputs, tried, notes = _tried(a, b, request, sessions)
    found = judging.judged(a, b, request, tried.feeds, tried.theirs)
    if inputs is not None and found["verdict"] in ("same", "equal"):
        for more, note in _further(a, b, request, sessions, inputs=inputs, tried=tried):
            other = judging.judged(a, b, request, more.feeds, more.theirs)
            if other["verdict"] == "other":
                found = {**other, "notes": [note]}
                break
    found = _with_what_was_not_seen(found, a, b, tried=tried, shown=shown, names=names)
    found["given"] = inputs is None
    found["tried"] = inputs.said(tried.sizes) if inputs is not None else ""
    if tried.ended:
        notes.append(
            f"Of {tried.asked} inputs {len(tried.feeds)} were drawn, because {tried.ended}."
        )
    if request.get("expected"):
        found["expected"] = _expected(a, b, request, tried, notes)
    found["notes"] = [*notes, *found.get("notes", [])]
    return found


def _sessions(a: ModelProto, b: ModelProto, names: dict[str, str]) -> trying.Sessions:
    for side, model in (("A", a), ("B", b)):
        try:
            loading.session(model.SerializeToString(), "ORT_DISABLE_ALL")
        except Exception as problem:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
            raise Stopped(f"{side} does not run: {said(problem)}") from None
    return trying.Sessions(a, b, names)


def _tried(
    a: ModelProto, b: ModelProto, request: dict[str, Any], sessions: trying.Sessions
) -> tuple[Inputs | None, trying.Tried, list[str]]:
    """The inputs that both took; drawn ones with what was drawn from."""
    names = dict(request["inputs"])
    notes: list[str] = []
    inputs: Inputs | None = None
    if request.get("feeds"):
        feeds, notes = given.load_feeds(Path(request["feeds"]), needed(a))
        if missing := [name for name in feeds[0] if name not in names]:
            raise Stopped(f"B has no input like {quoted(missing[0])}")
        tried = trying.give(sessions, feeds, said)
    else:
        try:
            inputs = Inputs.of(
                a,
                b,
                names,
                seed=request["seed"],
                sizes=request.get("sizes"),
                ranges={name: tuple(ends) for name, ends in request.get("ranges", {}).items()},
            )
            inputs.is_ordinary = is_quantized(b) and not is_quantized(a)
            tried = trying.draw(sessions, inputs, request["runs"], said)
        except CannotGive:
            raise
        except CannotFeed as problem:
            raise Stopped(f"no inputs can be drawn: {problem}") from None
    if not tried.feeds and tried.only_a:
        at, why = tried.only_a[0]
        where = f" (with {trying.shown(at)})" if at else ""
        raise Stopped(f"B does not run on inputs on which A does{where}: {why}")
    if not tried.feeds:
        raise Stopped(trying.refusal(tried, inputs))
    return inputs, tried, notes


def _further(
    a: ModelProto,
    b: ModelProto,
    request: dict[str, Any],
    sessions: trying.Sessions,
    *,
    inputs: Inputs,
    tried: trying.Tried,
) -> Iterator[tuple[trying.Tried, str]]:
    """Runs that can only say of two models that agree so far that they do not, each set with what is
    true then. They are judged by themselves: beside the others they would make the noise of all large.

    1. Integers beyond 0 and 1, and then below 0.
    2. A row that is masked as a whole, as padding is, if B alone gives NaN or infinity there: other
       numbers decide nothing, because what such a row gives means nothing.
    3. Sizes in a row, where a model has windows: what becomes of the last one depends on what a size
       leaves for it.
    """
    if wide := inputs.wide:
        what = f"{joined([quoted(name) for name in wide])} {'are' if len(wide) > 1 else 'is'}"
        for lowest, held in ((0, "0 or 1"), (BELOW, "not below 0")):
            lower = dataclasses.replace(inputs, lowest=lowest)
            drawn = trying.draw(sessions, lower, min(request["runs"], RUNS), said, wide=True)
            if drawn.feeds:
                yield drawn, f"As long as {what} {held}, they agree."
    if masks := inputs.masks:
        feeds = {name: np.array(value) for name, value in tried.feeds[0].items()}
        for name in masks:
            feeds[name][(slice(1),) * (feeds[name].ndim > 0)] = 0
        masked = trying.give(sessions, [feeds], said)
        if masked.feeds and _is_infinite_in_b_alone(masked):
            which = joined([quoted(name) for name in masks])
            yield masked, f"As long as no row of {which} is 0 throughout, they agree."
    if (sides := inputs.sides) and any(
        node.op_type in WINDOWED for model in (a, b) for node in graphs.nodes(model)
    ):
        sizes = [{**tried.sizes[0], **dict.fromkeys(sides, side)} for side in IN_A_ROW]
        ended = trying.give(sessions, [inputs.feeds(each, 0) for each in sizes], said)
        if ended.feeds:
            which = joined([quoted(name) for name in sorted(sides)])
            yield ended, f"They agree at some sizes of {which}, and at others they do not."


def _is_infinite_in_b_alone(tried: trying.Tried) -> bool:
    pairs = zip(tried.mine[0], tried.found[0], strict=True)
    return any(
        isinstance(one, np.ndarray)
        and isinstance(other, np.ndarray)
        and one.dtype.kind == other.dtype.kind == "f"
        and bool(np.isfinite(one).all())
        and not np.isfinite(other).all()
        for one, other in pairs
    )


def _with_what_was_not_seen(
    found: dict[str, Any],
    a: ModelProto,
    b: ModelProto,
    *,
    tried: trying.Tried,
    shown: Sequence[str],
    names: dict[str, str],
) -> dict[str, Any]:
    """The verdict, less sure where something was not compared, or other where B fails alone."""
    agrees = found["verdict"] in ("same", "equal")
    if agrees and tried.only_a:
        sizes, problem = tried.only_a[0]
        where = f"with {trying.shown(sizes)}" if sizes else "on some of the inputs"
        text = f"other: {where} A runs and B does not: {problem}"
        return {**found, "verdict": "other", "text": text}
    empty = coverage.without_values(shown, tried.mine)
    if agrees and empty:
        rest = found["text"].removeprefix("same: ")
        text = f"undecided: {joined(empty)}, so nothing of it was compared"
        if len(empty) < len(shown):
            text += f", while the rest agrees ({rest})"
        found = {**found, "verdict": "undecided", "text": text}
    branches = coverage.said_of_branches(
        *(_not_taken(model, feeds) for model, feeds in ((a, tried.feeds), (b, tried.theirs)))
    )
    unread, in_one = coverage.unread(a, b, names)
    notes = [*found.get("notes", []), *filter(None, (unread, branches))]
    return {**found, "notes": notes, "open": bool(branches or in_one)}


def _not_taken(model: ModelProto, feeds: Sequence[Feeds]) -> list[str]:
    try:
        return coverage.not_taken(model, feeds)
    except Exception:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        return ["a branch (which ones could not be found out)"]


def _expected(
    a: ModelProto,
    b: ModelProto,
    request: dict[str, Any],
    tried: trying.Tried,
    notes: list[str],
) -> dict[str, Any]:
    """How A and B stand to outputs that were given."""
    if not request.get("feeds"):
        raise CannotGive("--expected needs the inputs that belong to it: give them with --feeds")
    if tried.refused or tried.only_a:
        raise CannotGive("not every input could be run, so --expected cannot be held against them")
    stated = {value.name: value for value in a.graph.output}
    shown = [one for one, _ in request["outputs"]]
    theirs = dict(request["outputs"])
    expected, said_of = given.load_expected(
        Path(request["expected"]), [stated[name] for name in shown], len(tried.feeds)
    )
    notes += said_of
    return {
        "A": judging.against_expected(a, shown, tried.feeds, tried.mine, expected),
        "B": judging.against_expected(
            b,
            [theirs[name] for name in shown],
            tried.theirs,
            tried.found,
            [{theirs[name]: value for name, value in each.items()} for each in expected],
        ),
    }


if __name__ == "__main__":
    main(sys.argv[1])
