"""When each student handed in, as a learning platform says: the CSV of `--received`.

1. A row is a student's by its column `student`, else by the platform's number, else by the e-mail
   address; two rows of one student must not differ.
2. The time is in the column `received`, or in that of Moodle's grading worksheet, "Last modified
   (submission)", in a dozen languages. "-" and an empty cell are no submission.
3. A time is one of ISO 8601 (`2026-11-21 18:00 +01:00`, `2026-11-21T17:00:00Z`), Moodle's sentence
   ("Saturday, 21 November 2026, 6:00 PM") with the months of any language that Babel knows, or
   `21.11.2026 18:00`. A word that is none of these, a day that does not fit the weekday beside it,
   and `01/02/2026`, which is two days, are no times.
4. Moodle writes no zone: it is the one in the profile of who downloaded the worksheet. So a time
   without a zone needs `--zone`, and of an hour that comes twice the first counts.
5. A time in the future is none, nor is the first or last year of a program's calendar, which stands
   where there is no time. A student without a time is told, and never given another's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

from nbjudge.course import spreadsheets
from nbjudge.course.identity import Unclear, composed
from nbjudge.course.roster import Roster, RosterError, folded
from nbjudge.grading.intake import times
from nbjudge.grading.intake.untrusted import shown

_HEADINGS = {
    "student": ("student", "student_id", "id", "username", "id number"),
    "number": ("lms_user_id", "identifier", "canvas_user_id", "moodle_id", "user_id"),
    "email": ("email", "email address", "e-mail", "e-mail-adresse"),
    "time": (
        "received",
        "submitted_at",
        "submitted at",
        "last modified (submission)",
        "zuletzt geändert (abgabe)",
        "dernière modification (travail remis)",
        "dernière modification (remise)",
        "última modificación (entrega)",
        "última modificación (envío)",
        "ultima modifica (consegna)",
        "última modificação (submissão)",
        "última modificação (envio)",
        "laatst gewijzigd (inzending)",
        "senast ändrad (inlämning)",
        "sidst ændret (aflevering)",
        "ostatnio modyfikowane (zadanie)",
        "последнее изменение (ответ)",
    ),
}
FIRST_YEAR = 1971
HOW = "write it like '2026-11-21 18:00 +01:00'"
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?")
_CLOCK = re.compile(r"(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?")
_LANGUAGES = (
    "bg",
    "ca",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "eu",
    "fi",
    "fr",
    "ga",
    "gl",
    "hr",
    "hu",
    "id",
    "is",
    "it",
    "ja",
    "ko",
    "lt",
    "lv",
    "mk",
    "ms",
    "nb",
    "nl",
    "nn",
    "pl",
    "pt",
    "ro",
    "ru",
    "sk",
    "sl",
    "sq",
    "sr",
    "sv",
    "tr",
    "uk",
    "vi",
    "zh",
)
# What sentences have between the parts of a time, and nothing hangs on.
_FILLERS = frozenset(
    {
        "de",
        "del",
        "of",
        "at",
        "um",
        "à",
        "às",
        "a",
        "kl",
        "klo",
        "den",
        "der",
        "le",
        "la",
        "the",
        "o",
        "uhr",
        "h",
        "e",
        "i",
    }
)
_HALVES = {"am": 0, "a.m.": 0, "pm": 12, "p.m.": 12, "上午": 0, "下午": 12, "午前": 0, "午後": 12}


@dataclass(frozen=True)
class Received:
    """Times by student, and why there is none, as a file gives them."""

    path: Path
    when: Mapping[str, datetime] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)

    def of(self, student: str) -> datetime:
        """Raises Unclear for a student without a time."""
        if student in self.when:
            return self.when[student]
        why = self.problems.get(student, f"{self.path.name} has no line with a time for {student}")
        raise Unclear(f"{why}: {HOW} there, or collect that file alone with `--received TIME`")


def zone_of(text: str) -> tzinfo:
    """`Europe/Berlin`, `UTC` or `+01:00`. Raises RosterError."""
    if found := re.fullmatch(r"([+-])(\d{2}):?(\d{2})", text.strip()):
        size = timedelta(hours=int(found[2]), minutes=int(found[3]))
        if size < timedelta(hours=24):
            return timezone(size if found[1] == "+" else -size)
    try:
        return ZoneInfo(text.strip())
    except (ValueError, OSError, LookupError):  # LookupError where no such zone is known
        raise RosterError(
            f"`--zone {shown(text)}` is no time zone: type it like Europe/Berlin, UTC or +01:00"
        ) from None


def read(path: Path, roster: Roster, zone: tzinfo | None) -> Received:
    """The times in a file. Raises RosterError where it is none of times, or needs a zone."""
    when: dict[str, datetime] = {}
    problems: dict[str, str] = {}
    needs_zone = False
    for where, row in _rows(path):
        student = _student(row, roster)
        text = row["time"]
        if student is None or text in ("", "-", "\N{EN DASH}", "\N{EM DASH}"):
            continue
        try:
            local = parsed(text)
            needs_zone |= local.tzinfo is None and zone is None
            found = _in_utc(local, zone or UTC)
            if when.get(student, found) != found:
                raise Unclear(f"{where} gives {student} another time than a line before it")
        except Unclear as problem:
            problems[student] = f"{where}: {problem}"
        else:
            when[student] = found
    if needs_zone:
        raise RosterError(
            f"{path} gives times without a zone, as Moodle writes them: add the zone of your Moodle "
            "profile, like `--zone Europe/Berlin` or `--zone UTC`"
        )
    return Received(
        path, {name: one for name, one in when.items() if name not in problems}, problems
    )


def parsed(text: str) -> datetime:
    """A time, with its zone if it says one. Raises Unclear."""
    text = " ".join(text.split())
    if _ISO.match(text) and ":" not in text:
        raise Unclear(f"{shown(text)!r} is a day, and no time of it")
    try:
        if _ISO.match(text):
            return datetime.fromisoformat(
                re.sub(
                    r"\s+(?=[+-]\d|Z$)", "", text.removesuffix(" UTC") + "Z" * text.endswith(" UTC")
                )
            )
        if found := _DOTTED.fullmatch(text):
            day, month, year, hour, minute, second = (int(part or 0) for part in found.groups())
            return datetime(year, month, day, hour, minute, second)
        return _sentence(text)
    except ValueError:
        raise Unclear(f"{shown(text)!r} is no time that can be read") from None


def _in_utc(when: datetime, zone: tzinfo) -> datetime:
    """UTC, without a zone. Raises Unclear for a time that is none by rule 5."""
    if not FIRST_YEAR <= when.year < datetime.max.year:
        raise Unclear(f"{when:%Y-%m-%d %H:%M} is no time at which anybody handed in")
    found = (when if when.tzinfo else when.replace(tzinfo=zone)).astimezone(UTC)
    found = found.replace(tzinfo=None)
    if found > times.now() + times.SKEW:
        raise Unclear(f"{found:%Y-%m-%d %H:%M} UTC lies in the future")
    return found


def _sentence(text: str) -> datetime:
    """A time in words, every one of which is accounted for. Raises ValueError."""
    months, weekdays = _names()
    clock = _CLOCK.search(text, text.find(":") - 2 if ":" in text else 0)
    if clock is None:
        raise ValueError
    hour, minute, second = (int(part or 0) for part in clock.groups())
    rest = f"{text[: clock.start()]} {text[clock.end() :]}".casefold()
    for half, more in _HALVES.items():
        if re.search(rf"(?<!\w){re.escape(half)}(?!\w)", rest):
            rest = re.sub(rf"(?<!\w){re.escape(half)}(?!\w)", " ", rest)
            if not 1 <= hour <= 12:
                raise ValueError
            hour = hour % 12 + more
    words = re.findall(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*|\d+", rest)
    numbers = [int(word) for word in words if word.isdigit()]
    texts = [word for word in words if not word.isdigit() and word not in _FILLERS]
    years = [number for number in numbers if number >= 1000]
    days = [number for number in numbers if 1 <= number <= 31]
    named = [word for word in texts if word in months]
    others = [word for word in texts if word not in months]
    if len(numbers) != 2 or len(years) != 1 or len(days) != 1 or not named:
        raise ValueError
    if any(word not in weekdays for word in others):
        raise ValueError
    # A word may be a month in one language and a weekday in another.
    found = set()
    for word in named:
        spare = [other for other in texts if other is not word]
        if all(other in weekdays for other in spare):
            allowed = [weekdays[other] for other in spare]
            for month in months[word]:
                when = datetime(years[0], month, days[0], hour, minute, second)
                if all(when.weekday() in each for each in allowed):
                    found.add(when)
    if len(found) != 1:
        raise ValueError
    return found.pop()


@cache
def _names() -> tuple[dict[str, set[int]], dict[str, set[int]]]:
    """Months and weekdays (Monday is 0) by what languages call them."""
    from babel.core import Locale

    months: dict[str, set[int]] = {}
    weekdays: dict[str, set[int]] = {}
    for language in _LANGUAGES:
        locale = Locale(language)
        for into, table in ((months, locale.months), (weekdays, locale.days)):
            for context in ("format", "stand-alone"):
                for width in ("wide", "abbreviated"):
                    for number, name in table[context][width].items():
                        into.setdefault(name.casefold().strip(". "), set()).add(number)
    return months, weekdays


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        table = spreadsheets.read(path, {name for names in _HEADINGS.values() for name in names})
    except spreadsheets.TableError as problem:
        raise RosterError(str(problem)) from None
    places = {
        key: table.headings.index(name)
        for key, names in _HEADINGS.items()
        for name in reversed(names)
        if name in table.headings
    }
    if "time" not in places or len(places) == 1:
        there = shown(", ".join(table.headings)) or "nothing"
        raise RosterError(
            f"{path}: the first line must name a column `received` with times, and one of `student`, "
            f"`lms_user_id`, `email`; it names {there}"
        )
    for number, row in table.rows:
        cells = {key: row[at] if at < len(row) else "" for key, at in places.items()}
        yield f"{path.name}, line {number}", cells


def _student(row: Mapping[str, str], roster: Roster) -> str | None:
    if (name := composed(row.get("student"))) in roster.people:
        return name
    number = re.sub(r"^\D+", "", row.get("number", ""))
    by_number = roster.with_lms_id(number) if number else []
    if len(by_number) == 1:
        return by_number[0].id
    email = folded(row.get("email", ""))
    by_email = [one.id for one in roster.people.values() if email and folded(one.email) == email]
    if len(by_email) == 1:
        return by_email[0]
    return name or None
