"""onnxoptimizer's passes, and the optimisation levels of ONNX Runtime."""

from collections import Counter

import numpy as np
import onnx
import onnxoptimizer
import onnxruntime as ort
import torch

from .ledger import Source, Verdict, holds, topic
from .running import (
    ALL,
    BASIC,
    EXTENDED,
    OFF,
    attempt,
    count,
    model_of,
    new_path,
    node,
    optimised,
    relative_error,
    run,
    session,
    value,
    weight,
)
from .subjects import (
    CNN_INPUT,
    NAMES,
    bert_default,
    bert_inputs,
    bert_torchscript,
    bert_training,
    cnn,
    cnn_default,
    export,
)

claim = topic("Graph optimizers")
PASSES, LEVELS, FUSIONS = (
    "06-optimizers#onnxoptimizer",
    "06-optimizers#levels",
    "06-optimizers#transformer-fusions",
)
DAY_50, FORMAT, INTEROPERABILITY = Source.DAY_50, Source.FORMAT, Source.INTEROPERABILITY
PRINTED = [
    "eliminate_identity",
    "eliminate_nop_dropout",
    "fuse_bn_into_conv",
    "fuse_matmul_add_bias_into_gemm",
    "fuse_consecutive_transposes",
]

ZERO_RATIO = """<ir_version: 10, opset_import: ["": {opset}]>
g (float[N] x) => (float[N] y) <float zero = {{0}}> {{ a = {dropout}   y = Relu(a) }}"""


def operators(model: onnx.ModelProto) -> Counter:
    return Counter(
        f"{each.domain}::{each.op_type}" if each.domain not in ("", "ai.onnx") else each.op_type
        for each in model.graph.node
    )


def chain(*names: str, shape: tuple = (2, 3)) -> onnx.ModelProto:
    """One operator after the other; Transpose swaps the first two axes."""
    values = ["x", *(f"v{index}" for index in range(1, len(names))), "y"]
    nodes = [
        node(
            name,
            values[index],
            values[index + 1],
            **({"perm": [1, 0]} if name == "Transpose" else {}),
        )
        for index, name in enumerate(names)
    ]
    return model_of(nodes, [value("x", shape)], [value("y", shape)])


@claim(
    "pass-names",
    DAY_50,
    "onnxoptimizer.optimize(model, passes=[…]) with five pass names.",
    Verdict.CONFIRMED,
    PASSES,
)
def pass_names() -> str:
    available = onnxoptimizer.get_available_passes()
    holds(set(PRINTED) <= set(available), set(PRINTED) - set(available))
    return f"All {len(PRINTED)} are among the {len(available)} passes of onnxoptimizer {onnxoptimizer.__version__}."


@claim("pass-identity", DAY_50, "The pass eliminate_identity.", Verdict.CONFIRMED, PASSES)
def eliminate_identity() -> str:
    after = operators(
        onnxoptimizer.optimize(chain("Relu", "Identity", "Neg"), ["eliminate_identity"])
    )
    holds(after == {"Relu": 1, "Neg": 1}, after)
    return "Relu, Identity, Neg become Relu, Neg."


@claim("pass-dropout", DAY_50, "The pass eliminate_nop_dropout.", Verdict.MISLEADING, PASSES)
def eliminate_nop_dropout() -> str:
    model = bert_training()
    left = count(onnxoptimizer.optimize(model, ["eliminate_nop_dropout"]), "Dropout")
    holds(left == count(model, "Dropout") == 7, left)
    as_attribute = onnx.parser.parse_model(
        ZERO_RATIO.format(opset=11, dropout="Dropout <ratio = 0.0> (x)")
    )
    as_input = onnx.parser.parse_model(ZERO_RATIO.format(opset=13, dropout="Dropout(x, zero)"))
    kept = [
        count(onnxoptimizer.optimize(each, ["eliminate_nop_dropout"]), "Dropout")
        for each in (as_attribute, as_input)
    ]
    holds(kept == [0, 1], kept)
    return (
        "It takes out a Dropout whose ratio is 0 only where the ratio is an attribute, up to opset 11. Since opset 12 it is an input, "
        f"which the pass does not read. Of the {left} in a BERT exported in training mode it takes out none."
    )


@claim("pass-batch-norm", DAY_50, "The pass fuse_bn_into_conv.", Verdict.MISLEADING, PASSES)
def fuse_bn_into_conv() -> str:
    kept = export(
        cnn(),
        CNN_INPUT,
        **NAMES,
        dynamo=False,
        training=torch.onnx.TrainingMode.PRESERVE,
        do_constant_folding=False,
    ).model
    fused = onnxoptimizer.optimize(kept, ["fuse_bn_into_conv"])
    sizes = len(kept.graph.node), len(fused.graph.node), len(optimised(kept, BASIC).graph.node)
    holds(count(fused, "BatchNormalization") == 0 and sizes[1] > 2 * sizes[0] > 2 * sizes[2], sizes)
    holds(
        count(cnn_default().model, "BatchNormalization") == 0,
        "a normal export keeps the batch normalisation",
    )
    return (
        f"It writes out the arithmetic instead of doing it: the CNN goes from {sizes[0]} nodes to {sizes[1]} (ONNX Runtime's basic "
        f"level: {sizes[2]}). "
        "And a normal export has no BatchNormalization left to fuse."
    )


