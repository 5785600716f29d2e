"""What an entry of the ledger is, and how its proof is run."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cache
from pathlib import Path

from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
# Where the name that Python imports is not the name that pip installs.
IMPORTED_AS = {
    "scikit-learn": "sklearn",
    "apache-tvm": "tvm",
    "tensorflow-cpu": "tensorflow",
    "iree-base-compiler": "iree.compiler",
}


class Verdict(StrEnum):
    CONFIRMED = "confirmed"
    OUTDATED = "outdated"
    WRONG = "wrong"
    MISLEADING = "misleading"
    NOT_TESTABLE = "not testable here"


class Source(Enum):
    """A source text: its file's number and its title."""

    DAY_50 = ("000", "Day 50: Model Formats & Runtimes")
    LAB = ("001", "Lab 7-01: ONNX Export & Model Optimization")
    COMPILATION = ("002", "ONNX: The Universal Intermediate Format")
    FORMAT = ("003", "ONNX (Open Neural Network Exchange) Format")
    INTEROPERABILITY = ("004", "ONNX Model Interoperability Standards")

    @property
    def key(self) -> str:
        return self.value[0]

    @property
    def title(self) -> str:
        return self.value[1]


class Disproved(Exception):
    """What was observed is not what the verdict rests on; the text says what was observed."""


def holds(condition: object, observed: object) -> None:
    """Raises Disproved(observed) unless the condition holds."""
    if not condition:
        raise Disproved(str(observed))


@dataclass(frozen=True)
class Claim:
    """One statement of a source text.

    `proof` runs the statement on the installed versions and returns the evidence, one line that is
    the same on every machine; it raises when the verdict does not hold. `where` is
    `folder/notebook#anchor` below notebooks/, without the folder for Day 50, or empty. `needs`
    names the packages
    that the proof uses beyond the default environment.
    """

    slug: str
    source: Source
    topic: str
    statement: str
    verdict: Verdict
    where: str
    needs: tuple[str, ...]
    proof: Callable[[], str]

    @property
    def id(self) -> str:
        return f"{self.source.key}-{self.slug}"

    @property
    def section(self) -> str:
        """`where` with its folder, or nothing."""
        return self.where if "/" in self.where or not self.where else f"day-50/{self.where}"

    @property
    def module(self) -> str:
        return self.proof.__module__.rpartition(".")[2]

    def check(self, recorded: str | None = None) -> str:
        """The evidence for readers: the proof's, or where its packages are not installed
        `recorded`, which is what the page shows.

        Raises Disproved, or what the proof raises.
        """
        if all(map(installed, self.needs)):
            return self.proof()
        holds(
            recorded,
            f"needs {' and '.join(self.needs)}: write the page in the environment that `make zoo` builds",
        )
        return recorded

    def changed(
        self,
        observed: str,
        what: str = "the verdict {verdict!r} does not hold with what is installed",
    ) -> str:
        """What to tell whoever bumped a version: the text, the section of the course, what was
        observed.
        """
        where = f"notebooks/{self.section}" if self.where else "no section of the course"
        return (
            f"{self.id}: {what.format(verdict=str(self.verdict))}.\n"
            f"  text:     {self.source.key}, {self.source.title}: {self.statement}\n"
            f"  observed: {observed}\n"
            f"  revisit:  {where}; then tests/claims/{self.module}.py and, with `python -m tests.claims`, site/claims.md"
        )


LEDGER: list[Claim] = []


def topic(name: str) -> Callable:
    """The decorator that enters the claims of one topic into the ledger."""

    def claim(
        slug: str,
        source: Source,
        statement: str,
        verdict: Verdict,
        where: str = "",
        needs: tuple[str, ...] = (),
    ) -> Callable:
        def enter(proof: Callable[[], str]) -> Callable[[], str]:
            # Statements of several texts share one proof, which runs once.
            proof = proof if hasattr(proof, "cache_info") else cache(proof)
            LEDGER.append(Claim(slug, source, name, statement, verdict, where, needs, proof))
            return proof

        return enter

    return claim


@cache
def locked_packages() -> frozenset[str]:
    """Every package of every environment of the course."""
    locks = [*ROOT.glob("*.lock"), ROOT / "autograder" / "requirements.lock"]
    lines = [line for lock in locks for line in lock.read_text(encoding="utf-8").splitlines()]
    return frozenset(
        canonicalize_name(re.split(r"[=;\s]", line)[0])
        for line in lines
        if line and not line.startswith("#")
    )


def installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(IMPORTED_AS.get(package, package)) is not None
    except ModuleNotFoundError:
        return False


def not_ours(*packages: str) -> None:
    """Raises Disproved when an environment of the course holds one of the packages: then the
    statement can be tested.
    """
    held = locked_packages().intersection(map(canonicalize_name, packages))
    holds(not held, f"a lock holds {', '.join(sorted(held))}: write the test")
