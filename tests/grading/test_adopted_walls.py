"""An adopted course: what students put into their folders, and what settings do to the box, each
tried with nbgrader's own commands.
"""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import requests
from nbconvert.exporters import NotebookExporter, PDFExporter
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.preprocessors import ClearOutput, Execute
from nbgrader.validator import Validator
from traitlets.config import Config

from nbjudge import limits
from nbjudge.course import (
    boxed,
    checked_copy,
    config,
    exchange,
    fail_closed,
    nbgrader_hooks,
    probing,
)
from nbjudge.course.adopt import LINES
from nbjudge.course.fail_closed import JSON
from nbjudge.course.timed import CoursePage
from nbjudge.course.trial import try_course
from nbjudge.grading.config.folders import Course
from nbjudge.grading.notebook import parser
from tests import servers
from tests.grading import small
from tests.grading.test_adopt import CONFIG, type_

pytestmark = pytest.mark.xdist_group("adopt")


def first_and_slow(cases):
    """The first of several cases, and the others among the slow tests: each types nbgrader's commands."""
    first, *others = cases
    return [
        first,
        *(pytest.param(*each.values, id=each.id, marks=pytest.mark.slow) for each in others),
    ]


MINUTES = 300
WITHOUT_GRAMMAR = Path(__file__).with_name("without_grammar")
ADOPTED = "\n".join([*LINES, ""])
SECRET = "a-word-of-the-instructors"
SOLUTION = f"{small.SOLUTION}  # {SECRET}"
READS_ALL = """
import os
for root, _, names in os.walk("."):
    for name in names:
        print(name, repr(open(os.path.join(root, name), "rb").read(300)))
def square(x):
    return x * x
"""
# What a course might bring itself. The last ones execute a notebook where no class says so.
OWN = """
from nbclient import execute
from nbconvert.exporters import NotebookExporter
from nbconvert.preprocessors import ExecutePreprocessor
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.plugins import ExtractorPlugin
from nbgrader.preprocessors import ClearOutput, Execute

class Longer(Execute):
    timeout = 60

class Around(Execute):
    def preprocess(self, nb, resources, km=None):
        return super().preprocess(nb, resources)

class Past(Execute):
    def preprocess(self, nb, resources, km=None):
        return ExecutePreprocessor.preprocess(self, nb, resources)

class Cellwise(Execute):
    def preprocess_cell(self, cell, resources, index):
        return super().preprocess_cell(cell, resources, index)

class Nbconverts(ExecutePreprocessor):
    enabled = True

def by_nbclient(nb, resources):
    return execute(nb), resources

def by_itself(nb, resources):
    for cell in nb.cells:
        if cell.cell_type == "code":
            exec(cell.source, {})
    return nb, resources

class Sly(ClearOutput):
    def preprocess(self, nb, resources):
        return by_itself(nb, resources)

class Writer(NotebookExporter):
    def from_notebook_node(self, nb, resources=None, **options):
        return super().from_notebook_node(*by_itself(nb, resources), **options)

class Plain(NotebookExporter):
    def from_notebook_node(self, nb, resources=None, **options):
        nb.metadata["written_by"] = "Plain"
        return super().from_notebook_node(nb, resources, **options)

def before(**_):
    open("before.txt", "w").close()

def hook(notebooks, **_):
    import subprocess
    for name in notebooks:
        subprocess.run(["jupyter", "execute", name], capture_output=True)

class Collects(ExchangeCollect):
    pass

class Extracts(ExtractorPlugin):
    def extract(self, archive_path, extracted_path):
        super().extract(archive_path, extracted_path)
"""


def steps(name, *further):
    rest = ["nbgrader.preprocessors.SaveAutoGrades", "nbgrader.preprocessors.CheckCellMetadata"]
    return f"c.Autograde.autograde_preprocessors = [{', '.join([name, *map(repr, rest)])}]\n"


