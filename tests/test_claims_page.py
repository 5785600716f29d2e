"""The claims page is what its generator writes; a verdict that no longer holds says what to
revisit.
"""

import dataclasses
import json
import re
from collections import Counter
from functools import cache

import pytest

from tests.claims import ledger, newest
from tests.claims.ledger import ROOT, Claim, Disproved, Source, Verdict, holds, not_ours
from tests.claims.page import PAGE, evidence_of, installed_versions, render, versions_of
from tests.claims.record import Record, Seen, failed, held

NOTEBOOKS = ROOT / "notebooks"
MACHINE = re.compile(
    r"(?<![\w.])/(?:home|root|tmp|usr|Users|work|opt|var)/|site-packages|0x[0-9a-f]{6,}"
)
TEXT = PAGE.read_text(encoding="utf-8")
RECORD = Record.load()


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
    written = render(ledger(), evidence_of(TEXT), RECORD, installed_versions())
    assert written == TEXT, "type: python -m tests.claims"


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


def test_the_record_covers_each_claim_with_its_verdict_and_knows_none_that_is_false():
    """A claim that the newest packages refute is mended before the page is published."""
    verdicts = {name: entry.verdict for name, entry in RECORD.claims.items()}
    assert verdicts == {claim.id: claim.verdict for claim in ledger()}, (
        "type: python -m tests.claims"
    )
    assert not RECORD.false()
    named = {run for entry in RECORD.claims.values() for run in (entry.since, entry.seen)}
    assert named <= RECORD.runs.keys()
    assert any(run.endswith("newest") for run in named)
    for versions in RECORD.runs.values():
        assert {"python", "onnx", "onnxruntime", "torch", "transformers"} <= versions.keys()


def test_every_row_shows_since_when_it_is_true_and_when_it_was_last_seen():
    rows = dict(
        re.findall(r'^\| <a id="([^"]+)"></a>.* \| ([^|]+ \| [^|]+) \|$', TEXT, re.MULTILINE)
    )
    assert rows.keys() == RECORD.claims.keys()
    for name, entry in RECORD.claims.items():
        assert rows[name].startswith(f"{entry.since} | {entry.seen}"), name
        assert not entry.instead or rows[name].endswith(f": {entry.instead}"), name


def test_the_page_is_not_written_while_a_claim_is_known_to_be_false():
    claim = made_up(lambda: "Rain was observed.")
    run = "2026-01-02 newest"
    before = Seen(verdict=claim.verdict, since="2026-01-01 locked", seen="2026-01-01 locked")
    runs = {name: {"onnx": "1"} for name in (before.since, run)}
    evidence = {claim.id: "Rain was observed."}

    stands = Record(runs, {claim.id: held(before, claim.verdict, run)})
    assert f"| 2026-01-01 locked | {run} |" in render([claim], evidence, stands, "onnx 1")

    falls = Record(runs, {claim.id: failed(before, claim.verdict, run, "Disproved: a drought")})
    with pytest.raises(Disproved, match=r"(?s)000-made-up.*2026-01-02 newest.*a drought"):
        render([claim], evidence, falls, "onnx 1")


def test_a_claim_is_true_since_the_first_run_of_those_in_which_it_held_without_a_break():
    entry = None
    for run in ("1", "2"):
        entry = held(entry, "wrong", run)
    assert (entry.since, entry.seen) == ("1", "2")

    for run in ("3", "4"):
        entry = failed(entry, "wrong", run, "another thing")
    assert (entry.since, entry.seen, entry.false) == ("1", "2", "3")

    entry = held(entry, "wrong", "5")
    assert (entry.since, entry.seen, entry.false) == ("5", "5", "")
    assert held(entry, "outdated", "6").since == "6"


def test_a_run_with_newer_packages_records_what_drifted(monkeypatch):
    def falls():
        holds(1 > 2, "rain")
        return "never"

    claims = [
        made_up(lambda: "It is wet.", slug="same"),
        made_up(lambda: "It is very wet.", slug="other-words"),
        made_up(falls, slug="falls"),
        made_up(falls, slug="not-here", needs=("no-such-package",)),
    ]
    monkeypatch.setattr(newest, "ledger", lambda: claims)
    record = Record(
        {"1": {"onnx": "1"}}, {claim.id: held(None, claim.verdict, "1") for claim in claims}
    )
    shown = {claim.id: "It is wet." for claim in claims}

    said = newest.see_claims(record, "2", shown, [])

    entries = record.claims
    assert entries["000-same"].seen == "2" and not entries["000-same"].instead
    assert entries["000-other-words"].instead == "It is very wet."
    assert (entries["000-falls"].seen, entries["000-falls"].false) == ("1", "2")
    assert "rain" in entries["000-falls"].observed
    assert entries["000-not-here"].seen == "1" and not entries["000-not-here"].false
    assert [text.split(":")[0] for text in said] == ["000-other-words", "000-falls"]


def test_the_record_is_read_as_it_was_written_without_runs_that_nothing_names(tmp_path):
    path = tmp_path / "record.json"
    record = Record(
        {"1": {"onnx": "1.0"}, "2": {"onnx": "2.0"}, "3": {"onnx": "3.0"}},
        {"000-a": held(None, "wrong", "2", instead="Es regnet über “Köln”.")},
        {
            "00-start": failed(held(None, "runs", "2"), "runs", "3", "ValueError: no"),
            "01-never-ran": failed(None, "runs", "3", "ValueError: no"),
        },
    )
    record.save(path)
    found = Record.load(path)
    assert found == dataclasses.replace(record, runs={run: record.runs[run] for run in "23"})
    found.keep_only([])
    assert not found.claims


def test_newer_packages_do_not_change_what_the_page_says_its_evidence_was_observed_on():
    assert versions_of(TEXT) == installed_versions()
    claim = made_up(lambda: "")
    record = Record({"1": {"onnx": "1"}}, {claim.id: held(None, claim.verdict, "1")})
    written = render([claim], {claim.id: "Rain."}, record, versions_of(TEXT))
    assert versions_of(written) == versions_of(TEXT)


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
