"""What a comparison found of one variant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Variant:
    """What was measured of one variant.

    `seconds`: for each round that counts, the mean seconds of a call in it. `single`: the seconds
    of each single call of these rounds, in order; where a call is too short for the clock, one
    value is the mean of `batch` calls. Files of the first schema have no `single`. `calls`: how
    many calls a round has. `first_seconds`: the very first call. `items`: how many items (images,
    sentences) a call handles. `cores`: seconds of processor time by seconds of the clock. `notes`:
    what else is known, such as the provider or the SQNR.
    """

    name: str
    seconds: tuple[float, ...]
    first_seconds: float = 0.0
    calls: int = 1
    items: int = 1
    notes: dict[str, str] = field(default_factory=dict)
    single: tuple[float, ...] = ()
    batch: int = 1
    cores: float | None = None

    @property
    def on_the_cpu(self) -> bool:
        """Whether the processor does the work, so that its time says how much of it was had. A
        program that waits for a device may sleep meanwhile, or keep a core busy with asking.
        """
        return self.notes.get("provider", "CPU").startswith("CPU")

    @property
    def latencies(self) -> tuple[float, ...]:
        """The values that quantiles are of: single calls where there are any."""
        return self.single or self.seconds

    @property
    def mean_of(self) -> int:
        """How many calls one of the latencies is the mean of."""
        return self.batch if self.single else self.calls

    @property
    def median(self) -> float:
        """Seconds: p50 of the latencies."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """Seconds that this share of the latencies did not exceed: 0.9 for p90."""
        return float(np.quantile(self.latencies, share))

    @property
    def throughput(self) -> float:
        """Items per second of calls that follow one another: all items by all seconds, stalls
        included.
        """
        return self.items / float(np.mean(self.seconds))  # every round has the same number of calls

    @classmethod
    def from_json(cls, data: Mapping) -> Variant:
        return cls(
            **{**data, "seconds": tuple(data["seconds"]), "single": tuple(data.get("single", ()))}
        )
