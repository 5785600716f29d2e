"""An adopted course: what students put into their folders, and what settings do to the box, each
tried with nbgrader's own commands.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import requests
import servers
import small
from nbconvert.exporters import NotebookExporter, PDFExporter
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.preprocessors import ClearOutput, Execute
from nbgrader.validator import Validator
from test_adopt import CONFIG, type_
from traitlets.config import Config

from nbjudge.course import boxed, checked_copy, exchange, nbgrader_hooks, probing
from nbjudge.course.adopt import JSON, LINES
from nbjudge.course.timed import CoursePage
from nbjudge.course.trial import try_course

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
    done = nbgrader(course, "autograde", small.ASSIGNMENT, "--Autograde.exporter_class=own.Plain")
    assert done.returncode == 2 and "type `course adopt`" in done.stderr.lower()
    assert not escaped.exists() and marks(course) == {"bob": 3}
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
    from nbjudge.course import adopt

    (course / JSON).write_text(text)
    written = adopt._with_setting(course / JSON, text.encode())
    found = json.loads(written)
    assert found["Autograde"].pop("exporter_class").endswith("OnlyInTheSandbox")
    assert found == {"Autograde": {}, **json.loads(text)}
    assert adopt._with_setting(course / JSON, written) == written
    back = adopt._without_setting(written)
    assert back == (None if text == "{}" else text.encode())


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
