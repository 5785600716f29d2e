"""The checker, and what passes it."""

import warnings

import numpy as np
import onnx
import onnx.reference
import torch
from onnx import checker, helper

from .ledger import Source, Verdict, holds, topic
from .running import attempt, model_of, new_path, node, run, session, value, weight
from .subjects import Function, cnn_default, cnn_torchscript, export, mlp_default

claim = topic("Validation")
NOTEBOOK = "04-validation-ladder"
DAY_50, LAB, FORMAT = Source.DAY_50, Source.LAB, Source.FORMAT


def broken() -> dict[str, onnx.ModelProto]:
    """Models that cannot be right, and that the plain checker accepts."""
    x, y = value("x", [2, 3]), value("y", [2, 5])
    ones = weight("w", np.ones((4, 5), np.float32))
    return {
        "a MatMul of (2, 3) and (4, 5)": model_of([node("MatMul", "x w")], [x], [y], [ones]),
        "an output whose declared shape contradicts its node": model_of(
            [node("Relu", "x")], [x], [y]
        ),
        "a Gemm on rank 3": model_of(
            [node("Gemm", "t w")], [value("t", [2, 3, 4])], [value("y", [2, 3, 5])], [ones]
        ),
    }


@claim(
    "check-model",
    DAY_50,
    "Basic validation: onnx.checker.check_model(model).",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#checker",
)
def basic_validation() -> str:
    weights = [weight("w", np.ones((4, 5), np.float32))]
    missing = model_of(
        [node("MatMul", "nowhere w")], [value("x", [2, 4])], [value("y", [2, 5])], weights
    )
    holds(
        attempt(checker.check_model, cnn_default().model) == "accepted",
        "the exported CNN is refused",
    )
    said = attempt(checker.check_model, missing)
    holds(said.startswith("ValidationError"), said)
    shapes = attempt(checker.check_model, broken()["a MatMul of (2, 3) and (4, 5)"])
    holds(shapes == "accepted", shapes)
    return "Basic is the word: it accepts the exported CNN and refuses an input that nothing produces. It compares no shapes."


@claim(
    "check-model-raises",
    LAB,
    "onnx.checker.check_model(model_proto)  # raises exception if invalid.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#checker",
)
@claim(
    "check-model-schemas",
    FORMAT,
    "check_model verifies that the graph is valid: all node inputs and outputs match operator schemas.",
    Verdict.MISLEADING,
    f"{NOTEBOOK}#full-check",
)
def raises_if_invalid() -> str:
    for name, model in broken().items():
        plain, full = (
            attempt(checker.check_model, model),
            attempt(checker.check_model, model, full_check=True),
        )
        holds(plain == "accepted" and full != "accepted", f"{name}: plain {plain}; full {full}")
    return (
        f"It accepts {', '.join(broken())}. With `full_check=True` it refuses all {len(broken())}."
    )


@claim(
    "check-both-exports",
    DAY_50,
    "check_model() on both exports - do they both pass?",
    Verdict.CONFIRMED,
    "line-1-export#two-exporters",
)
def check_both() -> str:
    for exported in (cnn_default(), cnn_torchscript()):
        said = attempt(checker.check_model, exported.model, full_check=True)
        holds(said == "accepted", said)
    return "They do, with `full_check=True` too."


@claim(
    "check-path",
    FORMAT,
    'onnx.checker.check_model("model.onnx").',
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#checker",
)
def check_path() -> str:
    path = mlp_default().path
    holds(
        attempt(checker.check_model, str(path)) == "accepted",
        attempt(checker.check_model, str(path)),
    )
    alone = new_path("model.onnx")
    alone.write_bytes(path.read_bytes())
    said = attempt(checker.check_model, str(alone))
    holds("model.onnx.data" in said, said)
    return "It takes a path, and then also looks for external data: without its `.data` file the exported MLP is refused."


@claim(
    "check-links",
    FORMAT,
    "The checker confirms that there are no cycles or missing links in the DAG.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#checker",
)
def check_links() -> str:
    x, y = value("x", [2]), value("y", [2])
    graphs = {
        "a cycle": [node("Add", "x b", "y"), node("Relu", "y", "b")],
        "nodes out of order": [node("Relu", "a"), node("Neg", "x", "a")],
        "a missing producer": [node("Add", "x lost")],
        "an unknown operator of the default domain": [node("Reluu", "x")],
    }
    for name, nodes in graphs.items():
        said = attempt(checker.check_model, model_of(nodes, [x], [y]))
        holds(said.startswith("ValidationError"), f"{name}: {said}")
    holds(
        attempt(session, model_of(graphs["nodes out of order"], [x], [y])) == "accepted",
        "ONNX Runtime no longer sorts",
    )
    return f"It refuses {', '.join(graphs)}. ONNX Runtime, more tolerant, sorts nodes that are out of order."


