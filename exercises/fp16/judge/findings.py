"""Findings of `fp16`: what a broken rung looks like, and the mistake that most often stands behind
it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from onnx import ModelProto, TensorProto, ValueInfoProto, helper, shape_inference

from formatlab import loading
from formatlab.graphs import Unwritten
from formatlab.loading import Unloadable
from formatlab.numerics import Difference
from formatlab_exercises.fp16.judge import case_facts, cases
from formatlab_exercises.fp16.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import listed, name_of
from formatlab_exercises.shared.judge.surgery_loading import WRITTEN_BEFORE, reader_of
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Cause, also

PAGE = "lab-7-01/03-fp16"
SURGERY = "day-50/05-graph-surgery"
RENAMED_HALFWAY = (
    "A name was changed where it is written and not where it is read, or the other way round."
)


def raised(case: Case, answer: Answer, finding: Finding) -> Finding:
    """The student's function raised: onnx-ir refuses a graph in which two nodes write one name."""
    description = cases.DESCRIPTIONS.get(case.name, "A BERT as the exporter writes it.")
    is_twice = "is redeclared" in answer.error.get("text", "")
    said = Mistakes.double_casts if is_twice else finding.cause
    return replace(finding, cause=also(said, f"The case: {description}"))


QUANTIZED = Finding(
    "numbers of type float16",
    "integers: MatMulInteger, DynamicQuantizeLinear or their like are new in the graph",
    Mistakes.quantize_dynamic,
)


NOT_CONVERTED = Finding("numbers of type float16", "none in the whole model", Mistakes.unchanged)


def bfloat16() -> Finding:
    cause = "bfloat16 has the range of float32 and 8 bits of precision. It is another format."
    return Finding("numbers of type float16", "numbers of type bfloat16", cause, f"{PAGE}#range")


def nested() -> Finding:
    cause = "The argument has neither, so whatever was put in came from somewhere else."
    return Finding(
        "a model without subgraphs and local functions",
        "a model that has some",
        cause,
        f"{PAGE}#conversion-routes",
    )


def unwritten(view: View, found: list[Unwritten]) -> Finding:
    cause: Cause
    first = found[0]
    reader = reader_of(first)
    name = f": {name_of(first.name)}" if view.case.public else ""
    text, cause = f"{reader} reads a name that nothing writes", RENAMED_HALFWAY
    if first.later:
        text, cause = f"{reader} reads a name that is written further down", Mistakes.unsorted
    elif given_out := _constants_given_out(loading.parse(view.case.files[MODEL])):
        is_large = given_out <= case_facts.read(view.case.files[MODEL]).full
        cause = Mistakes.large_given_out if is_large else Mistakes.constant_given_out
    return Finding(WRITTEN_BEFORE, f"{text}{name}", cause, f"{PAGE}#validity")


def _constants_given_out(model: ModelProto) -> set[str]:
    """The initializers that are outputs of the graph."""
    outputs = {value.name for value in model.graph.output}
    return outputs.intersection(tensor.name for tensor in model.graph.initializer)


def _stale(case: Case, model: ModelProto) -> str:
    """A value that is declared with another type than inference gives it, or than it is stored in,
    in words; empty where there is none. The checker's text has numbers for types, and no name.
    """
    declared = _types(*model.graph.value_info, *model.graph.output)
    bare = ModelProto()
    bare.CopyFrom(model)
    bare.graph.ClearField("value_info")
    for value in bare.graph.output:
        value.type.tensor_type.ClearField("elem_type")
    try:
        inferred = shape_inference.infer_shapes(bare).graph
    except shape_inference.InferenceError:
        return ""
    found = _types(*inferred.value_info, *inferred.output)
    found |= {tensor.name: tensor.data_type for tensor in model.graph.initializer}
    other = [name for name, known in found.items() if declared.get(name, known) != known]
    if not other:
        return ""
    if not case.public:
        return "a value whose declared type is another one"
    name = other[0]
    wrong, right = (helper.tensor_dtype_to_np_dtype(each[name]) for each in (declared, found))
    return f"{name_of(name)} is declared {wrong}, and is {right}"


def _types(*values: ValueInfoProto) -> dict[str, int]:
    return {value.name: value.type.tensor_type.elem_type for value in values}


# What ONNX and ONNX Runtime say, and what stands behind it.
REFUSALS = {
    ("SSA", "duplicate", "Duplicate", "multiple times"): Finding(
        "every name is written once", "a name that two nodes write", Mistakes.double_casts
    ),
    ("unsupported type: tensor(float16)",): Finding(
        "operators with types that they are defined for",
        "float16 where an operator is defined for float32 alone",
        Mistakes.half_range,
    ),
    ("inconsistent type", "bound to different types", "Type parameter"): Finding(
        "nodes whose float inputs are of one type",
        "a node that gets float32 and float16 together",
        Mistakes.misses_constants,
    ),
}


