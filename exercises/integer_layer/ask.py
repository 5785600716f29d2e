"""`integer_layer`: a linear layer in integers, from codes to codes, equal to QLinearMatMul bit for
bit.

1. The sum of (x - x_zero) * (w - w_zero) is exact: no product and no sum wraps or saturates.
2. The bias joins the sum as whole steps of size x_scale * w_scale.
3. The sum is multiplied by x_scale * w_scale / y_scale in float32, rounded with ties to even, moved
   by y_zero, and clipped to its type.
4. w_scale and w_zero hold one number for each column of w.
"""

from __future__ import annotations

from pathlib import Path

from formatlab_exercises.shared.arrays import (
    ANSWER,
    CHANGED,
    GIVEN,
    array_of,
    packed,
    unpacked,
    untouched,
)
from nbjudge.contract import Case, Exercise, Functions, by_name

SIGNATURE = (
    "integer_linear(x, x_scale, x_zero, w, w_scale, w_zero, bias, y_scale, y_zero) -> numpy.ndarray"
)
EXPECTED = "an array of codes"
ARGUMENTS = ("x", "x_scale", "x_zero", "w", "w_scale", "w_zero", "bias", "y_scale", "y_zero")


class IntegerLayer(Exercise):
    functions = by_name(SIGNATURE)
    minutes = 25
    needs = ()

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """The codes, and whether an argument was changed. Scales and zero points without dimensions
        arrive as NumPy's numbers.
        """
        before, given = unpacked(case.files[GIVEN]), unpacked(case.files[GIVEN])
        codes = functions["integer_linear"](
            *(given[name] if given[name].ndim else given[name][()] for name in ARGUMENTS)
        )
        return {
            ANSWER: packed({"codes": array_of(codes, EXPECTED), CHANGED: untouched(before, given)})
        }


EXERCISE = IntegerLayer()
