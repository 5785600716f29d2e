"""Run the proofs and write the page: `python -m tests.claims`. With words, only show the claims
whose id or module holds one of them.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime

from . import ledger
from .ledger import Claim
from .page import PAGE, evidence_of, installed_versions, render
from .record import Record, held, versions


def chosen(claim: Claim) -> bool:
    return not sys.argv[1:] or any(
        word in claim.id or word == claim.module for word in sys.argv[1:]
    )


evidence, failed = {}, []
recorded = evidence_of(PAGE.read_text(encoding="utf-8"))
for claim in filter(chosen, ledger()):
    start = time.perf_counter()
    try:
        evidence[claim.id] = claim.check(recorded.get(claim.id))
    except Exception as error:
        failed.append(claim.changed(f"{type(error).__name__}: {error}"))
        continue
    print(
        f"{claim.id} ({claim.verdict}, {time.perf_counter() - start:.1f} s)\n    {evidence[claim.id]}"
    )
if failed:
    sys.exit("\n\n".join(failed))
if not sys.argv[1:]:
    record = Record.load()
    run = f"{datetime.now(UTC):%Y-%m-%d} locked"
    for claim in ledger():
        before = record.claims.get(claim.id)
        if before is None or before.verdict != claim.verdict:
            record.runs[run] = versions()
            record.claims[claim.id] = held(before, claim.verdict, run)
    record.keep_only(ledger())
    PAGE.write_text(render(ledger(), evidence, record, installed_versions()), encoding="utf-8")
    record.save()
    print(PAGE)
