"""The rungs of `integer_layer`: the type of the codes, and each code."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.integer_layer.judge import misconceptions
from formatlab_exercises.integer_layer.judge.misconceptions import LAYER, Mistakes
from formatlab_exercises.shared.judge import arrays
from nbjudge.contract import View
from nbjudge.findings import Finding, explained
from nbjudge.rungs.outcome import known

BY_HAND = LAYER.cause("""Follow one code by hand: the sum of the products, the bias in steps, the
    multiplier, the rounding, the zero point, the limits.""")


def has_the_type(view: View) -> Finding | None:
    """Codes of y_zero's type, one for each row and column."""
    found = known(arrays.read(view.answer))["codes"]
    right = view.reference["codes"]
    kind = arrays.given(view)["y_zero"].dtype
    expected = f"an array of {kind}, one code for each row of x and column of w"
    if found.shape == right.shape and found.dtype != kind:
        cause = Mistakes.always_unsigned if found.dtype == np.uint8 else Mistakes.not_codes
        return Finding(expected, f"an array of {found.dtype}", cause)
    if found.shape != right.shape:
        return Finding(
            expected, arrays.kind_of(found), "Rows of x meet columns of w: x @ w.", LAYER
        )
    return None


def leaves_the_arguments(view: View) -> Finding | None:
    """The arrays that were passed in are as they were before the call."""
    return arrays.changed(view, Mistakes.in_place)


def has_the_codes(view: View) -> Finding | None:
    """Every code is the reference's."""
    found, right = known(arrays.read(view.answer))["codes"], view.reference["codes"]
    if found.shape == right.shape and np.array_equal(found, right):
        return None
    same_shape = found.shape == right.shape
    seen = arrays.first_wrong(found, right) if view.case.public and same_shape else "other codes"
    causes = [*misconceptions.SEEN, BY_HAND] if same_shape else [BY_HAND]
    return explained(
        "the codes of QLinearMatMul with a bias, bit for bit",
        seen,
        causes,
        found,
        arrays.given(view),
    )