# How settings come to a step that executes, and whether it is boxed (None) or the run refused, with
# what is said.
SETTINGS = {
    "by its name": (steps("'nbgrader.preprocessors.Execute'"), None),
    "a subclass": (steps("own.Longer"), None),
    "a subclass around it": (steps("own.Around"), None),
    "nbconvert's own": (steps("own.Nbconverts"), None),
    "among those that sanitize": (
        "c.Autograde.sanitize_preprocessors = ['nbgrader.preprocessors.OverwriteCells', own.Longer]\n",
        None,
    ),
    "a hook": ("c.Autograde.post_convert_hook = own.hook\n", None),
    "past the box": (steps("own.Past"), "starts a kernel outside"),
    "cell by cell": (steps("own.Cellwise"), "its own preprocess_cell"),
    "an instance": (steps("own.Longer()"), "an instance of own.Longer"),
    "a function that starts a kernel": (steps("own.by_nbclient"), "starts a kernel outside"),
    "a function that executes": (steps("own.by_itself"), "by own.by_itself: it wrote a file"),
    "a step that executes": (steps("own.Sly"), "by own.Sly: it wrote a file"),
    "an exporter that executes": (
        "c.Autograde.exporter_class = own.Writer\n",
        "by own.Writer: it wrote a file",
    ),
}


def nbgrader(root, *words):
    command = [sys.executable, "-m", "nbgrader", *words]
    environment = {**os.environ, "PYTHONPATH": str(WITHOUT_GRAMMAR)}
    return subprocess.run(command, cwd=root, capture_output=True, text=True, env=environment)


