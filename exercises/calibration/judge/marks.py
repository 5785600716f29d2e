"""What `calibration` gives points for, and its rungs in their order."""

from __future__ import annotations

import numpy as np

from formatlab_exercises.calibration.judge import misconceptions, rungs
from formatlab_exercises.shared.judge import arrays
from nbjudge.contract import Answer, Case, ItemSpec, Judge, RungSpec, gate
from nbjudge.rungs.outcome import known


class CalibrationJudge(Judge):
    # The percentile is worth a quarter of the points, the entropy three. Which mistakes of the
    # entropy show in which histogram is fixed (`cases.SHOWN`), so that each costs the same for every
    # seed.
    points = 2.0
    items = (
        ItemSpec(
            name="percentile",
            title="the percentile of usual histograms",
            points=0.2,
            cases=("percentile-tail*", "percentile-outliers*"),
        ),
        ItemSpec(
            name="percentile-gaps",
            title="a percentile with empty bins, or in the first bin",
            points=0.1,
            cases=("percentile-gaps*", "percentile-mostly-zero"),
        ),
        ItemSpec(
            name="percentile-exact",
            title="a share that a cut keeps exactly",
            points=0.1,
            cases=("percentile-three-quarters*",),
        ),
        ItemSpec(
            name="percentile-ranks",
            title="a share that is no whole number of magnitudes",
            points=0.1,
            cases=("percentile-between-ranks*",),
        ),
        # Here groups that are mixed up and nothing cut end at two cuts, and so have two names.
        ItemSpec(
            name="entropy-outliers",
            title="the entropy with a few values far beyond all others",
            points=0.2,
            cases=("entropy-outliers*",),
        ),
        ItemSpec(
            name="entropy",
            title="the entropy of a long tail",
            points=0.3,
            cases=("entropy-tail*",),
        ),
        ItemSpec(
            name="entropy-gaps",
            title="bins in which nothing lies",
            points=0.2,
            cases=("entropy-gaps*", "entropy-mostly-zero"),
        ),
        ItemSpec(
            name="entropy-infinite",
            title="cuts whose KL is infinite",
            points=0.2,
            cases=("entropy-far-off*", "entropy-crowded"),
            controls=("entropy-outliers-new",),  # there to keep all is wrong
        ),
        ItemSpec(
            name="entropy-beyond",
            title="what lies beyond the cut, added to the last bin of p",
            points=0.3,
            cases=("entropy-last-full*", "entropy-both-full", "entropy-one-beyond*"),
        ),
        ItemSpec(
            name="entropy-equal",
            title="the lowest of equal cuts, the first one too",
            points=0.2,
            cases=("entropy-equal-cuts*", "entropy-first-cut*"),
            # Their cuts are the same for every seed, and so those of the public ones.
            controls=("entropy-outliers-new",),
        ),
        ItemSpec(
            name="argument",
            title="the histogram left as it was",
            points=0.1,
            cases=("percentile-tail*", "entropy-outliers*"),
            needs=("structure", "numerics", "contract"),
        ),
    )
    rungs = (
        gate("exists", rungs.exists),
        gate("type", rungs.is_number, title="returns a number"),
        RungSpec(
            "structure",
            rungs.cuts_rightly(
                "percentile_cut",
                (*misconceptions.PERCENTILE, *misconceptions.IN_ONE_KIND),
            ),
            title="cuts at the percentile",
            function="percentile_cut",
        ),
        RungSpec(
            "numerics",
            rungs.cuts_rightly("entropy_cut", misconceptions.ENTROPY),
            title="cuts where the entropy is lowest",
            function="entropy_cut",
        ),
        RungSpec(
            "contract",
            rungs.keeps_the_histogram,
            title="leaves the histogram as it was",
            is_property=True,
        ),
    )

    def function_of(self, case: Case) -> str:
        return str(case.parameters["function"])

    def digest(self, case: Case, answer: Answer) -> dict[str, np.ndarray]:
        return {"cut": known(arrays.read(answer))["cut"].astype(np.float64)}


JUDGE = CalibrationJudge()
