"""A box with student code holds the half of each exercise that asks, and nothing of the half that
judges.
"""

import hashlib
import inspect
import json
import sys
import textwrap
from pathlib import Path

import pytest
from safetensors.numpy import save

import nbjudge
from nbjudge import exercises
from nbjudge.contract import JudgeAbsent
from nbjudge.grading.execution.anonymous import AnonymousCases
from nbjudge.grading.execution.checker import judge
from nbjudge.grading.execution.runner import run_notebook
from nbjudge.rungs.ladder import climb
from tests.boxes.box_tools import run_cells
from tests.mutants import references

PACKAGE = Path(nbjudge.__file__).parent
JUDGING = sorted(
    [
        *exercises.installed()["formatlab_exercises"].glob("*/judge/*.py"),
        *PACKAGE.glob("grading/**/*.py"),
        *PACKAGE.glob("rungs/*.py"),
    ]
)
ALL = exercises.ids()
SEED = 20261
# Imports every module of ours that the box holds, calls what judges by every way to it, and reads
# every file.
SEARCH = """
import hashlib, importlib, json, pathlib, nbjudge
from nbjudge import exercises
found = {"lines": [], "judges": [], "unexpected": []}
installed = pathlib.Path(nbjudge.__file__).parents[1]
roots = {pathlib.Path(path) / name for path in (*__import__("sys").path, installed) for name in ("nbjudge", "formatlab_exercises")}
for root in roots:
    for path in root.rglob("*"):
        if {"judge", "answers"} & set(path.relative_to(root).parts) and path.name != "judge":
            found["judges"].append(str(path))
        if path.is_file() and path.stat().st_size < 1 << 22:
            data = path.read_bytes()
            found["lines"] += [path.name for line in data.splitlines() if hashlib.sha256(line.strip()).hexdigest() in WANTED]
            found["lines"] += [path.name for name in NAMES if path.suffix == ".pyc" and name.encode() in data]
for name in ALL:
    exercise = exercises.get(name)
    for member in ("judge", "rungs", "points"):
        try:
            found["judges"].append(repr(getattr(exercise, member)))
        except Exception as error:
            if type(error).__name__ != "JudgeAbsent":
                found["unexpected"].append(f"{name}.{member}: {error!r}")
files = [path.relative_to(installed) for name in ("nbjudge", "formatlab_exercises") for path in (installed / name).rglob("*.py")]
found["few"] = len([path for path in files if path.parts[0] == "formatlab_exercises"]) < 20
for module in (".".join(path.with_suffix("").parts) for path in files if path.stem not in ("__init__", "__main__")):
    if ".boxes.inside" in module:
        continue
    try:
        importlib.import_module(module)
    except BaseException as error:
        if "rungs" not in str(error) and "judge" not in str(error) and "grading" not in str(error) and "course" not in str(error):
            found["unexpected"].append(f"{module}: {error!r}")
public = {name: len(exercises.get(name).public_cases()) for name in ALL}
print(json.dumps({**found, "public": {name: count for name, count in public.items() if count}}))
"""


def distinctive_lines():
    """The longest lines of each judging module: what reads them has the module. Imports and
    signatures that the contract declares are no secret.
    """
    contract = b"\n".join(path.read_bytes() for path in PACKAGE.glob("contract/*.py"))
    declared = {line.strip() for line in contract.splitlines()}
    found = []
    for path in JUDGING:
        lines = {
            line for line in map(bytes.strip, path.read_bytes().splitlines()) if len(line) > 40
        }
        lines = {line for line in lines - declared if not line.startswith((b"from ", b"import "))}
        found += [hashlib.sha256(line).hexdigest() for line in sorted(lines, key=len)[-5:]]
    return found