def hand_in(root, student, source, folder="submitted"):
    released = root / "release" / small.ASSIGNMENT / f"{small.NOTEBOOK}.ipynb"
    document = json.loads(released.read_text())
    for cell in document["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "square":
            cell["source"] = source
    place = root / folder / student / small.ASSIGNMENT
    place.mkdir(parents=True)
    (place / f"{small.NOTEBOOK}.ipynb").write_text(json.dumps(document))
    return place


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """nbgrader's own course with one assignment, generated and not adopted."""
    root = tmp_path_factory.mktemp("walls") / "course"
    source = root / "source" / small.ASSIGNMENT
    source.mkdir(parents=True)
    given = [
        small.code("answer", SOLUTION, small.meta("square", solution=True)),
        small.code("test", small.TEST, small.meta("test-square", 3)),
    ]
    (source / f"{small.NOTEBOOK}.ipynb").write_text(json.dumps(small.notebook(given)))
    (root / CONFIG).write_text("c = get_config()\nc.CourseDirectory.course_id = 'walls'\n")
    done = nbgrader(root, "generate_assignment", small.ASSIGNMENT, "--create")
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture
def course(released, tmp_path):
    root = Path(shutil.copytree(released, tmp_path / "course"))
    (root / "own.py").write_text(OWN)
    return root


def marks(root):
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        found = book.assignment_submissions(small.ASSIGNMENT)
        return {one.student.id: one.score for one in found}


def test_what_is_no_file_of_a_student_s_own_is_refused_by_name(course):
    """Laid there by an archive or by git, and collected; none of the others waits for it."""
    with open(course / CONFIG, "a") as file:
        file.write(f"c.Exchange.root = {str(course / 'exchange')!r}\n{ADOPTED}")
    book = f"{small.NOTEBOOK}.ipynb"
    hand_in(course, "bob", small.RIGHT)
    eve = hand_in(course, "eve", READS_ALL)
    (eve / "own.txt").write_text("her own")
    (eve / "solution.txt").symlink_to(Path("../../../source", small.ASSIGNMENT, book))
    (eve / "book.bin").symlink_to(course / "gradebook.db")
    (eve / "inside").symlink_to("../../../source")
    (eve / "timestamp.txt").symlink_to("/dev/zero")
    os.link(course / "own.py", eve / "hard.txt")
    os.mkfifo(eve / "pipe")
    (hand_in(course, "mal", small.RIGHT) / book).unlink()
    (course / "submitted" / "mal" / small.ASSIGNMENT / book).symlink_to(
        f"../../bob/{small.ASSIGNMENT}/{book}"
    )
    (course / "submitted" / "yan").symlink_to("bob")
    (course / "submitted" / "zoe").mkdir()
    (course / "submitted" / "zoe" / small.ASSIGNMENT).symlink_to(f"../bob/{small.ASSIGNMENT}")
    inbound = course / "exchange" / "walls" / "inbound"
    sent = hand_in(course, "sent", READS_ALL, "out")
    (sent / "timestamp.txt").write_text("2026-01-01 12:00:00.000000 UTC")
    (sent / "solution.txt").symlink_to(course / "source" / small.ASSIGNMENT / book)
    inbound.mkdir(parents=True)
    sent.rename(inbound / f"ada+{small.ASSIGNMENT}+2026-01-01 12:00:00.000000 UTC")
    assert nbgrader(course, "collect", small.ASSIGNMENT).returncode == 0

    done = nbgrader(course, "autograde", small.ASSIGNMENT)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    told = [line for line in done.stderr.splitlines() if "Not taken" in line]
    for student, file in {
        "ada": "solution.txt is a link",
        "mal": f"{book} is a link",
        "yan": "is a link",
        "zoe": "is a link",
    }.items():
        assert any(f"{student}: " in line and file in line for line in told), (student, told)
    names = ("solution.txt", "book.bin", "inside", "timestamp.txt", "hard.txt", "pipe")
    for name in names:
        assert any(f"eve: {name} is " in line for line in told), name
    assert marks(course) == {"bob": 3, "eve": 3, "ada": 3}
    assert nbgrader(course, "generate_feedback", small.ASSIGNMENT).returncode == 0
    for folder in ("autograded", "feedback"):
        [page] = (course / folder / "eve" / small.ASSIGNMENT).glob("first.*")
        text = page.read_text()
        assert "her own" in text and SECRET not in text and "SQLite format" not in text
    assert not list(course.glob(f"{checked_copy.PREFIX}*"))
    # A folder that nothing of ours filled: `autograded/` of another machine, by git.
    (course / "autograded" / "eve" / small.ASSIGNMENT / "book.bin").symlink_to("/dev/zero")
    done = nbgrader(course, "generate_feedback", small.ASSIGNMENT, "--force")
    assert done.returncode == 1 and "book.bin is a link" in done.stderr
    assert (course / "feedback" / "bob" / small.ASSIGNMENT / "first.html").is_file()


def test_what_is_refused_keeps_what_was_graded_before(course):
    """Handed in and graded, then exchanged for links, and graded again by force."""
    with open(course / CONFIG, "a") as file:
        file.write(ADOPTED)
    name = f"{small.NOTEBOOK}.ipynb"
    places = {student: hand_in(course, student, small.RIGHT) for student in ("bob", "eve", "mal")}
    assert nbgrader(course, "autograde", small.ASSIGNMENT).returncode == 0
    graded = {each: course / "autograded" / each / small.ASSIGNMENT / name for each in places}
    before = {each: path.read_bytes() for each, path in graded.items()}
    for student in ("eve", "mal"):
        (places[student] / name).unlink()
        (places[student] / name).symlink_to(places["bob"] / name)
    shutil.copy(places["bob"] / name, places["mal"] / "second.ipynb")
    done = nbgrader(course, "autograde", small.ASSIGNMENT, "--force")
    assert done.returncode == 1, done.stderr
    for student in ("eve", "mal"):
        assert f"{student}: " in done.stderr and f"{name} is a link" in done.stderr
        assert graded[student].read_bytes() == before[student]
    assert marks(course) == {"bob": 3, "eve": 3, "mal": 3}


def test_a_notebook_is_measured_before_nbgrader_parses_it(course):
    """Three megabytes of JSON that are more than a gigabyte of objects, and brackets without end."""
    with open(course / CONFIG, "a") as file:
        file.write(ADOPTED)
    hand_in(course, "bob", small.RIGHT)
    name = f"{small.NOTEBOOK}.ipynb"
    for student, text in {
        "eve": json.dumps({"metadata": {"many": [{}] * (parser.MAX_VALUES + 1)}}),
        "mal": f'{{"cells": {"[" * 100_000}',
    }.items():
        (hand_in(course, student, small.RIGHT) / name).write_text(text)
    done = nbgrader(course, "autograde", small.ASSIGNMENT)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    for student, why in (("eve", "values"), ("mal", "nested too deeply")):
        assert any(f"{student}: " in line and why in line for line in done.stderr.splitlines())
    assert marks(course) == {"bob": 3}


@pytest.mark.slow
def test_no_folder_of_a_student_s_is_another_s(course):
    """Where the folders of a course begin with the student, a link stands above all of them."""
    with open(course / CONFIG, "a") as file:
        file.write(
            f"c.CourseDirectory.directory_structure = '{{student_id}}/{{nbgrader_step}}/{{assignment_id}}'\n{ADOPTED}"
        )
    place = course / "bob" / "submitted" / small.ASSIGNMENT
    place.parent.mkdir(parents=True)
    hand_in(course, "bob", small.RIGHT, "out").rename(place)
    (course / "ada").symlink_to("bob")
    (course / "zoe" / "submitted" / small.ASSIGNMENT).mkdir(parents=True)
    shutil.copy(place / f"{small.NOTEBOOK}.ipynb", course / "zoe" / "submitted" / small.ASSIGNMENT)
    (course / "zoe" / "autograded").symlink_to("../bob/autograded")

    for _ in range(2):
        done = nbgrader(course, "autograde", small.ASSIGNMENT, "--force")
        assert done.returncode == 1
        assert all(f"{each}: " in done.stderr for each in ("ada", "zoe"))
        assert marks(course) == {"bob": 3}
    done = nbgrader(course, "generate_feedback", small.ASSIGNMENT)
    assert done.returncode == 1 and "ada is a link" in done.stderr
    assert (course / "bob" / "feedback" / small.ASSIGNMENT / f"{small.NOTEBOOK}.html").is_file()


@pytest.mark.parametrize("name", first_and_slow(pytest.param(name, id=name) for name in SETTINGS))
def test_whatever_settings_bring_is_boxed_or_the_run_is_refused(course, name):
    setting, said = SETTINGS[name]
    escaped = course / "escaped.txt"
    hand_in(course, "eve", f"open({str(escaped)!r}, 'w').write('out')\n{small.RIGHT}")
    with open(course / CONFIG, "a") as file:
        # Behind the lines, where what is set counts most.
        file.write(f"import own\n{ADOPTED}{setting}")
    done = nbgrader(course, "autograde", small.ASSIGNMENT)
    assert not escaped.exists()
    if said is None:
        # In the box there is no such folder, so that cell ends with an error.
        assert done.returncode == 0 and marks(course) == {"eve": 0}, done.stderr
    else:
        assert done.returncode == 2 and not marks(course), done.stderr
        last = done.stderr.splitlines()[-1]
        assert "Nothing was graded" in last and said in last and "take" in last.lower()


@pytest.mark.parametrize(
    "text",
    first_and_slow(
        [
            pytest.param("".join(f"# {line}\n" for line in LINES), id="commented out"),
            pytest.param("if False:\n" + "".join(f"    {line}\n" for line in LINES), id="in an if"),
            pytest.param(f"'''\n{ADOPTED}'''\n", id="in a text"),
            pytest.param(
                f"{ADOPTED}from nbgrader.apps import autogradeapp, api\n"
                "from nbgrader.converters import autograde\n"
                "autogradeapp.Autograde = api.Autograde = autograde.Autograde\n",
                id="put back later",
            ),
        ],
    ),
)
def test_lines_that_take_no_effect_are_written_again(course, text):
    before = (course / CONFIG).read_text()
    (course / CONFIG).write_text(before + text)
    assert not try_course(course).is_ours
    code, said = type_("adopt", course)
    assert code == 0 and "as before" not in said and probing.TRIED in " ".join(said.split())
    assert (course / CONFIG).read_text().endswith(ADOPTED)
    found = try_course(course)
    assert found.is_ours and found.problem is None and found.steps
    assert type_("adopt", course, "--undo")[0] == 0
    assert not try_course(course).is_ours


def test_what_cannot_be_boxed_is_not_adopted(course):
    path = course / CONFIG
    path.write_text(text := f"{path.read_text()}import own\n{steps('own.Past')}")
    code, said = type_("adopt", course)
    assert code == 2 and "nothing was changed" in said and "own.Past" in said
    assert path.read_text() == text and not (course / JSON).exists()


@pytest.mark.parametrize(
    "change",
    first_and_slow(
        [
            pytest.param(lambda text: f"{text}\nc = (", id="an error in the file"),
            pytest.param(lambda text: text.replace("nbjudge", "missing"), id="another environment"),
            pytest.param(lambda text: text.replace(ADOPTED, ""), id="the lines are gone"),
        ],
    ),
)
def test_an_adopted_course_grades_nothing_where_its_lines_fail(course, change):
    """nbgrader says that a settings file fails, and goes on without it."""
    assert type_("adopt", course)[0] == 0
    (course / CONFIG).write_text(change((course / CONFIG).read_text()))
    escaped = course / "escaped.txt"
    hand_in(course, "eve", f"open({str(escaped)!r}, 'w').write('out')")
    done = nbgrader(course, "autograde", small.ASSIGNMENT)
    assert done.returncode == 2 and "type `course adopt`" in done.stderr.lower()
    assert not escaped.exists() and not marks(course)


def test_a_course_that_publish_set_up_grades_nothing_where_its_file_fails(course):
    """The same setting as of a course that was adopted, beside what is the course's own."""
    (course / CONFIG).unlink()
    (course / JSON).write_text('{"CourseBudget": {"cell": 30}}')
    config.write(Course.at(course))
    locked = json.loads((course / JSON).read_text())
    assert locked["CourseBudget"] == {"cell": 30} and "Autograde" in locked
    before = (course / JSON).read_bytes()
    config.write(Course.at(course))
    assert (course / JSON).read_bytes() == before
    escaped = course / "escaped.txt"
    hand_in(course, "eve", f"open({str(escaped)!r}, 'w').write('out')")
    text = (course / CONFIG).read_text()
    (course / CONFIG).write_text(f"{text}\nc = (")
    done = nbgrader(course, "autograde", small.ASSIGNMENT)
    assert done.returncode == 2 and "Nothing was graded" in done.stderr, done.stderr
    assert not escaped.exists() and not marks(course)
    (course / CONFIG).write_text(text)
    done = nbgrader(course, "autograde", small.ASSIGNMENT)
    assert done.returncode == 0 and marks(course) == {"eve": 0} and not escaped.exists()


def test_a_file_of_somebody_s_own_gets_no_lock_by_publishing(tmp_path):
    (tmp_path / CONFIG).write_text(f"c = get_config()\n# {LINES[0]}\n")
    config.write(Course.at(tmp_path))
    assert not (tmp_path / JSON).exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        pytest.param("import own\nc.Autograde.exporter_class = own.Plain\n", id="an exporter"),
        pytest.param(
            "import own\nc.Autograde.exporter_class = own.Plain\nc.Autograde.pre_convert_hook = own.before\n",
            id="an exporter and a hook",
        ),
    ],
)
def test_a_course_with_an_exporter_of_its_own_grades_nothing_either(course, settings):
    """The exporter stays, so something else stops nbgrader where the lines fail."""
    before = (course / CONFIG).read_text() + settings
    (course / CONFIG).write_text(before)
    assert type_("adopt", course)[0] == 0
    hand_in(course, "bob", small.RIGHT)
    done = nbgrader(course, "autograde", small.ASSIGNMENT)
    assert done.returncode == 0 and marks(course) == {"bob": 3}, done.stderr
    [book] = (course / "autograded" / "bob" / small.ASSIGNMENT).glob("*.ipynb")
    assert json.loads(book.read_text())["metadata"]["written_by"] == "Plain"
    assert (course / "before.txt").exists() == ("hook" in settings)

    (course / CONFIG).write_text(f"{(course / CONFIG).read_text()}\nc = (")
    escaped = course / "escaped.txt"
    hand_in(course, "eve", f"open({str(escaped)!r}, 'w').write('out')")
    # What the account's own file says, while the course's own is not read.
    for further in ((), ("--force",)):
        words = (small.ASSIGNMENT, "--Autograde.exporter_class=own.Plain", *further)
        done = nbgrader(course, "autograde", *words)
        assert done.returncode == 2 and "type `course adopt`" in done.stderr.lower()
        assert not escaped.exists() and marks(course) == {"bob": 3}
        assert book.exists(), "refused before what was graded is removed"
    (course / CONFIG).write_text((course / CONFIG).read_text().removesuffix("\nc = ("))
    assert type_("adopt", course, "--undo")[0] == 0
    assert (course / CONFIG).read_text() == before and not (course / JSON).exists()


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"Autograde": {}}',
        '{\n  "Autograde": {"create_student": false},\n  "Exchange": {"path_includes_course": true}\n}\n',
        '{"Exchange": {"path_includes_course": true}}',
    ],
)
def test_settings_in_json_get_one_more_and_lose_it_again(course, text):
    (course / JSON).write_text(text)
    written = fail_closed.with_setting(course / JSON, text.encode())
    found = json.loads(written)
    assert found["Autograde"].pop("exporter_class").endswith("OnlyInTheSandbox")
    assert found == {"Autograde": {}, **json.loads(text)}
    assert fail_closed.with_setting(course / JSON, written) == written
    back = fail_closed.without_setting(written)
    assert back == (None if text == "{}" else text.encode())


