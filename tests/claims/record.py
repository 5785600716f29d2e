"""Since when each claim is known to hold, and in which run it was last seen to hold.

`record.json` beside this file keeps it. `make newest` writes it for everything that it runs,
`python -m tests.claims` for claims that are new or have another verdict than before. The page and
its tests read it.
"""

from __future__ import annotations

import dataclasses
import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .ledger import Claim, Disproved

RECORD = Path(__file__).with_name("record.json")
PACKAGES = (
    "onnx",
    "onnx-graphsurgeon",
    "onnx-ir",
    "onnxoptimizer",
    "onnxruntime",
    "onnxscript",
    "safetensors",
    "torch",
    "torchvision",
    "transformers",
)
# Two builds of one library, under two names.
OTHER_BUILDS = {"onnxruntime": ("onnxruntime-gpu",)}


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What the runs showed of a claim or of a page. Runs are named, as in `2026-11-26 newest`.

    `verdict` is the ledger's of the claim, and `runs` of a page. It held in each run from `since`
    to `seen`; both are empty if it never did. `instead` is what the run `seen` observed, where the
    page shows other evidence. Where it no longer holds, `false` names the run and `observed` says
    what that run found.
    """

    verdict: str
    since: str = ""
    seen: str = ""
    instead: str = ""
    false: str = ""
    observed: str = ""


@dataclass
class Record:
    """`runs` holds each run's versions by package, `claims` what was seen of each claim by its id,
    `pages` the same of each reading notebook, by its path below notebooks/ without the ending.
    """

    runs: dict[str, dict[str, str]] = field(default_factory=dict)
    claims: dict[str, Seen] = field(default_factory=dict)
    pages: dict[str, Seen] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path = RECORD) -> Record:
        found = json.loads(path.read_text(encoding="utf-8"))
        seen = {
            part: {name: Seen(**entry) for name, entry in found[part].items()}
            for part in ("claims", "pages")
        }
        return cls(found["runs"], seen["claims"], seen["pages"])

    def save(self, path: Path = RECORD) -> None:
        """Write it, with one entry a line, and without the runs that no entry names any more."""
        named = {
            run
            for entry in (*self.claims.values(), *self.pages.values())
            for run in (entry.since, entry.seen, entry.false)
        }
        parts = {
            "runs": {run: packages for run, packages in self.runs.items() if run in named},
            "claims": {name: _short(entry) for name, entry in self.claims.items()},
            "pages": {name: _short(entry) for name, entry in self.pages.items()},
        }
        written = [
            f"{json.dumps(part)}: {{\n"
            + ",\n".join(
                f"  {json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}"
                for name, entry in sorted(entries.items())
            )
            + "\n}"
            for part, entries in parts.items()
        ]
        path.write_text("{\n" + ",\n".join(written) + "\n}\n", encoding="utf-8")

    def false(self) -> dict[str, Seen]:
        """The claims that no longer hold, by id."""
        return {name: entry for name, entry in self.claims.items() if entry.false}

    def keep_only(self, claims: Iterable[Claim]) -> None:
        """Forget what the ledger no longer holds."""
        ids = {claim.id for claim in claims}
        self.claims = {name: entry for name, entry in self.claims.items() if name in ids}


def held(before: Seen | None, verdict: str, run: str, instead: str = "") -> Seen:
    """The entry after a run in which it held: since that run, if it is new, has another verdict than
    before, or did not hold before.
    """
    unbroken = before is not None and before.verdict == verdict and not before.false
    since = before.since if unbroken else run
    return Seen(verdict=verdict, since=since, seen=run, instead=instead)


def failed(before: Seen | None, verdict: str, run: str, observed: str) -> Seen:
    """The entry after a run in which it did not hold. It was last seen when it was."""
    if before is None or before.verdict != verdict:
        return Seen(verdict=verdict, since="", seen="", false=run, observed=observed)
    return dataclasses.replace(before, false=before.false or run, observed=observed)


def check_none_is_false(record: Record, claims: Iterable[Claim]) -> None:
    """Raises Disproved where the record says of a claim that it does not hold."""
    false = record.false()
    said = [
        claim.changed(
            false[claim.id].observed,
            f"the verdict {{verdict!r}} did not hold in the run {false[claim.id].false}",
        )
        for claim in claims
        if claim.id in false
    ]
    if said:
        raise Disproved("\n\n".join(said))


def versions() -> dict[str, str]:
    """What is installed here, without the part of a version that names a build."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        for name in (package, *OTHER_BUILDS.get(package, ())):
            try:
                found[package] = version(name).partition("+")[0]
            except PackageNotFoundError:
                continue
            break
    return found


def _short(entry: Seen) -> dict[str, str]:
    return {name: text for name, text in dataclasses.asdict(entry).items() if text}
