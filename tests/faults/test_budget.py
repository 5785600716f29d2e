"""Budgets: where they are given, and what becomes of a submission that uses its own up."""

import io
import json
import shutil

import onnx
import pytest
from onnx import TensorProto, helper
from rich.console import Console
from traitlets.config import Config

from nbjudge import boxes, exercises
from nbjudge.contract import Answer
from nbjudge.course import live
from nbjudge.grading.config import budget
from nbjudge.grading.config.budget import Allowance, Budget, BudgetError, OutOfTime
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.execution import checker
from nbjudge.grading.run import coordinator
from nbjudge.grading.submission import canary, engine
from tests.faults.handing_in import hand_in

REPORT = b'{"argument_changed": false, "again": "same"}'
ENDLESS = "import time\nwhile True:\n    time.sleep(1)"


def test_the_command_line_goes_before_the_course_and_the_course_before_the_defaults():
    config = Config({"CourseBudget": {"cell": 40, "notebook": 200}})
    assert budget.of(config, budget.parse("cell=30, case=20")) == Budget(
        cell=30, case=20, notebook=200
    )
    assert budget.of(Config(), {}) == Budget()


@pytest.mark.parametrize(
    "text", ["cell", "cell=fast", "cell=0", "cell=nan", "lunch=30", "", "cell=30 case=30"]
)
def test_what_is_no_budget_is_said_in_one_line(text):
    with pytest.raises(BudgetError, match=r"budget|seconds"):
        budget.parse(text)


def test_the_course_s_file_is_named_when_it_is_wrong():
    with pytest.raises(BudgetError, match=r"nbgrader_config\.py: cell=soon"):
        budget.of(Config({"CourseBudget": {"cell": "soon"}}), {})


@pytest.mark.xdist_group("faulty")
def test_who_uses_up_the_time_goes_behind_the_others_and_ends(course, tmp_path):
    own = Course.at(shutil.copytree(course.root, tmp_path / "course"))
    hand_in(own, Project(course.root.parent / "checkout"), "aaa-endless")
    path = own.submitted / "aaa-endless" / "day-50" / "inspect.ipynb"
    notebook = json.loads(path.read_text())
    next(
        cell for cell in notebook["cells"] if cell["metadata"].get("nbgrader", {}).get("solution")
    )["source"] = ENDLESS
    path.write_text(json.dumps(notebook))
    console = Console(file=io.StringIO(), width=200)
    with live.progress(console) as watch:
        report = coordinator.grade(
            own,
            coordinator.GradingRequest("day-50", seed=50, jobs=1, budget={"submission": 10}),
            watch,
        )
    lines = console.file.getvalue().splitlines()
    told = [line for line in lines if not line.startswith("reference")]
    assert told[:2] == [
        "grading 2 submissions",
        "aaa-endless: its time is over; the others go first",
    ]
    assert [line.split()[1] for line in told[2:]] == ["ada", "aaa-endless"]
    assert "reference 1 of 1: inspect" in lines
    endless, ada = report.submissions
    assert (report.exit_code, endless.status, endless.score) == (0, "graded", 0.0)
    assert ada.score == ada.max_score


@pytest.fixture(scope="module")
def dropout():
    """Public cases, what they were given back as answers, and the references that makes."""
    cases = exercises.get("dropout").public_cases()[:1]
    answers = {case.name: returned(case.files["model.onnx"]) for case in cases}
    return cases, answers, checker.digest("dropout", cases, answers)


def returned(data: bytes) -> Answer:
    return Answer("returned", {"model.onnx": data, "report.json": REPORT})