def test_no_text_of_a_student_s_drives_the_terminal(course):
    """nbgrader names the kernel that a notebook wants, in the log."""
    with open(course / CONFIG, "a") as file:
        file.write(
            f"{ADOPTED}c.Autograde.sanitize_preprocessors = ['nbgrader.preprocessors.OverwriteCells']\n"
        )
    path = hand_in(course, "eve", small.RIGHT) / f"{small.NOTEBOOK}.ipynb"
    document = json.loads(path.read_text())
    document["metadata"]["kernelspec"]["name"] = "k\x1b]52;c;QUJD\x07"
    path.write_text(json.dumps(document))
    done = nbgrader(course, "autograde", small.ASSIGNMENT)
    assert done.returncode == 1 and "52;c;QUJD" in done.stderr
    assert "\x1b]" not in done.stdout + done.stderr


def test_feedback_executes_nothing(course):
    """Where a step would, nothing is made; what draws pages leaves such a step out."""
    hand_in(course, "bob", small.RIGHT)
    with open(course / CONFIG, "a") as file:
        file.write(f"import own\n{ADOPTED}c.GenerateFeedback.preprocessors = [own.Nbconverts]\n")
    (course / "autograded").mkdir()
    shutil.copytree(course / "submitted" / "bob", course / "autograded" / "bob")
    done = nbgrader(course, "generate_feedback", small.ASSIGNMENT)
    assert done.returncode == 2 and "own.Nbconverts executes notebooks" in done.stderr
    # TeX reads a file where the text says so.
    with pytest.raises(boxed.NotBoxed, match="can read your files"):
        boxed.require_none([PDFExporter()], "c.GenerateFeedback.exporter_class")
    settings = Config()
    settings.ExecutePreprocessor.enabled = True
    settings.HTMLExporter.sanitize_html = False
    page = CoursePage(config=settings)
    assert page.sanitize_html and not any(map(boxed.executes, page._preprocessors))


