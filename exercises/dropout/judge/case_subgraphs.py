"""The graphs of the exercise `dropout` with a graph inside: each function's docstring says what is
special about it.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from formatlab.models.sketch import Sketch
from formatlab_exercises.dropout.judge.case_models import Build, dropout, trunk


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
    """Dropouts inside both branches of an If; the branches use the same names for different values,
    two of them for a Dropout's output and for another node's.
    """
    h = s.unary(s.input())
    names, either = [s.name(), s.name()], [s.name(), s.name()]
    dropped, last = s.name("drop"), s.name()
    branches = []
    for source, ops in enumerate((("Tanh", "Neg"), ("Softplus", "Sigmoid"))):
        branch = s.inside()
        for op, name in zip(ops, names, strict=True):
            s.like(h, branch.node(op, [h], name))
        dropout(branch, names[source], dropped, training=False)
        branch.unary(dropped, either[1 - source])  # between them: neighbours are another case
        dropout(branch, names[0], either[source], training=False)
        total = branch.add(branch.add(branch.unary(dropped), names[0]), names[1])
        branch.output(branch.add(branch.unary(branch.add(either[0], total)), either[1], last))
        branch.output(either[1 - source])
        branches.append(branch.graph(s.name("branch")))
    flag, both = s.scalar_input(TensorProto.BOOL, s.name("flag")), [s.name(), s.name()]
    then, other = branches if s.rng.random() < 0.5 else reversed(branches)
    s.node("If", [flag], both, then_branch=then, else_branch=other)
    s.output(s.step(s.add(*(s.like(h, value) for value in both))))


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


def _settings_outside(s: Sketch) -> None:
    """A branch holds a Dropout whose settings stand in the main graph. One of them serves another
    node of a branch, as does another initializer of the main graph.
    """
    ratio, off, scale = (
        s.constant(np.array(value, dtype))
        for value, dtype in ((0.4, np.float32), (False, np.bool_), (0.7, np.float32))
    )
    h = s.steps(s.input())
    drops, other = s.inside(), s.inside()
    d = dropout(drops, drops.unary(h), settings=[drops.node("Abs", [ratio]), off])
    drops.output(drops.like(h, drops.node("Mul", [d, scale])))
    chosen = other.node("Or", [other.node("Greater", [h, scale]), off])
    other.output(other.like(h, other.node("Where", [chosen, h, other.unary(h)])))
    s.output(s.choose(h, drops.graph(s.name("branch")), other.graph(s.name("branch"))))


def _masks_inside(s: Sketch) -> None:
    """A mask is read in a branch of a branch alone. The branch beside that has a Dropout and reads
    its mask.
    """
    h = s.steps(s.input())
    d = dropout(s, h, training=True, mask=True)
    mask, flag = s.nodes[-1].output[1], s.scalar_input(TensorProto.BOOL, s.name("flag"))
    outer, plain = s.inside(), s.inside()
    reads, has = outer.inside(), outer.inside()
    reads.output(reads.like(h, reads.node("Where", [mask, d, reads.unary(h)])))
    own = dropout(has, has.unary(d), training=False, mask=True)
    has.output(has.like(h, has.node("Where", [has.nodes[-1].output[1], own, has.unary(d)])))
    branches = [branch.graph(s.name("branch")) for branch in (reads, has)]
    chosen = outer.node("If", [flag], then_branch=branches[0], else_branch=branches[1])
    outer.output(outer.like(h, chosen))
    plain.output(plain.unary(d))
    s.output(s.choose(h, outer.graph(s.name("branch")), plain.graph(s.name("branch"))))


def _mask_names(s: Sketch) -> None:
    """A mask is used, and a branch further down writes values with names that an edit may want to
    make for what computes the mask.
    """
    h = s.steps(s.input())
    d = dropout(s, h, training=True, mask=True)
    mask = s.nodes[-1].output[1]
    chosen = s.like(h, s.node("Where", [mask, d, s.unary(h)]))
    taken, other = s.inside(), s.inside()
    x = chosen
    for suffix in ("/shape", "/true", "_shape", "_true"):
        x = taken.unary(x, f"{mask}{suffix}")
    taken.output(taken.unary(x))
    other.output(other.unary(chosen))
    s.output(s.choose(h, taken.graph(s.name("branch")), other.graph(s.name("branch"))))


def _loop(s: Sketch) -> None:
    """Dropouts inside the body of a Loop: on the value that the loop carries, and at the body's
    output.
    """

    def step(body: Sketch, carried: str) -> str:
        mixed = body.add(dropout(body, carried, training=False), h)
        return dropout(body, body.unary(mixed), training=False)

    trips = s.scalar_input(TensorProto.INT64, s.name("trips"))
    h = s.steps(s.input())
    s.output(s.step(s.repeat(h, trips, step)))


def _settings_inside(s: Sketch) -> None:
    """A Dropout in each branch of an If, between two nodes, with settings of its own in the same
    branch.
    """
    h = s.steps(s.input())
    branches = []
    for as_node in (False, True):
        branch = s.inside()
        settings = [
            branch.constant(np.array(0.4, np.float32), as_node),
            branch.constant(np.array(False), as_node),
        ]
        d = dropout(branch, branch.unary(h), settings=settings)
        branch.output(branch.like(h, branch.unary(d)))
        branches.append(branch.graph(s.name("branch")))
    s.output(s.choose(h, *branches))


NESTED: dict[str, Build] = {
    "read-in-a-branch-new": _captured,
    "settings-inside": _settings_inside,
    "if-branch": _if_branch,
    "if-branch-output": _if_output,
    "settings-outside": _settings_outside,
    "masks-inside": _masks_inside,
    "mask-names": _mask_names,
    "loop-body": _loop,
}

# Among the public cases; the hidden ones have all of the above.
PUBLIC_NESTED: dict[str, Build] = {
    "in-a-branch": _if_branch,
    "read-in-a-branch": _captured,
    "set-outside": _settings_outside,
    "mask-in-a-branch": _masks_inside,
}
