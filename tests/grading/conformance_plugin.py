"""Loaded by pytest into nbgrader's own tests: this engine in place of nbgrader's, and no skip where
a server is at hand.

CONFORMANCE_WAY says how. On `stock` all stays nbgrader's. With `published` every assignment that a
test generates is published too, so that the coordinator grades it, as `course grade` does, and not
nbgrader's own steps. nbgrader's tests generate notebooks whose solutions fail their own tests, which
`course release` and `course grade` refuse: here they are let through.
"""

import functools
import os
from dataclasses import replace

import nbgrader.api
import nbgrader.apps.api
import nbgrader.apps.generateassignmentapp
import nbgrader.converters
import pytest

from nbjudge import boxes
from nbjudge.course import nbgrader_hooks
from nbjudge.course.publish import skeleton_of, with_saved_tests
from nbjudge.grading.config.folders import Course
from nbjudge.grading.published import skeletons
from nbjudge.grading.submission import canary

WAY = os.environ["CONFORMANCE_WAY"]
# For each gradebook that it makes, nbgrader starts a process which says what the installed
# version's tables are called.
nbgrader.api.get_alembic_version = functools.cache(nbgrader.api.get_alembic_version)


class PublishingToo(nbgrader_hooks.PublishingGenerate):
    """What nbgrader generated goes into the skeleton store, as `course publish` puts it there."""

    def start(self) -> None:
        super().start()
        course, name = (
            Course.at(self.coursedir.root, self.coursedir.db_url),
            self.coursedir.assignment_id,
        )
        folders = (
            course.root / folder / name
            for folder in (self.coursedir.release_directory, self.coursedir.source_directory)
        )
        skeletons.store(course, with_saved_tests(course, skeleton_of(name, *folders)))


if WAY != "stock":
    nbgrader_hooks.install()
if WAY == "published":
    canary.require_own_tests = lambda task, solutions: None
    for place in (nbgrader.converters, nbgrader.apps.api, nbgrader.apps.generateassignmentapp):
        place.GenerateAssignment = PublishingToo

# They skip themselves in their first line: one wants a PostgreSQL server at a fixed address, one is
# afraid for the machine's memory.
LIFTED = {"test_many_students", "test_infinite_loop_with_output"}
# nbgrader adds no row for a course without a name, and PostgreSQL, other than SQLite, asks for one.
COURSE = 'c.CourseDirectory.course_id = "course101"\n'
ADDRESS = "postgresql://localhost:5432/gradebook"


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    if pyfuncitem.name not in LIFTED or WAY == "stock":
        return (yield)
    module, database = pyfuncitem.module, os.environ["CONFORMANCE_DATABASE"]
    typed = module.run_nbgrader

    def run_nbgrader(arguments, **options):
        arguments = [database if argument == ADDRESS else argument for argument in arguments]
        # The test, which nobody runs, puts --db between the option and its date.
        if "--duedate" in arguments:
            arguments.remove("--duedate")
            arguments.insert(-1, "--duedate")
        return typed(arguments, **options)

    if pyfuncitem.name == "test_many_students":
        with open("nbgrader_config.py", "a") as file:
            file.write(COURSE)
    limits = boxes.limits_for_runner()
    with pytest.MonkeyPatch.context() as patch:
        # The loop takes memory, and a slow machine must come to the end of it before the cell's
        # time is over.
        patch.setattr(boxes, "limits_for_runner", lambda: replace(limits, memory_bytes=1 << 30))
        patch.setattr(pytest, "skip", lambda reason="", **options: None)
        patch.setattr(module, "run_nbgrader", run_nbgrader)
        return (yield)
