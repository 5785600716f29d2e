"""The page that readers see: written from the ledger and the evidence, and read back by its tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from itertools import groupby

from .ledger import ROOT, Claim, Source, Verdict
from .record import Record, Seen, check_none_is_false

PAGE = ROOT / "site" / "claims.md"
PACKAGES = (
    "onnx",
    "onnx-graphsurgeon",
    "onnxoptimizer",
    "onnxscript",
    "safetensors",
    "torch",
    "transformers",
)
VERSIONS = re.compile(r"^observed on these versions: (.+)\.$", re.MULTILINE)
HEADER = """| verdict | statement | evidence | in the course | true since | last seen |
|---|---|---|---|---|---|"""
ROW = re.compile(
    r'^\| <a id="(?P<id>[^"]+)"></a>(?P<verdict>[^|]+) \| (?P<statement>.+?) \| (?P<evidence>.+?) \| (?P<where>.*?)'
    r" \| (?P<since>[^|]+) \| (?P<seen>.+?) \|$",
    re.MULTILINE,
)

INTRO = """# What the lesson texts say, and what running it shows

The course is based on five lesson texts. Each of their statements that can be checked has a verdict here, and one line of what was
observed on these versions: {versions}.

How to read it:

- **confirmed**: it holds. **outdated**: it held once. **wrong**: it does not hold. **misleading**: something in it holds, but
  if you act on it, you get another result. **not testable here**: the line says what is missing, or why no program can decide it.
- The statement is quoted or closely paraphrased; its verdict is about that statement only.
- The column *in the course* is where the course treats the subject.
- *True since* is the first run in which the verdict held, and *last seen* the latest one. It held in every run between them. Where the
  latest run observed something else under the same verdict, because a newer package says or does it differently, that stands there, too.

How it is kept true: behind each line is a proof in `tests/claims` that runs with the tests, on one CPU, without a network. If a line no
longer comes out as printed, its test fails and says which text and which section to revisit. Where a proof needs packages beyond the
default environment, the line is what it gave in the environment of `make zoo`, and it runs wherever they are installed. No line holds a
time, or a digit that differs between machines. `python -m tests.claims` writes this page.

A verdict can become false without a change in the course, because a package changed. So every week `make newest` runs the proofs and the
reading notebooks with the newest releases, and this page cannot be written while one of its lines is known to be false.
"""


def render(
    claims: Iterable[Claim], evidence: Mapping[str, str], record: Record, versions: str
) -> str:
    """The page as Markdown, with `evidence` by claim id, which was observed on these `versions`.

    Raises Disproved where the record says of a claim that it does not hold.
    """
    claims = list(claims)
    check_none_is_false(record, claims)
    parts = [INTRO.format(versions=versions), _runs(record), _counts(claims)]
    for source, of_source in groupby(claims, key=lambda claim: claim.source):
        parts.append(f"## {source.title}\n\nSource text {source.key}.\n")
        for topic, of_topic in groupby(of_source, key=lambda claim: claim.topic):
            rows = "\n".join(
                _row(claim, evidence[claim.id], record.claims[claim.id]) for claim in of_topic
            )
            parts.append(f"### {topic}\n\n{HEADER}\n{rows}\n")
    return "\n".join(parts)


def evidence_of(text: str) -> dict[str, str]:
    """The evidence that a page shows, by claim id."""
    return {row["id"]: row["evidence"].replace("\\|", "|") for row in ROW.finditer(text)}


def versions_of(text: str) -> str:
    """The versions that a page says its evidence was observed on."""
    return VERSIONS.search(text)[1]


def installed_versions() -> str:
    """Without the part that names a build, so that every build writes the same page."""
    import onnxruntime

    named = [f"{package} {version(package).partition('+')[0]}" for package in PACKAGES]
    return ", ".join([*named, f"ONNX Runtime {onnxruntime.__version__}"])


def _row(claim: Claim, evidence: str, seen: Seen) -> str:
    cells = (
        f'<a id="{claim.id}"></a>{claim.verdict}',
        _cell(claim.statement),
        _cell(evidence),
        _link(claim.section),
        seen.since,
        _cell(f"{seen.seen}: {seen.instead}" if seen.instead else seen.seen),
    )
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _link(section: str) -> str:
    if not section:
        return ""
    path, _, anchor = section.partition("#")
    folder, _, notebook = path.partition("/")
    course = {"day-50": "Day 50", "lab-7-01": "Lab 7-01"}[folder]
    title = anchor.replace("-", " ") or "the notebook"
    number = notebook.removeprefix("line-").partition("-")[0]
    page = f"part {number}" if notebook.startswith("line-") else number
    return f"[{course}, {page}: {title}](../notebooks/{path}.ipynb{f'#{anchor}' if anchor else ''})"


def _counts(claims: list[Claim]) -> str:
    counted = Counter((claim.source, claim.verdict) for claim in claims)
    lines = [f"| text | {' | '.join(Verdict)} | all |", "|---" * (len(Verdict) + 2) + "|"]
    for source in Source:
        row = [counted[source, verdict] for verdict in Verdict]
        lines.append(f"| {source.title} | {' | '.join(map(str, row))} | {sum(row)} |")
    totals = [sum(counted[source, verdict] for source in Source) for verdict in Verdict]
    lines.append(f"| all | {' | '.join(map(str, totals))} | {sum(totals)} |")
    return "\n".join(lines) + "\n"


def _runs(record: Record) -> str:
    """The runs that the record names, those with the same versions in one row, then what became of
    the reading notebooks.
    """
    alike: dict[str, list[str]] = {}
    for run, found in sorted(record.runs.items()):
        packages = ", ".join(f"{name} {number}" for name, number in found.items())
        alike.setdefault(packages, []).append(run)
    rows = [f"| {', '.join(runs)} | {packages} |" for packages, runs in alike.items()]
    return "\n".join(["| run | with |", "|---|---|", *rows, *_notebooks(record)]) + "\n"


def _notebooks(record: Record) -> list[str]:
    """Which reading notebooks the newest packages run from top to bottom, and where others stop."""
    if not record.pages:
        return []
    ran = [name for name, seen in record.pages.items() if not seen.false]
    said = f"With the newest packages, {len(ran)} of the {len(record.pages)} reading notebooks that were tried ran from top to bottom."
    drifted = [
        f"- `notebooks/{name}.ipynb` stopped in the run {seen.false}: {seen.observed}"
        if seen.false
        else f"- `notebooks/{name}.ipynb` showed other outputs in the run {seen.seen}: {seen.instead}, counted from 0"
        for name, seen in record.pages.items()
        if seen.false or seen.instead
    ]
    return ["", said, *(["", *drifted] if drifted else [])]
