"""nbgrader's own tests, unmodified, run against this engine: what passes with nbgrader's own
classes passes with ours.
"""

import pytest

from tests.grading import conformance
from tests.grading.conformance import DIFFERENT, HERE_TOO, LIFTED, PUBLISHED, STOCK, SUITES

# Marks and files beside the notebook; timestamps and penalties, and hidden tests; a failure, and a
# kernel that is not there. All of nbgrader's tests run among the slow ones.
FEW = (
    ("test_grade", "test_grade_overwrite_files_subdirs"),
    ("test_late_submission_penalty_plugin", "test_hidden_tests_single_notebook"),
    ("test_handle_failure_single_notebook", "test_incorrect_submitted_kernelspec"),
)

pytestmark = pytest.mark.xdist_group("conformance")


@pytest.mark.parametrize("tests", FEW, ids=[few[0] for few in FEW])
def test_a_few_of_nbgraders_own_autograde_tests_pass(tests):
    # By their whole names: pytest's -k would take every name that begins so.
    few = [
        f"{name}::TestNbGraderAutograde::{test}" for name in SUITES["autograde"] for test in tests
    ]
    found = conformance.outcomes(few, HERE_TOO)
    assert len(found) == len(tests) and set(found.values()) == {"passed"}, found


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_what_passes_on_stock_passes_here(suite):
    found = {way: conformance.outcomes(SUITES[suite], way) for way in conformance.ways(suite)}
    holds(found)
    kept = conformance.read()["suites"].get(suite, {})
    assert {way: found[way] for way in kept} == kept, (
        f"write it again: make conformance SUITES={suite}"
    )


@pytest.mark.parametrize("suite", conformance.read()["suites"])
def test_the_stored_outcomes_are_those_of_the_installed_nbgraders_tests(suite):
    kept = conformance.read()["suites"][suite]
    assert STOCK in kept and set(kept) <= set(conformance.ways(suite))
    assert {
        way: {name.partition("[")[0] for name in found} for way, found in kept.items()
    } == dict.fromkeys(kept, conformance.named(suite))
    holds(kept)


def holds(found: dict[str, dict[str, str]]) -> None:
    """What passes on stock passes, but for what has a reason not to; what skips itself there runs."""
    different = {name for name in DIFFERENT if found[STOCK].get(name) == "passed"}
    broken = {way: set(names) for way, names in conformance.broken(found).items()}
    assert broken == {way: different if way == PUBLISHED else set() for way in broken}
    lifted = [name for name in LIFTED if name in found[STOCK] and HERE_TOO in found]
    assert {found[HERE_TOO][name] for name in lifted} <= {"passed"}


def test_the_page_is_that_of_the_stored_outcomes():
    assert conformance.PAGE.read_text() == conformance.page(conformance.read())
    assert conformance.read()["versions"]["nbgrader"] == conformance.versions()["nbgrader"], (
        "nbgrader changed: make conformance"
    )
