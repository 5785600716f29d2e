"""The rungs of `calibration`: is there a cut, and is it the right one, for each function by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from formatlab_exercises.calibration.ask import EXPECTED, SIGNATURES
from formatlab_exercises.calibration.judge.misconceptions import CALIBRATE, Mistakes
from formatlab_exercises.shared.judge import arrays
from nbjudge.contract import Inspect, View
from nbjudge.findings import Finding, Misconception, explained
from nbjudge.rungs import outcome
from nbjudge.rungs.outcome import known

# A cut is a whole number of bins. Who adds up edges instead of multiplying is off by rounding
# alone.
OF_A_BIN = 1e-3
BY_HAND = {
    "percentile_cut": CALIBRATE.cause("""Add the counts up from the left, and stop at the first bin
        that reaches the share. The cut is where this bin ends."""),
    "entropy_cut": CALIBRATE.cause("""Print n and the distance for the first few cuts of a small
        histogram, and compute one of them by hand."""),
}


exists = outcome.exists_of(lambda case: (SIGNATURES[case.parameters["function"]], CALIBRATE))
is_number = arrays.returns(EXPECTED, CALIBRATE, ("cut",))


def keeps_the_histogram(view: View) -> Finding | None:
    is_entropy = view.case.parameters["function"] == "entropy_cut"
    return arrays.changed(view, Mistakes.in_place if is_entropy else Mistakes.sums_in_place)


def cuts_rightly(function: str, mistakes: Sequence[Misconception]) -> Inspect:
    """The cut of that function is the reference's."""

    def is_right(view: View) -> Finding | None:
        parameters = view.case.parameters
        width, wanted = parameters["width"], float(view.reference["cut"])
        found = arrays.number(known(arrays.read(view.answer))["cut"])
        if abs(found - wanted) <= OF_A_BIN * width:
            return None
        expected, seen = "the cut that the rule gives", "another cut"
        if view.case.public:
            expected = f"a cut at {wanted:.6g}, behind {wanted / width:.0f} bins"
            seen = f"{found:.6g}, which is {found / width:.6g} bins"
        if found == round(wanted / width):
            return Finding(expected, seen, Mistakes.no_width)
        if is_changed := keeps_the_histogram(view):
            return replace(is_changed, expected=expected, found=seen)
        counts = arrays.given(view)["counts"]
        bins = found / width
        at = round(bins) if np.isfinite(bins) and abs(bins - round(bins)) < OF_A_BIN else bins
        causes = [*mistakes, BY_HAND[function]]
        return explained(expected, seen, causes, at, counts, parameters["third"])

    return is_right