@pytest.mark.slow
def test_a_file_beside_a_notebook_is_served_without_its_scripts(course):
    """A student's own HTML, from formgrader's own address."""
    with open(course / CONFIG, "a") as file:
        file.write(ADOPTED)
    place = hand_in(course, "eve", small.RIGHT)
    (place / "plot.html").write_text("<script>fetch('/api/terminals')</script>")
    (place / "plot.pdf").write_bytes(b"%PDF-1.4")
    assert nbgrader(course, "autograde", small.ASSIGNMENT).returncode == 0
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        number = book.find_submission_notebook(small.NOTEBOOK, small.ASSIGNMENT, "eve").id
    with servers.formgrader(course) as address:
        page, pdf = (
            requests.get(f"{address}/submissions/{number}/{name}", timeout=MINUTES)
            for name in ("plot.html", "plot.pdf")
        )
    assert page.ok and "<script>" in page.text
    rules = [rule.strip() for rule in page.headers["Content-Security-Policy"].split(";")]
    assert "sandbox" in rules and "default-src 'none'" in rules
    assert pdf.ok and pdf.headers["Content-Type"] == "application/pdf"
    assert {each.headers["X-Content-Type-Options"] for each in (page, pdf)} == {"nosniff"}


def test_no_kernel_starts_outside_meanwhile():
    from jupyter_client.manager import start_new_kernel

    with boxed.no_kernels(), pytest.raises(Exception, match=r"[Nn]o such kernel"):
        start_new_kernel(kernel_name="python3")


