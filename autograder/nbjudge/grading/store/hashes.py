"""Short hashes of the things that results depend on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from nbjudge import wire
from nbjudge.contract import Case


def digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def of_blob(data: wire.Blob) -> str:
    total = hashlib.sha256()
    for part in wire.parts_of(data):
        total.update(part)
    return total.hexdigest()[:20]


def of_case(case: Case) -> str:
    files = [
        f"{name} {hashlib.sha256(data).hexdigest()}" for name, data in sorted(case.files.items())
    ]
    return digest(
        [
            case.name,
            str(case.public),
            str(case.seed),
            json.dumps(dict(case.parameters), sort_keys=True),
            *files,
        ]
    )
