"""Float models handed in as INT8, graded as a class is, in boxes: each earns what it would without
its decoys.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from students import answer

from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.run import coordinator
from tests.hostile.attack import cell

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("hostile")]

ROOT = Path(__file__).resolve().parents[2]
LAB, NOTEBOOK = "lab-7-01", "int8_static"
# The library's model of ranges that are junk. The others have it beside live layers that are float,
# with weights in float32 and in 8 bits, in fused operators and written out.
CONTROL, ATTACKS = "by_255", ("fused_float", "fused_weights_only", "spelled_out")


def test_a_float_model_beside_a_quantized_one_earns_what_that_earns(tmp_path):
    (tmp_path / "solutions" / LAB).mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    source = ROOT / "solutions" / LAB / f"{NOTEBOOK}.ipynb"
    (tmp_path / "solutions" / LAB / source.name).write_bytes(source.read_bytes())
    project = Project(tmp_path)
    release(project)
    course = Course.at(tmp_path / "course")
    publish(course, project, (LAB,))
    for student in (CONTROL, *ATTACKS):
        notebook = json.loads((project.labs / LAB / source.name).read_text())
        cell(notebook, "quantize-cnn")["source"] = answer(NOTEBOOK, student, source.parent)
        folder = course.submitted / student / LAB
        folder.mkdir(parents=True)
        (folder / source.name).write_text(json.dumps(notebook))
    report = coordinator.grade(course, coordinator.GradingRequest(LAB, seed=50, jobs=2))
    found = {
        result.student: result.cells[f"{NOTEBOOK}/check-int8-static"].score
        for result in report.submissions
    }
    assert found == dict.fromkeys((CONTROL, *ATTACKS), pytest.approx(found[CONTROL]))
    assert found[CONTROL] == 0
