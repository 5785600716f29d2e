"""The exercise `diagnose`."""

from autograder.exercises.diagnose.ask import EXERCISE

__all__ = ["EXERCISE"]
