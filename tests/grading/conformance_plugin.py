"""Loaded by pytest into nbgrader's own tests: this engine in place of nbgrader's, and no skip where a server is at hand."""

import os

import pytest

from autograder.course.nbgrader_hooks import install

install()

# It skips itself in its first line, because it wants a PostgreSQL server at a fixed address.
LIFTED = {"test_many_students"}
ADDRESS = "postgresql://localhost:5432/gradebook"


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    if pyfuncitem.name not in LIFTED:
        return (yield)
    module, database = pyfuncitem.module, os.environ["CONFORMANCE_DATABASE"]
    typed = module.run_nbgrader

    def run_nbgrader(arguments, **options):
        arguments = [database if argument == ADDRESS else argument for argument in arguments]
        if "--duedate" in arguments:  # the test, which nobody runs, puts --db between the option and its date
            arguments.remove("--duedate")
            arguments.insert(-1, "--duedate")
        return typed(arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pytest, "skip", lambda reason="", **options: None)
        patch.setattr(module, "run_nbgrader", run_nbgrader)
        return (yield)
