"""The exercise `diagnose`."""

from autograder.exercises.diagnose.exercise import EXERCISE

__all__ = ["EXERCISE"]
