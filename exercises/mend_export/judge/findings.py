"""What the findings of `mend_export` say: what was found, its likely cause, and where to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from formatlab_exercises.mend_export.judge.misconceptions import (
    DECLARATIONS,
    IDEAS,
    NAMES,
    REFUSALS,
    Mistakes,
)
from nbjudge.contract import Case, Finding
from nbjudge.findings import Misconception

Axes = Sequence[int | str]
Signature = Mapping[str, Axes]
# What torch says of a capture that it refuses, the most telling words first.
TORCH_CAUSES: Mapping[str, tuple[str | Misconception, str]] = {
    "constant (1)": (Mistakes.one_row, Mistakes.one_row.read),
    "must be long, int": (Mistakes.other_numbers, Mistakes.other_numbers.read),
    "must be the arg names": (Mistakes.other_structure, Mistakes.other_structure.read),
    # The end of the same text, whose middle is left out where it is long.
    "matching `inputs`": (Mistakes.other_structure, Mistakes.other_structure.read),
    "mismatch between the structure": (Mistakes.other_structure, Mistakes.other_structure.read),
    "//": (Mistakes.multiple_forgotten, Mistakes.multiple_forgotten.read),
    "% ": (Mistakes.multiple_forgotten, Mistakes.multiple_forgotten.read),
    "*_": (Mistakes.multiple_forgotten, Mistakes.multiple_forgotten.read),
    "are no pair": (Mistakes.lists_for_tuples, Mistakes.lists_for_tuples.read),
    ") != ": (Mistakes.view_as_example, Mistakes.view_as_example.read),
    "in the specified range": (Mistakes.limit_forgotten, Mistakes.limit_forgotten.read),
    "must always be equal": (
        "One word of wanted is one size, so it needs the same Dim wherever it stands.",
        Mistakes.tied_sizes.read,
    ),
}
ASKED = "the signature that wanted gives"
PROMISE = "an exception: no file is right for all sizes, or for all values, that were asked for"
WHY: Mapping[str, Misconception] = {
    "centred": Mistakes.fixed_silently,
    "masked": Mistakes.fixed_silently,
    "sum": Mistakes.tied_in_code,
    "positions": Mistakes.limit_lost,
    "short": Mistakes.limit_lost,
    "long": Mistakes.limit_lost,
    "choice": Mistakes.branch_frozen,
    "turned": Mistakes.branch_frozen,
}


def other_names(case: Case, wanted: Sequence[str], found: Sequence[str]) -> Finding:
    shown = f": {', '.join(found)}"[:160] if case.public else ""
    return Finding(
        f"the inputs {', '.join(wanted)}", f"inputs of other names{shown}", Mistakes.renamed
    )


def other_axes(case: Case, name: str, wanted: Axes, found: Axes) -> Finding:
    expected, what = _axes_of(case, name, wanted, found)
    pairs = list(zip(wanted, found, strict=False))
    if len(wanted) != len(found):
        return Finding(expected, what, "The example got another number of axes.", NAMES)
    if any(isinstance(want, str) and isinstance(have, int) for want, have in pairs):
        return Finding(expected, f"{what}, a number for a word", Mistakes.static)
    if any(isinstance(want, int) and isinstance(have, str) for want, have in pairs):
        cause = (
            "An axis that is a number in wanted was declared open. Leave it out of dynamic_shapes."
        )
        return Finding(expected, f"{what}, a word for a number", cause, IDEAS)
    return Finding(expected, what, "A number of wanted is another number in the file.", IDEAS)


def tied_sizes(case: Case, name: str, wanted: Axes, found: Axes) -> Finding:
    expected, what = _axes_of(case, name, wanted, found)
    return Finding(expected, f"{what}, the word of another size", Mistakes.tied_sizes)


def torn_size(case: Case, name: str, wanted: Axes, found: Axes) -> Finding:
    expected, what = _axes_of(case, name, wanted, found)
    cause = "One word of wanted is one size, so it is one name wherever it stands."
    return Finding(expected, f"{what}, several names for one size", cause, NAMES)


def other_words(case: Case, name: str, wanted: Axes, found: Axes) -> Finding:
    expected, what = _axes_of(case, name, wanted, found)
    return Finding(expected, f"{what}, words that wanted does not have", Mistakes.names_dropped)


def named_in_part(case: Case, name: str, wanted: Axes, found: Axes) -> Finding:
    expected, what = _axes_of(case, name, wanted, found)
    return Finding(expected, f"{what}, where other sizes have their words", Mistakes.named_in_part)


def _axes_of(case: Case, name: str, wanted: Axes, found: Axes) -> tuple[str, str]:
    """What is asked of an input, and what it has."""
    what = f"{name}: {list(found)}" if case.public else f"{name}: other axes"
    return f"{ASKED}, {name}: {list(wanted)}", what


def other_type(name: str) -> Finding:
    cause = "The example was converted before the export. Repeat it, and keep its type."
    return Finding(f"{name}: the type of the example", f"{name}: another type", cause, IDEAS)


def output_fixed(place: int) -> Finding:
    return Finding(
        "an output whose axes are open where its sizes move",
        f"a number at the output's axis {place}",
        "A size was fixed on the way to the output. Capture with a Dim, and read the file's signature.",
        DECLARATIONS,
    )


def outputs(count: int) -> Finding:
    cause = "The module returns one tensor, and the file has one output."
    return Finding("one output", f"{count} outputs", cause, NAMES)


def promised(case: Case, found: str) -> Finding:
    """A file where there is no right one."""
    return Finding(PROMISE, f"a file: {found}", WHY[case.parameters["kind"]])


def sizes_named(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())


def does_not_run(case: Case, where: str, said: str) -> Finding:
    found = f"at {where} it fails: {said}" if case.public else "at some of them it fails"
    cause = (
        "The file declares the sizes open and holds a number inside. Capture with a Dim for each."
    )
    return Finding("a file that runs at every size within the limits", found, cause, REFUSALS)


def differs(case: Case, where: str, found: str, swapped: bool) -> Finding:
    expected = "the module's output at every size within the limits, up to its own rounding"
    what = f"at {where}, {found}" if case.public else "another output at some of them"
    if swapped:
        return Finding(expected, what, Mistakes.swapped_names)
    cause = "A number of the example is stored in the file, or another function was exported."
    return Finding(expected, what, cause, REFUSALS)
