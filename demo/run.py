"""`make demo`: release the labs, hand in a class, grade it in the sandbox, and say where everything is."""

from __future__ import annotations

import shutil
import sys

from students import CLASS, hand_in

from nbjudge.course import live
from nbjudge.course.export import export
from nbjudge.course.feedback import feedback
from nbjudge.course.publish import publish
from nbjudge.course.release import release
from nbjudge.grading.config.folders import Course, Project
from nbjudge.grading.execution.runner import Budget
from nbjudge.grading.run import coordinator, table

ASSIGNMENT = "day-50"
# Shorter than in class, so that the endless loop does not hold up the demo.
BUDGET = Budget(cell=5, case=30, notebook=150)
SEED = 50


def main() -> int:
    project = Project.find()
    course = Course.at(project.build / "demo")
    shutil.rmtree(course.root, ignore_errors=True)
    try:
        release(project, [ASSIGNMENT], lambda line: print(line, flush=True), seed=SEED)
        publish(course, project, [ASSIGNMENT])
        for student in CLASS:
            folder = course.submitted / student.name / ASSIGNMENT
            hand_in(student, project.labs / ASSIGNMENT, project.solutions / ASSIGNMENT, folder)
        print(
            f"a cell may run for {BUDGET.cell:g} s here, in class for {Budget().cell:g} s: "
            "one of the students wrote an endless loop",
            flush=True,
        )
        with live.progress() as watch:
            report = coordinator.grade(
                course, coordinator.GradingRequest(ASSIGNMENT, seed=SEED, budget=BUDGET), watch
            )
        with live.counting("feedback of students") as told:
            pages = feedback(course, ASSIGNMENT, told=told)
        export(course, "csv", course.root / "grades.csv")
    except RuntimeError as problem:
        print(f"demo: {problem}", file=sys.stderr)
        return 2
    table.show(report)
    print(f"gradebook   {course.gradebook}")
    print(f"grades      {course.root / 'grades.csv'}")
    print(f"feedback    {course.feedback} ({len(pages)} pages), for example {pages[0]}")
    print(f"formgrader  course lab --instructor --course {course.root}")
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main())
