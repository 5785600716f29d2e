"""`quantize`: eight-bit codes of a tensor, with the scale and the zero point that say what they
stand for.

1. The range goes from the smallest finite number to the largest, and holds 0.
2. Asymmetric: 255 steps from end to end, codes in uint8. Symmetric: 127 steps from 0 to the largest
   magnitude, codes in int8 from -127 on.
3. A code is the nearest number of steps, ties to even, plus the zero point, and stays within these
   limits: an infinite number has the code at its end.
4. Where no finite number differs from 0 the scale is 1.

Every tensor holds an infinite number, as attention scores do behind a mask: to what a library
quantizes in one call that is an infinite scale.
"""

from __future__ import annotations

from pathlib import Path

from formatlab_exercises.shared.arrays import (
    ANSWER,
    CHANGED,
    GIVEN,
    array_of,
    number_of,
    packed,
    unpacked,
    untouched,
)
from nbjudge.contract import Case, Exercise, Functions, WrongType, by_name

SIGNATURE = "quantize(x, symmetric) -> (codes, scale, zero_point)"
EXPECTED = "a tuple (codes, scale, zero_point)"


class Quantize(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 30
    needs = ("symmetric",)

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """The three results, and whether the tensor was changed."""
        before, x = unpacked(case.files[GIVEN]), unpacked(case.files[GIVEN])["x"]
        result = functions["quantize"](x, bool(case.parameters["symmetric"]))
        if not isinstance(result, tuple) or len(result) != 3:
            found = (
                f"a tuple of {len(result)}" if isinstance(result, tuple) else type(result).__name__
            )
            raise WrongType(EXPECTED, found)
        codes = array_of(result[0], EXPECTED)
        scale = number_of(result[1], "a scale")
        zero = number_of(result[2], "a zero point")
        return {
            ANSWER: packed(
                {
                    "codes": codes,
                    "scale": scale,
                    "zero_point": zero,
                    CHANGED: untouched(before, {"x": x}),
                }
            )
        }


EXERCISE = Quantize()
