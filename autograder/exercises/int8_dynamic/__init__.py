"""The exercise `int8_dynamic`."""

from autograder.exercises.int8_dynamic.ask import EXERCISE

__all__ = ["EXERCISE"]
