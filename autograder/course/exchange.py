"""`course submit` and `course collect`: nbgrader's exchange, and zip files where a class has none."""

from __future__ import annotations

import getpass
import json
import os
import stat
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeCollect, ExchangeSubmit
from traitlets.config import Config

from autograder.course import archives, manifest, roster
from autograder.course import config as course_config
from autograder.course.archives import Collection, Options
from autograder.course.arrivals import Arrival, ArrivalRefused, dock
from autograder.course.roster import Roster
from autograder.grading import gradebook, intake, skeletons, times
from autograder.grading.folders import COURSE_ID, Course, default_course_id

# A folder that lacks its last file for longer is no submission that is still being written.
WRITING = timedelta(minutes=2)


class ExchangeProblem(RuntimeError):
    """A submission could not be handed in or collected. The text says why, and what to do."""


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

    collection: Collection

    def init_src(self) -> None:
        self.collection = Collection()
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
            self.collection.refused.append(f"{intake.shown(os.path.basename(path))}: {why}")
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
                f"{intake.shown(student)!r} cannot be a student's name, it {problem}"
            )
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise ArrivalRefused("it is no folder but a link or a file")
        when = times.arrival(folder)
        if not os.path.lexists(folder / times.FILE) and when > times.now() - WRITING:
            raise ArrivalRefused("it is just being handed in: collect again in a minute")
        return Inbound(student, folder, when)

    def _sort_by_timestamp(self, records: list[dict]) -> list[dict]:
        """The newest first. Of two that came in one tick of the file system's clock, the one whose
        name says so.
        """
        return sorted(
            records, key=lambda record: (record["timestamp"], record["filename"]), reverse=True
        )

    def copy_files(self) -> None:
        course = Course.at(self.coursedir.root)
        known = roster.of_course(course)
        self.src_records = [record for record in self.src_records if record["username"] is not None]
        with dock(course) as place:
            for record in self.src_records:
                student, folder = record["username"], Path(self.inbound_path, record["filename"])
                try:
                    self._require_owner(folder, student, known)
                    arrival = self._take(place, student, folder, record["timestamp"])
                except (ArrivalRefused, intake.IntakeFault) as problem:
                    self.collection.refused.append(f"{intake.shown(folder.name)}: {problem}")
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
        """On a shared machine the owner of the folder is who handed it in."""
        import pwd

        try:
            owner = pwd.getpwuid(os.lstat(folder).st_uid).pw_name
        except KeyError:
            return
        if self.check_owner and owner != student and owner in known.people:
            raise ArrivalRefused(
                f"it says {student}, and {owner} made it: ask {owner}, then copy what counts to submitted/ by hand"
            )
        if twin := known.twin(student):
            raise ArrivalRefused(
                f"{student!r} would stand beside {twin!r}, and some systems take them for one"
            )

    def _take(self, place, student: str, folder: Path, when: datetime) -> Arrival:
        assignment = self.coursedir.assignment_id
        if place.holds(student, assignment):
            there = place.time_of(student, assignment)
            is_older = there is not None and when <= there
            # As nbgrader does it: what is there is left alone without `update`; before the due
            # date, an earlier one may be what counts.
            if not (self.before_duedate or (self.update and not is_older)):
                return Arrival(student, is_new=False)
        staged, remarks = place.copy(folder)
        arrival = place.land(staged, student, assignment, when)
        return Arrival(student, arrival.is_new, arrival.kept, tuple(remarks))


def submit(folder: Path, exchange: Path) -> str:
    """Hand in a lab's folder through the exchange; the assignment is the folder's name. Returns the
    time of the submission.

    Raises ExchangeProblem.
    """
    _require_notebooks(folder)
    course_id = default_course_id()
    config = Config({"CourseDirectory": {"course_id": course_id, "assignment_id": folder.name}})
    config.Exchange.root = str(exchange)
    if cache := _cache(folder):
        config.Exchange.cache = str(cache)
    config.ExchangeSubmit.assignment_dir = str(folder.parent)
    submission = ExchangeSubmit(
        coursedir=CourseDirectory(config=config),
        authenticator=Authenticator(config=config),
        config=config,
    )
    _start(submission, f"handing in {folder.name} of the course {course_id} through {exchange}")
    return submission.timestamp