def test_nbgrader_s_own_collect_is_ours_however_it_is_named(monkeypatch):
    nbgrader_hooks.install()
    named = Config({"ExchangeFactory": {"collect": "nbgrader.exchange.default.ExchangeCollect"}})
    factory = ExchangeFactory(config=named)
    assert factory.collect is ExchangeCollect
    assert exchange.kind_of(factory) is exchange.SafeCollect
    own = type("Collects", (ExchangeCollect,), {})
    with pytest.raises(boxed.NotBoxed, match="follows links"):
        exchange.kind_of(ExchangeFactory(config=Config({"ExchangeFactory": {"collect": own}})))


def test_zip_collect_copies_no_link(course):
    """A download of the class that was unpacked by hand, with what one student put into it."""
    with open(course / CONFIG, "a") as file:
        file.write(ADOPTED)
    folder = course / "downloaded" / small.ASSIGNMENT / "archive"
    folder.mkdir(parents=True)
    (folder / "eve_first.ipynb").symlink_to(
        course / "source" / small.ASSIGNMENT / f"{small.NOTEBOOK}.ipynb"
    )
    done = nbgrader(course, "zip_collect", small.ASSIGNMENT)
    assert done.returncode == 2 and "eve_first.ipynb is a link" in done.stderr
    assert not list((course / "downloaded").rglob("extracted/*"))


