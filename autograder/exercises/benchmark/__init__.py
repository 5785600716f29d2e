"""The exercise `benchmark`."""

from autograder.exercises.benchmark.ask import EXERCISE

__all__ = ["EXERCISE"]
