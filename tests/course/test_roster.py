"""`course roster`: a class comes into the gradebook from a CSV file, whatever program wrote it, and
nobody is lost, mixed up or removed.
"""

import codecs
import csv
import io
import json
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nbgrader.api import Gradebook

from nbjudge.course import enrolment, roster
from nbjudge.course.class_files import SECTIONS
from nbjudge.grading.config.folders import COURSE_ID, Course
from tests.grading import postgres

PLAIN = "id,name,email,section\nada,Ada Lovelace,ada@x.org,A\nzoë,Zoë Müller,zoe@x.org,B\n"
PEOPLE = {
    "ada": ("Ada", "Lovelace", "ada@x.org", ""),
    "zoë": ("Zoë", "Müller", "zoe@x.org", ""),
}
WAYS = {
    "utf-8": PLAIN.encode(),
    "with a byte order mark": codecs.BOM_UTF8 + PLAIN.encode(),
    "utf-16": PLAIN.encode("utf-16"),
    "utf-16, big end first": codecs.BOM_UTF16_BE + PLAIN.encode("utf-16-be"),
    "semicolons": PLAIN.replace(",", ";").encode(),
    "tabs, as Excel's Unicode text": PLAIN.replace(",", "\t").encode("utf-16"),
    "Excel's own line": b"sep=;\r\n" + PLAIN.replace(",", ";").replace("\n", "\r\n").encode(),
    "Windows": PLAIN.replace("\n", "\r\n").encode(),
    "an old Mac": PLAIN.replace("\n", "\r").encode(),
    "macOS's forms of letters": unicodedata.normalize("NFD", PLAIN).encode(),
    "no last line break": PLAIN.rstrip().encode(),
    "empty lines": b"\n" + PLAIN.replace("\n", "\n\n,,,\n").encode(),
    "quotes, and a comma in a heading": (
        '"id";"name";"email";"section";"grade, so far"\n"ada";"Lovelace, Ada";"ada@x.org";"A";""\n'
        '"zoë";"Müller,  Zoë ";"zoe@x.org";"B";"1,3"\n'
    ).encode(),
    "hard blanks": PLAIN.replace("Ada Lovelace", "\xa0Ada\xa0Lovelace ").encode(),
}


def people(course) -> dict[str, tuple[str, ...]]:
    with Gradebook(course.gradebook_url, COURSE_ID) as book:
        return {
            one.id: tuple(
                value or "" for value in (one.first_name, one.last_name, one.email, one.lms_user_id)
            )
            for one in book.students
        }


@pytest.fixture
def saved(tmp_path):
    def save(content, name="class.csv"):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return save


@pytest.mark.parametrize("data", WAYS.values(), ids=WAYS)
def test_a_class_is_enrolled_from_the_file_of_any_spreadsheet(course, saved, typed, data):
    done = typed("roster", saved(data), "--course", course.root)
    assert done.exit_code == 0, done.output
    assert people(course) == PEOPLE
    assert SECTIONS.read(course) == {"ada": "A", "zoë": "B"}
    assert "2 enrolled, 0 changed" in done.stdout and "Zoë Müller" in done.stdout
    again = typed("roster", saved(data), "--course", course.root)
    assert "0 enrolled, 0 changed" in again.stdout


PLATFORMS = {
    "nbgrader": ("id,last_name,first_name,email,lms_user_id\nada,Lovelace,Ada,a@x,7\n", "7"),
    "canvas": (
        "Student,ID,SIS User ID,SIS Login ID,Root Account,Section,hw-1 (12)\n,,,,,,Manual Posting\n"
        '    Points Possible,,,,,,22\n"Lovelace, Ada",7,x9,ada,uni,Sec 01 and Sec 02,10\n"Student, Test",99,,,,Sec 01,\n',
        "7",
    ),
    "canvas, no login": (
        'Student,ID,SIS User ID,Section\n"Lovelace, Ada",7,ada,Sec 01\n',
        "7",
    ),
    "moodle's participants": (
        "First name,Surname,Username,Email address,Groups\nAda,Lovelace,ada,a@x,G1\n",
        "",
    ),
    "moodle's upload": (
        "username,firstname,lastname,email,course1,group1\nada,Ada,Lovelace,a@x,ml,G1\n",
        "",
    ),
    "moodle's grades": (
        "First name,Last name,ID number,Institution,Department,Email address,Quiz\nAda,Lovelace,ada,,,a@x,3\n",
        "",
    ),
    "moodle in German": (
        "Vorname;Nachname;Anmeldename;E-Mail-Adresse;Gruppen\nAda;Lovelace;ada;a@x;G1\n",
        "",
    ),
    "student": ("student,first name,last name,lms_user_id,email\nada,Ada,Lovelace,7,a@x\n", "7"),
}


