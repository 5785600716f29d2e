"""What a comparison on some inputs did not see: inputs that no output depends on, outputs without a
value, branches that were not taken.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from onnx import ModelProto, NodeProto, helper

from formatlab import graphs, loading, numerics
from formatlab.diff import roles
from formatlab.diff.words import count, joined, plain, quoted
from formatlab.numerics import Feeds, Outputs

MARK = "formatlab/branch/"
# Of so many branches that were not taken the sentence names each.
NAMED = 3


def unread(a: ModelProto, b: ModelProto, names: dict[str, str]) -> tuple[str, bool]:
    """Return what is to be said of inputs that no output of A or of B depends on, or an empty text, and
    whether one of the two models does depend on such an input. `names` says which input of A is
    which of B.
    """
    mine = set(roles.unread(a))
    theirs = set(roles.unread(b))
    both = [one for one, other in names.items() if one in mine and other in theirs]
    only_a = [one for one, other in names.items() if one in mine and other not in theirs]
    only_b = [other for one, other in names.items() if one not in mine and other in theirs]
    parts = []
    if only_b:
        parts.append(f"No output of B depends on the {_inputs(only_b)}, and those of A do.")
    if only_a:
        parts.append(f"No output of A depends on the {_inputs(only_a)}, and those of B do.")
    if both:
        parts.append(f"No output depends on the {_inputs(both)}, in neither model.")
    return " ".join(parts), bool(only_a or only_b)


def _inputs(names: Sequence[str]) -> str:
    shown = joined([quoted(name) for name in names])
    return f"input{'s' if len(names) > 1 else ''} {shown}"


def without_values(names: Sequence[str], runs: Sequence[Outputs]) -> list[str]:
    """Return what to say of each output that had no value in any run, or no other than 0: of such an
    output nothing was compared.
    """
    found = []
    for at, name in enumerate(names):
        values = [np.asarray(each) for run in runs for each in _arrays(run[at])]
        if not any(each.size for each in values):
            found.append(f"{quoted(name)} was empty in each")
        elif all(each.dtype.kind in "fc" and not each.any() for each in values):
            found.append(f"{quoted(name)} was 0 throughout in each")
    return found


def _arrays(value: object) -> list[object]:
    """The tensors of an output, which may be a sequence or a map."""
    if isinstance(value, list):
        return [each for one in value for each in _arrays(one)]
    if isinstance(value, dict):
        return [each for one in value.values() for each in _arrays(one)]
    return [] if value is None else [value]


def not_taken(model: ModelProto, feeds: Sequence[Feeds]) -> list[str]:
    """Return the branches of every If that none of these inputs takes, in words. Raises what ONNX
    Runtime raises.
    """
    marked = ModelProto.FromString(model.SerializeToString())
    branches: dict[str, str] = {}
    for graph in [*graphs.inside(marked)]:
        for node in graph.node:
            if node.op_type == "If" and not graphs.domain(node.domain):
                _mark(node, branches)
    if not branches:
        return []
    taken = _marks_run(marked, feeds)
    if taken is None:
        return []
    return [said for mark, said in branches.items() if mark not in taken]


def _mark(node: NodeProto, branches: dict[str, str]) -> None:
    """A node of its own in each branch, which reads the condition and is seen in a profile."""
    called = quoted(node.name or next(filter(None, node.output), "If"))
    for name, graph in graphs.named_subgraphs(node):
        mark = f"{MARK}{len(branches)}/"
        branches[mark] = f"the {plain(name)} of {called}"
        graph.node.append(helper.make_node("Identity", [node.input[0]], [mark], name=mark))


def _marks_run(model: ModelProto, feeds: Sequence[Feeds]) -> set[str] | None:
    """The marks that were run; None where the profile is too large to be read."""
    with tempfile.TemporaryDirectory() as folder:
        data = model.SerializeToString()
        session = loading.session(data, "ORT_DISABLE_ALL", f"{folder}/profile")
        for each in feeds:
            session.run(None, each)
        profile = Path(session.end_profiling())
        if profile.stat().st_size > numerics.PROFILE_BYTES:
            return None
        names = [str(event.get("name", "")) for event in json.loads(profile.read_text())]
    return {f"{name.rpartition('/')[0]}/" for name in names if name.startswith(MARK)}


def said_of_branches(a: Sequence[str], b: Sequence[str]) -> str:
    """Return a sentence on the branches of A and of B that were not taken, or an empty text."""
    if list(a) == list(b):
        parts = [f"{_listed(a)} in both"] if a else []
    else:
        parts = [f"{_listed(each)} in {side}" for side, each in (("A", a), ("B", b)) if each]
    return f"No input took {joined(parts)}: what is inside was not compared." if parts else ""


def _listed(branches: Sequence[str]) -> str:
    more = len(branches) - NAMED
    return joined([*branches[:NAMED], *([count(more, "other")] if more > 0 else [])])
