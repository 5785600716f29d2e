"""The graphs of the exercise `dropout` with a graph inside: each function's docstring says what is
special about it.
"""

from __future__ import annotations

from onnx import TensorProto

from exercises.dropout.judge.case_models import Build, dropout, trunk
from workbench.models.sketch import Sketch


def _captured(s: Sketch) -> None:
    """The Dropout's output is read inside an If only, and the Dropout reads a value that one branch
    reads too.
    """
    h = s.steps(s.input())
    d = dropout(s, h, training=True)
    branches = []
    for value in (d, h):
        branch = s.inside()
        branch.output(s.like(h, branch.unary(branch.add(d, value))))
        branches.append(branch.graph(s.name("branch")))
    s.output(s.choose(h, *branches))


def _if_branch(s: Sketch) -> None:
    """Dropouts inside both branches of an If; the branches use the same names for different values."""
    h = s.unary(s.input())
    names = [s.name(), s.name()]
    dropped, last = s.name("drop"), s.name()
    branches = []
    for source, ops in enumerate((("Tanh", "Neg"), ("Softplus", "Sigmoid"))):
        branch = s.inside()
        for op, name in zip(ops, names, strict=True):
            s.like(h, branch.node(op, [h], name))
        dropout(branch, names[source], dropped, training=False)
        branch.output(branch.add(branch.add(branch.unary(dropped), names[0]), names[1], last))
        branches.append(branch.graph(s.name("branch")))
    s.output(s.step(s.choose(h, *branches if s.rng.random() < 0.5 else reversed(branches))))


def _if_output(s: Sketch) -> None:
    """A branch is a Dropout alone: it writes the branch's output, and its input comes from the
    outer graph.
    """
    h = trunk(s)
    alone, other = s.inside(), s.inside()
    alone.output(dropout(alone, h, training=False))
    other.output(s.like(h, dropout(other, other.unary(h), training=False)))
    branches = [alone.graph(s.name("branch")), other.graph(s.name("branch"))]
    s.output(s.step(s.choose(h, *branches if s.rng.random() < 0.5 else reversed(branches))))


def _loop(s: Sketch) -> None:
    """A Dropout inside the body of a Loop, on the value that the loop carries."""
    trips = s.scalar_input(TensorProto.INT64, s.name("trips"))
    h = s.steps(s.input())
    s.output(s.step(_repeat(s, h, trips)))


def _nested(s: Sketch) -> None:
    """A Loop inside a branch of an If; Dropouts at all three depths, and one of the outer graph
    read at the deepest.
    """
    trips = s.scalar_input(TensorProto.INT64, s.name("trips"))
    h = s.steps(s.input())
    d = dropout(s, h)
    deep, plain = s.inside(), s.inside()
    deep.output(_repeat(deep, dropout(deep, deep.unary(d), training=False), trips, extra=d))
    plain.output(plain.unary(d))
    s.output(s.choose(h, deep.graph(s.name("branch")), plain.graph(s.name("branch"))))


def _repeat(s: Sketch, x: str, trips: str, extra: str | None = None) -> str:
    """A Loop that runs `trips` times and carries x through an activation and a Dropout, and adds
    `extra` from outside.
    """

    def step(body: Sketch, carried: str) -> str:
        mixed = body.add(dropout(body, carried, training=False), extra or x)
        return dropout(body, body.unary(mixed), training=False)

    return s.repeat(x, trips, step)


NESTED: dict[str, Build] = {
    "if-branch": _if_branch,
    "if-branch-output": _if_output,
    "read-in-if": _captured,
    "loop-body": _loop,
    "nested": _nested,
}

# Among the public cases; the hidden ones have all of the above.
PUBLIC_NESTED: dict[str, Build] = {"in-a-branch": _if_branch, "read-in-a-branch": _captured}
