"""Versions of operators and of operator sets."""

import numpy as np
import onnx
from onnx import defs, helper

from .ledger import Source, Verdict, holds, topic
from .running import attempt, model_of, newest_ir_version, node, session, value, weight
from .subjects import MLP_INPUT, bert_torchscript, export, mlp

claim = topic("Operator sets and versions")
VERSIONS = "02-inside-an-onnx-file#versions"
OPERATORS = "02-inside-an-onnx-file#operators"
DAY_50 = Source.DAY_50

TABLE = {
    13: "1.8",
    14: "1.9",
    15: "1.10",
    16: "1.11",
    17: "1.12",
    18: "1.13",
    19: "1.14",
    20: "1.15",
}


def release_of(opset: int) -> str:
    """The first release of onnx that defines the opset, as major.minor."""
    return next(row[0] for row in helper.VERSION_TABLE if row[2] == opset).rpartition(".")[0]


def first_version(operator: str) -> int:
    return min(
        schema.since_version
        for schema in defs.get_all_schemas_with_history()
        if (schema.domain, schema.name) == ("", operator)
    )


def attributes(operator: str, version: int) -> set[str]:
    return set(defs.get_schema(operator, version, "").attributes)


def inputs(operator: str, version: int) -> list[str]:
    return [each.name for each in defs.get_schema(operator, version, "").inputs]


def types(operator: str, version: int) -> set[str]:
    """The types that any input or output may have; none before the operator's first version."""
    if version < first_version(operator):
        return set()
    return {
        each
        for pair in defs.get_schema(operator, version, "").type_constraints
        for each in pair.allowed_type_strs
    }


def changed_in(opset: int) -> set[str]:
    history = defs.get_all_schemas_with_history()
    return {
        schema.name for schema in history if schema.domain == "" and schema.since_version == opset
    }


def _enter_row(opset: int, release: str) -> None:
    @claim(
        f"opset-{opset}-release",
        DAY_50,
        f"Table: opset {opset} belongs to ONNX {release}.",
        Verdict.CONFIRMED,
        VERSIONS,
    )
    def row() -> str:
        holds(
            release_of(opset) == release,
            f"onnx's own table gives opset {opset} to ONNX {release_of(opset)}",
        )
        return f"`helper.VERSION_TABLE` gives opset {opset} to ONNX {release_of(opset)}."


for _opset, _release in TABLE.items():
    _enter_row(_opset, _release)


@claim(
    "opset-table-end",
    DAY_50,
    "The table of opsets ends at opset 20 (ONNX 1.15).",
    Verdict.OUTDATED,
    VERSIONS,
)
def table_end() -> str:
    newest = defs.onnx_opset_version()
    holds(newest > 20, f"the newest opset is {newest}")
    return f"The installed onnx {onnx.__version__} defines opsets up to {newest}, and IR version {onnx.IR_VERSION}."


@claim(
    "opset-13-squeeze",
    DAY_50,
    "Opset 13: Squeeze/Unsqueeze axis changes.",
    Verdict.CONFIRMED,
    VERSIONS,
)
def squeeze() -> str:
    for operator in ("Squeeze", "Unsqueeze"):
        holds(
            "axes" in attributes(operator, 12) and "axes" not in attributes(operator, 13),
            attributes(operator, 13),
        )
        holds("axes" in inputs(operator, 13), inputs(operator, 13))
    wider = [
        name for name in changed_in(13) if "tensor(bfloat16)" in types(name, 13) - types(name, 12)
    ]
    return f"`axes` moves from attribute to input. Of the {len(changed_in(13))} operators that opset 13 changes, {len(wider)} gain bfloat16."


@claim("opset-14-reshape", DAY_50, "Opset 14: Reshape allows 0-dim.", Verdict.CONFIRMED, VERSIONS)
def reshape() -> str:
    new = attributes("Reshape", 14) - attributes("Reshape", 13)
    holds(new == {"allowzero"}, new)
    return "Reshape-14 adds the attribute `allowzero`."


@claim("opset-14-broadcasting", DAY_50, "Opset 14: Add/Mul broadcasting.", Verdict.WRONG, VERSIONS)
def broadcasting() -> str:
    for operator in ("Add", "Mul"):
        holds(
            "broadcast" in attributes(operator, 6) and "broadcast" not in attributes(operator, 7),
            attributes(operator, 7),
        )
    new = sorted(name[7:-1] for name in types("Add", 14) - types("Add", 13))
    holds(new == ["int16", "int8", "uint16", "uint8"], new)
    return (
        f"NumPy's broadcasting is there since opset 7. Opset 14 adds types only: {', '.join(new)}."
    )


@claim("opset-15-shape", DAY_50, "Opset 15: Shape op with start/end.", Verdict.CONFIRMED, VERSIONS)
def shape() -> str:
    new = attributes("Shape", 15) - attributes("Shape", 13)
    holds(new == {"start", "end"}, new)
    return "Shape-15 adds the attributes `start` and `end`."


