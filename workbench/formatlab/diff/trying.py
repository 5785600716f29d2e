"""Which of the inputs that can be drawn do two models run on? Sizes that a model refuses are others'
fault seldom and the drawing's often, so others are tried in their place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import onnxruntime as ort
from onnx import ModelProto, helper

from formatlab import loading, numerics
from formatlab.diff.inputs import Inputs
from formatlab.diff.words import joined, quoted
from formatlab.numerics import Feeds, Outputs

# The runs of A that are kept take so many seconds of the processor together: B's, and those in
# float64, take as much and more. One that takes longer than `LONG` is tried with smaller sizes.
SECONDS = 8.0
LONG = 1.5
# Looking for sizes that a model takes ends after this.
SEARCHED = 30.0
# The most bytes of outputs that are held.
MOST_BYTES = 1 << 28


@dataclass(kw_only=True)
class Tried:
    """The inputs that both took, with the outputs of A and of B; the sizes that they had; and what was
    not: `asked` runs were wanted, `refused` says what A did not take in place of which sizes,
    `only_a` on what B failed where A ran.
    """

    asked: int
    feeds: list[Feeds] = field(default_factory=list)
    theirs: list[Feeds] = field(default_factory=list)
    mine: list[Outputs] = field(default_factory=list)
    found: list[Outputs] = field(default_factory=list)
    sizes: list[Mapping[str, int]] = field(default_factory=list)
    refused: list[tuple[Mapping[str, int], str]] = field(default_factory=list)
    only_a: list[tuple[Mapping[str, int], str]] = field(default_factory=list)
    ended: str = ""


class Sessions:
    """A and B, loaded once. Raises what ONNX Runtime raises."""

    def __init__(self, a: ModelProto, b: ModelProto, names: Mapping[str, str]):
        self.a = loading.session(a.SerializeToString(), "ORT_DISABLE_ALL")
        self.b = loading.session(b.SerializeToString(), "ORT_DISABLE_ALL")
        self.names = names
        self.types = {value.name: value.type.tensor_type.elem_type for value in b.graph.input}

    def fed(self, feeds: Feeds) -> Feeds:
        """The inputs as B takes them; those of A are rounded where B's type is narrower."""
        found = {}
        for name, value in feeds.items():
            other = self.names[name]
            if value.dtype.kind in "OUS":
                found[other] = value
                continue
            narrow = value.astype(helper.tensor_dtype_to_np_dtype(self.types[other]))
            found[other] = narrow
            if narrow.dtype.itemsize < value.dtype.itemsize:
                feeds[name] = narrow.astype(value.dtype)
        return found


@dataclass(frozen=True, kw_only=True)
class _Taken:
    """Inputs that A took, and what it gave."""

    feeds: Feeds
    theirs: Feeds
    outputs: Outputs
    sizes: Mapping[str, int]


def draw(
    sessions: Sessions,
    inputs: Inputs,
    runs: int,
    said: Callable[[Exception], str],
    wide: bool = False,
) -> Tried:
    """Return inputs for so many runs; `said` shortens what ONNX Runtime says. Raises CannotFeed."""
    tried = Tried(asked=runs)
    began = time.process_time()
    for run in range(runs):
        kept: _Taken | None = None
        for sizes in inputs.candidates(run):
            feeds = inputs.feeds(sizes, run, wide=wide)
            start = time.process_time()
            taken = _take(tried, sessions, feeds, sizes, said=said)
            took = time.process_time() - start
            if taken is not None and took <= LONG:
                kept = taken
                break
            kept = kept or taken  # smaller ones may do, and these if none does
            if time.process_time() - began > SEARCHED:
                break
        if kept is not None:
            _keep(tried, sessions, kept, said)
        elif not run:  # nothing that is known was taken
            return tried
        spent = time.process_time() - began
        if run + 1 < runs and (why := _too_much(tried, spent)):
            tried.ended = why
            break
    return tried


def give(sessions: Sessions, given: Sequence[Feeds], said: Callable[[Exception], str]) -> Tried:
    """Return what both models make of inputs that somebody chose."""
    tried = Tried(asked=len(given))
    for feeds in given:
        if (taken := _take(tried, sessions, feeds, {}, said=said)) is not None:
            _keep(tried, sessions, taken, said)
    return tried


def _take(
    tried: Tried,
    sessions: Sessions,
    feeds: Feeds,
    sizes: Mapping[str, int],
    *,
    said: Callable[[Exception], str],
) -> _Taken | None:
    """What A makes of inputs; None, and a line in `tried`, where it refuses them."""
    theirs = sessions.fed(feeds)
    outputs, problem = _run(sessions.a, feeds, said)
    if outputs is None:
        tried.refused.append((sizes, problem))
        return None
    return _Taken(feeds=feeds, theirs=theirs, outputs=outputs, sizes=sizes)


def _keep(
    tried: Tried, sessions: Sessions, taken: _Taken, said: Callable[[Exception], str]
) -> None:
    found, problem = _run(sessions.b, taken.theirs, said)
    if found is None:
        tried.only_a.append((taken.sizes, problem))
        return
    tried.feeds.append(taken.feeds)
    tried.theirs.append(taken.theirs)
    tried.mine.append(taken.outputs)
    tried.found.append(found)
    tried.sizes.append(taken.sizes)


def _run(
    session: ort.InferenceSession, feeds: Feeds, said: Callable[[Exception], str]
) -> tuple[Outputs | None, str]:
    try:
        [[outputs]] = numerics.run_in(session, [feeds])
    except MemoryError:
        return None, "its values fill the memory"
    except Exception as problem:  # ONNX Runtime's exceptions have no common type  # noqa: BLE001
        return None, said(problem)
    return outputs, ""


def _too_much(tried: Tried, spent: float) -> str:
    held = sum(_bytes(each) for run in (*tried.mine, *tried.found) for each in run)
    if held > MOST_BYTES:
        return f"their outputs take {held >> 20} MiB already"
    if spent > SECONDS:
        return f"they took {spent:.0f} seconds of the processor already"
    return ""


def _bytes(value: object) -> int:
    return value.nbytes if isinstance(value, np.ndarray) else 0


def shown(sizes: Mapping[str, int]) -> str:
    """`N` = 1 and `L` = 5."""
    return joined([f"{quoted(name)} = {size}" for name, size in sizes.items()]) if sizes else ""


def refusal(tried: Tried, inputs: Inputs | None) -> str:
    """Return why nothing was compared where A took none of the inputs, and what to do."""
    sizes, problem = tried.refused[0]
    if inputs is None:
        return f"A refuses the inputs that were given: {problem}"
    if not inputs.free and not inputs.roles:
        return f"A does not run: {problem}"
    what = f"the sizes drawn ({shown(sizes)}" if sizes else "the integers drawn ("
    others = len(tried.refused) - 1
    what += f"{', and ' if sizes else ''}{others} others)" if others else ")"
    options = [f"--dim {name}=SIZE" for name in inputs.free]
    options += [f"--range {name}=LOW:HIGH" for name in inputs.roles]
    return (
        f"with {what.replace('()', '')}, A refuses them: {problem}. Give what fits, with "
        f"{' '.join(options[:6])}, or real inputs with --feeds FILE"
    )
