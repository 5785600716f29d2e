"""`course collect`: submissions out of nbgrader's exchange."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from nbgrader.exchange.abc import ExchangeCollect as ABCExchangeCollect
from nbgrader.exchange.default import ExchangeCollect

from nbjudge.course import archives, boxed, roster
from nbjudge.course import config as course_config
from nbjudge.course.archives import Collected
from nbjudge.course.arrivals import Arrival, ArrivalRefused, dock
from nbjudge.course.identity import composed
from nbjudge.course.roster import Roster
from nbjudge.course.transfer import ExchangeProblem, require_exchange, start
from nbjudge.grading.config.folders import Course
from nbjudge.grading.gradebook import database
from nbjudge.grading.intake import intake, times, untrusted
from nbjudge.grading.published import skeletons

# A folder that lacks its last file for longer is no submission that is still being written.
WRITING = timedelta(minutes=2)


@dataclass(frozen=True)
class Inbound:
    """A folder in the exchange whose name is one of a submission."""

    student: str
    folder: Path
    when: datetime


class SafeCollect(ExchangeCollect):
    """nbgrader's collect, but nothing is deleted, links stay links, the time is the file system's,
    and one bad folder stops nobody.

    `collection` says afterwards what came in and what did not.
    """

    collection: Collected
    src_records: list[dict]

    def init_src(self) -> None:
        self.collection = Collected()
        self._records: list[dict] = []
        super().init_src()

    def _path_to_record(self, path: str) -> dict:
        """What nbgrader chooses from. A folder that is none of a submission gets a name that no
        student has.
        """
        try:
            found = self._inbound(Path(path))
        except (ArrivalRefused, OSError) as problem:
            why = problem.strerror if isinstance(problem, OSError) else problem
            self.collection.refused.append(f"{untrusted.shown(os.path.basename(path))}: {why}")
            return {"username": None, "filename": "", "timestamp": datetime.min}
        return {"username": found.student, "filename": found.folder.name, "timestamp": found.when}

    def _inbound(self, folder: Path) -> Inbound:
        student = _student(folder.name, self.coursedir.assignment_id)
        if student is None:
            raise ArrivalRefused(
                "its name is not STUDENT+ASSIGNMENT+TIME: ask who made it, and to hand in with `course submit`"
            )
        if problem := roster.problem_of(student):
            raise ArrivalRefused(
                f"{untrusted.shown(student)!r} cannot be a student's name, it {problem}"
            )
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise ArrivalRefused("it is no folder but a link or a file")
        when = times.arrival(folder)
        if not os.path.lexists(folder / times.FILE) and when > times.now() - WRITING:
            raise ArrivalRefused("it is just being handed in: collect again in a minute")
        return Inbound(student, folder, when)

    def _sort_by_timestamp(self, records: list[dict]) -> list[dict]:
        """The newest first. Of two of one tick of the clock, the one whose name says so."""
        return sorted(
            records, key=lambda record: (record["timestamp"], record["filename"]), reverse=True
        )

    def copy_files(self) -> None:
        course = Course.at(self.coursedir.root)
        known = roster.of_course(course)
        self.src_records = [record for record in self.src_records if record["username"] is not None]
        self._twins = known.twins(record["username"] for record in self.src_records)
        self._skeleton = archives.published(course, self.coursedir.assignment_id)
        with dock(course) as place:
            for record in self.src_records:
                student = record["username"]
                folder = Path(self.inbound_path, record["filename"])
                try:
                    self._require_owner(folder, student, known)
                    arrival = self._take(place, student, folder, record["timestamp"])
                except (ArrivalRefused, intake.IntakeFault) as problem:
                    self.collection.refused.append(f"{untrusted.shown(folder.name)}: {problem}")
                else:
                    self.collection.arrivals.append(arrival)
                    self._log(arrival)
        if not self.src_records:
            self.log.warning("No submissions of '%s' to collect", self.coursedir.assignment_id)
        for line in self.collection.refused:
            self.log.warning("Not collected: %s", line)

    def _log(self, arrival: Arrival) -> None:
        """In nbgrader's words, which formgrader shows."""
        doing = (
            "Updating submission"
            if arrival.kept
            else "Collecting submission"
            if arrival.is_new
            else "No newer submission to collect"
        )
        self.log.info("%s: %s %s", doing, arrival.student, self.coursedir.assignment_id)

    def _require_owner(self, folder: Path, student: str, known: Roster) -> None:
        """On a shared machine the owner of the folder is who handed it in: never another student, nor,
        where the student has an account there, anybody but its owner and those who run the class.
        """
        uid = os.lstat(folder).st_uid
        owner = _name_of(uid)
        own = _account_of(student)
        is_another_s = own is not None and uid not in (own, 0, os.geteuid())
        if self.check_owner and owner != student and (owner in known.people or is_another_s):
            raise ArrivalRefused(
                f"it says {student}, and {owner} made it: ask {owner}, then copy what counts to submitted/ by hand"
            )
        if twin := known.twin(student) or next(iter(self._twins.get(student, ())), None):
            raise ArrivalRefused(
                f"{student!r} would stand beside {twin!r}, and some systems take them for one: enrol "
                "the one that is a student by `course roster FILE.csv`"
            )

    def _take(self, place, student: str, folder: Path, when: datetime) -> Arrival:
        assignment = self.coursedir.assignment_id
        if place.holds(student, assignment):
            there = place.time_of(student, assignment)
            is_older = there is not None and when <= there
            # As nbgrader does it: what is there is left alone without `update`; before the due
            # date, an earlier one may be what counts.
            if not (self.before_duedate or (self.update and not is_older)):
                return Arrival(student=student, is_new=False)
        staged, remarks = place.copy(folder)
        paths = [
            path.relative_to(staged).as_posix()
            for path in staged.rglob("*")
            if path.is_file() and not path.is_symlink()
        ]
        noted = archives.noted(paths, lambda path: (staged / path).read_bytes(), self._skeleton)
        arrival = place.land(staged, student, assignment, when=when, source=folder.name)
        return replace(arrival, remarks=(*remarks, *noted) if arrival.is_new else tuple(remarks))