def test_nothing_that_judges_can_be_imported_or_read():
    names = ["tells_mistakes_apart", "fault_of_header", "evaluations", "keeps_signature"]
    source = f"WANTED = set({distinctive_lines()!r})\nNAMES = {names!r}\nALL = {ALL!r}\n{SEARCH}"
    cases = exercises.get("inspect").public_cases()
    [found] = [json.loads(run_cells(source, cases=cases[:1]).text(0))]
    assert found == {"lines": [], "judges": [], "unexpected": [], "public": {}, "few": False}


def test_a_box_that_judges_has_it():
    from nbjudge.boxes import mounts

    assert "--tmpfs" not in mounts.arguments(judging=True)
    assert [word for word in mounts.arguments() if word.endswith("exercises/shapes/judge")]


def test_without_its_judge_an_exercise_says_so_in_one_line(monkeypatch):
    exercise = exercises.get("shapes")
    monkeypatch.setitem(sys.modules, "formatlab_exercises.shapes.judge.marks", None)
    with pytest.raises(JudgeAbsent) as error:
        exercise.points  # noqa: B018
    assert error.value._render_traceback_() == [f"JudgeAbsent: {error.value}"]


def test_a_name_and_a_place_tell_nothing():
    cases = exercises.get("benchmark").graded_cases(SEED)
    first, second = AnonymousCases({"benchmark": cases}), AnonymousCases({"benchmark": cases})
    names = [case.name for case in first.cases["benchmark"]]
    assert not set(names) & {case.name for case in second.cases["benchmark"]}
    assert {case.seed for case in first.cases["benchmark"]} == {0}
    orders = [
        [
            case.name
            for case in exercises.get("benchmark").judge.calling_order(
                exercises.get("benchmark").graded_cases(seed)
            )
        ]
        for seed in range(4)
    ]
    assert len(set(map(tuple, orders))) == 4
    answered = {"benchmark": {name: name for name in names}}
    assert list(first.named(answered)["benchmark"]) == [case.name for case in cases]


# The best that can be made of what the box holds: whatever is imported, found in memory or read
# from a file.
STOLEN = {
    "shapes": """
        def conv_output_size(*arguments, **named):
            from formatlab_exercises.shapes.judge.formulas import Formula
            return Formula().size(*arguments, **named)

        def shape_coverage(model):
            from formatlab_exercises.shapes.judge.counting import Reading, count
            return count(model, Reading())
    """,
    "inspect": """
        def describe(model, directory=None):
            from formatlab_exercises.inspect.judge import counting
            facts = counting.CaseFacts(model, {})
            found = {"ir_version": model.ir_version, "opset": model.opset_import[0].version}
            found["operators"] = counting.histogram(counting.nodes_of(model))
            found["parameters"] = counting.elements(counting.all_initializers(facts))
            return {**found, "bytes": counting.total_size(facts, ())}
    """,
    "dropout": """
        def remove_dropout(model):
            from formatlab_exercises.dropout.judge import case_facts
            return case_facts.read(model.SerializeToString()).model
    """,
}
TOLD = """
def describe(model, directory=None):
    import sys
    frame, texts = sys._getframe(), set()
    while frame is not None:
        for value in frame.f_locals.values():
            for part in (value, *getattr(value, "header", {}).values(), getattr(value, "name", ""), getattr(value, "seed", "")):
                texts.add(str(part)[:60])
        frame = frame.f_back
    return {text: 0 for text in texts}
"""


def notebook(*cells):
    """Cells as (source, grade_id of a test cell or None)."""
    made = []
    for source, grade_id in cells:
        told = (
            {"nbgrader": {"grade_id": grade_id, "grade": True, "solution": False, "points": 1}}
            if grade_id
            else {}
        )
        made.append({"cell_type": "code", "source": source, "metadata": told})
    return {"cells": made}


def asked(exercise):
    return (
        f"from nbjudge import check\ncheck({exercise.id!r}, {', '.join(exercise.functions)})".split(
            "\n"
        )[1]
    )


