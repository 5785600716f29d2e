"""The gradebook's database: how it is made, whether it answers, whether it holds a course, and how
all of it moves to another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from nbgrader.api import Base, Gradebook
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy import Connection, Engine, Table, create_engine, func, inspect, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from nbjudge.grading.config.folders import Course

# nbgrader's own mark of its tables' version, which is not among its models.
VERSION = "alembic_version"
_ROWS = 500


class GradebookProblem(RuntimeError):
    """The database cannot be used. The text says which, why, and what to type."""


def shown(url: str) -> str:
    """The address without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url


def exists(course: Course) -> bool:
    """Whether the course's gradebook has been made. Raises GradebookProblem when nobody can tell."""
    if course.has_own_gradebook and not course.gradebook.exists():
        return False  # opening it would make it
    url = course.gradebook_url
    with opened(url) as engine, _in_one_line(url):
        return inspect(engine).has_table("assignment")


def make(course: Course) -> None:
    """Make nbgrader's tables where the database has none. nbgrader would start a process of alembic's
    to learn the version that they have; that takes longer than all the rest. Raises GradebookProblem.
    """
    from alembic.script import ScriptDirectory  # slow to import, and needed once a course

    url = course.gradebook_url
    if course.has_own_gradebook and not course.gradebook.exists():
        # Marks are the grader's to read, also where students reach the exchange beside them.
        course.gradebook.touch(mode=0o600)
    with opened(url) as engine, _in_one_line(url), engine.begin() as writing:
        if not inspect(writing).get_table_names():
            Base.metadata.create_all(writing)
            _write_version(writing, ScriptDirectory(ALEMBIC_DIR).get_heads())


@contextmanager
def transaction(book: Gradebook) -> Iterator[Gradebook]:
    """One transaction of the gradebook: what is done in it is committed at the end, or not at all.

    nbgrader's methods commit whenever they have written something. A session that is bound to a
    connection with a transaction leaves that to the connection, which commits once.
    """
    with book.engine.begin() as connection:
        book.db.remove()
        book.db.configure(bind=connection)
        try:
            yield book
            book.db.flush()
        finally:
            book.db.remove()
            book.db.configure(bind=book.engine)


@contextmanager
def opened(url: str) -> Iterator[Engine]:
    """An engine for the address, closed at the end. Raises GradebookProblem."""
    with _in_one_line(url):
        engine = create_engine(url)
    try:
        yield engine
    finally:
        engine.dispose()


def check(course: Course) -> None:
    """Connect once. Raises GradebookProblem."""
    url = course.gradebook_url
    with opened(url) as engine, _in_one_line(url), engine.connect():
        pass


def copy(source: str, target: str) -> int:
    """Copy every row of one gradebook into another, empty one, and count them again there. Returns
    how many.

    All of it is one transaction of the target: it holds everything or nothing. Raises
    GradebookProblem.
    """
    with opened(source) as old, opened(target) as new:
        with _in_one_line(source):
            if not inspect(old).has_table("assignment"):
                raise GradebookProblem(f"{shown(source)} holds no gradebook")
        with _in_one_line(target):
            if inspect(new).get_table_names():
                raise GradebookProblem(
                    f"{shown(target)} is not empty: name a database that holds no tables yet"
                )
        with (
            _in_one_line(source),
            old.connect() as reading,
            _in_one_line(target),
            new.begin() as writing,
        ):
            Base.metadata.create_all(writing)
            copied = sum(
                _copy_table(table, reading, writing) for table in Base.metadata.sorted_tables
            )
            _copy_version(reading, writing)
            return copied


def _copy_table(table: Table, reading: Connection, writing: Connection) -> int:
    order = list(table.primary_key)
    copied = 0
    for rows in reading.execute(select(table).order_by(*order)).mappings().partitions(_ROWS):
        writing.execute(table.insert(), [dict(row) for row in rows])
        copied += len(rows)
    arrived = writing.execute(select(func.count()).select_from(table)).scalar_one()
    if arrived != copied:
        raise GradebookProblem(
            f"of {copied} rows of {table.name}, {arrived} arrived: nothing was copied"
        )
    return copied


def _copy_version(reading: Connection, writing: Connection) -> None:
    """The version of the tables, so that `nbgrader db upgrade` knows where the copy stands."""
    known = inspect(reading).has_table(VERSION)
    found = reading.execute(text(f"SELECT version_num FROM {VERSION}")) if known else ()
    _write_version(writing, [version for (version,) in found])


def _write_version(writing: Connection, versions: Iterable[str]) -> None:
    writing.execute(text(f"CREATE TABLE {VERSION} (version_num VARCHAR(32) NOT NULL)"))
    for version in versions:
        writing.execute(
            text(f"INSERT INTO {VERSION} (version_num) VALUES (:version)"), {"version": version}
        )


@contextmanager
def _in_one_line(url: str) -> Iterator[None]:
    """One line instead of a database's traceback."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise GradebookProblem(
            f"{shown(url)} needs the package {error.name}: type `pip install -c requirements.lock '.[course,scale]'` in the course's folder"
        ) from None
    except (ArgumentError, NoSuchModuleError):
        raise GradebookProblem(
            f"{shown(url)} is no address of a database: type it like postgresql://USER@HOST/NAME"
        ) from None
    except SQLAlchemyError as error:
        why = next(iter(str(getattr(error, "orig", None) or error).strip().splitlines()), "")
        raise GradebookProblem(f"the gradebook at {shown(url)} cannot be used: {why}") from None
