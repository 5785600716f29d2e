"""Whether a quantized model is one that every processor computes alike, of operators that are known."""

from __future__ import annotations

from collections.abc import Iterable

from onnx import ModelProto

from formatlab import graphs, loading, quantized
from formatlab.loading import Caps, Unloadable
from formatlab.quantized_operators import catalogue
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import View

UNKNOWN = (
    "What an operator does with weights has to be known, so that it can be counted. "
    "Keep to the operators of the argument, and to those that quantizers write."
)


def admit(view: View, nodes: int, elements: int, functions: bool = True) -> None:
    """The answer is within the caps, and accepted by the checker and by ONNX Runtime. It may have so
    many times the nodes, and the elements, of the case's model, and local functions if told so.

    Raises Unloadable, and Refused for operators that processors compute differently.
    """
    data, model = view.answer.files[MODEL], loading.parse(view.case.files[MODEL])
    caps = Caps(
        2 * len(view.case.files[MODEL]) + (1 << 20),
        nodes * sum(1 for _ in graphs.nodes(model)),
        elements * graphs.constant_elements(model) + 4096,
    )
    loading.refuse(data, caps, frozenset({"", "com.microsoft"}))
    if loading.parse(data).functions and not functions:
        cause = "Quantize the graph itself: no library needs functions for it."
        raise Unloadable("a model without local functions", "some", cause)
    known_operators(loading.parse(data), [model])
    loading.validate(data)
    quantized.runnable(data)


def known_operators(model: ModelProto, arguments: Iterable[ModelProto]) -> None:
    """Raise Unloadable for operators that are neither in the catalogue nor in an argument; those that
    the model itself defines are made of others.
    """
    own = {catalogue.named(node) for each in arguments for node in graphs.nodes(each)}
    own |= {
        f"{graphs.domain(function.domain)}::{function.name}".removeprefix("::")
        for function in model.functions
    }
    if outside := catalogue.outside(graphs.nodes(model), own):
        expected = "operators of ONNX, or those of com.microsoft that quantizers write"
        raise Unloadable(expected, f"another operator: {outside[0]}"[:120], UNKNOWN, quotes=True)