@claim(
    "custom-operator-missing",
    Source.COMPILATION,
    "Custom operators may not have standard ONNX representations.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#session",
)
@claim(
    "engine-cannot-map",
    Source.INTEROPERABILITY,
    "The inference engine might be unable to map the custom operator to a kernel.",
    Verdict.CONFIRMED,
    f"{NOTEBOOK}#session",
)
def custom_operator() -> str:
    model = model_of(
        [node("Mystery", "x", domain="com.example")],
        [value("x", [2])],
        [value("y", [2])],
        domains={"com.example": 1},
    )
    plain, loaded = attempt(checker.check_model, model), attempt(session, model)
    holds(plain == "accepted" and "is not a registered function/op" in loaded, f"{plain}; {loaded}")
    return "An operator of an unknown domain passes the checker; ONNX Runtime says it “is not a registered function/op”."


@claim(
    "custom-or-fall-back",
    Source.INTEROPERABILITY,
    "In such cases, developers must write custom “contrib” operators or fall back to the original framework.",
    Verdict.WRONG,
    "02-inside-an-onnx-file#functions",
)
def functions_are_a_third_way() -> str:
    imports = [helper.make_opsetid("", 18)]
    swish = helper.make_function(
        "com.example",
        "Swish",
        ["x"],
        ["y"],
        [node("Sigmoid", "x", "s"), node("Mul", "x s")],
        imports,
    )
    graph = [node("Swish", "x", domain="com.example")]
    model = model_of(
        graph,
        [value("x", [2])],
        [value("y", [2])],
        opset=18,
        domains={"com.example": 1},
        functions=[swish],
    )
    x = np.array([-1, 2], np.float32)
    found = run(model, {"x": x})
    holds(np.allclose(found, x / (1 + np.exp(-x)), rtol=1e-5), found)
    return "There is a third way: a function inside the file, made of standard operators. ONNX Runtime runs one for Swish as it is."


@claim(
    "contrib-operators",
    Source.INTEROPERABILITY,
    "Custom “contrib” operators exist beside the standard ones.",
    Verdict.CONFIRMED,
    "06-optimizers#levels",
)
def contrib() -> str:
    model = model_of(
        [node("FastGelu", "x", domain="com.microsoft")],
        [value("x", [2])],
        [value("y", [2])],
        domains={"com.microsoft": 1},
    )
    holds(attempt(session, model) == "accepted", attempt(session, model))
    refused = attempt(onnx.reference.ReferenceEvaluator, model)
    holds(refused != "accepted", refused)
    return "ONNX Runtime runs FastGelu of `com.microsoft`. onnx's reference evaluator does not know it: who uses one is bound to that runtime."


@claim(
    "printable-graph",
    LAB,
    "print(onnx.helper.printable_graph(model_proto.graph)).",
    Verdict.OUTDATED,
    "02-inside-an-onnx-file#operators",
)
def printable_graph() -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text = helper.printable_graph(cnn_torchscript().model.graph)
    said = [str(each.message) for each in caught if each.category is DeprecationWarning]
    holds("Conv[" in text and "%image" in text, text[:200])
    holds(any("onnx.printer.to_text" in message for message in said), said)
    return f"It prints one line per node, and a DeprecationWarning: “{said[0]}”"


@claim(
    "export-fails",
    Source.INTEROPERABILITY,
    "Not all operators are supported: complex custom layers can cause export failures.",
    Verdict.CONFIRMED,
    "03-export#custom-operators",
)
@claim(
    "exporter-might-fail",
    Source.INTEROPERABILITY,
    "With experimental layers outside the standard opset, the exporter might fail.",
    Verdict.CONFIRMED,
    "03-export#custom-operators",
)
def export_fails() -> str:
    square = torch.eye(3) + 0.1
    failed = {
        dynamo: attempt(export, Function(torch.linalg.eigvals), square, dynamo=dynamo)
        for dynamo in (True, False)
    }
    holds(
        "ConversionError" in failed[True] and failed[False].startswith("UnsupportedOperatorError"),
        failed,
    )
    return "`torch.linalg.eigvals` has no translation: both exporters raise, ConversionError and UnsupportedOperatorError."