@pytest.mark.parametrize(("text", "number"), PLATFORMS.values(), ids=PLATFORMS)
def test_the_platforms_files_are_read_as_they_are(course, saved, typed, text, number):
    done = typed("roster", saved(text), "--course", course.root)
    assert done.exit_code == 0, done.output
    first, last, _, lms = people(course)["ada"]
    assert (first, last, lms) == ("Ada", "Lovelace", number)
    assert list(people(course)) == ["ada"]


def test_moodle_s_worksheet_finds_whom_it_means_and_gives_no_lasting_numbers(
    course, saved, typed, enrol
):
    enrol(ada={"email": "A@x"})
    text = "Identifier,Full name,Email address,Status\nParticipant 4711,Ada Lovelace,a@x,Submitted\nParticipant 4712,New One,n@x,\n"
    done = typed("roster", saved(text), "--course", course.root)
    assert done.exit_code == 2 and "line 3: n@x has no id" in done.stderr
    assert people(course) == {"ada": ("Ada", "Lovelace", "a@x", "")}
    assert "course collect --roster" in done.stdout
    done = typed("roster", saved(text), "--id", "Email address", "--course", course.root)
    assert done.exit_code == 2 and "a@x" in done.stderr and "n@x" in people(course)


def test_late_joiners_are_added_and_nobody_is_removed(course, saved, typed, tmp_path):
    typed("roster", saved(PLAIN), "--course", course.root)
    newer = "id,name,email,section\nada,Ada King,,C\nlate,Late Comer,l@x,A\n"
    target = tmp_path / "class.json"
    done = typed("roster", saved(newer), "--json", target, "--course", course.root)
    assert done.exit_code == 0
    assert people(course) == PEOPLE | {
        "ada": ("Ada", "King", "ada@x.org", ""),
        "late": ("Late", "Comer", "l@x", ""),
    }
    assert "1 enrolled, 1 changed" in done.stdout
    assert "last name was Lovelace; section was A" in done.stdout
    assert "not in class.csv, and kept: zoë" in done.stdout
    told = json.loads(target.read_text())
    assert told["not_in_file"] == ["zoë"] and told["refused"] == []
    assert {one["student"]: one["change"] for one in told["students"]} == {
        "ada": "changed",
        "late": "new",
        "zoë": "",
    }
    assert SECTIONS.read(course) == {"ada": "C", "zoë": "B", "late": "A"}


def test_the_class_is_listed_with_who_is_missing_from_it(course, enrol, typed, saved):
    typed("roster", saved(PLAIN), "--course", course.root)
    (course.submitted / "ada" / "day-50").mkdir(parents=True)
    (course.submitted / "eve" / "day-50").mkdir(parents=True)
    done = typed("roster", "--course", course.root)
    assert done.exit_code == 0
    (line,) = [line for line in done.stdout.splitlines() if "Lovelace" in line]
    assert line.split() == ["ada", "Ada", "Lovelace", "ada@x.org", "A", "1"]
    assert "handed in, and not enrolled: eve" in done.stdout and "2 students" in done.stdout


REFUSED = {
    "capitals": ("id,name\nbase,B\nBase,C\n", ["line 2: 'base'", "line 3: 'Base'"], set()),
    "another enrolled one's capitals": ("id,name\nMAX,M\n", ["'max' of the gradebook"], set()),
    "full-width letters": ("id,name\n\uff4d\uff41\uff58,M\n", ["of the gradebook"], set()),
    "a spreadsheet's lost zeros": ("id,name\n42,M\n", ["'0042' of the gradebook"], set()),
    "who has handed in": ("id,name\nEve,E\n", ["'eve' of submitted/"], set()),
    "no folder's name": ("id,name\n../x,X\nok,O\n", ["line 2: '../x'"], {"ok"}),
    "a colon": ("id,name\na:b,X\n", ["line 2"], set()),
    "rounded": ("id,name\n4.711E+06,X\n", ["a spreadsheet has rounded"], set()),
    "two names": ("id,name\nok,Ada A\nok,Ben B\n", ["lines 2 and 3"], set()),
    "a number twice": (
        "id,lms_user_id\na1,5\na2,5\nok,6\n",
        ["line 2: the number 5", "line 3: the number 5"],
        {"ok"},
    ),
    "a number of another one's": ("id,lms_user_id\na1,77\n", ["is that of max"], set()),
    "an address of another one's": ("id,email\nmax2,MAX@x\n", ["is that of max"], set()),
    "no id": ("id,name\n,Somebody\nok,\n", [], {"ok"}),
    "too long": (f"id,name\nok,{'x' * 200}\n", ["longer than 128"], set()),
    "unseen": ("id,name\nok,A\u202eB\n", ["nobody can see"], set()),
}