def test_what_the_box_holds_earns_nothing():
    wanted, cells = {}, [("from nbjudge import check", None)]
    for name, source in STOLEN.items():
        exercise = exercises.get(name)
        wanted[name] = exercise.graded_cases(SEED)[::4]
        cells += [(textwrap.dedent(source), None), (asked(exercise), exercise.grade_id)]
    run = run_notebook(notebook(*cells), wanted)
    for name, cases in wanted.items():
        verdict = climb(exercises.get(name), cases, run.answers[name], references(name, SEED))
        assert verdict.score == 0, (name, verdict)


def test_frames_tell_no_name_and_no_seed():
    exercise = exercises.get("inspect")
    cases = exercise.graded_cases(SEED)[2:8:2]
    run = run_notebook(
        notebook(
            ("from nbjudge import check", None),
            (TOLD, None),
            (asked(exercise), exercise.grade_id),
        ),
        {"inspect": cases},
    )
    for case in cases:
        assert run.answers["inspect"][case.name].outcome == "returned"
        told = run.answers["inspect"][case.name].files["answer.json"].decode()
        assert not any(
            f'"{word}"' in told
            for each in cases
            for word in (each.name, str(each.seed) if each.seed else "no seed")
        )


def test_public_cases_can_be_looked_at_and_are_the_real_ones():
    cases = exercises.get("inspect").public_cases()
    look = "[(case.name, len(case.files['model.onnx'])) for case in exercises.get('inspect').public_cases()]"
    source = f"from nbjudge import exercises\nprint({look})"
    run = run_notebook(
        notebook((source, None), ("def describe(model, directory=None): ...", None)),
        {"inspect": cases},
    )
    [output] = run.cells[0].outputs
    assert output["text"].strip() == str(
        [(case.name, len(case.files["model.onnx"])) for case in cases]
    )


def test_the_source_of_this_test_names_what_is_there():
    """Breaks when what the thieves import is renamed, and the theft fails for that reason alone."""
    from formatlab_exercises.dropout.judge import case_facts
    from formatlab_exercises.inspect.judge import counting as counted
    from formatlab_exercises.shapes.judge import counting, formulas

    assert inspect.isclass(formulas.Formula) and inspect.isclass(counting.Reading)
    assert callable(counting.count) and callable(case_facts.read)
    used = ("histogram", "nodes_of", "elements", "all_initializers", "total_size")
    assert inspect.isclass(counted.CaseFacts) and all(
        callable(vars(counted)[name]) for name in used
    )


FORGED = """
import io, json, torch
from formatlab_exercises.torchscript import running

class Prints(torch.nn.Module):
    def forward(self, x):
        print("prim::If prim::Loop")
        return x

def compile_module(module, example):
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(Prints()), buffer)
    kept = dict.fromkeys(("parts", "mode", "modes", "weights", "gradients", "hooks"), True)
    report = json.dumps({"kept": kept, "saved": "", "runs": [""] * 6, "random": False}).encode()
    outputs = {"outputs.safetensors": b"", "graph.txt": b"prim::If\\nprim::Loop"}
    running.answer = lambda compile_module, case: {"module.pt": buffer.getvalue(), "report.json": report, **outputs}
    return module
"""


def test_what_a_notebook_says_of_a_compiled_module_is_not_believed():
    """The saved module is what crosses, and it is run elsewhere: a forged report about it earns
    what the module itself earns.
    """
    exercise = exercises.get("torchscript")
    cases = exercise.public_cases()[:2]
    cells = (
        ("from nbjudge import check", None),
        (FORGED, None),
        (asked(exercise), exercise.grade_id),
    )
    run = run_notebook(notebook(*cells), {"torchscript": cases})
    known = references("torchscript", SEED)
    verdict = judge(
        "torchscript",
        cases,
        run.answers["torchscript"],
        {case.name: save(dict(known[case.name])) for case in cases},
    )
    assert verdict.score <= 0.1 * verdict.max_score, verdict
