"""Students who solved the one lab of the faulty course."""

import json

from nbjudge.grading.config.folders import Course, Project


def hand_in(course: Course, project: Project, *names: str) -> None:
    for name in names:
        released = json.loads((project.labs / "day-50" / "inspect.ipynb").read_text())
        solved = json.loads((project.solutions / "day-50" / "inspect.ipynb").read_text())
        sources = {cell["id"]: cell["source"] for cell in solved["cells"]}
        for cell in released["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("solution"):
                cell["source"] = sources[cell["id"]]
        folder = course.submitted / name / "day-50"
        folder.mkdir(parents=True)
        (folder / "inspect.ipynb").write_text(json.dumps(released))
