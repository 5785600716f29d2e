"""Honest timing: variants in turn, medians with intervals, and a card that says which machine it was."""

from autograder.measure.card import Card, device_card
from autograder.measure.estimators import Interval, median_interval, warm_up
from autograder.measure.results import NotResults, Ratio, Results, Variant, recorded
from autograder.measure.rounds import compare, interleaved
from autograder.measure.saturation import saturates
from autograder.measure.tables import beside

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
