"""Exhibits that follow the standard and that ONNX Runtime refuses."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, TensorProto, helper

from formatlab.models.museum import healthy
from formatlab.models.museum.exhibit import Edit, fault, nodes_of
from formatlab.models.museum.graphs import VERSIONS
from formatlab.models.museum.net import ACTIVATIONS

NO_KERNEL = "no-kernel"
DOMAINS = ("com.acme", "ai.custom", "org.example.ops", "my.ops")


@fault(
    "opset-too-new",
    VERSIONS,
    "session",
    story="The model asks for the newest opset that the onnx package knows: newer than the "
    "runtime knows. helper.make_model does so by default.",
    fix="Write the opset that the operators need.",
)
def opset_too_new(model: ModelProto, rng: np.random.Generator) -> Edit:
    right = model.opset_import[0].version
    model.opset_import[0].version = int(rng.integers(27, 29))
    model.ir_version = 13

    def repair(mended: ModelProto) -> None:
        mended.opset_import[0].version = right
        mended.ir_version = 10

    return repair


@fault(
    "ir-too-new",
    VERSIONS,
    "session",
    story="The file says that it is built by rules newer than the runtime's. helper.make_model writes the newest IR version by default.",
    fix="Write an IR version that the runtime knows.",
)
def ir_too_new(model: ModelProto, _rng: np.random.Generator) -> Edit:
    right = model.ir_version
    model.ir_version = 14

    def repair(mended: ModelProto) -> None:
        mended.ir_version = right

    return repair


@fault(
    "foreign-operator",
    NO_KERNEL,
    "session",
    story="A node belongs to a vendor's domain. The checker lets every foreign operator pass, because it has no schema for it.",
    fix="Use an operator of the standard, or give the runtime the vendor's library.",
)
def foreign_operator(model: ModelProto, rng: np.random.Generator) -> Edit:
    at = int(rng.choice(nodes_of(model.graph, *ACTIVATIONS)))
    domain = str(rng.choice(DOMAINS))
    model.graph.node[at].domain = domain
    model.opset_import.insert(int(rng.integers(2)), helper.make_opsetid(domain, 1))

    def repair(mended: ModelProto) -> None:
        mended.graph.node[at].domain = ""
        mended.opset_import.remove(helper.make_opsetid(domain, 1))

    return repair


@fault(
    "integer-gemm",
    NO_KERNEL,
    "session",
    story="The standard allows Gemm on int32, but the runtime has no code for it.",
    fix="Multiply with MatMul, which the runtime has for int32.",
    families=(healthy.counted,),
)
def integer_gemm(model: ModelProto, _rng: np.random.Generator) -> Edit:
    whole = {
        tensor.name for tensor in model.graph.initializer if tensor.data_type == TensorProto.INT32
    }
    [at] = [at for at in nodes_of(model.graph, "MatMul") if model.graph.node[at].input[1] in whole]
    model.graph.node[at].op_type = "Gemm"

    def repair(mended: ModelProto) -> None:
        mended.graph.node[at].op_type = "MatMul"

    return repair
