"""The rungs of `optimizers`, each on one case. What is shown of a hidden case is the name of a
level, never a count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import inf

from onnx import ModelProto

from formatlab import graphs, loading, numerics
from formatlab_exercises.optimizers.ask import LEVELS, MODEL
from formatlab_exercises.optimizers.judge import reported
from formatlab_exercises.optimizers.judge.misconceptions import Mistakes
from formatlab_exercises.optimizers.judge.reported import (
    BLOCKED,
    BY_PROCESSOR,
    COUNTS,
    counts,
    report,
)
from formatlab_exercises.optimizers.processor import block_size
from formatlab_exercises.shared.judge import ruler
from formatlab_exercises.shared.judge.models import listed, refusal
from nbjudge.contract import Case, Finding, View
from nbjudge.findings import Cause, Misconception
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

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

KEYS = ", ".join(f'"{level}"' for level in LEVELS)
EXPECTED = f"a dict with the keys {KEYS}, each with a dict of counts"
RUNTIME = frozenset({"", "com.microsoft", "com.microsoft.nchwc"})
# The level that a model is about, where it is not one of the lower three: other models do without it,
# so that who leaves out a level loses what is about it.
LOWER = ("disable", "basic", "extended")
ABOUT = {"quantized": "layout", "half": "all"}
# What ONNX Runtime says to an option of another type, and what it means.
OPTION_SIGN = "incompatible function arguments"
OPTION = (
    "An option was given a value of another type: optimized_model_filepath takes a str, "
    "graph_optimization_level a member of GraphOptimizationLevel."
)


def portable(case: Case) -> list[str]:
    """The levels that make the same graph of the case's model on every processor."""
    return [level for level in LEVELS if not (case.parameters["differs"] and level in BY_PROCESSOR)]


def inputs_of(case: Case) -> list[numerics.Feeds]:
    return numerics.feeds(loading.parse(case.files[MODEL]), case.seed, case.parameters["integers"])


def is_dict(view: View) -> Finding | None:
    """The function returns a dict, and what it gives for the levels are dicts of counts."""
    read = f"{PAGE}#saved-graphs"
    finding = outcome.returns(EXPECTED, read, report)(view)
    if finding is not None:
        is_option = view.case.public and OPTION_SIGN in view.answer.error.get("text", "")
        return replace(finding, cause=OPTION) if is_option else finding
    found = known(report(view.answer))
    wrong = next((level for level in LEVELS if "type" in found["levels"].get(level, {})), None)
    if wrong is None:
        return None
    kind = found["levels"][wrong]["type"]
    what = f": {kind}" if view.case.public or kind in outcome.NAMED_TYPES else ""
    return Finding(EXPECTED, f"{wrong}: no dict of counts{what}", Mistakes.totals, read)


def loads(view: View) -> Finding | None:
    """Every file that is there is a model that loads, and takes the source's inputs."""
    present = [level for level in LEVELS if f"{level}.onnx" in view.answer.files]
    unfit = next(filter(None, (_unfit(view, level) for level in present)), None)
    return unfit if present else _of_another_model(view)


def _of_another_model(view: View) -> Finding | None:
    """Breaks where the counts have little in common with the source's."""
    found = counts(known(report(view.answer)), "disable") or {}
    expected = reported.stored(view.reference)["disable"]
    shared = sum(min(count, found.get(name, 0)) for name, count in expected.items())
    if not found or 2 * shared >= sum(expected.values()):
        return None
    wanted = "graphs that the sessions saved, or at least counts that come from this model"
    text = "no file, and operators that are not this model's"
    return Finding(wanted, text, Mistakes.constants)


def _unfit(view: View, level: str) -> Finding | None:
    """What is wrong with the file of a level: it does not load, or is a graph of something else."""
    data = view.answer.files[f"{level}.onnx"]
    finding = _refusal(view.case, level, data, known(report(view.answer))["block"])
    if finding or _inputs(data) == _inputs(view.case.files[MODEL]) or _is_fixed(view.case, data):
        return finding
    wanted = f"{level}.onnx: a graph of the source"
    found = f"{level}.onnx: a graph with other inputs than the source's"
    return Finding(wanted, found, Mistakes.constants)


