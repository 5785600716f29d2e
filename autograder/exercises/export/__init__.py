"""The exercise `export`."""

from autograder.exercises.export.ask import EXERCISE

__all__ = ["EXERCISE"]
