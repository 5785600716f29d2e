"""Cases of exercises that edit a graph: a model, and a BERT with its own weights or with new ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from onnx import FunctionProto, ModelProto, NodeProto, helper

from formatlab import graphs
from formatlab.models.perturb import perturbed
from formatlab.models.sketch import Sketch
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Case, case_seed

# The bounds of the BERT's integer inputs.
BERT = {"input_ids": [0, 97], "attention_mask": [0, 2]}
# The domain of operators that are called as ONNX's own ones are, and are others.
ANOTHER_DOMAIN = "my"
# What such an operator computes, as nodes one behind the other: not what its namesake in ONNX does.
# The first one reads all inputs.
BODIES: Mapping[str, tuple[tuple[str, dict], ...]] = {
    "Dropout": (("Softplus", {}),),
    "LayerNormalization": (("Softplus", {}),),
    "Sqrt": (("Softplus", {}),),
    "Mul": (("Sub", {}),),
    "Add": (("Sub", {}),),
    "MatMul": (("Einsum", {"equation": "ij,jk->ik"}), ("Neg", {})),
}


def case(name: str, model: bytes, seed: int, public: bool = False, **parameters) -> Case:
    return Case(name, {MODEL: model}, {"integers": {}, "again": False, **parameters}, public, seed)


def computed_constant(s: Sketch) -> None:
    """An input times a number that a node computes: no edit that is asked for touches it, and an
    optimizer computes it beforehand.
    """
    s.lead = ("batch", "steps")
    x = s.input()
    number = s.node("Exp", [s.constant(np.array(s.rng.uniform(-0.5, 0.5), np.float32))])
    s.output(s.like(x, s.node("Mul", [x, number])))


def with_functions(model: ModelProto) -> ModelProto:
    """The model, with a local function for each operator of ANOTHER_DOMAIN that one of its nodes
    names: so every runtime can run them. A model without such nodes stays as it is.
    """
    called = {node.op_type: node for node in graphs.nodes(model) if node.domain == ANOTHER_DOMAIN}
    if called:
        model.opset_import.append(helper.make_opsetid(ANOTHER_DOMAIN, 1))
        model.functions.extend(_function(called[name], model) for name in sorted(called))
    return model


def _function(node: NodeProto, model: ModelProto) -> FunctionProto:
    """What the node's operator computes, for as many inputs as the node has."""
    inputs = [f"operand_{place}" for place in range(len(node.input))]
    read, body = inputs, []
    for place, (operator, attributes) in enumerate(BODIES[node.op_type]):
        result = f"result_{place}"
        body.append(helper.make_node(operator, read, [result], **attributes))
        read = [result]
    opset = helper.make_opsetid("", graphs.opset(model))
    return helper.make_function(ANOTHER_DOMAIN, node.op_type, inputs, read, body, [opset])


def bert(model: bytes, **parameters) -> Case:
    return case("bert", model, 0, public=True, **{"integers": BERT, **parameters})


def bert_with_new_weights(model: bytes, exercise: str, seed: int, **parameters) -> Case:
    name = "bert-new-weights"
    number = case_seed(seed, exercise, name)
    return case(name, perturbed(model, number), number, **{"integers": BERT, **parameters})