def asked_of(case: Case) -> list[str]:
    """The levels that may not be missing: the lower three, and the one that the model is about."""
    about = ABOUT.get(case.name.removeprefix("hidden-"))
    return [level for level in LEVELS if level in (*LOWER, about)]


def _held(view: View) -> dict[str, dict[str, int]]:
    """The operators of each file that is there."""
    return {
        level: histogram(loading.parse(view.answer.files[f"{level}.onnx"]))
        for level in LEVELS
        if f"{level}.onnx" in view.answer.files
    }


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


def _is_fixed(case: Case, data: bytes) -> bool:
    """Whether the graph takes the source's inputs in a size that the source leaves open."""
    source, saved = _inputs(case.files[MODEL]), _inputs(data)
    return (
        saved != source
        and [each[:2] for each in saved] == [each[:2] for each in source]
        and all(
            len(have) == len(want)
            and all(a in (b, 0) for a, b in zip(want[2:], have[2:], strict=True))
            for want, have in zip(source, saved, strict=True)
        )
    )


def _inputs(data: bytes) -> list[tuple]:
    """The inputs of a model: names, types, and the dimensions that are numbers."""
    types = [(value.name, value.type.tensor_type) for value in loading.parse(data).graph.input]
    return sorted(
        (name, kind.elem_type, *(dim.dim_value for dim in kind.shape.dim)) for name, kind in types
    )


def _refusal(case: Case, level: str, data: bytes, block: int) -> Finding | None:
    try:
        _load(case, data, block)
    except loading.Unloadable as problem:
        expected, found, cause = problem.expected, refusal(case, problem), problem.cause
    except Exception as error:
        expected = "a model that ONNX Runtime loads"
        found = loading.first_line(error) if case.public else "it refuses the model"
        cause = "A graph that a session saved loads again. This file was changed afterwards, or written by something else."
    else:
        return None
    file = f"{level}.onnx"
    return Finding(f"{file}: {expected}", f"{file}: {found}", cause, f"{PAGE}#saved-graphs")


def _load(case: Case, data: bytes, block: int) -> None:
    """Raises Unloadable, and what ONNX Runtime raises."""
    around = loading.Caps.around(case.files[MODEL])
    # Filled up to whole blocks, a convolution's weights may take many times their room.
    caps = loading.Caps(
        around.bytes + (1 << 20), 4 * around.nodes + 256, 8 * around.elements + (1 << 18)
    )
    source = loading.parse(case.files[MODEL])
    domains = RUNTIME | {graphs.domain(node.domain) for node in graphs.nodes(source)}
    loading.refuse(data, caps, domains)
    if _runs_here(data, block):
        loading.session(data, "ORT_DISABLE_ALL")


def leaves_the_source(view: View) -> Finding | None:
    """The source file is as it was."""
    if not known(report(view.answer))["changed"]:
        return None
    text = "the source file is another one after the call"
    return Finding("the source is only read", text, Mistakes.overwrites_source)


def has_keys(view: View) -> Finding | None:
    """The five keys, or at least those that the model is about; and counts of what was saved."""
    found = known(report(view.answer))
    if _saves_nothing(view):
        return Finding(
            "for each level the graph that its session saved, and its operators",
            "hardly a level, or no file and the operators of the source at every level",
            Mistakes.nothing_saved,
        )
    missing = [level for level in asked_of(view.case) if level not in found["levels"]]
    if not missing:
        return None
    given = ", ".join(map(repr, list(found["levels"])[:6])) or "none"
    shown = f"; the keys are {given}" if view.case.public else ""
    cause = Mistakes.numbers_to_three.told(levels=", ".join(LEVELS.values()))
    if not LEVELS.keys() & found["levels"].keys() and len(found["levels"]) >= len(LEVELS):
        cause = Mistakes.own_keys
    return Finding(f"the keys {KEYS}", f"no key {', '.join(missing)}{shown}", cause)