@pytest.mark.parametrize(("text", "said", "taken"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_clear_is_refused_by_name_and_the_rest_is_taken(
    course, saved, typed, enrol, text, said, taken
):
    enrol("0042", max={"lms_user_id": "77", "email": "max@x"})
    (course.submitted / "eve").mkdir(parents=True)
    done = typed("roster", saved(text), "--course", course.root)
    assert done.exit_code == (2 if said else 0), done.output
    assert all(part in done.stderr for part in said), done.stderr
    assert done.stderr.count("\n") == done.stderr.count("course: not enrolled: line ")
    assert people(course).keys() == {"0042", "max", *taken}


def test_a_name_that_the_gradebook_has_in_another_form_is_the_same_one(course, saved, typed, enrol):
    decomposed = unicodedata.normalize("NFD", "zoë")
    enrol(decomposed)
    assert typed("roster", saved(PLAIN), "--course", course.root).exit_code == 0
    assert people(course).keys() == {"ada", decomposed}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (PLAIN.encode("cp1252"), "line 3: cannot be read as CSV in UTF-8"),
        ("id,name\nada,Ada\n".encode("utf-16-le"), "line 1: cannot be read as CSV in UTF-8"),
        (PLAIN.encode("utf-32"), "line 1: cannot be read as CSV in UTF-8"),
        (b'id,name\nada,"Ada\nben,Ben\n', "line 2: cannot be read as CSV (unexpected end of data)"),
        (b'id,name\nada,"Ada "A" L"\nben,"B\n', "line 2: cannot be read as CSV"),
        (b"PK\x03\x04rest", "is a workbook"),
        (b"", "the first line must name the columns"),
        (b"a,b\n1,2\n", "it names: a, b"),
        (b"id,name\n", "names nobody"),
        (b'Student,ID,Section\n"A, B",7,S\n', "Canvas has left out the students' logins"),
        (None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_changes_nothing_and_says_what_to_do(
    course, saved, typed, tmp_path, content, said
):
    path = saved(content) if content is not None else tmp_path / "none.csv"
    done = typed("roster", path, "--course", course.root)
    assert done.exit_code == 2 and said in done.stderr and done.stderr.count("\n") == 1
    assert people(course) == {}


def test_a_class_may_be_enrolled_before_anything_is_published(tmp_path, saved, typed):
    course = Course.at(tmp_path / "fresh")
    assert typed("roster", "--course", course.root).exit_code == 2
    assert not course.root.exists()
    assert typed("roster", saved(PLAIN), "--course", course.root).exit_code == 0
    assert people(course) == PEOPLE
    assert (course.gradebook.stat().st_mode & 0o777) == 0o600


def test_a_column_may_be_named_by_hand(course, saved, typed):
    text = "Matrikel;Name\n0815;Ada Lovelace\n"
    assert typed("roster", saved(text), "--course", course.root).exit_code == 2
    done = typed("roster", saved(text), "--id", "matrikel", "--course", course.root)
    assert done.exit_code == 0 and people(course)["0815"] == ("Ada", "Lovelace", "", "")
    done = typed("roster", saved(text), "--id", "login", "--course", course.root)
    assert done.exit_code == 2 and "it has: matrikel, name" in done.stderr


@pytest.mark.slow
def test_postgresql_holds_the_same_class(tmp_path, saved, typed):
    with postgres.server() as server:
        url, course = server.create("enrolled"), Course.at(tmp_path / "course")
        done = typed("roster", saved(PLAIN), "--course", course.root, "--db", url)
        assert done.exit_code == 0, done.output
        # What the command wrote into the settings holds for the next one.
        assert typed("roster", saved(PLAIN), "--course", course.root).exit_code == 0
        assert people(course) == PEOPLE and not course.gradebook.exists()


_texts = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from("aA0 ,;\t\"'\n\r@éÉ")), max_size=8
)
_tables = st.lists(st.lists(_texts, min_size=4, max_size=4), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(_tables, st.sampled_from(",;\t"), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_whatever_stands_in_a_file_no_two_look_alikes_are_enrolled_and_every_line_is_told(
    tmp_path_factory, empty_gradebook, rows, separator, encoding
):
    course = Course.at(tmp_path_factory.mktemp("any"))
    course.gradebook.write_bytes(empty_gradebook.read_bytes())
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows([["id", "name", "email", "lms_user_id"], *rows])
    path = course.root / "class.csv"
    path.write_bytes(text.getvalue().encode(encoding))
    try:
        done = enrolment.enrol(course, path)
    except (enrolment.EnrolmentError, roster.RosterError):
        assert people(course) == {}
        return
    names = [member.person.id for member in done.members]
    assert len({roster.folded(name) for name in names}) == len(names)
    assert all(unicodedata.is_normalized("NFC", name) for name in names)
    assert all(roster.problem_of(name) is None for name in names)
    numbers = [one.person.lms_user_id for one in done.members if one.person.lms_user_id]
    assert len(set(numbers)) == len(numbers)
    again = enrolment.enrol(course, path) if names else done
    assert [member.person for member in again.members] == [one.person for one in done.members]
    assert not names or not any(member.change for member in again.members)
    assert again.refused == done.refused
