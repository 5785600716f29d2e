"""How Moodle and Canvas call what their students handed in, in a download of a whole class.

Moodle (`mod/assign/classes/downloader.php`): PREFIX_assignsubmission_KIND/PATH, or
PREFIX_assignsubmission_KIND_NAME where folders are switched off; some versions write one more `_`
before the `/`.
1. PREFIX is `Ada Lovelace_101`: the name, in which every `_` became a blank, and the participant's
   number in that assignment. With anonymous submissions the name is the word for a participant.
2. Of a team it is `Team Blue_17`, with the number of the *group*, or `Default group` without one.
   Nothing but the name tells it from a student.
3. KIND is `file`, `onlinetext`, or another plugin's.
Canvas (`lib/content_zipper.rb`): NAME_ID_UPLOAD_FILE, with `_LATE` behind the name of what was late.
4. A text entry is NAME_ID_text.html, a link NAME_ID_link.html; there is no file then.
5. In anonymous grading there is no name, and the id is `anon_XXXXX`, which is in no roster.
6. A group's work is under its representative's id and the group's name.
The end of each name is the student's to choose, so a name that can be read in two ways is told to
whoever asks, and never decided here.
"""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass

MOODLE = "moodle"
CANVAS = "canvas"
PLATFORMS = (MOODLE, CANVAS)
# The word that stands in place of a name, in the languages in which we know it.
_PARTICIPANT = frozenset(
    {
        "participant",
        "participante",
        "partecipante",
        "teilnehmer",
        "teilnehmerin",
        "teilnehmer/in",
        "teilnehmende",
        "deelnemer",
        "deltagare",
        "deltager",
        "deltaker",
        "osallistuja",
        "uczestnik",
        "účastník",
        "účastníčka",
        "участник",
        "учасник",
        "résztvevő",
        "participantă",
        "συμμετέχων",
        "参加者",
        "参与者",
        "參與者",
        "참가자",
        "kat\u0131l\u0131mc\u0131",
    }
)
# Words by which a team's name is known to be none of a student.
TEAM = frozenset(
    {"team", "teams", "group", "gruppe", "gruppen", "groupe", "grupo", "gruppo", "groep", "grupa"}
    | {"équipe", "equipe", "equipo", "squadra", "gruppa", "skupina", "группа", "команда"}
)
_MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<file>.*))?", re.DOTALL
)
_WITHOUT_NUMBER = re.compile(r"(?P<name>.+?)_assignsubmission_(?P<kind>[a-z]+)(?:_.*)?", re.DOTALL)
_NEXT = re.compile(r"_(\d+)_assignsubmission_")
_CANVAS = re.compile(r"(?=_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+))", re.DOTALL)
_CANVAS_TEXT = re.compile(
    r"(?P<name>.+?)(?P<late>_LATE)?_(?P<id>\d+)_(?P<kind>text|link)\.html", re.DOTALL
)
_ANONYMOUS = re.compile(
    r"(?:LATE_)?(?P<id>anon_[A-Za-z0-9]{5})_(?:\d+_.+|text\.html|link\.html)", re.DOTALL
)
BY_HAND = "unpack the download, pack the files of that student into a zip file, and give it with `--as STUDENT`"


@dataclass(frozen=True)
class Member:
    """What a platform's name says: whose by name and number, and the student's own file name, ""
    where the name is a folder's. `problem` says why it is nobody's file.
    """

    name: str
    _: KW_ONLY
    number: str = ""
    file: str = ""
    is_late: bool = False
    problem: str = ""

    @property
    def label(self) -> str:
        return f"{self.name} ({self.number})" if self.number else self.name


def readings(platform: str, top: str) -> list[Member]:
    """All that the first part of a path can mean, the usual reading first; [] for a name that the
    platform does not give.
    """
    return _moodle(top) if platform == MOODLE else _canvas(top)


def looks_like(paths: list[str]) -> str | None:
    """The platform whose download this seems to be, by the names in it."""
    tops = {path.partition("/")[0] for path in paths}
    for platform in PLATFORMS:
        if any(readings(platform, top) for top in tops):
            return platform
    return None


def people(platform: str, paths: list[str]) -> set[tuple[str, str]]:
    """The names and numbers that a platform's usual reading finds in paths."""
    tops = {path.partition("/")[0] for path in paths}
    found = [each[0] for top in tops if (each := readings(platform, top))]
    return {(one.name, one.number) for one in found}


def is_participant(name: str) -> bool:
    """Whether it is Moodle's word in place of a name."""
    return name.casefold() in _PARTICIPANT


def _moodle(top: str) -> list[Member]:
    found = _MOODLE.fullmatch(top)
    if found is None:
        if team := _WITHOUT_NUMBER.fullmatch(top):
            why = f"a team's work has no student's number: {BY_HAND}"
            return [Member(team["name"], problem=why)]
        return []
    name = found["name"]
    number = found["id"]
    file = found["file"] or ""
    if found["kind"] != "file":
        return [Member(name, number=number, file=file, problem=_no_file(found["kind"]))]
    usual = Member(name, number=number, file=file)
    # Who hands in a file of such a name may mean to be somebody else.
    others = _NEXT.findall(f"_{file}")
    return [usual, *(Member(name, number=other, file=file) for other in others)]


def _no_file(kind: str) -> str:
    what = "an online text" if kind == "onlinetext" else f"what Moodle calls {kind}"
    return f"{what} is no file and was not taken: read it in Moodle, or ask for the notebook"


def _canvas(top: str) -> list[Member]:
    if found := _ANONYMOUS.fullmatch(top):
        why = (
            "Canvas wrote this download while grading was anonymous, and it does not say whose "
            f"that is: switch anonymous grading off and download again, or {BY_HAND}"
        )
        return [Member(found["id"], problem=why)]
    uploads = [_upload(top[: found.start()], found) for found in _CANVAS.finditer(top)]
    if uploads := [one for one in uploads if one.name]:
        return uploads
    if found := _CANVAS_TEXT.fullmatch(top):
        what = "a text" if found["kind"] == "text" else "a link"
        why = f"{what} typed into Canvas is no file and was not taken: read it there, or ask for the notebook"
        return [Member(found["name"], number=found["id"], is_late=bool(found["late"]), problem=why)]
    return []


def _upload(before: str, found: re.Match[str]) -> Member:
    name = before.removesuffix("_LATE")
    return Member(name, number=found["id"], file=found["file"], is_late=name != before)
