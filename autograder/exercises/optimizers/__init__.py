"""The exercise `optimizers`."""

from autograder.exercises.optimizers.exercise import EXERCISE

__all__ = ["EXERCISE"]
