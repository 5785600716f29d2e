"""The claims ledger: each statement of the source texts still has its verdict, and the page shows
the evidence of today.
"""

import pytest

from tests.claims import ledger
from tests.claims.page import PAGE, evidence_of

SHOWN = evidence_of(PAGE.read_text(encoding="utf-8"))
# Models are exported once in a process, and claims of several topics share them: one worker.
pytestmark = pytest.mark.xdist_group("claims")


@pytest.mark.parametrize("claim", [pytest.param(claim, id=claim.id) for claim in ledger()])
def test_the_verdict_holds(claim):
    try:
        evidence = claim.check(SHOWN.get(claim.id))
    except Exception as error:
        raise AssertionError(claim.changed(f"{type(error).__name__}: {error}")) from error
    shown = SHOWN.get(claim.id)
    assert evidence == shown, claim.changed(
        f"{evidence}\n  the page: {shown}", "the verdict holds, the page shows other evidence"
    )
