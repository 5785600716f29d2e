"""The exercise `fp16`."""

from autograder.exercises.fp16.ask import EXERCISE

__all__ = ["EXERCISE"]
