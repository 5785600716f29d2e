"""What keeps an assignment from being released is found by reading it, and named with its cell and
with what to do.
"""

import contextlib
import json
import unicodedata
from pathlib import PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbjudge.course import fitness, portable_names
from nbjudge.course.generating import ReleaseError
from nbjudge.course.publish import publish
from nbjudge.course.release import generate, release
from nbjudge.grading.config.folders import Course, Project
from tests.grading.small import ASSIGNMENT, NOTEBOOK, SOLUTION, TASK, code, markdown, meta, notebook

ANSWER, TEST = code("answer", SOLUTION, meta("square", solution=True)), "assert square(3) == 9"


def put(root, *documents, **files):
    """An assignment with these notebooks and files, in `root`."""
    folder = root / ASSIGNMENT
    folder.mkdir(parents=True, exist_ok=True)
    for number, document in enumerate(documents):
        (folder / f"{NOTEBOOK}{number or ''}.ipynb").write_text(json.dumps(document))
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return root


def changed(cell, **metadata):
    """A cell with other values in its nbgrader metadata; None takes one out."""
    own = {**cell["metadata"]["nbgrader"], **metadata}
    kept = {key: value for key, value in own.items() if value is not None}
    return {**cell, "metadata": {"nbgrader": kept}}


def raw(cell):
    return {key: cell[key] for key in ("id", "metadata", "source")} | {"cell_type": "raw"}


def a_test(source=TEST, points=1, grade_id="test"):
    return code(grade_id, source, meta(grade_id, points))