def packed(*members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(*members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members:
            told = tarfile.TarInfo(name)
            if isinstance(data, bytes):
                told.size = len(data)
                archive.addfile(told, io.BytesIO(data))
            else:
                told.type, told.linkname = tarfile.SYMTYPE, str(data)
                archive.addfile(told)
    return buffer.getvalue()


EXTRACTORS = {
    "nbgrader's": "",
    "nbgrader's by its name": "c.ZipCollectApp.extractor_plugin = 'nbgrader.plugins.ExtractorPlugin'\n",
    "one derived from it": "c.ZipCollectApp.extractor_plugin = own.Extracts\n",
}


@pytest.mark.parametrize(
    "setting", first_and_slow(pytest.param(each, id=name) for name, each in EXTRACTORS.items())
)
def test_what_zip_collect_unpacks_is_capped(course, setting):
    """A bomb, links and a bomb in an archive of the class; whoever handed in an honest one is collected."""
    with open(course / CONFIG, "a") as file:
        file.write(
            f"{ADOPTED}import own\nc.FileNameCollectorPlugin.named_regexp = r'.+/(?P<student_id>[a-z]+)_(?P<file_id>first)'\n{setting}"
        )
    book = hand_in(course, "bob", small.RIGHT, "out") / f"{small.NOTEBOOK}.ipynb"
    honest = book.read_bytes()
    bomb = packed(("mal_first.ipynb", bytes(limits.DOWNLOAD + 1)))
    folder = course / "downloaded" / small.ASSIGNMENT / "archive"
    folder.mkdir(parents=True)
    (folder / "bob.zip").write_bytes(packed(("sub/bob_first.ipynb", honest), ("a.txt", b"a")))
    (folder / "ada.tar.gz").write_bytes(tarred(("ada_first.ipynb", honest)))
    (folder / "cy_first.ipynb").write_bytes(honest)
    (folder / "mal.zip").write_bytes(bomb)
    (folder / "tim.tar.gz").write_bytes(tarred(("tim_first.ipynb", bytes(limits.DOWNLOAD + 1))))
    (folder / "eve.tar.gz").write_bytes(
        tarred(("eve_first.ipynb", book), ("../out.txt", b"out"), ("eve_notes.txt", b"notes"))
    )
    deep = packed(("deep_first.ipynb", honest))
    for _ in range(4):
        deep = packed(("in.zip", deep))
    whole = (
        ("dan_first.ipynb", honest),
        ("zoe.zip", bomb),
        ("fay.zip", packed(("fay_first.ipynb", honest))),
    )
    (folder / "class.zip").write_bytes(packed(*whole, ("deep.zip", deep)))
    done = nbgrader(course, "zip_collect", small.ASSIGNMENT)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    told = [line for line in done.stderr.splitlines() if f"Not taken of {small.ASSIGNMENT}" in line]
    for file in (
        "mal.zip",
        "tim.tar.gz",
        "eve_first.ipynb",
        "../out.txt",
        "class.zip: zoe.zip",
        "deep.zip",
    ):
        assert any(file in line for line in told), (file, told)
    students = {each.name for each in (course / "submitted").iterdir()}
    assert students == {"bob", "ada", "cy", "dan", "fay"}
    assert (course / "submitted" / "ada" / small.ASSIGNMENT / "first.ipynb").read_bytes() == honest
    assert not list(course.rglob("out.txt")) and not any(
        each.is_symlink() for each in course.rglob("*")
    )


def test_a_time_is_read_from_a_small_regular_file_alone(tmp_path):
    place = tmp_path / "ada" / "hw-1"
    place.mkdir(parents=True)
    told = place / "timestamp.txt"
    read = checked_copy.existing_timestamp
    assert read(CourseDirectory(), str(place)) is None
    told.write_text("2026-01-01 12:00:00 UTC")
    assert read(CourseDirectory(), str(place)).year == 2026
    told.unlink()
    for make in (lambda: told.symlink_to("/dev/zero"), lambda: os.mkfifo(told)):
        make()
        assert read(CourseDirectory(), str(place)) is None
        told.unlink()


def test_a_notebook_that_is_validated_runs_in_a_box(course):
    nbgrader_hooks.install()
    escaped = course / "escaped.txt"
    place = hand_in(course, "eve", f"open({str(escaped)!r}, 'w').write('out')\n{small.RIGHT}")
    found = nbgrader_hooks.BoxedValidator().validate(str(place / f"{small.NOTEBOOK}.ipynb"))
    assert not escaped.exists() and "failed" in found
    assert issubclass(nbgrader_hooks.BoxedValidator, Validator)


def test_a_step_that_keeps_a_list_can_tell_the_probe(tmp_path):
    """By what no student can put into a notebook."""
    seen = []

    def keeps(nb, resources):
        if not resources["nbgrader"].get("is_probe"):
            seen.append(resources["nbgrader"]["student"])
        return nb, resources

    assert probing.require_inside(NotebookExporter(), [keeps], tmp_path)
    assert not seen
    keeps(None, {"nbgrader": {"student": probing.STUDENT}})
    assert seen == ["course-adopt-probe"]


def test_only_a_box_satisfies_the_probe(tmp_path):
    """Negative control: nbgrader's own step gets out."""
    exporter = NotebookExporter()

    class Stock(Execute):
        """Of the test's, so that it is tried."""

    with pytest.raises(boxed.NotBoxed, match="wrote a file"):
        probing.require_inside(exporter, [Stock], tmp_path)
    assert probing.require_inside(exporter, [boxed.BoxedExecute, ClearOutput], tmp_path) == [
        "nbjudge.course.boxed.BoxedExecute"
    ]
    assert not list(tmp_path.iterdir())