@claim("opset-16-gridsample", DAY_50, "Opset 16: GridSample.", Verdict.CONFIRMED, VERSIONS)
def grid_sample() -> str:
    holds(first_version("GridSample") == 16, first_version("GridSample"))
    return "GridSample is new in opset 16."


@claim("opset-16-scatternd", DAY_50, "Opset 16: ScatterND updates.", Verdict.CONFIRMED, VERSIONS)
def scatter_nd() -> str:
    new = attributes("ScatterND", 16) - attributes("ScatterND", 13)
    holds(new == {"reduction"}, new)
    return "ScatterND-16 adds the attribute `reduction`."


@claim(
    "opset-17-layernorm", DAY_50, "Opset 17: LayerNorm as a single op.", Verdict.CONFIRMED, VERSIONS
)
def layer_norm() -> str:
    holds(first_version("LayerNormalization") == 17, first_version("LayerNormalization"))
    return "LayerNormalization is new in opset 17."


@claim("opset-17-groupnorm", DAY_50, "Opset 17: GroupNorm as a single op.", Verdict.WRONG, VERSIONS)
def group_norm() -> str:
    first, first_schema = (
        first_version("GroupNormalization"),
        defs.get_schema("GroupNormalization", 18, ""),
    )
    holds(
        first == 18 and first_schema.deprecated,
        f"first version {first}, deprecated: {first_schema.deprecated}",
    )

    def loads(opset: int, scale: int) -> bool:
        weights = [weight(name, np.ones(scale, np.float32)) for name in ("scale", "bias")]
        graph = [node("GroupNormalization", "x scale bias", num_groups=2)]
        model = model_of(
            graph, [value("x", [1, 6, 4])], [value("y", [1, 6, 4])], weights, opset=opset
        )
        return (
            attempt(lambda: session(model).run(None, {"x": np.zeros((1, 6, 4), np.float32)}))
            == "accepted"
        )

    found = {(opset, scale): loads(opset, scale) for opset in (17, 18, 21) for scale in (2, 6)}
    holds([key for key, good in found.items() if good] == [(18, 2), (21, 6)], found)
    return (
        "GroupNormalization comes with opset 18, deprecated at once, and again with 21. ONNX Runtime refuses it at 17; "
        "at 18 `scale` has one element per group, at 21 one per channel."
    )


@claim(
    "opset-17-omission",
    DAY_50,
    "Opset 17: LayerNorm and GroupNorm are the key additions.",
    Verdict.MISLEADING,
    VERSIONS,
)
def opset_17() -> str:
    new = sorted(
        name
        for name in changed_in(17)
        if first_version(name) == 17 and name != "LayerNormalization"
    )
    holds({"DFT", "STFT"} <= set(new), new)
    return f"Opset 17 also adds {', '.join(new)}: most of it is signal processing."


@claim("opset-18-pad", DAY_50, "Opset 18: Pad edge-case fixes.", Verdict.MISLEADING, VERSIONS)
def pad() -> str:
    new = set(inputs("Pad", 18)) - set(inputs("Pad", 13))
    holds(new == {"axes"}, new)
    holds(
        "wrap" not in defs.get_schema("Pad", 18, "").doc
        and "wrap" in defs.get_schema("Pad", 19, "").doc,
        "the mode `wrap` moved",
    )
    return "Pad-18 adds an input, `axes`; the new mode `wrap` comes with Pad-19."


@claim("opset-18-bitwise", DAY_50, "Opset 18: BitwiseAnd/Or.", Verdict.CONFIRMED, VERSIONS)
def bitwise() -> str:
    new = sorted(name for name in changed_in(18) if name.startswith("Bitwise"))
    holds(
        {"BitwiseAnd", "BitwiseOr"} <= set(new) and all(first_version(name) == 18 for name in new),
        new,
    )
    return f"New in opset 18: {', '.join(new)}. It also moves the axes of the Reduce operators from attribute to input."


@claim("opset-19-deformconv", DAY_50, "Opset 19: DeformConv.", Verdict.CONFIRMED, VERSIONS)
def deform_conv() -> str:
    holds(first_version("DeformConv") == 19, first_version("DeformConv"))
    return "DeformConv is new in opset 19."


@claim("opset-19-averagepool", DAY_50, "Opset 19: AveragePool ceil mode.", Verdict.WRONG, VERSIONS)
def average_pool() -> str:
    since = min(
        version for version in (7, 10, 11, 19) if "ceil_mode" in attributes("AveragePool", version)
    )
    new = attributes("AveragePool", 19) - attributes("AveragePool", 11)
    holds(since == 10 and new == {"dilations"}, f"ceil_mode since {since}; 19 adds {new}")
    return f"`ceil_mode` is there since AveragePool-{since}. AveragePool-19 adds `dilations`."


