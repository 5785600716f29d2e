"""Honest timing: variants in turn, medians, and a card that says which machine it was."""

from autograder.measure.card import device_card
from autograder.measure.rounds import interleaved

__all__ = ["device_card", "interleaved"]
