"""What products of 8 bits cost and lose on processors that the reader does not have, as recorded.

Each row tells on which processor and how it was measured; where nobody could measure, the row says
why there is nothing. Times are those of `MatMulInteger`, 512 by 256 by 256 on one thread, as
multiples of that of uint8 by int8; losses are of the digits CNN in static INT8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# The pairs of types in the order of the table.
TYPES = ("uint8 x uint8", "int8 x int8", "int8 x uint8")
HEADINGS = (
    "instructions",
    *(f"{types} ÷ uint8 x int8" for types in TYPES),
    "U8·S8, SQNR dB, native",
    "per channel, native",
    "recorded on",
)
EPYC = "onnxruntime 1.31.1; 2026-11-22; medians of 9 rounds"
XEON = "onnxruntime 1.31.1; 2026-11-27; the fastest of 180 calls, in three processes"


@dataclass(frozen=True, kw_only=True)
class Processor:
    """`instructions`: the ones that multiply 8 bits. `times`: by types, as multiples of the time of
    uint8 by int8. `sqnr` and `sqnr_per_channel`: dB of a session's logits against float32's, with
    one scale for each weight and with one for each channel. `where`: the machine and how it was
    measured, or why it was not.
    """

    instructions: str
    where: str
    times: Mapping[str, str] = field(default_factory=dict)
    sqnr: float | None = None
    sqnr_per_channel: float | None = None

    def row(self) -> list[str]:
        """The cells under HEADINGS; a dash is what was not recorded."""
        losses = ["-" if dB is None else f"{dB:.1f}" for dB in (self.sqnr, self.sqnr_per_channel)]
        times = [self.times.get(types, "-") for types in TYPES]
        return [self.instructions, *times, *losses, self.where]


RECORDED = (
    Processor(
        instructions="AVX2 alone",
        times={"uint8 x uint8": "1.3", "int8 x int8": "5.5", "int8 x uint8": "5.6"},
        sqnr=26.3,
        sqnr_per_channel=18.2,
        where=f"AMD EPYC, family/model 25/1; {EPYC}",
    ),
    Processor(
        instructions="AVX-512 VNNI",
        times={"uint8 x uint8": "3.7", "int8 x int8": "21", "int8 x uint8": "21"},
        sqnr=40.6,
        sqnr_per_channel=40.2,
        where=f"Intel Xeon, family/model 6/207, in a process that was refused its AMX; {XEON}",
    ),
    Processor(
        instructions="AMX",
        times={
            "uint8 x uint8": "6.9 to 7.3",
            "int8 x int8": "39 to 42",
            "int8 x uint8": "40 to 42",
        },
        sqnr=40.6,
        sqnr_per_channel=40.2,
        where=f"the same Xeon; {XEON}",
    ),
    Processor(
        instructions="AVX-512 without VNNI",
        where="not recorded, because no such machine was at hand",
    ),
    Processor(
        instructions="ARM",
        where="not recorded, because no such machine was at hand",
    ),
)
