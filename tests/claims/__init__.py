"""The claims ledger: every checkable statement of the source texts, with a proof that runs on what
is installed.

`ledger()` holds the entries; `python -m tests.claims` runs them and writes the page that readers
see, `site/claims.md`.
"""

from __future__ import annotations

from importlib import import_module

from .ledger import LEDGER, Claim

TOPICS = (
    "ecosystem",
    "landscape",
    "zoo",
    "portability",
    "protobuf",
    "opsets",
    "shapes",
    "export",
    "folding",
    "exporters",
    "control_flow",
    "validation",
    "inspection",
    "surgery",
    "optimizers",
    "runtime",
    "latency",
    "precision",
    "safetensors",
)


def ledger() -> list[Claim]:
    """Every claim, in the order of the page: by source, then by topic as listed, then as written."""
    for name in TOPICS:
        import_module(f".{name}", __package__)
    order = {name: place for place, name in enumerate(TOPICS)}
    return sorted(LEDGER, key=lambda claim: (claim.source.key, order[claim.module]))
