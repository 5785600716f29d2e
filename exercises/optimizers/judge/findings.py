"""Recognise a wrong answer of the exercise `optimizers` by the operators that it counts, or by the
files that it leaves.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from math import inf

from onnx import ModelProto

from formatlab import graphs
from formatlab_exercises.optimizers.ask import LEVELS
from formatlab_exercises.optimizers.judge.misconceptions import Mistakes
from formatlab_exercises.shared.judge.models import listed
from nbjudge.contract import Case, Finding
from nbjudge.findings import Cause, Misconception

PAGE = "day-50/06-optimizers"
# Whose operators a level may have been given by mistake: the likelier ones first.
MISTAKEN = {
    "disable": ("all", "basic", "extended", "layout"),
    "basic": ("all", "disable", "extended", "layout"),
    "extended": ("all", "layout", "basic", "disable"),
    "layout": ("extended", "all", "basic", "disable"),
    "all": ("layout", "extended", "basic", "disable"),
}
SAVED = "saved-graphs"
HOLDERS = ("If", "Loop", "Scan")
SOMETHING_ELSE = "Something else than the level differs: another provider, another model, an option, or what is counted."
Counts = Mapping[str, int]


def histogram(model: ModelProto, deepest: float = inf) -> dict[str, int]:
    """How many nodes there are of each operator, `Op` or `domain::Op`, in the main graph and in its
    subgraphs, down to the depth `deepest`.
    """
    found = [
        node for graph, depth in graphs.walk(model.graph) for node in graph.node if depth <= deepest
    ]
    return dict(
        Counter(
            f"{graphs.domain(node.domain)}::{node.op_type}".removeprefix("::") for node in found
        )
    )


def wrong_counts(
    case: Case,
    level: str,
    found: Counts,
    *,
    returned: Mapping[str, Counts],
    expected: Mapping[str, Counts],
    saved: ModelProto | None,
) -> Finding:
    """The counts of `level` are not those of what the level leaves. `saved` is the student's file
    of that level, if it is there.
    """
    wanted = f"{level}: the operators that {LEVELS[level]} leaves"
    if case.public:
        wanted += f"; here {_show(expected[level], found)}"
    what, cause, anchor = _recognise(
        case, level, found, returned=returned, expected=expected, saved=saved
    )
    shown = f": {_show(found, expected[level])}" if case.public else ""
    return Finding(wanted, f"{level}: {what}{shown}", cause, f"{PAGE}#{anchor}")


def _recognise(
    case: Case,
    level: str,
    found: Counts,
    *,
    returned: Mapping[str, Counts],
    expected: Mapping[str, Counts],
    saved: ModelProto | None,
) -> tuple[str, Cause, str]:
    """What was counted, the cause, and the section to read again."""
    source = _source(case)
    wrong = sum(counts != expected[name] for name, counts in returned.items())
    if level == "layout" and wrong == 1 and found == expected["extended"]:
        what = f"the operators that {LEVELS['extended']} leaves"
        return what, Mistakes.layout_is_extended, "levels"
    if len(returned) > 1 and all(counts == source for counts in returned.values()):
        if saved is not None and histogram(saved) == source:
            return (
                "the operators of the source, and so holds its file",
                Mistakes.switched_off,
                SAVED,
            )
        what = "the operators of the source file, as at every level"
        return what, Mistakes.counts_source, SAVED
    if found == source:
        return "the operators of the source file", Mistakes.disable_is_source, SAVED
    if found == _without_domains(expected[level]) != expected[level]:
        return "operators without their domain", Mistakes.loses_domain, SAVED
    if saved is not None and found == histogram(saved, 0) != histogram(saved):
        return "the nodes of the main graph alone", Mistakes.main_graph_only, SAVED
    if saved is not None and found == histogram(saved, 1) != histogram(saved):
        return "no nodes of a branch within a branch", Mistakes.outer_branches_only, SAVED
    counted = _otherwise(found, expected[level])
    if counted is not None:
        return counted
    if level != "all" and all(returned.get(each) == found for each in LEVELS):
        what = "the same operators as at every other level"
        return what, Mistakes.level_never_set, "default-level"
    mistaken = next((other for other in MISTAKEN[level] if expected[other] == found), None)
    if mistaken is not None:
        what = f"the operators that {LEVELS[mistaken]} leaves"
        return what, _mistake(level, mistaken, wrong), "levels"
    if saved is not None and histogram(saved) == found:
        return "other operators, which its file holds too", Mistakes.switched_off, SAVED
    return "other operators", SOMETHING_ELSE, SAVED


def _otherwise(found: Counts, expected: Counts) -> tuple[str, Cause, str] | None:
    """The right nodes, not counted as asked."""
    if found == dict.fromkeys(expected, 1) != expected:
        return "every operator once", Mistakes.kinds_not_nodes, SAVED
    if (
        found
        == {name: count for name, count in expected.items() if name not in HOLDERS}
        != expected
    ):
        return "no node that holds a graph", Mistakes.holders_left_out, SAVED
    if found != expected and _bare(found) == _bare(expected):
        return "operators under other keys", Mistakes.misspelt_keys, SAVED
    return None


def _bare(counts: Counts) -> Counter[str]:
    """The counts by the last word of each key, however it is spelt."""
    merged: Counter[str] = Counter()
    for name, count in counts.items():
        merged[(re.findall(r"[a-z0-9]+", name.lower()) or [name])[-1]] += count
    return merged


def _mistake(level: str, mistaken: str, wrong: int) -> Misconception:
    if (level, mistaken) == ("all", "layout"):
        return Mistakes.all_is_three
    if mistaken == "all" and wrong == 1:
        return Mistakes.default_is_extended
    return Mistakes.level_set_late


def other_operators(
    case: Case, level: str, found: Counts, *, counted: Counts, expected: Mapping[str, Counts]
) -> Finding:
    """The file of `level` does not hold what the level leaves; `counted` is what was returned for it."""
    cause: Cause
    other = next((name for name in MISTAKEN[level] if expected[name] == found), None)
    if found == counted and found != _source(case):
        what, cause = "other operators, as were counted", Mistakes.level_set_late
    elif found == _source(case):
        what, cause = "the operators of the source", Mistakes.copies_source
        if counted == found:
            cause = Mistakes.switched_off
    elif other is not None:
        what, cause = f"what {LEVELS[other]} leaves", Mistakes.last_for_all
    else:
        what = "other operators"
        cause = "Something else was written into the file than the session saved."
    shown = f": {_show(found, expected[level])}" if case.public else ""
    return Finding(
        f"{level}.onnx holds what {LEVELS[level]} leaves",
        f"{level}.onnx holds {what}{shown}",
        cause,
        f"{PAGE}#saved-graphs",
    )


def missing_files(missing: list[str], others: int, *, is_all: bool) -> Finding:
    """`others` is how many files of other names lie in the directory; `is_all` says that no level's
    file is there.
    """
    cause: Cause
    expected = "directory holds " + ", ".join(f"{level}.onnx" for level in LEVELS)
    if not is_all:
        found = f"no {', '.join(f'{level}.onnx' for level in missing)}"
        cause = "Each of the five levels has a session of its own, with optimized_model_filepath set before the session is created."
        return Finding(expected, found, cause, f"{PAGE}#levels")
    found, cause = "files of other names", Mistakes.other_names
    if others == 1:
        found, cause = "one file of another name", Mistakes.one_file
    elif not others:
        found, cause = "no file", Mistakes.elsewhere
    return Finding(expected, found, cause, f"{PAGE}#saved-graphs")


def _source(case: Case) -> dict[str, int]:
    return histogram(ModelProto.FromString(case.files["model.onnx"]))


def _without_domains(counts: Counts) -> dict[str, int]:
    merged: Counter[str] = Counter()
    for name, count in counts.items():
        merged[name.rpartition("::")[2]] += count
    return dict(merged)


def _show(counts: Counts, other: Counts) -> str:
    """Those counts in which two histograms differ."""
    differing = Counter(
        {
            name: counts.get(name, 0)
            for name in {*counts, *other}
            if counts.get(name, 0) != other.get(name, 0)
        }
    )
    return listed(differing) or "none of these"
