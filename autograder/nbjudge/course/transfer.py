"""nbgrader's exchange, for those who hand in through it and those who collect and return through it.

Which folder it is, for every command on a course folder:
1. what the course's settings name (`c.Exchange.root`). `course publish` writes it there, so that
   every terminal and every command, nbgrader's own too, uses the same one;
2. where they name none, the folder that the environment variable AUTOGRADER_EXCHANGE names;
3. else `exchange` in the course folder.
A variable that contradicts the settings is refused: one of the two is wrong, and work would be put
where nobody looks for it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from nbjudge.grading import CONFIG
from nbjudge.grading.config.folders import EXCHANGE, Course

if TYPE_CHECKING:
    from nbgrader.exchange import Exchange

ASK = "Ask your instructor where the exchange is, or use --zip"


class ExchangeProblem(RuntimeError):
    """The exchange cannot be used, or something could not be handed in, collected or returned
    through it. The text says why, and what to do.
    """


def start(exchange: Exchange, doing: str, advice: str = ASK) -> None:
    """Let nbgrader do it; `advice` is for whoever typed the command. Raises ExchangeProblem."""
    # Whoever hands in a zip file needs no nbgrader.
    from nbgrader.exchange import ExchangeError

    try:
        exchange.start()
    except ExchangeError as error:
        raise ExchangeProblem(f"{doing} failed: {reason(error)}. {advice}") from None


def reason(error: Exception) -> str:
    """Why nbgrader refused, without the advice that it gives to students, whoever reads it."""
    return str(error).replace(", please contact your instructor", "")


def require_agreement(course: Course) -> None:
    """Raises ExchangeProblem where AUTOGRADER_EXCHANGE names another folder than the settings."""
    named = course.named_exchange
    told = os.environ.get(EXCHANGE)
    if named is not None and told and Path(told).resolve() != named:
        raise ExchangeProblem(
            f"{course.root / CONFIG} says that the exchange is {named}, and {EXCHANGE} says {Path(told).resolve()}: type `unset {EXCHANGE}` "
            f"to use the former, or write c.Exchange.root = {str(Path(told).resolve())!r} into that file to move the class to the latter"
        )


def inbound(course: Course) -> Path:
    """Where students' submissions arrive."""
    return course.exchange / course.course_id / "inbound"


def prepare(course: Course) -> None:
    """Make the exchange where there is none, for publishing. Raises ExchangeProblem."""
    require_agreement(course)
    place = course.exchange
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExchangeProblem(
            f"the exchange {place} cannot be made ({error.strerror}): make that folder and type `chmod 777 {place}`, or name another one "
            f"with {EXCHANGE}=FOLDER, or with c.Exchange.root in {course.root / CONFIG}"
        ) from None
    _require_rights(place)
    _require_owners(course)


def _require_owners(course: Course) -> None:
    """Raises ExchangeProblem where a folder of the course in the exchange belongs to no account:
    nbgrader asks who owns it.
    """
    import pwd  # which Windows lacks, where students hand in zip files

    own = course.exchange / course.course_id
    for folder in (own, own / "outbound", own / "inbound", own / "feedback"):
        try:
            user = folder.stat().st_uid
            pwd.getpwuid(user)
        except OSError:
            continue  # it is not there yet
        except KeyError:
            raise ExchangeProblem(
                f"{folder} belongs to the user number {user}, and this machine has no such account (it was removed, or the folder comes from "
                f"another machine): an administrator types `chown -R {os.getuid()} {own}` to give it to you, or moves the folder away"
            ) from None


def require_exchange(course: Course, assignment: str) -> None:
    """Raises ExchangeProblem unless the course has published into the exchange and this account may
    read and write there.
    """
    require_agreement(course)
    place = course.exchange
    where = f"c.Exchange.root in {course.root / CONFIG}" if course.named_exchange else EXCHANGE
    if not place.is_dir():
        raise ExchangeProblem(
            f"the exchange {place} is no folder: if it lies on another disk or machine, connect that; if it is the wrong one, correct {where}; "
            f"if nothing was published yet, type `course publish {assignment}`"
        )
    _require_rights(place)
    if not inbound(course).is_dir():
        raise ExchangeProblem(
            f"the exchange {place} holds nothing of the course {course.course_id!r}: type `course publish {assignment}`, or correct {where} "
            "if your students use another one"
        )


def _require_rights(place: Path) -> None:
    if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        raise ExchangeProblem(
            f"you may not write into the exchange {place}: its owner types `chmod 777 {place}`, because everybody in the class writes there"
        )