def pack(folder: Path, target: Path, student: str | None = None) -> Path:
    """Hand in as a zip file instead: the notebooks and a manifest, for whatever upload the class
    uses. Raises ExchangeProblem.

    Who it is of: `student`, else what the file's name says before `_ASSIGNMENT.zip`, else the
    archive names nobody but the login.
    """
    notebooks = _require_notebooks(folder)
    student = student or (
        target.stem.removesuffix(f"_{folder.name}")
        if target.stem.endswith(f"_{folder.name}")
        else None
    )
    if student is not None and (problem := roster.problem_of(student)):
        raise ExchangeProblem(
            f"{intake.shown(student)!r} cannot be a student's name, it {problem}: add `--as YOUR-NAME-IN-CLASS`"
        )
    course_id = default_course_id()
    said = manifest.Manifest(
        assignment=folder.name,
        student=student,
        course=course_id if course_id != COURSE_ID else None,
        login=_login(),
        version=_version(notebooks[0]),
        time=times.written(times.now()),
    )
    fresh = target.with_name(f".{target.name}.new")
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
            for notebook in notebooks:
                archive.write(notebook, f"{folder.name}/{notebook.name}")
            archive.writestr(f"{folder.name}/{manifest.FILE}", said.to_bytes())
        os.replace(fresh, target)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise ExchangeProblem(
            f"{target} could not be written ({error.strerror}): name another file with --zip"
        ) from None
    return target


def default_archive(folder: Path, student: str | None = None) -> Path:
    return Path.cwd() / f"{student or _login() or 'student'}_{folder.name}.zip"


def collect_from_exchange(course: Course, assignment: str) -> Collection:
    """Take the newest submission of every student from the exchange. Raises ExchangeProblem,
    ArrivalRefused.
    """
    if not gradebook.exists(course):
        raise ExchangeProblem(
            f"nothing was published in {course.root}: type `course publish {assignment}`, or use --course"
        )
    config = course_config.config(course)
    config.CourseDirectory.assignment_id = assignment
    config.ExchangeCollect.update = True
    collector = SafeCollect(coursedir=CourseDirectory(config=config), config=config)
    _start(collector, f"collecting {assignment} from {course.exchange}")
    return collector.collection


def collect(course: Course, assignment: str) -> list[str]:
    """Take submissions from the exchange. Returns the students that have one now. Raises as
    `collect_from_exchange`.
    """
    collect_from_exchange(course, assignment)
    return intake.students(course.submitted, assignment)


def collect_archives(
    course: Course, assignment: str, zips: Sequence[Path], options: Options | None = None
) -> list[str]:
    """Take submissions from zip files. Returns the students.

    Raises ExchangeProblem when some were refused, after the others were taken.
    """
    done = archives.collect_archives(
        course, roster.of_course(course), assignment, zips, options or Options()
    )
    if done.refused:
        raise ExchangeProblem(
            f"took {len(done.arrivals)} of {len(zips)} archives; not these: "
            + "; ".join(done.refused)
        )
    return done.students


def require_assignment(course: Course, assignment: str) -> None:
    """Raises ExchangeProblem unless the course knows the assignment: a name that was mistyped must
    not look like an empty class.
    """
    if skeletons.is_published(course, assignment):
        return
    known = sorted(roster.of_course(course).assignments)
    if not known:
        raise ExchangeProblem(
            f"nothing was published in {course.root}: type `course publish {assignment}`, or use --course"
        )
    if assignment not in known:
        raise ExchangeProblem(
            f"{course.root} has no assignment {assignment!r}; it has: {', '.join(known)}"
        )


def _student(name: str, assignment: str) -> str | None:
    """Whose submission a folder in the exchange is by its name: STUDENT+ASSIGNMENT+TIME, and a
    random part that nbgrader adds.
    """
    for parts in (name.rsplit("+", 3), name.rsplit("+", 2)):
        if len(parts) >= 3 and parts[1] == assignment and times.parsed(parts[2]) is not None:
            return parts[0]
    return None


def _require_notebooks(folder: Path) -> list[Path]:
    notebooks = sorted(path for path in folder.glob("*.ipynb") if path.is_file())
    if not notebooks:
        raise ExchangeProblem(
            f"{folder} holds no notebook: name the folder of the lab, for example day-50"
        )
    return notebooks


def _cache(folder: Path) -> Path | None:
    """Where the student's JupyterLab looks for what was handed in, to fetch its feedback; None is
    nbgrader's own place, in the home.

    It holds the secret that the feedback is named by, so it is never in the exchange, which others
    can read.
    """
    home = next(
        (parent / ".course" for parent in folder.parents if (parent / ".course" / "data").is_dir()),
        None,
    )
    return home and home / "data" / "nbgrader_cache"


def _login() -> str | None:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None


def _version(notebook: Path) -> str | None:
    """The release that a student's notebook comes from, if it still says so."""
    try:
        version = json.loads(notebook.read_bytes())["metadata"]["autograder"]["version"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return version if isinstance(version, str) else None


def _start(exchange, doing: str) -> None:
    try:
        exchange.start()
    except ExchangeError as error:
        raise ExchangeProblem(
            f"{doing} failed: {error}. Ask your instructor where the exchange is, or use --zip"
        ) from None