def endless(data: bytes) -> bytes:
    """The model, with a loop in front of it that does not end."""
    model = onnx.ModelProto.FromString(data)
    always, x = (
        helper.make_tensor_value_info("on", TensorProto.BOOL, []),
        helper.make_tensor_value_info("x_", TensorProto.FLOAT, None),
    )
    on, out = (
        helper.make_tensor_value_info("on_out", TensorProto.BOOL, []),
        helper.make_tensor_value_info("x_out", TensorProto.FLOAT, None),
    )
    steps = [helper.make_node("Identity", [a], [b]) for a, b in (("on", "on_out"), ("x_", "x_out"))]
    number = helper.make_tensor_value_info("i", TensorProto.INT64, [])
    body = helper.make_graph(steps, "body", [number, always, x], [on, out])
    given = model.graph.input[0].name
    for node in model.graph.node:
        node.input[:] = ["looped_" if name == given else name for name in node.input]
    loop = helper.make_node("Loop", ["", "always_", given], ["looped_"], body=body)
    model.graph.node.insert(0, loop)
    model.graph.initializer.append(helper.make_tensor("always_", TensorProto.BOOL, [], [True]))
    return model.SerializeToString()


def test_the_time_of_looking_at_answers_is_the_submission_s(dropout, monkeypatch):
    monkeypatch.setattr(budget, "LEAST_LOOK", 3)
    cases, answers, references = dropout
    slow = {name: returned(endless(answer.files["model.onnx"])) for name, answer in answers.items()}
    first = Allowance(3, turn=1)
    with pytest.raises(OutOfTime):
        checker.judge("dropout", cases, slow, references, allowance=first)
    assert first.left <= 0
    last = Allowance(3, turn=2)
    verdict = checker.judge("dropout", cases, slow, references, allowance=last)
    assert verdict.score == 0 and last.left <= 0
    assert verdict.broken.found == (
        "the answer took longer than what was left of the submission's time"
    )


def test_looking_at_an_honest_answer_takes_little_and_is_never_cut_short(dropout):
    cases, answers, references = dropout
    whole = checker.judge("dropout", cases, answers, references)
    used_up = Allowance(1, turn=1)
    used_up.use(100)
    assert checker.judge("dropout", cases, answers, references, allowance=used_up) == whole
    assert 0 < used_up.used - 100 < budget.LEAST_LOOK / 3


@pytest.mark.parametrize(("ended", "counts"), [("crashed", 7), ("killed", 0), ("starved", 0)])
def test_of_a_box_that_broke_off_counts_how_long_it_ran_unless_the_machine_ended_it(ended, counts):
    allowance, limits = Allowance(100), boxes.limits_for_checker()
    allowance.looked(boxes.BoxRun(frames=[], ended=ended, detail="", seconds=7.0), limits)
    assert allowance.used == counts


@pytest.mark.xdist_group("faulty")
def test_whose_answers_take_the_time_goes_behind_the_others(course, tmp_path, monkeypatch):
    """Two notebooks' worth of looks in one: the second turn's verdict counts."""
    own = Course.at(shutil.copytree(course.root, tmp_path / "course"))
    hand_in(own, Project(course.root.parent / "checkout"), "aaa-slow")
    judged, looks = engine.judge, []

    def judge(*asked, allowance, **how):
        looks.append(allowance.left)
        if len(looks) in (1, 3):  # aaa-slow's
            allowance.use(600)
            allowance.wait_if_over()
        return judged(*asked, allowance=allowance, **how)

    monkeypatch.setattr(engine, "judge", judge)
    monkeypatch.setattr(canary, "prove", lambda *told: None)  # it would look, too
    request = coordinator.GradingRequest("day-50", seed=50, jobs=1, budget={"submission": 300})
    told = []
    coordinator.grade(own, request, lambda *event: told.append(event))
    order = [what for event, _, what in told if event in ("later", "done")]
    assert order[0] == "aaa-slow" and [each.student for each in order[1:]] == ["ada", "aaa-slow"]
    assert len(looks) == 3 and 290 < looks[2] <= 300


def test_one_is_singular():
    assert (live.count(1), live.count(2)) == ("1 submission", "2 submissions")
