"""The exercise `export`."""

from autograder.exercises.export.exercise import EXERCISE

__all__ = ["EXERCISE"]