@claim("pass-gemm", DAY_50, "The pass fuse_matmul_add_bias_into_gemm.", Verdict.MISLEADING, PASSES)
def fuse_into_gemm() -> str:
    def fused(batch: int | str) -> tuple[bool, bool]:
        weights = [weight("w", np.ones((4, 5), np.float32)), weight("b", np.ones(5, np.float32))]
        nodes = [node("MatMul", "x w", "m"), node("Add", "m b")]
        model = model_of(nodes, [value("x", [batch, 4])], [value("y", [batch, 5])], weights)
        after = (
            onnxoptimizer.optimize(model, ["fuse_matmul_add_bias_into_gemm"]),
            optimised(model, BASIC),
        )
        return tuple(count(each, "Gemm") == 1 for each in after)

    found = fused(2), fused("batch")
    holds(found == ((True, True), (False, True)), found)
    return (
        "It fuses where the batch is a number. Where it is dynamic, as in any model that you deploy, it leaves MatMul and Add; ONNX "
        "Runtime's basic level fuses both."
    )


@claim(
    "pass-transposes", DAY_50, "The pass fuse_consecutive_transposes.", Verdict.CONFIRMED, PASSES
)
def fuse_transposes() -> str:
    after = operators(
        onnxoptimizer.optimize(
            chain("Transpose", "Transpose", "Relu"), ["fuse_consecutive_transposes"]
        )
    )
    holds(after["Transpose"] <= 1 and after["Relu"] == 1, after)
    return f"Two Transposes in a row become {after['Transpose']}."


@claim(
    "passes-nothing-to-do",
    DAY_50,
    "The five passes optimise an exported model.",
    Verdict.MISLEADING,
    PASSES,
)
def nothing_to_do() -> str:
    before, after = {}, {}
    for name, model in {"CNN": cnn_default().model, "BERT": bert_default().model}.items():
        before[name], after[name] = (
            len(model.graph.node),
            len(onnxoptimizer.optimize(model, PRINTED).graph.node),
        )
    holds(before == after, f"{before} {after}")
    return (
        "On what the default exporter writes they find nothing: "
        + ", ".join(f"{name} {size} nodes before and after" for name, size in after.items())
        + "."
    )


@claim(
    "ort-own-optimizations",
    DAY_50,
    "ORT applies its own graph optimizations at session creation.",
    Verdict.CONFIRMED,
    LEVELS,
)
@claim(
    "ort-compiles",
    FORMAT,
    "InferenceSession: this compiles the graph and prepares execution kernels.",
    Verdict.CONFIRMED,
    LEVELS,
)
def at_creation() -> str:
    model = chain("Identity", "Relu", "Identity", "Neg")
    saved = new_path("optimised.onnx")
    session(model, ALL, saved)
    after = [each.op_type for each in onnx.load(saved).graph.node]
    holds(after == ["Relu", "Neg"], after)
    integers = model_of(
        [node("Gemm", "x x")],
        [value("x", [2, 2], onnx.TensorProto.INT32)],
        [value("y", [2, 2], onnx.TensorProto.INT32)],
    )
    said = attempt(session, integers)
    holds("NOT_IMPLEMENTED" in said or "NotImplemented" in said, said)
    return (
        "Creating the session is enough, nothing has run yet: Identity, Relu, Identity, Neg is saved as Relu, Neg. Kernels are chosen "
        "then too: "
        "a Gemm of int32, for which there is none, is refused at creation."
    )


@claim(
    "ort-saved",
    DAY_50,
    "optimized_model_filepath: the optimized model is saved to disk.",
    Verdict.CONFIRMED,
    LEVELS,
)
def saved_to_disk() -> str:
    model = cnn_default().model
    found = {
        name: operators(optimised(model, level))
        for name, level in {"extended": EXTENDED, "all": ALL}.items()
    }
    domains = {
        name: sorted({key.split("::")[0] for key in each if "::" in key})
        for name, each in found.items()
    }
    holds("com.microsoft" in domains["extended"], domains)
    return (
        "It is, as a model for this runtime on this kind of CPU: the CNN at the extended level holds operators of "
        f"{', '.join(domains['extended'])}. Do not ship it."
    )


@claim(
    "ort-level-numbers", DAY_50, "ORT optimization levels: 0, 1, 2, 3.", Verdict.MISLEADING, LEVELS
)
def level_numbers() -> str:
    levels = {int(level): name for name, level in ort.GraphOptimizationLevel.__members__.items()}
    holds(levels[3] == "ORT_ENABLE_LAYOUT" and levels[99] == "ORT_ENABLE_ALL", levels)
    return "; ".join(f"{number} is {levels[number]}" for number in sorted(levels)) + "."


