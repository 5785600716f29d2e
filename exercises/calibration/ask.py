"""`calibration`: where to cut a histogram of magnitudes, by a percentile and by Kullback and
Leibler.

A histogram has bins of one width; bin i counts the magnitudes from i * width to (i + 1) * width. A
cut lies at the upper edge of a bin.

1. `percentile_cut`: the lowest cut below which at least the share `keep` of all magnitudes lies.
2. `entropy_cut`: for each number of bins n = levels, 2 levels, 3 levels, ... the first n bins are
   kept.
   p are their counts, and what lies beyond is added to the last of them.
   q are their counts without what lies beyond, in `levels` groups of n / levels bins: each group's
   sum is spread evenly over those of its bins where p is not 0; elsewhere q is 0.
   Both are divided by their sums. The cut is the lowest one with the smallest sum of p * log(p / q)
   over the bins where p is not 0, which is infinite where q is 0 there.
"""

from __future__ import annotations

from pathlib import Path

from formatlab_exercises.shared.arrays import (
    ANSWER,
    CHANGED,
    GIVEN,
    number_of,
    packed,
    unpacked,
    untouched,
)
from nbjudge.contract import Case, Exercise, Functions

SIGNATURES = {
    "percentile_cut": "percentile_cut(counts, width, keep) -> float",
    "entropy_cut": "entropy_cut(counts, width, levels) -> float",
}
EXPECTED = "a number"


class Calibration(Exercise):
    functions = SIGNATURES
    minutes = 40
    needs = ("function", "width", "third")

    def call(self, functions: Functions, case: Case, scratch: Path) -> dict[str, bytes]:
        """The cut, and whether the histogram was changed."""
        before, given = unpacked(case.files[GIVEN]), unpacked(case.files[GIVEN])
        function = functions[case.parameters["function"]]
        cut = number_of(
            function(given["counts"], case.parameters["width"], case.parameters["third"]), EXPECTED
        )
        return {ANSWER: packed({"cut": cut, CHANGED: untouched(before, given)})}


EXERCISE = Calibration()
