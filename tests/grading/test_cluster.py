"""Grading on a Dask cluster gives the marks that grading here gives."""

import pytest
from distributed import LocalCluster
from students import CLASS, hand_in

from autograder.course.publish import publish
from autograder.grading import coordinator
from autograder.grading.folders import Course

STUDENTS = [student for student in CLASS if student.name in ("eve-main-graph-only", "gus-empty", "kim-os-exit")]

pytestmark = pytest.mark.xdist_group("cluster")


def test_a_cluster_gives_the_same_marks(project, tmp_path):
    reports = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        for name, scheduler in (("here", None), ("there", cluster.scheduler_address)):
            course = Course.at(tmp_path / name)
            publish(course, project, ["day-50"], exchange=False)
            for student in STUDENTS:
                hand_in(student, project.labs / "day-50", project.solutions / "day-50", course.submitted / student.name / "day-50")
            order = coordinator.Order("day-50", seed=50, jobs=2, scheduler=scheduler)
            reports.append(coordinator.grade(course, order).to_json()["submissions"])
    for here, there in zip(*reports, strict=True):
        assert {**here, "seconds": 0} == {**there, "seconds": 0}


def test_a_scheduler_that_does_not_answer_is_named(project, tmp_path):
    course = Course.at(tmp_path)
    publish(course, project, ["day-50"], exchange=False)
    hand_in(STUDENTS[0], project.labs / "day-50", project.solutions / "day-50", course.submitted / "eve" / "day-50")
    with pytest.raises(coordinator.Refused, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        coordinator.grade(course, coordinator.Order("day-50", seed=50, scheduler="tcp://127.0.0.1:1"))
