"""Honest timing: variants in turn, medians with intervals, and a card that says which machine it
was.
"""

from workbench.measure.card import Card, device_card
from workbench.measure.estimators import Interval, median_interval, warm_up
from workbench.measure.files import NotResults
from workbench.measure.results import Ratio, Results, recorded
from workbench.measure.rounds import compare, interleaved
from workbench.measure.saturation import saturates
from workbench.measure.tables import beside
from workbench.measure.variant import Variant

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
