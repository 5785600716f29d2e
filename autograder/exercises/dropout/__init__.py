"""The exercise `dropout`."""

from autograder.exercises.dropout.ask import EXERCISE

__all__ = ["EXERCISE"]