@claim("ort-level-none", DAY_50, "0 (none).", Verdict.CONFIRMED, LEVELS)
@claim("ort-level-basic", DAY_50, "1 (basic).", Verdict.CONFIRMED, LEVELS)
def levels_none_and_basic() -> str:
    model = chain("Identity", "Relu", "Identity", "Neg")
    sizes = [len(optimised(model, level).graph.node) for level in (OFF, BASIC)]
    holds(sizes == [4, 2], sizes)
    return f"Of four nodes, two of them Identity, level 0 keeps {sizes[0]} and level 1 keeps {sizes[1]}."


@claim("ort-level-default", DAY_50, "2 (extended, default).", Verdict.WRONG, LEVELS)
def default_level() -> str:
    default = ort.SessionOptions().graph_optimization_level
    holds(default == ort.GraphOptimizationLevel.ORT_ENABLE_ALL, default)
    return f"The default is {default.name} ({int(default)})."


@claim("ort-level-custom-fusions", DAY_50, "3 (full with custom fusions).", Verdict.WRONG, LEVELS)
def custom_fusions() -> str:
    found = {
        name: operators(optimised(bert_training(), level))
        for name, level in {"basic": BASIC, "extended": EXTENDED}.items()
    }
    custom = {
        name: sorted(key for key in each if key.startswith("com.microsoft::"))
        for name, each in found.items()
    }
    holds(not custom["basic"] and custom["extended"], custom)
    return (
        f"Fusions to operators of its own come with level 2: in BERT {', '.join(custom['extended'])}. Level 3 adds changes of memory "
        "layout."
    )


@claim(
    "constant-folding",
    INTEROPERABILITY,
    "The engine might perform constant folding: calculate operations on static values during compilation.",
    Verdict.CONFIRMED,
    LEVELS,
)
def constant_folding() -> str:
    weights = [weight("a", np.full(2, 3, np.float32)), weight("b", np.full(2, 4, np.float32))]
    model = model_of(
        [node("Mul", "a b", "c"), node("Add", "x c")], [value("x", [2])], [value("y", [2])], weights
    )
    folded = optimised(model, BASIC)
    twelve = [onnx.numpy_helper.to_array(tensor).tolist() for tensor in folded.graph.initializer]
    holds(operators(folded) == {"Add": 1} and twelve == [[12, 12]], folded.graph)
    return f"At the basic level x + (3 · 4) is saved as one Add and the initializer {twelve[0]}."


@claim(
    "operator-fusion",
    INTEROPERABILITY,
    "…or operator fusion: a convolution and its activation in a single, faster kernel.",
    Verdict.CONFIRMED,
    LEVELS,
)
def operator_fusion() -> str:
    model = cnn_default().model
    before, after = operators(model), operators(optimised(model, EXTENDED))
    holds(after["com.microsoft::FusedConv"] == before["Conv"] == 2 and after["Relu"] == 0, after)
    return (
        f"At the extended level the CNN's {before['Conv']} pairs of Conv and Relu are {after['com.microsoft::FusedConv']} FusedConv. "
        "The kernel is single; whether it is faster depends on the machine."
    )


@claim(
    "optimise-globally",
    FORMAT,
    "A unified operator graph enables downstream compilers to optimize execution structures globally.",
    Verdict.CONFIRMED,
    LEVELS,
)
def optimise_globally() -> str:
    model = bert_training()
    before, after = (sum(operators(each).values()) for each in (model, optimised(model, EXTENDED)))
    fused = optimised(model, EXTENDED)
    error = relative_error(run(fused, bert_inputs()), run(optimised(model, BASIC), bert_inputs()))
    holds(after < before - 10 and error < 1e-4, f"{before} to {after}, relative error {error:.1e}")
    return (
        f"ONNX Runtime's extended level makes {after} nodes of BERT's {before}, across the borders of the modules of its source code; "
        "the outputs stay."
    )


@claim(
    "independent-optimisations",
    INTEROPERABILITY,
    "The engine's optimizations are independent of the original training framework.",
    Verdict.MISLEADING,
    FUSIONS,
)
def independent_of_framework() -> str:
    import onnx_ir as ir
    from onnxruntime.transformers import optimizer
    from onnxscript.rewriter import ort_fusions

    fused = {}
    for name, exported in {
        "TorchScript-based": bert_torchscript(17),
        "default": bert_default(),
    }.items():
        path = new_path("bert.onnx")
        onnx.save(exported.model, path)
        after = optimizer.optimize_model(
            str(path), model_type="bert", num_heads=4, hidden_size=48, opt_level=0
        )
        fused[name] = sum(each.op_type == "Attention" for each in after.model.graph.node)
    holds(fused["TorchScript-based"] == 2 and fused["default"] == 0, fused)
    other = ir.serde.deserialize_model(bert_default().model)
    _, counts = ort_fusions.optimize_for_ort(other)
    holds(counts["attention"] == 2, counts)
    return (
        "Fusions look for patterns, and exporters write different ones. ONNX Runtime's transformer optimizer finds "
        f"{fused['TorchScript-based']} Attention blocks in the two-layer BERT by the TorchScript-based exporter, {fused['default']} by "
        f"the default one; onnxscript's, which is made for the default one, finds {counts['attention']} there."
    )
