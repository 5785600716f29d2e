"""How often a search finds the section that answers a question, with an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z = 1.959964  # 95 % of a normal distribution


def recall(ranks: Sequence[int], most: int) -> dict[str, float]:
    """The share of questions whose best right section is among the first `most`, with Wilson's
    interval for it. Ranks count from 0.
    """
    found, count = sum(rank < most for rank in ranks), len(ranks)
    low, high = wilson(found, count)
    return {"found": found, "of": count, "share": found / count, "low": low, "high": high}


def wilson(found: int, count: int) -> tuple[float, float]:
    """The interval of 95 % for a share."""
    share, z2 = found / count, Z * Z
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = Z / (1 + z2 / count) * math.sqrt(share * (1 - share) / count + z2 / (4 * count * count))
    return max(0.0, middle - half), min(1.0, middle + half)