@claim("opset-20-gridsample", DAY_50, "Opset 20: GridSample 5D.", Verdict.CONFIRMED, VERSIONS)
def grid_sample_5d() -> str:
    described = {
        version: defs.get_schema("GridSample", version, "").inputs[0].description
        for version in (16, 20)
    }
    holds(
        described[16].startswith("4-D tensor") and "(N, C, D1, D2, ..., Dr)" in described[20],
        described,
    )
    return (
        "The schema's own words: at 16 the input is a “4-D tensor”, at 20 it has “shape (N, C, D1, D2, ..., Dr)”. ONNX Runtime is not "
        "so strict."
    )


@claim("opset-20-dft", DAY_50, "Opset 20: DFT inverse.", Verdict.WRONG, VERSIONS)
def dft() -> str:
    holds(
        "inverse" in attributes("DFT", 17) and "axis" in attributes("DFT", 17),
        attributes("DFT", 17),
    )
    holds("axis" in inputs("DFT", 20) and "axis" not in attributes("DFT", 20), inputs("DFT", 20))
    return "`inverse` is there since DFT-17. DFT-20 moves `axis` from attribute to input."


@claim(
    "opset-versioned",
    DAY_50,
    "ONNX defines versioned operator sets: each adds, modifies, or deprecates operators.",
    Verdict.CONFIRMED,
    OPERATORS,
)
@claim(
    "opset-versioned",
    Source.COMPILATION,
    "ONNX defines versioned operator sets (opsets).",
    Verdict.CONFIRMED,
    OPERATORS,
)
def versioned() -> str:
    history = [schema for schema in defs.get_all_schemas_with_history() if schema.domain == ""]
    gone = sorted(
        {f"{schema.name}-{schema.since_version}" for schema in history if schema.deprecated}
    )
    holds({"Upsample-10", "GroupNormalization-18"} <= set(gone), gone)
    return f"{len({schema.name for schema in history})} operators in {len(history)} versions; deprecated: {', '.join(gone)}."


@claim(
    "opset-decides-runtime",
    DAY_50,
    "The opset version determines which runtime versions can execute your model.",
    Verdict.MISLEADING,
    VERSIONS,
)
def decides_runtime() -> str:
    def relu(opset: int, ir_version: int = 10) -> str:
        return attempt(
            session,
            model_of(
                [node("Relu", "x")],
                [value("x", [2])],
                [value("y", [2])],
                opset=opset,
                ir_version=ir_version,
            ),
        )

    holds(relu(17) == "accepted" and relu(5) != "accepted", relu(5))
    return (
        "Necessary, not sufficient. ONNX Runtime takes Relu at opset 17 and not at opset 5, for which it has no kernel. The file's IR "
        f"version counts, too: onnx's newest is {newest_ir_version()}."
    )


@claim(
    "opset-lowest",
    DAY_50,
    "Always export at the lowest opset that supports your operators.",
    Verdict.WRONG,
    "line-1-export#the-opset",
)
def lowest() -> str:
    low, high = bert_torchscript(14).model, bert_torchscript(17).model
    holds(
        len(low.graph.node) > len(high.graph.node) + 40,
        f"{len(low.graph.node)} nodes at 14, {len(high.graph.node)} at 17",
    )
    asked = export(mlp(), MLP_INPUT, opset_version=12)
    holds(asked.opset == 18, f"asked for opset 12, got {asked.opset}")
    return (
        f"A low opset spells out what a later one has as an operator: the two-layer BERT has {len(low.graph.node)} nodes at opset 14, "
        f"{len(high.graph.node)} at 17, for LayerNormalization. The default exporter writes opset {asked.opset} when asked for 12. "
        "Take the highest opset that your weakest runtime supports."
    )


@claim(
    "typed-operators",
    Source.COMPILATION,
    "ONNX defines a standardized graph representation with typed operators.",
    Verdict.CONFIRMED,
    OPERATORS,
)
@claim(
    "typed-operators",
    Source.FORMAT,
    "A standardized library of operators with strict input, output, and type definitions.",
    Verdict.CONFIRMED,
    OPERATORS,
)
def typed() -> str:
    allowed = types("Add", 20)
    holds("tensor(float)" in allowed and "tensor(string)" not in allowed, allowed)
    mixed = model_of(
        [node("Add", "x n")],
        [value("x", [2]), value("n", [2], onnx.TensorProto.INT64)],
        [value("y", [2])],
    )
    plain, full = (
        attempt(onnx.checker.check_model, mixed),
        attempt(onnx.checker.check_model, mixed, full_check=True),
    )
    holds(plain == "accepted" and full != "accepted", f"plain: {plain}, full: {full}")
    return (
        f"Each schema lists its types; Add has {len(allowed)}. How strictly they are held is up to the tool: Add of a float and an "
        "int64 passes `check_model`, and not `check_model(full_check=True)`."
    )
