"""A model that was edited takes and gives what the argument took and gave: names, types, shapes,
opset imports.
"""

from __future__ import annotations

from onnx import ModelProto, ValueInfoProto

from formatlab import graphs, loading
from formatlab_exercises.shared.judge.models import name_of, report
from formatlab_exercises.shared.judge.surgery_mistakes import SurgeryMistakes
from formatlab_exercises.shared.surgery import MODEL
from nbjudge.contract import Case, Finding, View
from nbjudge.findings import Cause
from nbjudge.rungs.outcome import known


def leaves_the_argument(view: View) -> Finding | None:
    """The model that was passed in is as it was before the call."""
    if not known(report(view.answer))["argument_changed"]:
        return None
    return Finding(
        "a new model, and the argument as it was before the call",
        "the model that was passed in is changed",
        SurgeryMistakes.mutates_argument,
    )


def keeps_names(view: View, page: str, writer: str) -> Finding | None:
    """The graph's inputs and outputs have the argument's names, types, shapes and order, and the
    opset imports are the argument's. `writer` is what the exercise takes out, with its article.
    """
    original, model = loading.parse(view.case.files[MODEL]), loading.parse(view.answer.files[MODEL])
    for kind in ("input", "output"):
        finding = _compare_values(
            view.case,
            kind,
            getattr(original.graph, kind),
            getattr(model.graph, kind),
            page=page,
            writer=writer,
        )
        if finding:
            return finding
    return (
        _compare_defaults(original, model)
        or is_not_a_runtimes(view)
        or _compare_imports(original, model, page)
    )


def keeps_inputs_and_outputs(view: View, changed: Finding, cause: str, page: str) -> Finding | None:
    """As `keeps_signature`, for an edit that touches neither of them: `changed` says that an
    argument was edited, `cause` why inputs or outputs are others.
    """
    if known(report(view.answer))["argument_changed"]:
        return changed
    before, after = (
        loading.parse(files[MODEL]).graph for files in (view.case.files, view.answer.files)
    )
    if list(before.input) == list(after.input) and list(before.output) == list(after.output):
        return None
    return Finding("the inputs and outputs of the argument", "others", cause, page)


def is_not_a_runtimes(view: View) -> Finding | None:
    """A runtime's optimizer imports every domain that it knows. Who lets it do the edit has done
    nothing of it; nor does an edit of this exercise need another domain.
    """
    imports = [
        _imports(loading.parse(answer[MODEL])) for answer in (view.case.files, view.answer.files)
    ]
    if imports[0] == imports[1] or not imports[0].items() <= imports[1].items():
        return None
    more = len(imports[1]) - len(imports[0])
    found, cause = f"imports of {more} more domains", SurgeryMistakes.saved_by_a_runtime
    if more == 1:
        found, cause = "an import of one more domain", SurgeryMistakes.one_more_domain
    return Finding("the opset imports of the argument", found, cause)


def _compare_values(
    case: Case,
    kind: str,
    expected: list[ValueInfoProto],
    found: list[ValueInfoProto],
    *,
    page: str,
    writer: str,
) -> Finding | None:
    before = [value.name for value in expected]
    after = [value.name for value in found]
    if before != after:
        return _renamed(case, kind, before, after, page=page, writer=writer)
    for want, have in zip(expected, found, strict=True):
        if _type(want) != _type(have):
            return Finding(
                f"the type and shape of each graph {kind} as in the argument{f': {_show(want)}' if case.public else ''}",
                _show(have) if case.public else f"a graph {kind} of another type or shape",
                "A shape that is fixed, or lost, in the copy: keep the graph's own inputs and outputs, symbolic dimensions included.",
                f"{page}#graph-outputs",
            )
    return None


def _renamed(
    case: Case, kind: str, expected: list[str], found: list[str], *, page: str, writer: str
) -> Finding:
    """A graph input or output that is missing, new, or in another place."""
    cause: Cause
    wanted = f"the graph's {kind}s are called as before, in the same order" + (
        f": {', '.join(map(name_of, expected))}" if case.public else ""
    )
    if sorted(expected) == sorted(found):
        text = f"the {kind}s are in another order"
        cause = "The list was built anew. Copy the graph's own."
    elif len(expected) != len(found):
        text = f"{len(found)} {kind}s instead of {len(expected)}"
        cause = SurgeryMistakes.another_number.told(kind=kind)
    else:
        text = f"{kind}s of other names" + (
            f": {', '.join(map(name_of, found))}" if case.public else ""
        )
        cause = SurgeryMistakes.output_renamed.told(kind=kind, writer=writer)
    return Finding(wanted, text, cause, f"{page}#graph-outputs")


def _compare_defaults(original: ModelProto, model: ModelProto) -> Finding | None:
    before, now = (
        {tensor.name for tensor in each.graph.initializer} & {v.name for v in each.graph.input}
        for each in (original, model)
    )
    if before <= now:
        return None
    expected = "a default for each graph input that has one"
    return Finding(expected, "a graph input without its default", SurgeryMistakes.default_lost)


def _compare_imports(original: ModelProto, model: ModelProto, page: str) -> Finding | None:
    if _imports(original) == _imports(model):
        return None
    return Finding(
        "the opset imports of the argument",
        "other versions",
        SurgeryMistakes.other_versions,
        f"{page}#what-a-graph-is",
    )


def _imports(model: ModelProto) -> dict[str, int]:
    return {graphs.domain(entry.domain): entry.version for entry in model.opset_import}


def _type(value: ValueInfoProto) -> tuple:
    tensor = value.type.tensor_type
    dims = [(dim.HasField("dim_value"), dim.dim_value, dim.dim_param) for dim in tensor.shape.dim]
    return tensor.elem_type, tensor.HasField("shape"), dims


def _show(value: ValueInfoProto) -> str:
    dims = ", ".join(
        str(dim.dim_param or dim.dim_value or "?") for dim in value.type.tensor_type.shape.dim
    )
    return f"{name_of(value.name)} [{dims}]"
