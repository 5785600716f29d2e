"""The exercise `int8_static`."""

from autograder.exercises.int8_static.ask import EXERCISE

__all__ = ["EXERCISE"]
