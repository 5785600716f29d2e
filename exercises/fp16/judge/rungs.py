"""The rungs of `fp16`. Each looks at one case."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from onnx import ModelProto, TensorProto, ValueInfoProto, helper, shape_inference

from formatlab import graphs, loading, numerics
from formatlab.graphs import Unwritten
from formatlab.loading import Unloadable
from formatlab.numerics import Difference
from formatlab_exercises.fp16.judge import case_facts, cases
from formatlab_exercises.fp16.judge.evaluate import evaluate, inputs_of
from formatlab_exercises.fp16.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge import models, signature, surgery_loading
from formatlab_exercises.shared.judge.models import listed, name_of
from formatlab_exercises.shared.judge.surgery_loading import WRITTEN_BEFORE, reader_of
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Cause, also
from nbjudge.rungs import outcome

PAGE = "lab-7-01/03-fp16"
SURGERY = "day-50/05-graph-surgery"
TYPES = frozenset(helper.get_all_tensor_dtypes())
RENAMED_HALFWAY = (
    "A name was changed where it is written and not where it is read, or the other way round."
)
QUANTIZED = Finding(
    "numbers of type float16",
    "integers: MatMulInteger, DynamicQuantizeLinear or their like are new in the graph",
    Mistakes.quantize_dynamic,
)
NOT_CONVERTED = Finding("numbers of type float16", "none in the whole model", Mistakes.unchanged)
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
READ = f"{PAGE}#conversion-routes"
_returns = outcome.returns("an onnx.ModelProto", READ, models.report)


def is_converted(view: View) -> Finding | None:
    """It returns a ModelProto some of whose numbers are float16 now."""
    finding = _returns(view)
    if finding is not None and view.answer.outcome == "raised":
        return raised(view.case, view.answer, finding)
    if finding is not None or view.answer.outcome != "returned":
        return finding
    return _nothing_converted(view.case, view.answer)


def raised(case: Case, answer: Answer, finding: Finding) -> Finding:
    """The student's function raised: onnx-ir refuses a graph in which two nodes write one name."""
    description = cases.DESCRIPTIONS.get(case.name, "A BERT as the exporter writes it.")
    is_twice = "is redeclared" in answer.error.get("text", "")
    said = Mistakes.double_casts if is_twice else finding.cause
    return replace(finding, cause=also(said, f"The case: {description}"))


def loads(view: View) -> Finding | None:
    """Within the caps, in order, accepted by the checker with full_check, by onnx-ir and by ONNX
    Runtime.
    """
    model = loading.parse(view.answer.files[MODEL])
    if model.functions or any(graphs.subgraphs(node) for node in graphs.nodes(model)):
        return nested()
    finding = surgery_loading.loads(view, SURGERY, unwritten, Mistakes.constant_given_out, refused)
    return replace(finding, read=f"{PAGE}#validity") if finding else None


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
    found |= {
        tensor.name: tensor.data_type
        for tensor in model.graph.initializer
        if tensor.data_type in TYPES
    }
    other = [name for name, known in found.items() if declared.get(name, known) != known]
    if not other:
        return ""
    if not case.public:
        return "a value whose declared type is another one"
    name = other[0]
    wrong, right = (helper.tensor_dtype_to_np_dtype(each[name]) for each in (declared, found))
    return f"{name_of(name)} is declared {wrong}, and is {right}"


def _types(*values: ValueInfoProto) -> dict[str, int]:
    """The types of tensors that say one: who writes a file may leave it out, or write any number."""
    types = {value.name: value.type.tensor_type.elem_type for value in values}
    return {name: kind for name, kind in types.items() if kind in TYPES}


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