def refused(view: View, problem: Unloadable) -> Finding | None:
    """The refusals that come of types that do not fit together."""
    text = problem.found
    before, now = (loading.parse(each.files[MODEL]) for each in (view.case, view.answer))
    inputs, outputs = (
        {value.name for value in values} for values in (before.graph.input, before.graph.output)
    )
    constants = {tensor.name for tensor in before.graph.initializer}
    if any(
        tensor.name in constants & inputs and tensor.data_type == TensorProto.FLOAT16
        for tensor in now.graph.initializer
    ):
        expected = "the defaults of graph inputs as they were"
        return Finding(expected, "one that is float16", Mistakes.default_converted)
    known = (each for signs, each in REFUSALS.items() if any(part in text for part in signs))
    finding = next(known, None)
    if finding is not None and (twice := _twice(now) & _names(before)):
        is_passed_on = twice & inputs & outputs
        mistake = Mistakes.input_given_out if is_passed_on else Mistakes.taken_name
        return Finding(finding.expected, finding.found, mistake)
    if stale := _stale(view.case, now):
        expected = "declared types that are those of the values"
        return Finding(expected, stale, Mistakes.stale_value_info)
    if finding is not None and any(
        node.op_type == "ConstantOfShape" and not node.attribute for node in now.graph.node
    ):
        finding = replace(finding, cause=Mistakes.float_zeros)
    node = re.search(r"op_type:(\w+), node name: ([^)]+)\)", text)
    if finding and node and view.case.public:
        return replace(finding, found=f"{finding.found}: {node[1]} {name_of(node[2])}")
    return finding


def _names(model: ModelProto) -> set[str]:
    """The names of a model's values."""
    graph = model.graph
    return {name for node in graph.node for name in node.output} | {
        item.name for item in (*graph.input, *graph.initializer)
    }


def _twice(model: ModelProto) -> set[str]:
    """The names that are written more than once."""
    graph = model.graph
    written = Counter(name for node in graph.node for name in node.output if name)
    written += Counter({item.name for item in (*graph.input, *graph.initializer)})
    return {name for name, times in written.items() if times > 1}


def half_border(kind: str) -> Finding:
    return Finding(
        f"float32 {kind}s where the argument has float32 {kind}s",
        f"a graph {kind} that is float16 now",
        Mistakes.half_borders,
    )


def other_operators(before: dict[str, int], now: dict[str, int]) -> Finding:
    missing, new = Counter(before) - Counter(now), Counter(now) - Counter(before)
    found = "; ".join(
        text
        for text in (
            f"missing: {listed(missing)}" if missing else "",
            f"new: {listed(new)}" if new else "",
        )
        if text
    )
    return Finding("the argument's nodes, and Casts", found, Mistakes.clips_values)


def other_precision(late: Counter[tuple[str, str]]) -> Finding:
    """`late` counts nodes that compute in another precision than they should, by what they do
    compute in.
    """
    wide = Counter({op: count for (op, kind), count in late.items() if kind == "float32"})
    if wide:
        expected = "float32 only in nodes that read a number that does not fit, or whose operator does not take float16"
        found = f"float32 also in: {listed(wide)}"
        return Finding(expected, found, Mistakes.library_blocks_much)
    half = Counter({op: count for (op, kind), count in late.items() if kind == "float16"})
    expected = "nodes that read a number that does not fit compute in float32"
    return Finding(expected, f"float16 in: {listed(half)}", Mistakes.casts_large_numbers)


def does_not_run(case: Case, message: str) -> Finding:
    found = message if case.public else "it loads, and fails when it runs"
    cause = "ONNX Runtime casts behind your back; the reference evaluator does what the graph says."
    return Finding(
        "the model runs in onnx.reference.ReferenceEvaluator", found, cause, f"{PAGE}#overflow"
    )


def differs(case: Case, difference: Difference) -> Finding:
    where = f" in output {name_of(difference.output)}" if case.public and difference.output else ""
    expected = f"the outputs of the converted model, evaluated in float16: {difference.expected}"
    if difference.kind == "finite":
        cause = "A value is infinite in float16. Does a node that reads a large number really compute in float32?"
    elif difference.kind == "value":
        cause = "Another value flows than before: an attribute, a constant of a ConstantOfShape, or a link between two nodes."
    else:
        cause = "A shape or a type at the border is another one than the graph declares."
    return Finding(expected, f"{difference.found}{where}", cause, f"{PAGE}#overflow")


def no_cast_at_border(case: Case, kind: str, name: str) -> Finding:
    what = {"input": "reads it as it comes", "output": "writes it"}[kind]
    found = (
        f"a node that is no Cast {what}: {name_of(name)}"
        if case.public
        else f"a graph {kind} without one"
    )
    return Finding(
        f"a Cast between each float32 {kind} of the graph and the rest",
        found,
        Mistakes.bare_border,
    )


def idle_casts(case: Case, outputs: Sequence[str]) -> Finding:
    """`outputs` are what the Casts write."""
    found = f"{len(outputs)} that change none"
    if case.public:
        found += f", which write {', '.join(map(name_of, outputs[:4]))}"
    return Finding("Casts that change a type", found, Mistakes.idle_casts)


def unread(nodes: Counter[str], initializers: tuple[str, ...]) -> Finding:
    found = f"nodes: {listed(nodes)}" if nodes else f"{len(initializers)} initializers"
    if set(nodes) == {"Cast"}:
        return Finding("nothing in the graph that serves no output", found, Mistakes.dead_cast)
    cause = "Something was replaced, and what it replaced was left in the graph."
    return Finding(
        "nothing in the graph that serves no output", found, cause, f"{PAGE}#conversion-routes"
    )


def many_casts(count: int, most: int) -> Finding:
    cause = "float16 nodes can follow each other without a Cast between them, and one Cast serves all readers of a value."
    return Finding(f"{most} Casts at most", f"{count}", cause, f"{PAGE}#conversion-routes")
