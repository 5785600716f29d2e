"""The graphs of the exercise `layernorm` with a graph inside: each function's docstring says what is special about it."""

from __future__ import annotations

from onnx import GraphProto, TensorProto, helper

from exercises.layernorm.judge.case_models import Build, norm, trunk
from workbench.models.sketch import Sketch, batch_value


def _branches(s: Sketch) -> None:
    """LayerNorms in both branches of an If, which use the same names for different values."""
    x = trunk(s)
    before, behind, last = s.name(), s.name(), s.name()
    branches = []
    for op in ("Tanh", "Neg"):
        branch = Sketch(s.rng, s.opset, s)
        s.like(x, branch.node(op, [x], before))
        s.like(x, norm(branch, before, behind))
        branch.output(branch.add(branch.unary(behind), before, last))
        branches.append(branch.graph(s.name("branch")))
    s.output(s.steps(_if(s, last, *branches)))


def _branch_output(s: Sketch) -> None:
    """A branch is a LayerNorm alone: it writes the branch's output, and its input comes from the outer graph."""
    x = trunk(s)
    alone, other = Sketch(s.rng, s.opset, s), Sketch(s.rng, s.opset, s)
    alone.output(norm(alone, x))
    other.output(norm(other, other.unary(x)))
    branches = [alone.graph(s.name("branch")), other.graph(s.name("branch"))]
    s.output(s.unary(_if(s, x, *branches if s.rng.random() < 0.5 else reversed(branches))))


def _read_in_if(s: Sketch) -> None:
    """The branches of an If read what a LayerNorm before it writes; one of them gives it as its output."""
    x = trunk(s)
    y = norm(s, x)
    reads, gives = Sketch(s.rng, s.opset, s), Sketch(s.rng, s.opset, s)
    reads.output(reads.unary(y))
    gives.output(gives.like(y, gives.node("Identity", [y])))
    s.output(_if(s, y, reads.graph(s.name("branch")), gives.graph(s.name("branch"))))


def _loop(s: Sketch) -> None:
    """A LayerNorm in the body of a Loop, on the value that the loop carries."""
    trips = s.scalar_input(TensorProto.INT64, s.name("trips"))
    x = trunk(s)
    body = Sketch(s.rng, s.opset, s)
    keep, carried = s.name("keep"), s.name("carried")
    body.inputs = [
        helper.make_tensor_value_info(s.name("i"), TensorProto.INT64, []),
        helper.make_tensor_value_info(keep, TensorProto.BOOL, []),
        batch_value(carried, s.width[x]),
    ]
    s.like(x, carried)
    still = body.node("Identity", [keep])
    last = norm(body, body.add(norm(body, carried), x))
    body.outputs = [helper.make_tensor_value_info(still, TensorProto.BOOL, []), batch_value(last, s.width[x])]
    s.output(s.like(x, s.node("Loop", [trips, "", x], body=body.graph(s.name("body")))))


def _if(s: Sketch, like: str, then_branch: GraphProto, else_branch: GraphProto) -> str:
    flag = s.scalar_input(TensorProto.BOOL, s.name("flag"))
    return s.like(like, s.node("If", [flag], then_branch=then_branch, else_branch=else_branch))


NESTED: dict[str, Build] = {"branches": _branches, "branch-output": _branch_output, "read-in-if": _read_in_if, "loop-body": _loop}

# Among the public cases; the hidden ones have all of the above.
PUBLIC_NESTED: dict[str, Build] = {"in-branches": _branches, "read-in-a-branch": _read_in_if}
