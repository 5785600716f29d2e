"""What an answer to `optimizers` counts, and what it should count on the processor where it was made."""

from __future__ import annotations

import json
from collections.abc import Mapping

from formatlab_exercises.optimizers.ask import LEVELS, REPORT
from nbjudge.contract import Answer, Reference
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

COUNTS = "counts"
BLOCKED = "com.microsoft.nchwc"
BY_PROCESSOR = ("layout", "all")


def report(answer: Answer) -> dict | None:
    """The report that `call` wrote; None when it is anything else (the runner box is not trusted)."""
    found = outcome.report(answer, REPORT, levels=dict, others=list, changed=bool, block=int)
    return found if found and all(_is_entry(entry) for entry in found["levels"].values()) else None


def counts(found: Mapping, level: str) -> dict[str, int] | None:
    """The counts of one level, the default domain without prefix and without operators that do not
    occur; None without any.
    """
    entry = found["levels"].get(level, {})
    if "counts" not in entry:
        return None
    normal: dict[str, int] = {}
    for name, count in entry["counts"].items():
        if count:
            key = name.removeprefix("ai.onnx::").removeprefix("::")
            normal[key] = normal.get(key, 0) + count
    return normal


def returned(answer: Answer) -> dict[str, dict[str, int]]:
    found = {level: counts(known(report(answer)), level) for level in LEVELS}
    return {level: have for level, have in found.items() if have is not None}


def expected(
    answer: Answer, reference: Reference, found: Mapping[str, dict[str, int]]
) -> dict[str, dict[str, int]]:
    """What each level leaves on the processor where the answer was made, given what was `found`
    there.
    """
    wanted, block = stored(reference), known(report(answer))["block"]
    here = {level: _here(found.get(level, {}), wanted["extended"], block) for level in BY_PROCESSOR}
    return here | wanted


def _here(found: dict[str, int], extended: dict[str, int], block: int) -> dict[str, int]:
    """What the layout level and the one above it may leave of a convolution network on a processor
    with that block size.

    Without a blocked layout that is what extended leaves. With one, `found` itself, if it has
    blocked convolutions and of ONNX's own operators no more than extended leaves.
    """
    blocked = any(name.startswith(f"{BLOCKED}::") for name in found)
    own = {name: count for name, count in found.items() if "::" not in name}
    fits = blocked and all(count <= extended.get(name, 0) for name, count in own.items())
    if block == 0:
        return extended
    if fits:
        return found
    convolutions = sum(count for name, count in extended.items() if name.endswith("Conv"))
    return {f"{BLOCKED}::Conv": convolutions}


def stored(reference: Reference) -> dict:
    return json.loads(reference[COUNTS].tobytes())


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    if "type" in entry:
        return isinstance(entry["type"], str)
    found = entry.get("counts")
    return (
        isinstance(found, dict)
        and isinstance(entry.get("plain"), bool)
        and all(type(count) is int for count in found.values())
    )