def keeps_signature(view: View) -> Finding | None:
    """Inputs and outputs keep their names and types."""
    original, model = loading.parse(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    for kind in ("input", "output"):
        before, now = (
            {value.name: value.type.tensor_type.elem_type for value in getattr(m.graph, kind)}
            for m in (original, model)
        )
        if any(
            now.get(name) == TensorProto.FLOAT16 and type_ == TensorProto.FLOAT
            for name, type_ in before.items()
        ):
            return half_border(kind)
    return signature.keeps_names(view, SURGERY, "a float32 node")


def half_border(kind: str) -> Finding:
    return Finding(
        f"float32 {kind}s where the argument has float32 {kind}s",
        f"a graph {kind} that is float16 now",
        Mistakes.half_borders,
    )


def is_float16(view: View) -> Finding | None:
    """Every constant is what its rounding says, and every node computes in the precision that the
    task gives it.
    """
    before, model = case_facts.read(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    stored = case_facts.constants(model)
    for name, numbers in before.constants.items():
        finding = _judge_constant(view.case, before, name, numbers, stored)
        if finding:
            return finding
    wide = sum(numbers.size for numbers in stored.values() if numbers.dtype == np.float32)
    may_be = before.full | before.spare | before.given_out
    may_be |= {name for name in before.defaults if before.constants[name].dtype == np.float32}
    if wide > sum(before.constants[name].size for name in may_be):
        return stored_twice()
    found = case_facts.precisions(model)
    operators = [
        {op: sum(n for (name, _), n in counts.items() if name == op) for op, _ in counts}
        for counts in (before.computes, found)
    ]
    if operators[0] != operators[1]:
        return other_operators(*operators)
    late, early = found - before.computes, before.computes - found
    return other_precision(late) if late or early else None


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


def stored_twice() -> Finding:
    cause = "The numbers are there once more, in float32, so that the model is no smaller. The rounded ones are enough."
    return Finding(
        "float32 numbers only where they do not fit",
        "more float32 numbers than that",
        cause,
        f"{PAGE}#conversion-routes",
    )


def _judge_constant(
    case: Case,
    before: case_facts.CaseFacts,
    name: str,
    want: np.ndarray,
    stored: dict[str, np.ndarray],
) -> Finding | None:
    half = case_facts.rounded(want) if want.dtype == np.float32 else want
    if name in before.given_out and name not in before.full:
        stored = _under_its_name(name, half, stored)
    if name not in stored:
        return constant_missing(case, name)
    have = stored[name]
    if have.shape != want.shape:
        return constant_reshaped(case, name)
    if (
        name in before.full | before.spare | before.defaults
        and have.dtype == want.dtype
        and np.array_equal(have, want)
    ):
        return None
    if name in before.full:
        return does_not_fit(have)
    if name in before.defaults:
        return default_changed()
    if have.dtype != half.dtype:
        return other_type(case, name, have, half)
    same = np.array_equal(have, half, equal_nan=have.dtype.kind == "f")
    return None if same else other_numbers(want, have)


def constant_missing(case: Case, name: str) -> Finding:
    what = f"the constant {name_of(name)}" if case.public else "a constant"
    cause = "It was renamed, folded into another one, or removed. Initializers keep their names; a Constant may become one."
    return Finding(
        "every initializer and Constant under its name",
        f"{what} is gone",
        cause,
        f"{PAGE}#conversion-routes",
    )


def constant_reshaped(case: Case, name: str) -> Finding:
    what = (
        f"the constant {name_of(name)} has another shape"
        if case.public
        else "a constant of another shape"
    )
    cause = "numpy turns a scalar into an array of one element where it is written in brackets. Keep the shape."
    return Finding(
        "constants of the shapes that they had", what, cause, f"{PAGE}#conversion-routes"
    )


def does_not_fit(have: np.ndarray) -> Finding:
    expected = "a tensor with a finite number beyond float16's range stays float32, unchanged"
    read = f"{PAGE}#numbers-that-do-not-fit"
    if have.dtype == np.float16 and np.isinf(have).any():
        infinite = "one of its numbers is infinite" if have.ndim else "infinite"
        found = f"it is float16, and {infinite}"
        return Finding(expected, found, Mistakes.infinite_weights, read)
    if have.dtype == np.float16:
        return Finding(
            expected,
            "it is float16, clipped to a number that is another one",
            Mistakes.library_clips,
            read,
        )
    cause = "The number was changed, by hand or by a converter, so that it fits. The model says what it says."
    return Finding(expected, "it holds another number", cause, read)


def other_type(case: Case, name: str, have: np.ndarray, want: np.ndarray) -> Finding:
    """A constant of another type than its rounding `want`."""
    kind = str(have.dtype)
    what = f"{name_of(name)} is {kind}" if case.public else f"a constant of type {kind}"
    expected = f"constants of type {want.dtype}, where they fit"
    if (kind, str(want.dtype)) != ("float32", "float16"):
        cause = (
            "Floats of 32 bits become float16; integers, Booleans and other types stay as they are."
        )
        return Finding(expected, what, cause, f"{PAGE}#conversion-routes")
    if np.isinf(have).any():
        return Finding(expected, what, Mistakes.keeps_infinities)
    if (np.abs(have) > np.finfo(np.float16).max).any():
        return Finding(expected, what, Mistakes.largest_number)
    cause = (
        "Constants hide in initializers and in Constant nodes, as value, value_float or "
        "value_floats. Only what is too large stays; what is too small is rounded."
    )
    return Finding(expected, what, cause, f"{PAGE}#conversion-routes")


def other_numbers(want: np.ndarray, have: np.ndarray) -> Finding:
    expected = "each number rounded to the nearest float16"
    read = f"{PAGE}#range"
    if have.dtype != np.float16:
        return Finding(
            "integers and Booleans as they were",
            "other ones",
            "Only float32 tensors are converted.",
            read,
        )
    half, small = want.astype(np.float16), np.abs(want) < 2.0**-14
    off = have != half
    if not np.isfinite(want).all() and (off & ~np.isfinite(want)).any():
        return Finding(expected, "an infinity became a finite number", Mistakes.finite_masks, read)
    if off[~small].any():
        return Finding(expected, "numbers that are not the nearest ones", Mistakes.truncates, read)
    if (np.abs(have[off]) > np.abs(half[off])).any():
        return Finding(
            expected,
            "numbers near 0 are raised to the smallest subnormal one",
            Mistakes.library_raises_small,
            read,
        )
    return Finding(expected, "subnormal numbers are 0", Mistakes.flushes_subnormals, read)


def default_changed() -> Finding:
    return Finding(
        "the defaults of graph inputs as they were",
        "another one",
        Mistakes.default_converted,
    )


def _under_its_name(name: str, half: np.ndarray, stored: dict) -> dict[str, np.ndarray]:
    """The constants, with that of an output of the graph under the output's name: a Cast writes the
    output, so that what is rounded has a new one.
    """
    alike = (
        numbers
        for numbers in stored.values()
        if numbers.dtype == half.dtype and np.array_equal(numbers, half, equal_nan=True)
    )
    found = next(alike, None)
    return stored if found is None else {**stored, name: found}


def means_the_same(view: View) -> Finding | None:
    """In true float16 the converted model's outputs are the reference's."""
    model = loading.parse(view.answer.files[MODEL])
    labels = [value.name for value in model.graph.output]
    allowed = tolerance(loading.parse(view.case.files[MODEL]))
    for feeds, expected in zip(inputs_of(view.case), numerics.unpack(view.reference), strict=True):
        try:
            found = _unbordered(evaluate(view.answer.files[MODEL], feeds), expected)
        except Exception as error:
            return does_not_run(view.case, loading.first_line(error))
        difference = numerics.compare(expected, found, labels, allowed)
        if difference:
            return differs(view.case, difference)
    return None


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


def has_casts_at_its_borders(view: View) -> Finding | None:
    """A Cast stands between each float32 input or output of the graph and the rest."""
    before, model = loading.parse(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    border = _uncast_border(before, model)
    return no_cast_at_border(view.case, *border) if border else None


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


def is_clean(view: View) -> Finding | None:
    """No Cast without a purpose."""
    before, model = case_facts.read(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    known = case_facts.types(model)
    idle = [
        node
        for node in model.graph.node
        if node.op_type == "Cast" and known.get(node.input[0]) == known.get(node.output[0])
    ]
    if idle:
        return idle_casts(view.case, [node.output[0] for node in idle])
    dead, unused, _ = models.leftovers_of_edit(view.case.files[MODEL], model)
    read = {name for node in before.model.graph.node for name in node.input}
    # A Constant that nothing read may have become an initializer.
    unused = [name for name in unused if name not in before.constants or name in read]
    if dead or unused:
        return unread(dead, tuple(unused))
    casts = sum(node.op_type == "Cast" for node in model.graph.node)
    return many_casts(casts, before.most_casts) if casts > before.most_casts else None


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


def _uncast_border(before: ModelProto, model: ModelProto) -> tuple[str, str] | None:
    """A float32 input that something else than a Cast to another type reads, or a float32 output
    that something else writes: ("input", its name).
    """
    known = case_facts.types(model)
    floats = {kind: _float_names(getattr(before.graph, kind)) for kind in ("input", "output")}
    both = floats["input"] & floats["output"]
    for node in model.graph.node:
        if node.op_type == "Cast" and known.get(node.input[0]) != known.get(node.output[0]):
            continue
        for kind, names in (("input", node.input), ("output", node.output)):
            if found := sorted((floats[kind] - both).intersection(names)):
                return kind, found[0]
    return None


def _float_names(values: Iterable[ValueInfoProto]) -> set[str]:
    return {value.name for value in values if value.type.tensor_type.elem_type == TensorProto.FLOAT}


def _unbordered(found: list[np.ndarray], expected: list[np.ndarray]) -> list[np.ndarray]:
    """float16 outputs as float32 where that was expected: the contract has said it."""
    if len(found) != len(expected):
        return found
    return [
        have.astype(want.dtype) if have.dtype == np.float16 and want.dtype == np.float32 else have
        for have, want in zip(found, expected, strict=True)
    ]


def tolerance(model: ModelProto) -> float:
    """How far two right answers may lie apart: four units in the last place of float16, times the
    root of the number of nodes.

    They do the same operations, but may round a value between two float32 nodes, or not; roundings
    point either way.
    """
    return 4 * float(np.finfo(np.float16).eps) * len(model.graph.node) ** 0.5


def _nothing_converted(case: Case, answer: Answer) -> Finding | None:
    """Breaks when no number at all became float16."""
    try:
        before, model = case_facts.read(case.files[MODEL]), loading.parse(answer.files[MODEL])
    except Unloadable as problem:
        return Finding(problem.expected, problem.found, problem.cause, READ)
    kinds = {tensor.data_type for tensor in graphs.tensors(model)}
    if TensorProto.FLOAT16 in kinds or not before.half:
        return None
    integers = {"MatMulInteger", "ConvInteger", "DynamicQuantizeLinear", "QuantizeLinear"}
    if integers & (
        {node.op_type for node in model.graph.node}
        - {node.op_type for node in before.model.graph.node}
    ):
        return QUANTIZED
    return bfloat16() if TensorProto.BFLOAT16 in kinds else NOT_CONVERTED


def bfloat16() -> Finding:
    cause = "bfloat16 has the range of float32 and 8 bits of precision. It is another format."
    return Finding("numbers of type float16", "numbers of type bfloat16", cause, f"{PAGE}#range")
