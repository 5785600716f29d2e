"""Run every proof and every reading notebook with what is installed, and write into the record what
was seen: `python -m tests.claims.newest`, which `make newest` does with the newest releases.

With words, only the claims whose id or module, and the pages whose name, holds one of them. The
exit status is 1 if a verdict no longer holds or a page no longer runs.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode

from . import ledger
from .ledger import Claim, installed
from .page import PAGE, evidence_of, render, versions_of
from .record import Record, failed, held, versions

PAGE_HELD = "runs"


def see_claims(record: Record, run: str, shown: dict[str, str], words: list[str]) -> list[str]:
    """Run the proofs whose packages are here. Returns what to say about each that drifted."""
    said = []
    for claim in ledger():
        if not _chosen(claim.id, claim.module, words) or not all(map(installed, claim.needs)):
            continue
        before = record.claims.get(claim.id)
        try:
            evidence = claim.check()
        except Exception as error:  # a proof ends in whatever the newest release raises
            observed = _one_line(error)
            record.claims[claim.id] = failed(before, claim.verdict, run, observed)
            said.append(claim.changed(observed))
            continue
        instead = evidence if evidence != shown.get(claim.id) else ""
        record.claims[claim.id] = held(before, claim.verdict, run, instead)
        if instead:
            said.append(_other_evidence(claim, instead))
    return said


def see_pages(record: Record, run: str, words: list[str]) -> list[str]:
    """Execute the reading notebooks, and change none. Returns what to say about each that failed."""
    from tests import notebook_tools

    said = []
    for path in notebook_tools.runnable_notebooks():
        name = path.relative_to(notebook_tools.NOTEBOOKS).with_suffix("").as_posix()
        if not _chosen(name, "", words):
            continue
        before = record.pages.get(name)
        notebook = notebook_tools.read(path)
        exports = any("torch.onnx.export(" in cell.source for cell in notebook.cells)
        try:
            now = notebook_tools.execute(
                notebook, first=notebook_tools.EXPORTING if exports else ()
            )
        except Exception as error:  # a cell's, or the kernel died, which nbclient says in many ways
            observed = _one_line(
                f"{error.ename}: {error.evalue}" if isinstance(error, CellExecutionError) else error
            )
            record.pages[name] = failed(before, PAGE_HELD, run, observed)
            said.append(f"notebooks/{name}.ipynb no longer runs: {observed}")
        else:
            instead = _other_outputs(notebook, now)
            record.pages[name] = held(before, PAGE_HELD, run, instead)
            if instead:
                said.append(
                    f"notebooks/{name}.ipynb runs; another output than the page's: {instead}"
                )
        entry = record.pages[name]
        print(f"{name}: {entry.observed or entry.instead or PAGE_HELD}", flush=True)
    return said


def main(words: list[str]) -> None:
    record = Record.load()
    run = f"{datetime.now(UTC):%Y-%m-%d} newest"
    record.runs[run] = versions()
    page = PAGE.read_text(encoding="utf-8")
    shown = evidence_of(page)
    said = see_claims(record, run, shown, words)
    record.save()
    said += see_pages(record, run, words)
    record.save()
    print("\n\n".join(said))
    no_longer = [
        name for name, entry in (record.claims | record.pages).items() if entry.false == run
    ]
    if not record.false():
        PAGE.write_text(render(ledger(), shown, record, versions_of(page)), encoding="utf-8")
    if no_longer:
        sys.exit(f"{len(no_longer)} that held with other versions: {', '.join(no_longer)}")


def _chosen(name: str, module: str, words: list[str]) -> bool:
    return not words or any(word in name or word == module for word in words)


def _other_evidence(claim: Claim, instead: str) -> str:
    return claim.changed(instead, "the verdict {verdict!r} holds, and other evidence was observed")


def _other_outputs(was: NotebookNode, now: NotebookNode) -> str:
    """The cells whose outputs are others than those of the page, counted from 0, as text."""
    from tests.notebook_tools import comparable

    cells = zip(was.cells, now.cells, strict=True)
    differ = [
        place for place, pair in enumerate(cells) if comparable(pair[0]) != comparable(pair[1])
    ]
    return f"cells {', '.join(map(str, differ))}" if differ else ""


def _one_line(error: object) -> str:
    kind = f"{type(error).__name__}: " if isinstance(error, Exception) else ""
    return " ".join(f"{kind}{error}".split())[:400]


if __name__ == "__main__":
    main(sys.argv[1:])
