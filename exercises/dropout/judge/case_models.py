"""The small graphs of the exercise `dropout`, one per edge case: each function's docstring says
what is special about its graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto

from formatlab.models.sketch import Sketch
from formatlab_exercises.shared.judge.graph_cases import ANOTHER_DOMAIN


def dropout(
    s: Sketch,
    x: str,
    output: str | None = None,
    *,
    training: bool | None = None,
    mask: bool = False,
    settings: list[str] | None = None,
) -> str:
    """Append a Dropout that reads x, in one of the forms that the opset allows; the name of its
    output.

    It is in training mode half of the time unless told. `settings` are its inputs ratio and
    training_mode.
    """
    outputs = [output or s.name("drop", "hidden", "act", "tmp")]
    if mask:
        outputs.append(s.name("mask"))
    attributes: dict[str, Any] = (
        {} if s.rng.random() < 0.7 else {"seed": int(s.rng.integers(1, 100))}
    )
    if s.opset < 12:
        attributes, settings = {"ratio": float(s.rng.uniform(0.1, 0.6))}, []
    elif settings is None:
        settings = _settings(s, bool(s.rng.random() < 0.5) if training is None else training)
    s.node("Dropout", [x, *settings], outputs, **attributes)
    return s.like(x, outputs[0])


def _settings(s: Sketch, training: bool) -> list[str]:
    """The inputs ratio and training_mode, which may be left out where its default serves. A ratio is
    left out in a case of its own.
    """
    as_node = bool(s.rng.random() < 0.5)
    ratio = s.constant(np.array(s.rng.uniform(0.1, 0.6), np.float32), as_node)
    if training:
        return [ratio, s.constant(np.array(True), as_node)]
    if s.rng.random() < 0.3:
        return [ratio]
    return [ratio, s.constant(np.array(False), as_node)]


def trunk(s: Sketch) -> str:
    """A graph input, some steps, a Dropout in training mode, a step: what comes before the edge
    case.
    """
    return s.step(dropout(s, s.steps(s.input()), training=True))


def _chain(s: Sketch) -> None:
    """x -> ... -> Dropout -> ... -> y, twice."""
    x = s.step(s.input())
    x = s.step(dropout(s, x, training=True))
    s.output(s.step(dropout(s, s.steps(x))))


def _two_consumers(s: Sketch) -> None:
    """The Dropout's input has another consumer (a residual branch), and its output has two."""
    h = s.steps(s.input())
    d = dropout(s, h, training=True)
    s.output(s.add(s.add(h, s.unary(d)), s.unary(d)))


def _training_mode(s: Sketch) -> None:
    """Every way to write ratio and training_mode: initializers, Constant nodes, an empty name, none
    at all.
    """
    ratio, on = np.array(s.rng.uniform(0.1, 0.6), np.float32), np.array(True)
    x = s.step(s.input())
    x = s.step(dropout(s, x, settings=[s.constant(ratio), s.constant(on)]))
    x = s.step(
        dropout(s, x, settings=[s.constant(ratio, as_node=True), s.constant(on, as_node=True)])
    )
    x = s.step(dropout(s, x, settings=["", s.constant(on)]))
    s.output(s.step(dropout(s, x, settings=[])))


def _graph_input(s: Sketch) -> None:
    """The Dropout reads a graph input, as does another node."""
    x = s.input()
    d = dropout(s, x, training=True)
    s.output(s.add(s.unary(d), s.unary(x)))
    s.output(s.steps(d))


def _input_to_output(s: Sketch) -> None:
    """graph input -> Dropout -> graph output, with nothing between."""
    s.output(trunk(s))
    s.output(dropout(s, s.input(), training=True))


def _output(s: Sketch) -> None:
    """The Dropout writes a graph output, and its input has another consumer, written before or
    after it.
    """
    h = trunk(s)
    if s.rng.random() < 0.5:
        s.output(s.steps(h))
        s.output(dropout(s, h, training=True))
    else:
        s.output(dropout(s, h, training=True))
        s.output(s.steps(h))


def _two_outputs(s: Sketch) -> None:
    """A value and two Dropouts of it are graph outputs, one of which has a consumer besides. The
    Dropouts have no names of their own.
    """
    h = s.output(trunk(s))
    d = s.output(dropout(s, h, training=True))
    s.output(s.steps(d))
    s.output(dropout(s, h))
    # In every seed, not in one of nine: what takes their place must not be called after them.
    for node in s.nodes:
        if node.op_type == "Dropout":
            node.name = ""


def _series(s: Sketch) -> None:
    """Dropouts one after another, in the middle and at the end; they share their settings, so that
    they are neighbours in the file.
    """
    settings = [
        s.constant(np.array(s.rng.uniform(0.1, 0.6), np.float32)),
        s.constant(np.array(True)),
    ]
    x = s.steps(s.input())
    for _ in range(s.rng.integers(2, 4)):
        x = dropout(s, x, settings=settings)
    x = s.steps(x)
    for _ in range(s.rng.integers(2, 5)):
        x = dropout(s, x, settings=settings)
    s.output(x)


