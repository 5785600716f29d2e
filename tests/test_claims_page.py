"""The claims page is what its generator writes; a verdict that no longer holds says what to
revisit.
"""

import dataclasses
import json
import re
from collections import Counter
from functools import cache

import pytest
from claims import ledger
from claims.ledger import ROOT, Claim, Disproved, Source, Verdict, holds, not_ours
from claims.page import PAGE, evidence_of, render

NOTEBOOKS = ROOT / "notebooks"
MACHINE = re.compile(
    r"(?<![\w.])/(?:home|root|tmp|usr|Users|work|opt|var)/|site-packages|0x[0-9a-f]{6,}"
)
TEXT = PAGE.read_text(encoding="utf-8")


def made_up(proof, **changes):
    claim = Claim(
        "made-up",
        Source.DAY_50,
        "Versions",
        "Water is dry.",
        Verdict.WRONG,
        "03-export#opsets",
        (),
        proof,
    )
    return dataclasses.replace(claim, **changes)


@cache
def headings(notebook):
    cells = json.loads((NOTEBOOKS / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return {
        re.sub(r"[^\w\s-]", "", title.lower()).strip().replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }


def test_the_page_is_what_the_generator_writes():
    assert render(ledger(), evidence_of(TEXT)) == TEXT, "type: python -m tests.claims"


def test_every_claim_is_on_the_page_once():
    ids = [claim.id for claim in ledger()]
    assert not [name for name, times in Counter(ids).items() if times > 1]
    assert list(evidence_of(TEXT)) == ids
    assert len(ids) >= 130
    assert {claim.source for claim in ledger()} == set(Source)
    assert {claim.verdict for claim in ledger()} == set(Verdict)


def test_statements_and_evidence_are_lines_that_any_machine_can_show():
    for name, evidence in evidence_of(TEXT).items():
        statement = next(claim.statement for claim in ledger() if claim.id == name)
        for text in (statement, evidence):
            assert text.strip() == text and len(text) <= 400, name
        assert evidence[-1] in ".?”" and statement[-1] in ".?)”!]…", name
        assert not MACHINE.search(evidence), name


def test_links_lead_to_sections_that_exist():
    for claim in ledger():
        page, _, anchor = claim.section.partition("#")
        assert not page or not anchor or anchor in headings(page), (
            f"{claim.id}: {page} has the sections {sorted(headings(page))}"
        )


def test_what_a_taught_text_says_is_treated_in_the_course():
    elsewhere = {"000-sparsity", "000-pruning-quantization"}  # announcements of Day 51
    taught = (Source.DAY_50, Source.LAB)
    assert {
        claim.id for claim in ledger() if claim.source in taught and not claim.where
    } == elsewhere


def test_a_verdict_that_changed_says_what_to_revisit():
    def proof():
        holds(1 > 2, "water: wet")
        return "never"

    claim = made_up(proof)
    with pytest.raises(Disproved) as caught:
        claim.check()
    said = claim.changed(str(caught.value))
    for part in (
        "000-made-up",
        "'wrong'",
        Source.DAY_50.title,
        "Water is dry.",
        "water: wet",
        "notebooks/day-50/03-export#opsets",
    ):
        assert part in said


def test_without_its_packages_a_claim_keeps_the_evidence_of_the_page():
    claim = made_up(lambda: "never", needs=("no-such-package",))
    assert claim.check("It ran there.") == "It ran there."
    with pytest.raises(Disproved, match="no-such-package"):
        claim.check()


def test_a_package_that_is_installed_makes_its_proof_run():
    assert (
        made_up(lambda: "It ran.", needs=("pytest",)).check("The page says otherwise.") == "It ran."
    )


def test_a_package_that_the_lock_gains_is_noticed():
    not_ours("mxnet")
    with pytest.raises(Disproved, match="skl2onnx"):
        not_ours("mxnet", "skl2onnx")
