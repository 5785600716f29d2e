"""Forging through a notebook's metadata and structure: what is given comes from the skeleton, so
none of it counts.
"""

from __future__ import annotations

import copy

from tests.hostile.attack import WORTH, Attack, all_of, answering, at_the_end, own, solved, tested

HALF = {"lab": "inspect", "base": "first_opset", "most": WORTH, "exactly": True}


def _clear(with_ids: bool):
    def deed(notebook):
        for cell in notebook["cells"]:
            cell["metadata"] = {}
            if with_ids:
                cell.pop("id", None)

    return deed


def _nothing_given(notebook):
    """The student's own cells alone."""
    _clear(True)(notebook)
    notebook["cells"] = [own("describe = lambda *given: None"), own("check = print")]


def _without_answer(notebook):
    notebook["cells"].remove(solved(notebook))


def _answer_elsewhere(notebook):
    """In a new cell behind the test; the given one is gone."""
    answer = solved(notebook)
    notebook["cells"].remove(answer)
    notebook["cells"].append(own(answer["source"]))


def _of_test(**fields):
    """The test cell's grading metadata, changed; the cell itself gives itself full marks."""

    def deed(notebook):
        test = tested(notebook)
        test["source"] = "4.0"
        test["metadata"]["nbgrader"] |= fields

    return deed


def _without_tests(notebook):
    notebook["cells"].remove(tested(notebook))


def _twice(notebook):
    notebook["cells"].append(copy.deepcopy(tested(notebook)))


def _answer_twice(notebook):
    first = copy.deepcopy(solved(notebook))
    first["source"] = "describe = None"
    notebook["cells"].insert(notebook["cells"].index(solved(notebook)), first)


def _retyped(kind):
    def deed(notebook):
        test = tested(notebook)
        test["cell_type"], test["source"] = kind, "4.0"

    return deed


def _test_first(notebook):
    test = tested(notebook)
    notebook["cells"].remove(test)
    notebook["cells"].insert(0, test)
    notebook["cells"].append(
        own("check = lambda *given: None\nfrom nbjudge import checking\nchecking.check = check")
    )


def _tagged(*tags):
    def deed(notebook):
        tested(notebook)["metadata"] |= {"tags": list(tags), "deletable": True, "editable": True}

    return deed


def _kernel(name, language):
    def deed(notebook):
        notebook["metadata"]["kernelspec"] = {
            "name": name,
            "display_name": name,
            "language": language,
        }
        notebook["metadata"]["language_info"] = {"name": language}

    return deed


PICKLE = "gASVHgAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOUjAN0b3WUhZRSlC4="


def _pickled(notebook):
    for where in (
        notebook["metadata"],
        tested(notebook)["metadata"],
        tested(notebook)["metadata"]["nbgrader"],
    ):
        where["scramble_config"] = {"seed": 1, "config": PICKLE, "solution": PICKLE}


def _nonsense(notebook):
    """Every field of the grading metadata is of another type."""
    kinds = [None, [], {}, "text", 1e999, -1, True, ["a"] * 1000, {"a": {"b": {}}}]
    for number, field in enumerate(tested(notebook)["metadata"]["nbgrader"]):
        if field != "grade_id":
            tested(notebook)["metadata"]["nbgrader"][field] = kinds[number % len(kinds)]
    notebook["metadata"]["nbjudge"] = {"version": "../../../../etc/passwd"}
    notebook["cells"].append(
        own("", metadata={"nbgrader": {"grade_id": ["list"], "solution": {}, "points": "NaN"}})
    )
    notebook["cells"].append(own("", metadata={"nbgrader": "no dictionary"}))
    notebook["cells"].append(
        own(
            "",
            metadata={"nbgrader": {"grade_id": "x" * 10_000_000, "grade": True, "points": 1e308}},
        )
    )


def _other_lab(notebook):
    """The cells say that they are another lab's."""
    tested(notebook)["metadata"]["nbgrader"]["grade_id"] = "check-dropout"
    tested(notebook)["id"] = "elsewhere"


def _rubric(notebook):
    notebook["cells"].append(own("hidden?", "markdown", metadata={"nbjudge": {"rubric": True}}))


