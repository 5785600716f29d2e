"""The graphs of the exercise `gemm` with a graph inside: each function's docstring says what is
special about it.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from formatlab.models.sketch import Sketch
from formatlab_exercises.gemm.judge.case_parts import Build, linear, plus, product, trunk, weight


def _branches(s: Sketch) -> None:
    """Pairs in both branches of an If, which use the same names for different values."""
    x = trunk(s)
    inner, last = s.name(), s.name()
    branches = []
    for readers in (1, 2):
        branch = s.inside()
        h = branch.node("MatMul", [x, weight(branch, s.width[x], 4)], inner)
        s.width[h] = 4
        y = plus(branch, h, weight(branch, 4))
        y = branch.unary(branch.add(y, h) if readers == 2 else y)
        z = branch.unary(plus(branch, product(branch, x, 4), weight(branch, 4)))
        branch.output(branch.add(y, z, last))
        branches.append(branch.graph(s.name("branch")))
    s.width[last] = 4
    chosen = s.choose(last, *branches if s.rng.random() < 0.5 else reversed(branches))
    s.output(s.unary(linear(s, chosen)))


def _same_names(s: Sketch) -> None:
    """Two branches use the same names for factors and biases of other shapes."""
    x = trunk(s)
    shared, factor, bias, last = (s.name() for _ in range(4))
    branches = []
    for columns in (4, 1):
        branch = s.inside()
        for name, shape in ((factor, (s.width[x], columns)), (bias, (4,))):
            branch.store(s.rng.normal(size=shape).astype(np.float32), name)
        s.width[branch.node("MatMul", [x, factor], shared)] = 4
        y = branch.unary(plus(branch, shared, bias))
        y = plus(branch, product(branch, y, 4), weight(branch, 4))
        branch.output(branch.unary(y, last))
        branches.append(branch.graph(s.name("branch")))
    s.width[last] = 4
    s.output(s.unary(linear(s, s.choose(last, *branches))))


def _branch_in_branch(s: Sketch) -> None:
    """A branch of an If holds an If: in one of its branches stands a pair, in the other one a node
    that reads a product of the main graph.
    """
    h = product(s, trunk(s))
    width = s.width[h]
    y, flag = plus(s, h, weight(s, width)), s.scalar_input(TensorProto.BOOL, s.name("flag"))
    outer, other = s.inside(), s.inside()
    fuses, reads = outer.inside(), outer.inside()
    fuses.output(plus(fuses, product(fuses, y, width), weight(fuses, width)))
    reads.output(reads.unary(h))
    inner = [branch.graph(s.name("branch")) for branch in (fuses, reads)]
    total = outer.node("If", [flag], then_branch=inner[0], else_branch=inner[1])
    outer.output(outer.like(h, total))
    other.output(plus(other, product(other, y, width), weight(other, width)))
    s.output(s.choose(h, outer.graph(s.name("branch")), other.graph(s.name("branch"))))


def _read_in_if(s: Sketch) -> None:
    """A branch of an If reads a product of the graph around it."""
    h = product(s, trunk(s))
    y = plus(s, h, weight(s, s.width[h]))
    reads, other = s.inside(), s.inside()
    reads.output(reads.unary(h))
    other.output(other.unary(y))
    s.output(s.choose(h, reads.graph(s.name("branch")), other.graph(s.name("branch"))))


def _add_in_if(s: Sketch) -> None:
    """The MatMul stands before an If, the Add in one of its branches."""
    x = trunk(s)
    h = product(s, x, width=s.width[x])
    adds, other = s.inside(), s.inside()
    adds.output(plus(adds, h, weight(adds, s.width[h])))
    other.output(other.unary(x))
    s.output(s.choose(h, adds.graph(s.name("branch")), other.graph(s.name("branch"))))


def _branch_output(s: Sketch) -> None:
    """A product is an output of its graph besides, in a branch and in the main graph."""
    x = trunk(s)
    flag = s.scalar_input(TensorProto.BOOL, s.name("flag"))
    branches = []
    for shown in (True, False):
        branch = s.inside()
        h = product(branch, x, 4)
        y = plus(branch, h, weight(branch, 4))
        branch.output(y)
        branch.output(h if shown else branch.unary(y))
        branches.append(branch.graph(s.name("branch")))
    first, second = s.name(), s.name()
    s.node("If", [flag], [first, second], then_branch=branches[0], else_branch=branches[1])
    s.width[first] = s.width[second] = 4
    s.output(s.add(first, s.unary(second)))
    h = product(s, x)
    s.output(s.unary(plus(s, h, weight(s, s.width[h]))))
    s.output(h)


def _loop(s: Sketch) -> None:
    """Pairs in the body of a Loop, on the value that the loop carries; their weights lie outside."""
    trips = s.scalar_input(TensorProto.INT64, s.name("trips"))
    x = trunk(s)
    factor, bias = weight(s, s.width[x], s.width[x]), weight(s, s.width[x])

    def step(body: Sketch, carried: str) -> str:
        for _ in range(2):
            h = s.like(x, body.node("MatMul", [carried, factor]))
            carried = body.unary(plus(body, h, bias))
        return carried

    s.output(s.repeat(x, trips, step))


NESTED: dict[str, Build] = {
    "in-branches-new": _branches,
    "same-names": _same_names,
    "branch-in-branch": _branch_in_branch,
    "add-in-if": _add_in_if,
    "product-is-output": _branch_output,
    "loop-body": _loop,
}

# Among the public cases.
PUBLIC_NESTED: dict[str, Build] = {
    "in-branches": _branches,
    "in-two-branches": _same_names,
    "deeper": _branch_in_branch,
    "read-in-a-branch": _read_in_if,
}