def _saves_nothing(view: View) -> bool:
    """Whether there is one level at most, or no file and nothing but the source's counts."""
    levels = known(report(view.answer))["levels"]
    if len(levels) <= 1:
        return True
    returned, source = (
        reported.returned(view.answer),
        histogram(loading.parse(view.case.files[MODEL])),
    )
    is_source = all(count == source for count in returned.values())
    return bool(returned) and is_source and not _held(view)


def has_files(view: View) -> Finding | None:
    """The five files, or at least those that the model is about, for inputs of every size."""
    names = [f"{level}.onnx" for level in asked_of(view.case)]
    missing = [name.removesuffix(".onnx") for name in names if name not in view.answer.files]
    if missing:
        others = len(known(report(view.answer))["others"])
        return missing_files(missing, others, is_all=not _held(view))
    fixed = [
        level for level in _held(view) if _is_fixed(view.case, view.answer.files[f"{level}.onnx"])
    ]
    if not fixed:
        return None
    return Finding(
        "files that take inputs of every size that the source takes",
        f"{', '.join(f'{level}.onnx' for level in fixed)}: a size is fixed that the source leaves open",
        Mistakes.sizes_fixed,
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


def counts_the_levels(view: View) -> Finding | None:
    """The counts are those of what each level leaves."""
    returned = reported.returned(view.answer)
    expected = reported.expected(view.answer, view.reference, returned)
    for level, have in returned.items():
        if have != expected[level]:
            data = view.answer.files.get(f"{level}.onnx")
            return wrong_counts(
                view.case,
                level,
                have,
                returned=returned,
                expected=expected,
                saved=loading.parse(data) if data else None,
            )
    return None


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


def files_agree(view: View) -> Finding | None:
    """Every file holds what its level leaves, and computes what the source does."""
    returned, held = reported.returned(view.answer), _held(view)
    expected = reported.expected(view.answer, view.reference, held)
    block = known(report(view.answer))["block"]
    for level, operators in held.items():
        data = view.answer.files[f"{level}.onnx"]
        if operators != expected[level]:
            counted = returned.get(level, expected[level])
            return other_operators(view.case, level, operators, counted=counted, expected=expected)
        # The rung before says so of a file that takes one size alone, and other sizes cannot run.
        if _runs_here(data, block) and not _is_fixed(view.case, data):
            finding = _compare(view, level, data)
            if finding is not None:
                return finding
    return None


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


def _compare(view: View, level: str, data: bytes) -> Finding | None:
    names = [value.name for value in loading.parse(view.case.files[MODEL]).graph.output]
    reference = {key: value for key, value in view.reference.items() if key != COUNTS}
    try:
        runs = numerics.run(data, inputs_of(view.case))
    except Exception:  # of whichever runtime
        return _computes_else(level, "does not run on the source's inputs")
    other = ruler.difference(reference, [outputs for [outputs] in runs], names)
    return _computes_else(level, f"gives another {other.kind}") if other else None


def _computes_else(level: str, does: str) -> Finding:
    wanted = f"{level}.onnx computes what the source computes"
    return Finding(wanted, f"{level}.onnx {does}", Mistakes.new_weights, f"{PAGE}#saved-graphs")


def is_tidy(view: View) -> Finding | None:
    """Counts are ints, of operators that are there."""
    entries = [
        entry for level, entry in known(report(view.answer))["levels"].items() if level in LEVELS
    ]
    expected = "every count is an int of 1 or more"
    if not all(entry["plain"] for entry in entries):
        return Finding(expected, "a float", Mistakes.float_counts)
    if not all(all(entry["counts"].values()) for entry in entries):
        return Finding(expected, "a count of 0", Mistakes.zero_counts)
    return None


def _runs_here(data: bytes, block: int) -> bool:
    """Blocked weights fit one block size; a graph that holds them runs where it was made, and
    elsewhere gives nonsense or crashes.
    """
    return block == block_size() or all(
        node.domain != BLOCKED for node in graphs.nodes(loading.parse(data))
    )