def _outputs(notebook):
    """The outputs of a run in which everything passed."""
    tested(notebook)["outputs"] = [
        {
            "output_type": "execute_result",
            "execution_count": 1,
            "metadata": {},
            "data": {"text/plain": "4.0"},
        },
        {"output_type": "stream", "name": "stdout", "text": "every rung passed"},
    ]


def _versioned(notebook):
    notebook["metadata"]["nbjudge"] = {"version": "0" * 12}


def _exchanged(notebook):
    """The solution cell and the test cell take each other's names."""
    one, other = solved(notebook)["metadata"]["nbgrader"], tested(notebook)["metadata"]["nbgrader"]
    one["grade_id"], other["grade_id"] = other["grade_id"], one["grade_id"]


ATTACKS = [
    Attack("tests-removed", "metadata", deed=_without_tests, flagged=True, **HALF),
    Attack("metadata-cleared", "metadata", deed=_clear(False), **HALF),
    Attack(
        "metadata-and-ids-cleared",
        "metadata",
        **HALF,
        deed=_clear(True),
    ),
    Attack(
        "nothing-given",
        "metadata",
        **(HALF | {"most": 0.0}),
        deed=_nothing_given,
        status="ungradable",
    ),
    Attack("answer-removed", "metadata", **(HALF | {"most": 0.0}), deed=_without_answer),
    Attack("answer-elsewhere", "metadata", **HALF, deed=_answer_elsewhere),
    # A cell that was pasted twice is no fault: a remark says which one counts.
    Attack("test-twice", "metadata", deed=_twice, flagged=False, **HALF),
    Attack("answer-twice", "metadata", deed=_answer_twice, flagged=False, **HALF),
    Attack("not-graded", "metadata", deed=_of_test(grade=False), flagged=True, **HALF),
    Attack(
        "test-is-solution",
        "metadata",
        deed=_of_test(solution=True, locked=False),
        flagged=True,
        **HALF,
    ),
    Attack("unknown-grade-id", "metadata", deed=_of_test(grade_id="mine"), flagged=True, **HALF),
    Attack("points", "metadata", deed=_of_test(points=1000), flagged=True, **HALF),
    Attack("points-infinite", "metadata", deed=_of_test(points=float("inf")), flagged=True, **HALF),
    Attack("points-negative", "metadata", deed=_of_test(points=-4), flagged=True, **HALF),
    Attack("test-is-markdown", "metadata", deed=_retyped("markdown"), flagged=True, **HALF),
    Attack("test-is-raw", "metadata", deed=_retyped("raw"), flagged=True, **HALF),
    Attack("test-is-unknown", "metadata", deed=_retyped("magic"), flagged=True, **HALF),
    Attack("test-first", "metadata", deed=_test_first, **HALF),
    Attack("raises-exception", "metadata", deed=_tagged("raises-exception"), flagged=True, **HALF),
    Attack(
        "skip-execution",
        "metadata",
        deed=_tagged("skip-execution", "remove_cell"),
        flagged=True,
        **HALF,
    ),
    Attack("other-kernel", "metadata", deed=_kernel("bash", "bash"), **HALF),
    Attack("kernel-of-r", "metadata", deed=_kernel("ir", "R"), **HALF),
    Attack("pickles", "metadata", deed=_pickled, **HALF),
    Attack("nonsense", "metadata", deed=_nonsense, **HALF),
    Attack("other-lab", "metadata", deed=_other_lab, **HALF),
    Attack("rubric", "metadata", deed=_rubric, **HALF),
    Attack("outputs-of-success", "metadata", deed=_outputs, **HALF),
    Attack("unknown-version", "metadata", deed=_versioned, **HALF),
    Attack(
        "plain-points",
        "metadata",
        "first",
        "wrong",
        0.0,
        deed=_of_test(points=1000, grade=False),
        flagged=True,
    ),
    Attack(
        "plain-tests-removed", "metadata", "first", "wrong", 0.0, deed=_without_tests, flagged=True
    ),
    Attack(
        "plain-test-redefined",
        "metadata",
        "first",
        "wrong",
        0.0,
        deed=all_of(
            answering("def square(x):\n    return 0"),
            at_the_end("def square(x):\n    return x * x"),
        ),
    ),
    Attack("grade-ids-exchanged", "metadata", "inspect", "first_opset", WORTH, deed=_exchanged),
]
