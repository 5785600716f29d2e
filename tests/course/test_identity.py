"""Whose an archive is: every kind of evidence, and every contradiction is refused with what to
type.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbjudge.course.identity import Claim, Unclear, whose
from nbjudge.course.manifest import FORMAT, BadManifest, Manifest, read
from nbjudge.course.roster import Person, Roster, problem_of

CLASS = Roster(
    {
        "ada": Person(
            "ada", "Ada", last_name="Lovelace", email="ada@example.org", lms_user_id="4711"
        ),
        "ada_lovelace": Person("ada_lovelace"),
        "ben": Person("ben", "Ben", last_name="", email="", lms_user_id="12"),
        "ben_day-50": Person("ben_day-50"),
        "cy": Person("cy", lms_user_id="13"),
        "di": Person("di", lms_user_id="13"),
    },
    assignments=frozenset({"day-50", "lab-7-01", "7-01"}),
)
NOBODY = Roster(assignments=CLASS.assignments)


def asked(stem, roster=CLASS, told=None, **fields):
    manifest = Manifest(**{"assignment": "day-50", **fields}) if fields else None
    return whose(Claim(f"{stem}.zip", stem, manifest=manifest), roster, "ml-a", "day-50", told)


@pytest.mark.parametrize(
    ("stem", "student"),
    [
        ("ada_day-50", "ada"),
        ("ada_lovelace_day-50", "ada_lovelace"),
        ("ada_lovelace", "ada_lovelace"),
        ("ada", "ada"),
    ],
)
def test_the_name_is_cut_at_the_known_assignment_only(stem, student):
    assert asked(stem) == student


@pytest.mark.parametrize("stem", ["ada_lovelace_day-50", "ada_smith_day-50", "ada"])
def test_without_a_roster_the_name_says_it(stem):
    assert asked(stem, NOBODY) == stem.removesuffix("_day-50")


@pytest.mark.parametrize(
    ("stem", "fields", "said"),
    [
        ("ada_smith_day-50", {}, "not on the roster"),
        ("ada_smith", {}, "neither its name nor a manifest"),
        ("ben_day-50", {}, "may be ben's or ben_day-50's"),
        ("_day-50", {}, "names nobody"),
        ("", {}, "neither its name"),
        (".._day-50", {}, "starts with '.'"),
        ("..", {}, "starts with '.'"),
        (".hidden_day-50", {}, "starts with '.'"),
        ("-x_day-50", {}, "starts with '-'"),
        ("a/b_day-50", {}, "characters"),
        ("a\\b_day-50", {}, "characters"),
        ("e\u202eve_day-50", {}, "characters"),
        ("no\udcff_day-50", {}, "characters"),
        ("ada _day-50", {}, "characters"),
        ("ADA_day-50", {}, "not on the roster"),
        ("x" * 129 + "_day-50", {}, "longer than"),
        ("ada_lab-7-01", {}, "by its name it is of lab-7-01"),
        ("ada_7-01", {}, "by its name it is of 7-01"),
        ("ada_day-50", {"student": "ben"}, "its name says ada, its manifest ben"),
        ("ada_day-50", {"login": "ben"}, "ben was logged in"),
        ("ada_day-50", {"student": "ada", "assignment": "lab-7-01"}, "packed as 'lab-7-01'"),
        ("ada_day-50", {"student": "ada", "course": "ml-b"}, "packed for the course 'ml-b'"),
        ("handin", {"student": "zoe"}, "not on the roster"),
        ("handin", {"student": "../ada"}, "characters"),
    ],
    ids=str,
)
def test_what_contradicts_is_refused_and_says_what_to_type(stem, fields, said):
    with pytest.raises(Unclear, match=said) as problem:
        asked(stem, **fields)
    text = str(problem.value)
    assert text.isprintable() and any(
        word in text for word in ("--as", "course collect", "packed for")
    )


@pytest.mark.parametrize("stem", ["ada_smith_final", "lab_7_final"])
def test_without_a_roster_a_name_with_other_parts_is_ambiguous(stem):
    with pytest.raises(Unclear, match="--as STUDENT"):
        asked(stem, NOBODY)


def test_the_manifest_decides_where_the_name_says_nothing():
    assert asked("my_hand_in", student="ada") == "ada"
    assert asked("ada_day-50", student="ada", login="somebody", course="ml-a") == "ada"
    assert asked("ada_day-50", login="laptop") == "ada"


@pytest.mark.parametrize("login", ["ben", "ada", None])
def test_without_a_roster_a_manifest_alone_makes_nobody_s_work_ada_s(login):
    with pytest.raises(Unclear, match=r"anybody can write.* `--as ada=FILE`"):
        asked("homework", NOBODY, student="ada", login=login)
    assert asked("ada_day-50", NOBODY, student="ada", login=login) == "ada"
    assert asked("homework", NOBODY, told="ada", student="ada", login=login) == "ada"


@pytest.mark.parametrize(("name", "said"), [("ben.", "ends with a dot"), ("CON", "for devices")])
def test_a_name_that_some_system_cannot_hold_is_asked_for(name, said):
    with pytest.raises(Unclear, match=f"{said}.* add `--as STUDENT=FILE`"):
        asked(f"{name}_day-50", NOBODY)
    assert asked("x", NOBODY, told=name) == name


def test_the_instructor_s_word_counts_more_than_name_and_manifest():
    assert asked("ada_day-50", told="ben", student="ada") == "ben"
    assert asked("", told="new-student") == "new-student"
    with pytest.raises(Unclear, match="cannot be a student's name"):
        asked("ada_day-50", told="../eve")
    with pytest.raises(Unclear, match="packed as 'lab-7-01'"):
        asked("ada_day-50", told="ada", assignment="lab-7-01")


@pytest.mark.parametrize("name", ["Ben", "BEN", "\uff42\uff45\uff4e", "b\u0435n"])
def test_a_name_that_looks_like_another_is_refused(name):
    class_without_roster = Roster(others=frozenset({"ben"}))
    with pytest.raises(Unclear, match="would stand beside 'ben'"):
        asked(f"{name}_day-50", class_without_roster)
    assert asked("ben_day-50", class_without_roster) == "ben"


def platform(number, name, **fields):
    manifest = Manifest(**{"assignment": "day-50", **fields}) if fields else None
    return whose(
        Claim("bulk.zip", "", manifest=manifest, lms_id=number, lms_name=name),
        CLASS,
        "ml-a",
        "day-50",
    )


@pytest.mark.parametrize("name", ["Ada Lovelace", "lovelaceada", "adalovelace", "LOVELACE Ada", ""])
def test_a_platform_s_number_leads_to_the_student(name):
    assert platform("4711", name) == "ada"
    assert platform("4711", name, student="a-login-of-no-matter") == "ada"


@pytest.mark.parametrize(
    ("number", "name", "fields", "said"),
    [
        ("99", "Zoe", {}, "nobody's lms_user_id"),
        ("13", "Cy", {}, "cy and di have the lms_user_id"),
        ("4711", "Ben Bitdiddle", {}, "the roster calls number 4711 Ada Lovelace"),
        ("4711", "Ada Lovelace", {"student": "ben"}, "its manifest names ben"),
        ("4711", "Ada Lovelace", {"assignment": "lab-7-01"}, "packed as 'lab-7-01'"),
    ],
    ids=str,
)
def test_a_platform_s_number_that_does_not_fit_is_refused(number, name, fields, said):
    with pytest.raises(Unclear, match=said):
        platform(number, name, **fields)


NAMES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "ada",
            "ada_lovelace",
            "..",
            ".",
            "",
            "-",
            "ben_day-50",
            "Ada",
            "a/../../b",
            "\x00",
            "CON",
            "x" * 300,
        ]
    ),
).flatmap(lambda name: st.sampled_from([name, f"{name}_day-50", f"{name}_lab-7-01", f"_{name}"]))
MANIFESTS = st.one_of(
    st.none(),
    st.builds(
        Manifest,
        assignment=st.sampled_from(["day-50", "lab-7-01"]),
        student=st.none() | NAMES,
        login=st.none() | NAMES,
    ),
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(NAMES, MANIFESTS, st.sampled_from([CLASS, NOBODY]), st.none() | NAMES)
def test_whatever_a_file_is_called_the_answer_is_a_safe_name_or_a_refusal(
    stem, manifest, roster, told
):
    try:
        name = whose(Claim("x.zip", stem, manifest=manifest), roster, "ml-a", "day-50", told)
    except Unclear as problem:
        assert str(problem).isprintable()
        return
    assert problem_of(name) is None and "/" not in name and name not in (".", "..")
    assert told is not None or not roster.people or name in roster.people
    assert name in {
        told,
        stem,
        stem.removesuffix("_day-50"),
        manifest.student if manifest else None,
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "{",
        '{"format": 2, "assignment": "x"}',
        '{"format": 1, "assignment": 7}',
        "[" * 100_000,
    ],
)
def test_a_damaged_manifest_is_refused(text):
    with pytest.raises(BadManifest):
        read(text.encode())


def test_a_manifest_is_read_as_it_was_written():
    manifest = Manifest(
        assignment="day-50",
        student="ada",
        course="ml-a",
        login="ada",
        version="abc",
        time="2026-11-21 08:00:00 UTC",
    )
    assert read(manifest.to_bytes()) == manifest
    assert f'"format": {FORMAT}' in manifest.to_bytes().decode()
