"""The exercise `optimizers`."""

from autograder.exercises.optimizers.ask import EXERCISE

__all__ = ["EXERCISE"]