def _mask(s: Sketch) -> None:
    """Other nodes read the masks of two Dropouts. The input of the first one is zero in places, that
    of the second one NaN.
    """
    x = s.input()
    for nan in (False, True):
        h = s.linear(x) if nan else s.steps(x)
        h = s.like(h, s.node("Sqrt" if nan else "Relu", [h]))
        d = dropout(s, h, training=True, mask=True)
        mask = s.nodes[-1].output[1]
        scale = s.like(h, s.node("Cast", [mask], to=TensorProto.FLOAT))
        chosen = s.like(h, s.node("Where", [mask, d, s.unary(h)]))
        if nan:
            chosen = s.like(h, s.node("Where", [s.node("IsNaN", [chosen]), scale, chosen]))
        # Twice, since a negative takes it away once.
        x = s.add(s.add(s.unary(chosen), scale), scale)
    s.output(x)


def _mask_output(s: Sketch) -> None:
    """The mask is a graph output, and the Dropout has a name."""
    h = s.steps(s.input())
    d = dropout(s, h, training=True, mask=True)
    # So in every seed: two nodes may not both inherit it.
    s.nodes[-1].name = s.nodes[-1].name or "dropout_with_mask"
    mask = s.nodes[-1].output[1]
    s.output(s.steps(d))
    s.output(mask, TensorProto.BOOL, s.width[h])


def _old_opset(s: Sketch) -> None:
    """Opset 7 to 11: the ratio is an attribute, and inference is the only mode."""
    s.opset = int(s.rng.choice([7, 9, 10, 11]))
    x = s.step(dropout(s, s.steps(s.input())))
    s.output(s.step(dropout(s, x)))


def _optional_inputs(s: Sketch) -> None:
    """Other nodes leave out an input by an empty name, as the Dropouts do."""
    x = s.steps(s.input())
    for training in (True, False):
        x = s.like(
            x, s.node("Clip", [x, "", s.constant(np.array(s.rng.uniform(0.5, 1.5), np.float32))])
        )
        x = s.unary(dropout(s, x, settings=["", s.constant(np.array(training))]))
    s.output(x)


def _computed_ratio(s: Sketch) -> None:
    """Nodes compute the ratio; one of their inputs also serves the rest of the graph."""
    scale = s.constant(np.array(s.rng.uniform(0.5, 0.9), np.float32))
    product = s.node(
        "Mul", [scale, s.constant(np.array(s.rng.uniform(0.1, 0.6), np.float32), as_node=True)]
    )
    x = s.steps(s.input())
    x = dropout(s, x, settings=[s.node("Abs", [product]), s.constant(np.array(True))])
    s.output(s.step(s.like(x, s.node("Mul", [x, scale]))))


def _shared_constant(s: Sketch) -> None:
    """Another node reads the training_mode constant too, as in an exported BERT."""
    on = s.constant(np.array(True))
    ratio = s.constant(np.array(s.rng.uniform(0.1, 0.6), np.float32))
    h = dropout(s, s.steps(s.input()), settings=[ratio, on])
    positive = s.node("Greater", [h, ratio])
    chosen = s.node("And", [positive, on] if s.rng.random() < 0.5 else [on, positive])
    s.output(
        s.like(
            h, s.node("Where", [chosen, s.unary(h), dropout(s, s.unary(h), settings=[ratio, on])])
        )
    )


def _settings_are_inputs(s: Sketch) -> None:
    """ratio and training_mode are graph inputs, which stay part of the model's signature."""
    x = s.input()
    settings = [
        s.scalar_input(TensorProto.FLOAT, s.name("ratio")),
        s.scalar_input(TensorProto.BOOL, s.name("training")),
    ]
    d = dropout(s, s.steps(x), settings=settings)
    s.output(s.steps(d))


def _another_domain(s: Sketch) -> None:
    """In front of a Dropout without settings stands a node of another domain whose operator is called
    Dropout too. A local function says what it computes.
    """
    h = s.steps(s.input())
    other = s.like(h, s.node("Dropout", [h], domain=ANOTHER_DOMAIN))
    # Nothing is left behind here: the mark of who leaves settings does not hang on this case.
    s.output(s.step(dropout(s, s.unary(other), settings=[])))


Build = Callable[[Sketch], None]
PUBLIC: dict[str, Build] = {
    "chain": _chain,
    "two-consumers": _two_consumers,
    "training-mode": _training_mode,
    "at-the-output": _output,
    "mask-is-read": _mask,
    "constant-is-shared": _shared_constant,
    "one-after-another": _series,
    "mask-is-an-output": _mask_output,
    "another-domain": _another_domain,
    "older-opset": _old_opset,
}
HIDDEN: dict[str, Build] = {
    "chain-new": _chain,
    "two-consumers-new": _two_consumers,
    "training-mode-new": _training_mode,
    "constant-is-shared-new": _shared_constant,
    "graph-input": _graph_input,
    "two-graph-outputs": _two_outputs,
    "graph-input-to-output": _input_to_output,
    "at-the-output-new": _output,
    "series": _series,
    "mask": _mask,
    "mask-is-graph-output": _mask_output,
    "old-opset": _old_opset,
    "optional-inputs": _optional_inputs,
    "computed-ratio": _computed_ratio,
    "settings-are-inputs": _settings_are_inputs,
    "other-domain": _another_domain,
}
