"""Whether a quantized model is one that every processor computes alike."""

from __future__ import annotations

from autograder.contract import View
from exercises.shared.surgery import MODEL
from workbench import graphs, loading, quantized
from workbench.loading import Caps, Unloadable


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
    loading.validate(data)
    quantized.runnable(data)
