"""Whether a model computes with the layers that are counted in it: its layers are disturbed, and the
outputs have to follow.

A layer may be there and count for nothing: multiplied by 0 or by 1e-30, cut off, subtracted from
itself, behind a branch that is never taken. Beside it anything may do its work, in operators that
no list knows for a product. So no pattern is looked for here.

1. A layer is disturbed by what it reads: along one axis, its activation is moved on by a few places
   and begins again. That keeps every number, so it commutes with quantization, with a bias and with
   the ways in which a product can be written, and leaves ranges as they were.
2. The argument's layers are disturbed alike. Layers of one `key` are disturbed together, where both
   models have as many of them (three products may have become one), then those of all keys.
3. What is judged is the projection of the answer's response on the argument's: 1 where both respond
   alike, 0 where the answer does not respond, however exact it is otherwise.
4. A response that is not clearly larger than the answer's own error says nothing, and counts as
   right: what the answer lacks then, its outputs show.

Not covered: what responds alike and is a layer in no form, which would have to contain one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
from onnx import ModelProto
from onnx_ir.tape import Tape

from formatlab import quantized
from formatlab.numerics import Feeds, Outputs
from formatlab_exercises.shared.judge.links import graph_of

# By how many places an activation is moved on: of neighbours on the first axis, rows, some are alike.
ROWS, PLACES = 5, 1
# Less than half of the argument's response is none. And by so many times the answer's error what is
# missing has to be larger. Valid answers of 8 bits respond to four fifths and more, even where their
# error is as large as the response.
LEAST, CLEARLY = 0.5, 1.5
LAST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Site:
    """A layer: its node, which of its inputs is the activation, along which axis that is moved, and
    the key that it has in common with layers that are disturbed together.
    """

    node: ir.Node
    activation: int
    axis: int
    key: Hashable


Sites = Callable[[ir.Model], Sequence[Site]]


def idle(argument: bytes, answer: bytes, sites: Sites, feeds: Feeds) -> bool:
    """Whether an answer's outputs do not follow its layers as the argument's do: one of them counts
    for nothing, or something else computes beside them.

    `sites` finds the layers of a model, and may change it. An answer that does not run as it is
    counts as right, which other rungs judge; one that only runs undisturbed does not. Raises what
    running the argument raises.
    """
    try:
        quantized.evaluate(answer, [feeds])
    except Exception:  # of whichever runtime
        return False
    models = [ir.from_proto(ModelProto.FromString(data)) for data in (argument, answer)]
    found = [sites(model) for model in models]
    many, others = (Counter(site.key for site in each) for each in found)
    shared = [key for key in many if many[key] == others[key]]
    want = _responses(models[0], found[0], shared, feeds)
    try:
        have = _responses(models[1], found[1], shared, feeds)
    except Exception:  # as above
        return True
    return not all(_follows(want, have, key) for key in want)


def twins_idle(argument: bytes, answer: bytes, names: Collection[str], feeds: Feeds) -> bool:
    """The same of an answer whose layers write values of the argument's `names`, in the main graph.
    They are disturbed along rows and along channels: where all rows give nearly the same, channels
    tell.
    """

    def sites(model: ir.Model) -> list[Site]:
        return [
            Site(node, 0, axis, (node.outputs[0].name, axis))
            for node in model.graph
            if node.outputs[0].name in names
            for axis in (0, 1)
        ]

    return idle(argument, answer, sites, feeds)


_BASE, _ALL = object(), object()
Responses = Mapping[Hashable, Outputs]


def _responses(
    model: ir.Model, sites: Sequence[Site], shared: Sequence[Hashable], feeds: Feeds
) -> Responses:
    """The outputs as they are, with the layers of each `shared` key disturbed, and with all of them.
    `model` is used up.
    """
    inputs: dict[Hashable, ir.Value] = {}
    for site in sites:
        if site.key not in inputs:
            inputs[site.key] = _input(model, len(inputs))
        _disturb(site, inputs[site.key])
    sets = {_BASE: set(), **{key: {key} for key in shared}, _ALL: set(inputs)}
    runs = [
        {
            **feeds,
            **{value.name: np.array([key in chosen], np.int64) for key, value in inputs.items()},
        }
        for chosen in sets.values()
    ]
    return dict(zip(sets, quantized.evaluate(ir.to_proto(model), runs), strict=True))


def _input(model: ir.Model, number: int) -> ir.Value:
    value = ir.Value(
        name=f"disturbed/{number}", type=ir.TensorType(ir.DataType.INT64), shape=ir.Shape([1])
    )
    model.graph.inputs.append(value)
    return value


def _disturb(site: Site, once: ir.Value) -> None:
    """Let a layer read its activation moved on where `once` is 1, and as it is where that is 0."""
    tape, value = Tape(), site.node.inputs[site.activation]

    def constant(number: int) -> ir.Value:
        return tape.op("Constant", [], {"value": ir.tensor(np.array([number], np.int64))})

    axis = constant(site.axis)
    places = tape.op("Mul", [once, constant(PLACES if site.axis else ROWS)])
    rest = tape.op("Slice", [value, places, constant(LAST), axis])
    begin = tape.op("Slice", [value, constant(0), places, axis])
    moved = tape.op("Concat", [rest, begin], {"axis": site.axis})
    graph_of(site.node).insert_before(site.node, tape.nodes)
    site.node.replace_input_with(site.activation, moved)


def _follows(want: Responses, have: Responses, key: Hashable) -> bool:
    """Whether each output of the answer follows the layers of that key as the argument's does."""
    if len(want[_BASE]) != len(have[_BASE]):
        return False
    outputs = zip(want[_BASE], want[key], have[_BASE], have[key], strict=True)
    return all(_alike(*(np.asarray(each, np.float64) for each in four)) for four in outputs)


def _alike(
    want: np.ndarray, want_moved: np.ndarray, have: np.ndarray, have_moved: np.ndarray
) -> bool:
    if not want.shape == want_moved.shape == have.shape == have_moved.shape:
        return False
    due, found = (want_moved - want).ravel(), (have_moved - have).ravel()
    size = float(due @ due)
    if not np.isfinite([size, float(found @ found)]).all():
        return True
    missing = size - float(due @ found)
    error = float(np.linalg.norm(have - want))
    return missing <= (1 - LEAST) * size or missing <= CLEARLY * error * np.sqrt(size)
