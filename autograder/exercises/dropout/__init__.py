"""The exercise `dropout`."""

from autograder.exercises.dropout.exercise import EXERCISE

__all__ = ["EXERCISE"]