HIDDEN = "### BEGIN HIDDEN TESTS\nassert square(2) == 4"
UNFIT = {
    "no version": (changed(ANSWER, schema_version=None), r"cell 3 \(square\) .*nbgrader update"),
    "old version": (changed(a_test(), schema_version=1), "version 1 .*nbgrader update"),
    "new version": (changed(a_test(), schema_version=4), "install a newer nbgrader"),
    "no flag": (changed(ANSWER, grade=None), "does not say whether it is 'grade'"),
    "flag is a text": (changed(ANSWER, locked="no"), "does not say whether it is 'locked'"),
    "metadata is none": ({**ANSWER, "metadata": {"nbgrader": True}}, "nbgrader's metadata"),
    "no name": (changed(a_test(), grade_id=None), "has no name for its nbgrader id"),
    "empty name": (changed(a_test(), grade_id=""), "has no name for its nbgrader id"),
    "odd name": (a_test(grade_id="a b"), "'a b' for its nbgrader id"),
    "name twice": (changed(ANSWER, grade_id="twice"), r"cell 3 \(twice\) has the name of another"),
    "no points": (changed(a_test(), points=None), "has no points"),
    "points are a text": (a_test(points="2"), "has '2' for its points"),
    "points are true": (a_test(points=True), "has True for its points"),
    "negative points": (a_test(points=-1), "has -1 for its points"),
    "not a number": (a_test(points=float("nan")), "has nan for its points"),
    "endless points": (a_test(points=float("inf")), "has inf for its points"),
    "task without points": (
        changed(markdown("task", TASK, meta("task", 3, task=True)), points=None),
        "has no points",
    ),
    "task in code": (code("task", "1", meta("task", 3, task=True)), "a task in a code cell"),
    "raw test": (raw(a_test()), "is a raw cell, which is never run"),
    "raw answer": (raw(changed(ANSWER, grade_id="raw")), "is a raw cell"),
    "Markdown answer": (markdown("e", "x", meta("e", solution=True)), "that nobody marks"),
    "Markdown test": (markdown("e", "x", meta("e", 2)), "a test in a Markdown cell"),
    "hidden tests left open": (a_test(HIDDEN), "without `### END HIDDEN TESTS` below"),
    "hidden tests never begun": (
        a_test(TEST + "\n### END HIDDEN TESTS"),
        "without `### BEGIN HIDDEN TESTS` above",
    ),
    "hidden tests twice": (a_test(f"{HIDDEN}\n{HIDDEN}\n### END HIDDEN TESTS"), "twice before"),
    "hidden tests misspelt": (
        a_test(HIDDEN.replace("TESTS", "TEST") + "\n### END HIDDEN TEST"),
        "looks like one of nbgrader's marks and is none: write `### BEGIN HIDDEN TESTS`",
    ),
    "hidden tests in small letters": (
        a_test((HIDDEN + "\n### END HIDDEN TESTS").lower()),
        "the line '### begin hidden tests'",
    ),
    "hidden tests in no test": (
        code("given", HIDDEN + "\n### END HIDDEN TESTS"),
        "cell 3 holds hidden tests and is no test",
    ),
    "solution that stays beside one that is cut": (
        code("s", f"{SOLUTION}\n### Begin Solution\ny = 1", meta("s", solution=True)),
        "the line '### Begin Solution', .* write `### BEGIN SOLUTION` or `### END SOLUTION`",
    ),
    "mark scheme mistyped": (
        markdown("task", TASK.replace("SCHEME", "SHEME"), meta("task", 3, task=True)),
        "write `=== BEGIN MARK SCHEME ===`",
    ),
    "mark scheme left open": (
        markdown("task", TASK.partition("=== END")[0], meta("task", 3, task=True)),
        "without `=== END MARK SCHEME ===` below",
    ),
    "autotest without templates": (a_test("### AUTOTEST square(3)"), "autotests.yml"),
    "autotest in no test": (code("given", "### AUTOTEST square(3)"), "is no test"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNFIT)
def test_a_cell_that_cannot_be_marked_is_named_with_what_to_do(name, tmp_path):
    cell, message = UNFIT[name]
    solutions = tmp_path / "solutions"
    put(solutions, notebook([ANSWER, a_test(grade_id="twice"), cell]))
    with pytest.raises(ReleaseError, match=message) as refused:
        generate(solutions, tmp_path / "out", ASSIGNMENT)
    assert f"solutions/{ASSIGNMENT}/{NOTEBOOK}.ipynb, cell " in str(refused.value)


@pytest.mark.parametrize(
    ("document", "what"),
    [
        ([], "no whole notebook"),
        ({"nbformat": 3, "worksheets": []}, "a notebook of format 3"),
        ({**notebook([]), "cells": [1]}, "no whole notebook"),
        ({**notebook([]), "metadata": {"kernelspec": None}}, "no whole notebook"),
    ],
)
def test_what_is_no_notebook_of_today_is_named(document, what, tmp_path):
    put(tmp_path, document)
    with pytest.raises(ReleaseError, match=f"{NOTEBOOK}.ipynb is {what}.* save it"):
        generate(tmp_path, tmp_path / "out", ASSIGNMENT)


def test_headings_and_comments_are_no_marks(tmp_path):
    """And points need be no whole number."""
    cells = [
        markdown("text", "### Begin solution here\n\n## End of the hidden tests"),
        code(
            "note",
            "# the solution begins here\n# begin with the solution\n# END OF SOLUTION\n## BEGIN PLOT",
        ),
        code("a", SOLUTION, meta("square", solution=True)),
        a_test(points=0.5),
        a_test(points=0, grade_id="open"),
    ]
    generate(put(tmp_path, notebook(cells)), tmp_path / "out", ASSIGNMENT)
    assert fitness.remarks(tmp_path, ASSIGNMENT) == []


STYLES = ["###{}", "#{}", "# {}", "## {}", "###  {}", "##### {}", "# --- {} ---", "#!{}!"]


@pytest.mark.parametrize("style", STYLES)
def test_what_nbgrader_takes_out_is_a_mark_in_whatever_comment(style, tmp_path):
    def marked(source):
        lines = source.replace("=== ", "### ").replace(" ===", "").split("\n")
        is_mark = {
            line: "BEGIN" in line or "END" in line for line in lines
        }  # nbgrader asks for no more
        return "\n".join(
            style.format(line.strip("# ")) if is_mark[line] else line for line in lines
        )

    cells = [
        code("a", marked(SOLUTION), meta("square", solution=True)),
        a_test(marked(HIDDEN + "\n### END HIDDEN TESTS")),
        markdown("task", marked(TASK), meta("task", 3, task=True)),
    ]
    generate(put(tmp_path, notebook(cells)), tmp_path / "out", ASSIGNMENT)
    released = (tmp_path / "out" / f"{NOTEBOOK}.ipynb").read_text()
    for secret in ("x * x", "square(2) == 4", "2 points for the axes", "BEGIN", "END"):
        assert secret not in released
    assert "def square(x):" in released and fitness.remarks(tmp_path, ASSIGNMENT) == []


def test_where_the_whole_answer_is_replaced_a_mistyped_mark_is_only_said(tmp_path):
    mistyped = SOLUTION.replace("SOLUTION", "SOULTION")
    put(tmp_path, notebook([code("a", mistyped, meta("square", solution=True)), a_test()]))
    generate(tmp_path, tmp_path / "out", ASSIGNMENT)
    assert "x * x" not in (tmp_path / "out" / f"{NOTEBOOK}.ipynb").read_text()
    [said] = fitness.remarks(tmp_path, ASSIGNMENT)
    assert "'### BEGIN SOULTION'" in said and "a stub in place of the whole cell" in said


COURSE_FILE = """c = get_config()
c.IncludeHeaderFooter.header = "source/header.ipynb"
c.CourseDirectory.ignore = ["*.md", ".ipynb_checkpoints"]
c.ClearSolutions.begin_solution_delimeter = "#<<"
c.ClearSolutions.end_solution_delimeter = "#>>"
c.ClearSolutions.code_stub = {"python": "# yours\\n..."}
c.Exchange.root = "/srv/exchange"
c.CourseDirectory.submitted_directory = "in"
"""


def test_what_the_courses_own_file_says_of_releasing_holds_and_the_rest_is_named(tmp_path):
    name = "NAME = ''"
    answer = SOLUTION.replace("### BEGIN SOLUTION", "#<<").replace("### END SOLUTION", "#>>")
    given = [markdown("how", "Write between ### BEGIN and ### END."), code("a", answer, meta("square", solution=True)), a_test()]  # fmt: skip
    put(tmp_path / "source", notebook(given), **{"First.md": SOLUTION, "points.csv": "1"})
    (tmp_path / "source" / "header.ipynb").write_text(json.dumps(notebook([code("name", name)])))
    (tmp_path / "nbgrader_config.py").write_text(COURSE_FILE)
    said = []
    project = Project(tmp_path)
    release(project, [ASSIGNMENT], said.append)
    folder = project.labs / ASSIGNMENT
    cells = json.loads((folder / f"{NOTEBOOK}.ipynb").read_text())["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    assert sources[0] == name and sources[2] == "def square(x):\n    # yours\n    ..."
    editable = [cell["metadata"].get("editable", True) for cell in cells]
    assert editable == [True, False, True, False]  # students write their names into the header
    assert sorted(path.name for path in folder.iterdir()) == [f"{NOTEBOOK}.ipynb", "points.csv"]
    [line] = [each for each in said if "nbgrader_config.py" in each]
    assert "does not use: c.CourseDirectory.submitted_directory, c.Exchange.root." in line
    course = Course.at(tmp_path / "course")
    [done] = publish(course, project, [ASSIGNMENT], exchange=False)
    assert done.was_new


# What notebooks of Jupyter, VS Code, conda and Colab say of the kernel that they were written in.
PYTHONS = [
    {"kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}},
    {"kernelspec": {"name": "python", "display_name": "Python 3", "language": "python"}},
    {"kernelspec": {"name": "conda-env-ml-py", "display_name": "Python [conda env:ml]", "language": "python"}},
    {"kernelspec": {"name": "conda-env-ml-py", "display_name": "Python [conda env:ml]"}},
    {"kernelspec": {"name": "venv", "display_name": "venv"}, "language_info": {"name": "python", "version": "3.12.1"}},
    {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "accelerator": "GPU"},
    {"language_info": {"name": "python", "version": "3.11.7"}},
    {},
]  # fmt: skip
OTHERS = [
    {"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}},
    {"kernelspec": {"name": "ir", "display_name": "R"}},
    {"kernelspec": {"name": "julia-1.10", "display_name": "Julia 1.10.0", "language": "julia"}},
    {"kernelspec": {"name": "bash", "display_name": "Bash", "language": "bash"}},
    {"kernelspec": {"name": "my-r", "display_name": "mine"}, "language_info": {"name": "R"}},
    {"kernelspec": {"name": "python2", "display_name": "Python 2", "language": "python"}},
    {"kernelspec": {"name": "python3", "language": "python"}, "language_info": {"name": "python", "version": "2.7.18"}},
]  # fmt: skip


@pytest.mark.parametrize("metadata", PYTHONS, ids=json.dumps)
def test_whatever_a_python_kernel_is_called_students_get_the_one_that_they_have(metadata, tmp_path):
    document = {**notebook([ANSWER, a_test()]), "metadata": metadata}
    generate(put(tmp_path, document), tmp_path / "out", ASSIGNMENT)
    released = json.loads((tmp_path / "out" / f"{NOTEBOOK}.ipynb").read_text())
    assert released["metadata"]["kernelspec"]["name"] == "python3"


@pytest.mark.parametrize("metadata", OTHERS, ids=json.dumps)
def test_a_kernel_that_is_not_python_3_is_refused(metadata, tmp_path):
    document = {**notebook([ANSWER, a_test()]), "metadata": metadata}
    with pytest.raises(
        ReleaseError, match=rf"{NOTEBOOK}.ipynb is written for .* choose the kernel"
    ):
        generate(put(tmp_path, document), tmp_path / "out", ASSIGNMENT)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"aux.csv": ""}, "'aux.csv' is a name that Windows keeps"),
        ({"data/com1": ""}, "'data/com1' is a name that Windows keeps"),
        ({"a:b.csv": ""}, "holds ':', which Windows"),
        ({"what?.csv": ""}, r"holds '\?', which Windows"),
        ({"end.": ""}, "ends with a dot"),
        ({"a\\b.csv": ""}, "a backslash"),
        ({"new\nline": ""}, "cannot be shown"),
        ({"Data/a": "", "data/b": ""}, "'Data' and 'data' differ in capitals"),
        ({"First.ipynb.txt": ""}, "solutions included"),
        ({f"{NOTEBOOK.upper()}.IPYNB": ""}, "solutions included|differ in capitals"),
        ({"\u00fc.csv": "", "u\u0308.csv": ""}, "Unicode writes in two ways"),
        ({"answers.py": SOLUTION}, "released as it is, with '### BEGIN SOLUTION' in it"),
        ({"answers.c": "//BEGIN SOLUTION"}, "released as it is, with '//BEGIN SOLUTION' in it"),
    ],
)
def test_a_file_that_students_cannot_hold_or_must_not_read_is_named(files, message, tmp_path):
    put(tmp_path, notebook([ANSWER, a_test()]), **files)
    with pytest.raises(ReleaseError, match=message):
        generate(tmp_path, tmp_path / "out", ASSIGNMENT)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["HW-1", "hw-1"], "differ in capitals"),
        (["nul"], "Windows keeps"),
        (["a+b"], r"has a \+ in its name"),
    ],
)
def test_an_assignment_has_a_name_of_its_own_on_every_system(names, message, tmp_path):
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "p.ipynb").write_text(json.dumps(notebook([ANSWER, a_test()])))
    for name in names:
        with pytest.raises(ReleaseError, match=message):
            generate(tmp_path, tmp_path / "out", name)


