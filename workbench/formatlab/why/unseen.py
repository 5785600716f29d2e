"""Settings that differ although the outputs do not show it: an epsilon beside a large variance.

Nodes that are the same in both models and have other attributes, or other numbers in a formula, run on
A's values, each by itself. What adds more than rounding there is named; the verdict stays that of the
outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from onnx import NodeProto, helper

from formatlab.diff.parts import Whole, reads
from formatlab.diff.places import Search
from formatlab.why import runs
from formatlab.why.causes import Trials
from formatlab.why.question import Question
from formatlab.why.repairs import array, differing

MOST = 4


def settings(asked: Question, left: Callable[[], bool]) -> list[str]:
    """Return sentences on settings whose effect is more than rounding where they stand."""
    said = []
    for name, other in islice(_suspects(asked), MOST):
        if not left():
            break
        search = _search(asked, name, other)
        place = search.measure(name)
        if not search.is_wrong(place):
            continue
        trials = Trials(search, twins={name: other}, wide=[], left=left)
        cause = trials.here(place)[0]
        if cause.proved:
            said.append(
                f"the outputs do not show it, but {cause.sentence[:1].lower()}{cause.sentence[1:]}"
            )
    return said


def _suspects(asked: Question) -> Iterator[tuple[str, str]]:
    """(first output of B's node, of A's) of nodes that read their values in the same places."""
    for name, other in asked.twins.items():
        node = asked.b.writers[name]
        twin = asked.a.writers[other]
        if node.op_type != twin.op_type or len(node.input) != len(twin.input):
            continue
        if _dynamic(asked.b, node) != _dynamic(asked.a, twin):
            continue
        if differing(node, twin, asked.b, asked.a) or _has_other_number(asked, node, twin):
            yield name, other


def _dynamic(model: Whole, node: NodeProto) -> list[int]:
    return [at for at, name in enumerate(node.input) if name and name not in model.stored]


def _has_other_number(asked: Question, node: NodeProto, twin: NodeProto) -> bool:
    for mine, theirs in zip(node.input, twin.input, strict=True):
        if mine in asked.b.stored and theirs in asked.a.stored:
            has = array(asked.b.stored[mine])
            wants = array(asked.a.stored[theirs])
            if has.size == wants.size == 1 and has.reshape(()) != wants.reshape(()):
                return True
    return False


def _search(asked: Question, name: str, other: str) -> Search:
    """A search that knows one node: it is given A's values."""
    node = asked.b.writers[name]
    twin = asked.a.writers[other]
    ports = _dynamic(asked.b, node)
    pairs = [(twin.input[at], node.input[at]) for at in ports]
    names = list(dict.fromkeys([*(one for one, _ in pairs), other, *reads(twin)]))
    names = [each for each in names if each in asked.a.writers]
    found = runs.run(runs.with_outputs(asked.a.proto, names), asked.feeds_a)
    values = [dict(zip(names, run, strict=True)) for run in found]
    types = dict(asked.b.types)
    for one, theirs in [*pairs, (other, name)]:
        if one in values[0]:
            types[theirs] = helper.np_dtype_to_tensor_dtype(values[0][one].dtype)
    return Search(
        asked.a,
        asked.b,
        pairs=[(one, theirs) for one, theirs in pairs if one in asked.a.writers],
        ends=[(other, name)],
        inputs={theirs: one for one, theirs in asked.inputs.items()},
        feeds_a=asked.feeds_a,
        feeds_b=asked.feeds_b,
        values_a=values,
        types_b=types,
    )
