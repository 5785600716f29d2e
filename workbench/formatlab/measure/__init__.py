"""Honest timing: variants in turn, medians with intervals, and a card that says which machine it
was.
"""

from formatlab.measure.card import Card, device_card
from formatlab.measure.estimators import Interval, median_interval, warm_up
from formatlab.measure.files import NotResults
from formatlab.measure.measurements import Ratio
from formatlab.measure.results import Results, recorded
from formatlab.measure.rounds import compare, interleaved
from formatlab.measure.saturation import saturates
from formatlab.measure.tables import beside
from formatlab.measure.variant import Variant

__all__ = [
    "Card",
    "Interval",
    "NotResults",
    "Ratio",
    "Results",
    "Variant",
    "beside",
    "compare",
    "device_card",
    "interleaved",
    "median_interval",
    "recorded",
    "saturates",
    "warm_up",
]