@given(st.lists(st.text("aAbBüÜ\u0308.:* \x07", min_size=1, max_size=4), max_size=4))
def test_names_without_a_problem_are_names_everywhere(names):
    if portable_names.problem_of(names) is None:
        once = {unicodedata.normalize("NFD", name).lower() for name in names}
        assert len(once) == len(set(names))
        assert all(name.isprintable() and not name.endswith((".", " ")) for name in names)
        assert all(PureWindowsPath(name).name == name for name in names)


@given(
    st.sampled_from(["con", "NUL", "Aux", "com1", "LPT9"]), st.sampled_from(["", ".txt", ".a.b"])
)
def test_the_devices_of_windows_are_no_names(device, ending):
    assert portable_names.problem_of([device + ending])
    assert portable_names.problem_of([f"x{device}{ending}"]) is None


def test_what_a_person_cannot_mark_and_what_is_left_out_is_said(tmp_path):
    cells = [
        code("none", SOLUTION, meta("none", 0, solution=True)),
        code("never", SOLUTION + "\n" + HIDDEN + "\n### END HIDDEN TESTS", meta("never", 2, solution=True)),
    ]  # fmt: skip
    put(tmp_path, notebook(cells), **{"more/draft.ipynb": "{}", "feedback/data.csv": "1"})
    said = "\n".join(fitness.remarks(tmp_path, ASSIGNMENT))
    for what in (
        "feedback/data.csv is not released",
        "more/draft.ipynb is not released",
        "cell 1 (none) is marked by a person and worth 0 points",
        "cell 2 (never) is marked by a person, so the hidden tests in it never run",
    ):
        assert what in said
    assert said.count("\n") == 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda some: (
        st.lists(some, max_size=2) | st.dictionaries(st.text(max_size=3), some, max_size=2)
    ),
    max_leaves=4,
)
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "nbgrader": JSON
        | st.fixed_dictionaries(
            {"schema_version": st.just(3) | JSON},
            optional={
                key: st.booleans() | JSON
                for key in ("grade", "solution", "locked", "task", "points", "grade_id")
            },
        )
    },
)
CELLS = st.fixed_dictionaries(
    {
        "cell_type": st.sampled_from(["code", "markdown", "raw"]) | JSON,
        "metadata": METADATA | JSON,
        "source": st.sampled_from([TEST, SOLUTION, HIDDEN, [TEST]]) | JSON,
    }
)
NOTEBOOKS = JSON | st.fixed_dictionaries(
    {"nbformat": st.just(4) | JSON, "cells": st.lists(CELLS, max_size=3) | JSON},
    optional={"metadata": st.fixed_dictionaries({}, optional={"kernelspec": JSON}) | JSON},
)


@given(NOTEBOOKS)
def test_whatever_a_notebook_holds_it_is_fit_or_refused(tmp_path_factory, document):
    """With a line, and never with an error of Python's; what is fit can be marked."""
    solutions = put(tmp_path_factory.mktemp("any"), document)
    with contextlib.suppress(ReleaseError):
        fitness.require(solutions, ASSIGNMENT)
        assert isinstance(fitness.remarks(solutions, ASSIGNMENT), list)