def kind_of(factory: ExchangeFactory) -> type[ABCExchangeCollect]:
    """What collects: SafeCollect wherever the settings name nbgrader's own, and what they name where
    that has nothing of nbgrader's own. Raises NotBoxed.
    """
    kind = factory.collect
    if kind is ExchangeCollect:
        return SafeCollect
    if issubclass(kind, ExchangeCollect) and not issubclass(kind, SafeCollect):
        raise boxed.NotBoxed(
            f"c.ExchangeFactory.collect names {boxed.named(kind)}, which copies as nbgrader does, and so follows links: take it out, or "
            "derive that class from nbjudge.course.exchange.SafeCollect"
        )
    return kind


def collector(factory: ExchangeFactory, *args, **options) -> ABCExchangeCollect:
    """What `nbgrader collect` and formgrader collect with. Raises Refused."""
    options.setdefault("parent", factory)
    try:
        kind = kind_of(factory)
    except boxed.NotBoxed as problem:
        factory.log.error("Nothing was collected: %s", problem)
        raise boxed.Refused from None
    return kind(*args, **options)


def collect_from_exchange(course: Course, assignment: str) -> Collected:
    """Take the newest submission of every student from the exchange. Raises ExchangeProblem,
    ArrivalRefused.
    """
    if not database.exists(course):
        raise ExchangeProblem(
            f"nothing was published in {course.root}: {course.publishing(assignment)}, or name another course folder with --course"
        )
    require_exchange(course, assignment)
    config = course_config.config(course)
    config.CourseDirectory.assignment_id = assignment
    config.ExchangeCollect.update = True
    collector = SafeCollect(coursedir=CourseDirectory(config=config), config=config)
    advice = f"Mend that, then type `{course.typed('collect', assignment)}` again"
    start(collector, f"collecting {assignment} from {course.exchange}", advice)
    return collector.collection


def require_assignment(course: Course, assignment: str) -> None:
    """Raises ExchangeProblem unless the course knows the assignment: a name that was mistyped must
    not look like an empty class.
    """
    if skeletons.is_published(course, assignment):
        return
    known = sorted(roster.of_course(course).assignments)
    if not known:
        raise ExchangeProblem(
            f"nothing was published in {course.root}: {course.publishing(assignment)}, or name another course folder with --course"
        )
    if assignment not in known:
        raise ExchangeProblem(
            f"{course.root} has no assignment {assignment!r}; it has: {', '.join(known)}"
        )


def _name_of(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _account_of(student: str) -> int | None:
    """The user id of the student's account on this machine, if there is one."""
    import pwd

    try:
        return pwd.getpwnam(student).pw_uid
    except (KeyError, ValueError):
        return None


def _student(name: str, assignment: str) -> str | None:
    """By a folder's name in the exchange: STUDENT+ASSIGNMENT+TIME, and what nbgrader adds."""
    for parts in (name.rsplit("+", 3), name.rsplit("+", 2)):
        if len(parts) >= 3 and parts[1] == assignment and times.parsed(parts[2]) is not None:
            return composed(parts[0])
    return None
