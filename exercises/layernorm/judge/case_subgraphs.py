"""The graphs of the exercise `layernorm` with a graph inside: each function's docstring says what
is special about it.
"""

from __future__ import annotations

from onnx import TensorProto

from formatlab.models.sketch import Sketch
from formatlab_exercises.layernorm.judge.case_parts import (
    Build,
    bend,
    centred,
    constant_last,
    decomposed,
    last_axis,
    mean,
    norm,
    normalised,
    root,
    square,
    trunk,
    vector,
)


def _branches(s: Sketch) -> None:
    """LayerNorms in both branches of an If, which use the same names for different values: what a
    LayerNorm reads in the one is what another writes in the other.
    """
    x = trunk(s)
    first, second, last = s.name(), s.name(), s.name()
    branches = []
    for op, before, behind in (("Tanh", first, second), ("Neg", second, first)):
        branch = s.inside()
        s.like(x, branch.node(op, [x], before))
        s.like(x, norm(branch, before, behind, is_fused=op == "Tanh"))
        branch.output(branch.add(branch.unary(behind), before, last))
        branches.append(branch.graph(s.name("branch")))
    s.output(s.steps(s.choose(last, *branches)))


def _branch_output(s: Sketch) -> None:
    """A branch is a LayerNorm alone: it writes the branch's output, and its input comes from the
    outer graph.
    """
    x = trunk(s)
    alone, other = s.inside(), s.inside()
    alone.output(norm(alone, x))
    other.output(norm(other, other.unary(x), is_fused=True))
    branches = [alone.graph(s.name("branch")), other.graph(s.name("branch"))]
    s.output(s.unary(s.choose(x, *branches if s.rng.random() < 0.5 else reversed(branches))))


def _read_in_if(s: Sketch) -> None:
    """The branches of an If read what a LayerNorm before it writes; one of them gives it as its
    output. In those of another If stand a Div whose operands lie outside, and a Mul that alone reads
    a quotient outside: no LayerNorm, and no scale.
    """
    x = trunk(s)
    y = norm(s, x)
    reads, gives = s.inside(), s.inside()
    reads.output(reads.unary(y))
    gives.output(gives.like(y, gives.node("Identity", [y])))
    s.output(s.choose(y, reads.graph(s.name("branch")), gives.graph(s.name("branch"))))
    axes = last_axis(s)
    d = centred(s, x, axes)
    deviation = root(s, mean(s, square(s, d), axes))
    quotient, scale = normalised(s, x), vector(s, x, 1.0)
    divides, multiplies = s.inside(), s.inside()
    divides.output(s.like(x, divides.node("Div", [d, deviation])))
    multiplies.output(s.like(x, constant_last(multiplies, "Mul", quotient, scale)))
    branches = divides.graph(s.name("branch")), multiplies.graph(s.name("branch"))
    s.output(s.unary(s.choose(x, *branches)))


def _quotient_as_output(s: Sketch) -> None:
    """A quotient is an output of a branch, and a Mul in this branch reads it too."""
    x = trunk(s)
    both, other = s.inside(), s.inside()
    quotient = both.output(normalised(both, bend(both, x)))
    product = constant_last(both, "Mul", quotient, vector(both, x, 1.0))
    both.output(bend(both, s.like(x, product)))
    for _ in range(2):
        other.output(other.unary(x))
    flag, names = s.scalar_input(TensorProto.BOOL, s.name("flag")), [s.name(), s.name()]
    branches = [branch.graph(s.name("branch")) for branch in (both, other)]
    s.node("If", [flag], names, then_branch=branches[0], else_branch=branches[1])
    s.output(s.unary(s.add(*(s.like(x, name) for name in names))))


def _outside_and_inside(s: Sketch) -> None:
    """A branch is a LayerNorm alone, which reads a value of the outer graph and writes the branch's
    output; other branches read what a LayerNorm before their If writes, or hold a part of one. A
    quotient has a reader in a branch besides its Mul, which is no scale therefore, and so has one
    that is an output of a branch.
    """
    _branch_output(s)
    _read_in_if(s)
    _quotient_as_output(s)
    x = trunk(s)
    quotient = normalised(s, x)
    reads, other = s.inside(), s.inside()
    reads.output(reads.unary(quotient))
    other.output(other.unary(x))
    chosen = s.choose(x, reads.graph(s.name("branch")), other.graph(s.name("branch")))
    product = s.like(x, constant_last(s, "Mul", quotient, vector(s, x, 1.0)))
    s.output(s.unary(s.add(product, bend(s, chosen))))


def _loop(s: Sketch) -> None:
    """LayerNorms in the body of a Loop, on the value that the loop carries; the numbers that they
    read lie outside, also those of one that is spelled out. Others in the branches of an If, which
    use the same names for different values.
    """
    _branches(s)
    trips = s.scalar_input(TensorProto.INT64, s.name("trips"))
    x = trunk(s)

    def body(inside: Sketch, carried: str) -> str:
        inside.home = s
        spelled_out = decomposed(inside, carried, affine="scale and bias")
        plain = norm(inside, bend(inside, spelled_out))
        return norm(inside, inside.add(bend(inside, plain), x), is_fused=True)

    s.output(s.repeat(x, trips, body))


NESTED: dict[str, Build] = {
    "branch-output": _outside_and_inside,
    "loop-body": _loop,
}

# Among the public cases.
PUBLIC_NESTED: dict[str, Build] = {"in-branches": _branches, "read-in-a-branch": _read_in_if}
