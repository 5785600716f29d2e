"""nbgrader's own tests, unmodified, run against this engine: what passes with nbgrader's own classes passes with ours."""

import conformance
import pytest
from conformance import DIFFERENT, HERE_TOO, LIFTED, PUBLISHED, STOCK, SUITES

# Marks, timestamps and penalties, forcing, files beside the notebook, hidden tests, a failure, and a kernel that is not there.
FEW = ("test_grade", "test_late_submission_penalty_plugin", "test_grade_overwrite_files_subdirs", "test_hidden_tests_single_notebook")
FEW += ("test_handle_failure_single_notebook", "test_incorrect_submitted_kernelspec")
AGAIN = "write it again: make conformance SUITES={}"

pytestmark = pytest.mark.xdist_group("conformance")


def test_a_few_of_nbgraders_own_autograde_tests_pass():
    # By their whole names: pytest's -k would take every name that begins so.
    few = [f"{name}::TestNbGraderAutograde::{test}" for name in SUITES["autograde"] for test in FEW]
    found = conformance.outcomes(few, HERE_TOO)
    assert len(found) == len(FEW) and set(found.values()) == {"passed"}, found


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_the_outcomes_of_a_suite_are_those_that_are_stored(suite):
    found = {way: conformance.outcomes(SUITES[suite], way) for way in conformance.ways(suite)}
    assert found == conformance.read()["suites"][suite], AGAIN.format(suite)


@pytest.mark.parametrize("suite", SUITES)
def test_every_test_of_the_installed_nbgrader_has_its_outcome(suite):
    stored = conformance.read()["suites"][suite]
    assert set(stored) == set(conformance.ways(suite))
    for found in stored.values():
        assert {name.partition("[")[0] for name in found} == conformance.named(suite), AGAIN.format(suite)


@pytest.mark.parametrize("suite", SUITES)
def test_what_passes_on_stock_passes_here(suite):
    stored = conformance.read()["suites"][suite]
    different = {name for name in DIFFERENT if name in stored[STOCK]}
    expected = {HERE_TOO: set(), PUBLISHED: different}
    assert {way: set(names) for way, names in conformance.broken(stored).items()} == {way: expected[way] for way in stored if way != STOCK}


def test_what_skips_itself_on_stock_runs_here():
    stored = conformance.read()["suites"]["autograde"]
    assert {stored[STOCK][name] for name in LIFTED} == {"skipped"}
    assert {stored[HERE_TOO][name] for name in LIFTED} == {"passed"}


def test_the_page_is_that_of_the_stored_outcomes():
    assert conformance.PAGE.read_text() == conformance.page(conformance.read())
    assert conformance.read()["versions"]["nbgrader"] == conformance.versions()["nbgrader"], "nbgrader changed: make conformance"
