"""The rungs of `shapes`, each on one case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from onnx import ModelProto

from formatlab import graphs
from formatlab_exercises.shapes.ask import ANSWER, MODEL, SIGNATURES
from formatlab_exercises.shapes.judge.counting import CLASSES, Reading
from formatlab_exercises.shapes.judge.formulas import formula
from formatlab_exercises.shapes.judge.misconceptions import Mistakes
from formatlab_exercises.shapes.judge.readings import READINGS, reading
from formatlab_exercises.shapes.judge.ways import CONV, KINDS
from formatlab_exercises.shared.numbers import number
from nbjudge.contract import Answer, Case, Finding, View
from nbjudge.findings import Misconception
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

READS = {"conv_output_size": CONV, "shape_coverage": KINDS}
CALLED = "The arguments may be given by position or by name, and all but two may be left out."
RAISES = -(2**62)  # in a list of sizes: the function raises ValueError


def _read(case: Case, answer: Answer) -> dict | None:
    """The answer that `call` wrote; None when it is anything else (the runner box is not trusted)."""
    return outcome.report(
        answer,
        ANSWER,
        changed=bool,
        **({"sizes": list} if asks_for_sizes(case) else {"counts": dict}),
    )


def sizes(case: Case, answer: Answer) -> list[int | None]:
    """The sizes found, RAISES where the function raised ValueError, None where there is no number;
    as many as were asked for.
    """
    answered = _answered(case, answer)
    return [RAISES if size == {"raised": "ValueError"} else number(size) for size in answered]


def _answered(case: Case, answer: Answer) -> list:
    """The answers of the report in the order of the sizes, None where one is missing."""
    asked, answered = case.parameters["sizes"], (_read(case, answer) or {}).get("sizes", [])
    return [*answered, *[None] * len(asked)][: len(asked)]


def counts(case: Case, answer: Answer) -> dict[str, int | None]:
    answered = (_read(case, answer) or {}).get("counts", {})
    return {name: number(answered.get(name)) for name in CLASSES}


def asks_for_sizes(case: Case) -> bool:
    return case.parameters["function"] == "conv_output_size"


exists = outcome.exists_of(
    lambda case: (SIGNATURES[case.parameters["function"]], READS[case.parameters["function"]])
)


def is_answer(view: View) -> Finding | None:
    function = view.case.parameters["function"]
    expected = "an int, or raises ValueError" if asks_for_sizes(view.case) else "a dict"
    return outcome.returns(expected, READS[function], lambda answer: _read(view.case, answer))(view)


def looks_at_its_argument(view: View) -> Finding | None:
    """Breaks when next to nothing in the answer is right, and no known mistake explains it."""
    if asks_for_sizes(view.case):
        wanted, answered = view.reference["sizes"].tolist(), sizes(view.case, view.answer)
        same = {want for want, have in zip(wanted, answered, strict=True) if want == have}
        if 3 * len(same) >= len(set(wanted)) or _formula(view.case, answered)[1]:
            return None
        if None in answered:
            return _no_size(view, answered.index(None))
        if answered == [each["size"] for each in view.case.parameters["sizes"]]:
            wanted = "the number of windows"
            return Finding(wanted, "the size that went in", Mistakes.gives_the_size)
        if len(set(answered)) > 1:
            return _few_sizes(view, answered)
        what = "the same for every size"
    else:
        expected, found = view.reference["counts"].tolist(), counts(view.case, view.answer)
        numbers = [max(found[name] or 0, 0) for name in CLASSES]
        shared, right = sum(map(min, expected, numbers)), sum(map(int.__eq__, expected, numbers))
        is_near = right >= 2 and 2 * shared >= max(sum(expected), sum(numbers))
        if is_near or _reading(view.case, view.answer) is not None:
            return None
        if None in found.values():
            return counts_each_value_once(view)
        what = "the counts are nowhere near this model's"
        what += f": {_show(dict(zip(CLASSES, numbers, strict=True)))}" if view.case.public else ""
    return Finding(
        "an answer that follows from the arguments",
        what,
        Mistakes.fixed_answer,
        READS[view.case.parameters["function"]],
    )


def _few_sizes(view: View, answered: list[int | None]) -> Finding:
    """Sizes that differ and are nearly all wrong, and follow no known formula: the first of them."""
    expected = view.reference["sizes"].tolist()
    wrong = [
        i for i, (want, have) in enumerate(zip(expected, answered, strict=True)) if want != have
    ]
    first = wrong[0]
    what, cause = _unknown_formula(_answered(view.case, view.answer)[first], expected[first])
    if not view.case.public:
        return Finding(
            "an answer that follows from the arguments", f"nearly all sizes: {what}", cause, CONV
        )
    wanted = f"{_call(view.case.parameters['sizes'][first])} {_result(expected[first])}"
    shown = _result(answered[first], _answered(view.case, view.answer)[first])
    found = f"{what}; {len(wrong)} of {len(expected)} are wrong, this one {shown}"
    return Finding(wanted, found, cause, CONV)


def _no_size(view: View, at: int) -> Finding:
    """One of many answers that are no whole numbers: the exception or the type of the first."""
    answered = _answered(view.case, view.answer)[at]
    if isinstance(answered, dict) and "raised" in answered:
        what, cause = _unknown_formula(answered, view.reference["sizes"][at])
    elif answered == {"type": "float"}:
        what, cause = "a number with a fraction", Mistakes.floats
    else:
        what, cause = "something else", "The number of windows is a whole number: return an int."
    return Finding("an int for every size", what, cause, CONV)


def counts_each_value_once(view: View) -> Finding | None:
    found = counts(view.case, view.answer)
    absent = [
        name for name in CLASSES if name not in known(_read(view.case, view.answer))["counts"]
    ]
    if absent:
        text = f"no key {', '.join(absent)}"
        return Finding(f"the keys {', '.join(CLASSES)}", text, Mistakes.absent_keys)
    if None in found.values():
        cause = "Something else than a number stands under a key."
        return Finding("every count is an int", "a count that is no number", cause, KINDS)
    if list(found.values()) == view.reference["counts"].tolist():
        return None
    counted = sum(count for count in found.values() if count is not None)
    return _other_values(view, counted, int(view.reference["counts"].sum()))


def _other_values(view: View, counted: int, total: int) -> Finding | None:
    """What is wrong with which values were counted; None where only their classes are wrong."""
    expected = "each named output of a node counted once, in every graph of the model"
    expected += f": {total} in all" if view.case.public else ""
    shown = f": {counted} in all" if view.case.public else ""
    way = _reading(view.case, view.answer)
    if way is not None and way.scope:
        mistake = READINGS["scope"][way.scope]
        return Finding(expected, mistake.found + shown, mistake.misconception)
    if way is not None or counted == total:
        return None
    text = f"{'more' if counted > total else 'fewer'} values than there are{shown}"
    cause = "Some values are counted twice, or not at all, or something else than the output of a node is counted."
    return Finding(expected, text, cause, KINDS)


def judges_shapes_rightly(view: View) -> Finding | None:
    # That a number is absent is what the rung before says.
    answered = counts(view.case, view.answer).items()
    found = {name: count for name, count in answered if count is not None}
    expected = dict(zip(CLASSES, view.reference["counts"].tolist(), strict=True))
    if found.items() <= expected.items():
        return None
    wanted = "static, named, unknown and missing shapes, each as the task defines it"
    wanted += f": {_show(expected)}" if view.case.public else ""
    shown = f": {_show(found)}" if view.case.public else ""
    way = _reading(view.case, view.answer)
    if wrong := _misread(way):
        return Finding(wanted, wrong[0].found + shown, wrong[0].misconception)
    if way is not None and way.scope not in ("declarations", "value_info"):
        return None  # only the wrong values are counted, which the rung before has said
    off = [name for name in found if found[name] != expected[name]]
    text = f"other counts of {', '.join(off)}{shown}"
    return Finding(wanted, text, _cause_of_other_counts(view.case), KINDS)


def _misread(way: Reading | None) -> list:
    """The known mistakes in how shapes were judged."""
    fields = way._asdict().items() if way else ()
    return [READINGS[field][name] for field, name in fields if name and field != "scope"]


def _cause_of_other_counts(case: Case) -> Misconception | str:
    if shared := _shared_names(case):
        some = f", such as {sorted(shared)[0]!r}" if case.public else ""
        return Mistakes.shared_names.told(some=some)
    return "Take one value of each class that differs, and read its declaration field by field: shape, dim_value, dim_param."


def _shared_names(case: Case) -> set[str]:
    """Names that nodes of more than one graph write."""
    times: Counter[str] = Counter()
    walk = [ModelProto.FromString(case.files[MODEL]).graph]
    for graph in walk:
        times.update({name for node in graph.node for name in node.output if name})
        walk.extend(child for node in graph.node for child in graphs.subgraphs(node))
    return {name for name, count in times.items() if count > 1}


def computes_sizes(view: View) -> Finding | None:
    asked, expected = view.case.parameters["sizes"], view.reference["sizes"].tolist()
    found = sizes(view.case, view.answer)
    wrong = [i for i, (want, have) in enumerate(zip(expected, found, strict=True)) if want != have]
    if not wrong:
        return None
    first = wrong[0]
    answered = _answered(view.case, view.answer)[first]
    what_it_gives, cause = _formula(view.case, found)[0] or _unknown_formula(
        answered, expected[first]
    )
    if not view.case.public:
        expected = "the number of windows, in every case of this kind"
        return Finding(expected, f"{what_it_gives}; some are wrong", cause, CONV)
    wanted = f"{_call(asked[first])} {_result(expected[first])}"
    what = f"{len(wrong)} of {len(asked)} are wrong, this one {_result(found[first], answered)}"
    return Finding(wanted, f"{what_it_gives}; {what}", cause, CONV)


def _unknown_formula(answered: object, expected: int) -> tuple[str, str | Misconception]:
    """What a function gives that follows no known wrong formula, and the cause; by the first wrong
    answer.
    """
    if answered == {"type": "float"}:
        return "a number with a fraction", Mistakes.floats
    if not isinstance(answered, dict) or "raised" not in answered:
        cause = "Draw the positions of a short input, mark where each window starts, and count."
        return "other numbers", cause
    name = str(answered["raised"])
    shown = name if name in outcome.NAMED_TYPES else "an exception"
    if expected == RAISES:
        return f"it raises {shown} where no window fits", Mistakes.other_error
    return f"it raises {shown} where a window fits", outcome.CAUSES.get(name, CALLED)


def is_tidy(view: View) -> Finding | None:
    data = known(_read(view.case, view.answer))
    if data["changed"]:
        found = "the model that was passed in is changed"
        return Finding("the model is as it was before the call", found, Mistakes.changes_the_model)
    numbers = (
        data["sizes"]
        if asks_for_sizes(view.case)
        else [data["counts"].get(name) for name in CLASSES]
    )
    if any(isinstance(number, dict) and "float" in number for number in numbers):
        return Finding(
            "every number is an int",
            "a float",
            Mistakes.floats,
            READS[view.case.parameters["function"]],
        )
    return None


def _formula(case: Case, found: list[int | None]) -> tuple:
    if None in found:
        return None, False
    return formula(case.parameters["sizes"], [None if size == RAISES else size for size in found])


def _reading(case: Case, answer: Answer) -> Reading | None:
    answered = counts(case, answer)
    found = {name: count for name, count in answered.items() if count is not None}
    return reading(case.files[MODEL], found) if len(found) == len(answered) else None


def _show(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in CLASSES if name in counts)


def _call(arguments: Mapping) -> str:
    values = {
        name: tuple(value) if name == "padding" else value for name, value in arguments.items()
    }
    first = [str(values.pop(name)) for name in ("size", "kernel")]
    return f"conv_output_size({', '.join([*first, *(f'{name}={value}' for name, value in values.items())])})"


def _result(size: int | None, answered: object = None) -> str:
    if size == RAISES:
        return "raises ValueError"
    if size is None:
        return (
            "raises"
            if isinstance(answered, dict) and "raised" in answered
            else "is no whole number"
        )
    return f"is {size}"
