"""The cases of the exercise `gemm`: small graphs, drawn anew for every seed, and among the public
ones a BERT with a classifier behind it.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, helper, numpy_helper

from formatlab.models import fixtures, to_bytes
from formatlab.models.sketch import Sketch
from formatlab_exercises.gemm.judge.case_models import HIDDEN, PUBLIC
from formatlab_exercises.gemm.judge.case_parts import Build
from formatlab_exercises.gemm.judge.case_subgraphs import NESTED, PUBLIC_NESTED
from formatlab_exercises.shared.judge import kinds
from formatlab_exercises.shared.judge.descriptions import descriptions
from formatlab_exercises.shared.judge.graph_cases import (
    bert,
    bert_with_new_weights,
    case,
    computed_constant,
    with_functions,
)
from nbjudge.contract import Case

ID = "gemm"
DESCRIPTIONS = descriptions({**PUBLIC, **PUBLIC_NESTED, **HIDDEN, **NESTED})
ANCHORS = dict.fromkeys((*NESTED, *PUBLIC_NESTED), "subgraphs") | {
    "product-is-output": "graph-outputs",
    "sum-is-output": "graph-outputs",
}
# Those in which value_info tells nothing: in all others an exporter has written down what inference
# finds, so that who does not infer loses what is about inference.
WITHOUT_VALUE_INFO = ("shape-is-inferred", "from-anywhere")


def public_cases() -> list[Case]:
    return [*DRAWN.public(), bert(_bert(), again=True)]


def cases(seed: int) -> list[Case]:
    return [*DRAWN.hidden(seed), bert_with_new_weights(_bert(), ID, seed, again=True)]


def _case(name: str, build: Build, seed: int, public: bool) -> Case:
    sketch = Sketch(np.random.default_rng([seed, sum(name.encode())]), lead=("batch",))
    shapes = build(sketch) or {}
    computed_constant(sketch)
    model = with_functions(sketch.model())
    if name not in WITHOUT_VALUE_INFO:
        model = onnx.shape_inference.infer_shapes(model)
    return case(name, to_bytes(model), seed, public, shapes=shapes, again=True)


DRAWN = kinds.of(_case, ID, {**PUBLIC, **PUBLIC_NESTED}, {**HIDDEN, **NESTED})


def _bert() -> bytes:
    """The BERT, with a pooler and a classifier on its first token, spelt out as MatMul and Add: the
    only two-dimensional pairs.
    """
    model = ModelProto.FromString(fixtures.read("bert"))
    rng, graph = np.random.default_rng([0, 1]), model.graph
    hidden, dims = graph.output[0].name, graph.output[0].type.tensor_type.shape.dim
    first = numpy_helper.from_array(np.array(0), "head.first")
    graph.initializer.append(first)
    graph.node.append(helper.make_node("Gather", [hidden, first.name], ["head.token"], axis=1))
    pooled = _head(graph, "pooler", "head.token", (dims[2].dim_value, dims[2].dim_value), rng)
    graph.node.append(helper.make_node("Tanh", [pooled], ["pooled"]))
    value = _head(graph, "classifier", "pooled", (dims[2].dim_value, 5), rng)
    logits = helper.make_tensor_value_info(value, 1, [dims[0].dim_param, 5])
    graph.ClearField("output")
    graph.output.append(logits)
    return to_bytes(onnx.shape_inference.infer_shapes(model))


def _head(
    graph: GraphProto, name: str, value: str, shape: tuple[int, int], rng: np.random.Generator
) -> str:
    """Append a linear layer as MatMul and Add; the name of its output."""
    for part, dims in (("weight", shape), ("bias", shape[1:])):
        values = rng.random(dims, dtype=np.float32) - np.float32(0.5)
        graph.initializer.append(numpy_helper.from_array(values, f"{name}.{part}"))
    steps = (("MatMul", value, "weight", "product"), ("Add", f"{name}.product", "bias", "sum"))
    for operator, read, part, result in steps:
        node = helper.make_node(operator, [read, f"{name}.{part}"], [f"{name}.{result}"])
        graph.node.append(node)
    return f"{name}.sum"
