"""The page that readers see: written from the ledger and the evidence, and read back by its tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from itertools import groupby

from .ledger import ROOT, Claim, Source, Verdict

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
ROW = re.compile(
    r'^\| <a id="(?P<id>[^"]+)"></a>(?P<verdict>[^|]+) \| (?P<statement>.+?) \| (?P<evidence>.+?) \| (?P<where>.*?) \|$',
    re.MULTILINE,
)

INTRO = """# What the texts say, and what running it shows

The course grew from five texts. Each of their statements that can be checked is listed here with a verdict, and with one line of what was
observed on these versions: {versions}.

How to read it:

- **confirmed**: it holds. **outdated**: it held once. **wrong**: it does not hold. **misleading**: something in it holds, but
  if you act on it, you get another result. **not testable here**: the line says what is missing, or why no program can decide it.
- The statement is quoted or closely paraphrased; its verdict is about that statement only.
- The last column is where the course treats the subject.

How it is kept true: behind each line is a proof in `tests/claims` that runs with the tests, on one CPU, without a network. If a line no
longer comes out as printed, its test fails and says which text and which section to revisit. Where a proof needs packages beyond the
default environment, the line is what it gave in the environment of `make zoo`, and it runs wherever they are installed. No line holds a
time, or a digit that differs between machines.
`python -m tests.claims` writes this page.
"""


def render(claims: Iterable[Claim], evidence: Mapping[str, str]) -> str:
    """The page as Markdown, with `evidence` by claim id."""
    claims = list(claims)
    parts = [INTRO.format(versions=_versions()), _counts(claims)]
    for source, of_source in groupby(claims, key=lambda claim: claim.source):
        parts.append(f"## {source.title}\n\nSource text {source.key}.\n")
        for topic, of_topic in groupby(of_source, key=lambda claim: claim.topic):
            rows = "\n".join(_row(claim, evidence[claim.id]) for claim in of_topic)
            parts.append(
                f"### {topic}\n\n| verdict | statement | evidence | in the course |\n|---|---|---|---|\n{rows}\n"
            )
    return "\n".join(parts)


def evidence_of(text: str) -> dict[str, str]:
    """The evidence that a page shows, by claim id."""
    return {row["id"]: row["evidence"].replace("\\|", "|") for row in ROW.finditer(text)}


def _row(claim: Claim, evidence: str) -> str:
    cells = (
        f'<a id="{claim.id}"></a>{claim.verdict}',
        _cell(claim.statement),
        _cell(evidence),
        _link(claim.section),
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
    return f"[{course}, {notebook[:2]}: {title}](../notebooks/{path}.ipynb{f'#{anchor}' if anchor else ''})"


def _counts(claims: list[Claim]) -> str:
    counted = Counter((claim.source, claim.verdict) for claim in claims)
    lines = [f"| text | {' | '.join(Verdict)} | all |", "|---" * (len(Verdict) + 2) + "|"]
    for source in Source:
        row = [counted[source, verdict] for verdict in Verdict]
        lines.append(f"| {source.title} | {' | '.join(map(str, row))} | {sum(row)} |")
    totals = [sum(counted[source, verdict] for source in Source) for verdict in Verdict]
    lines.append(f"| all | {' | '.join(map(str, totals))} | {sum(totals)} |")
    return "\n".join(lines) + "\n"


def _versions() -> str:
    """Without the part that names a build, so that every build writes the same page."""
    import onnxruntime

    named = [f"{package} {version(package).partition('+')[0]}" for package in PACKAGES]
    return ", ".join([*named, f"ONNX Runtime {onnxruntime.__version__}"])
