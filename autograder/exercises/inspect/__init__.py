"""The exercise `inspect`."""

from autograder.exercises.inspect.ask import EXERCISE

__all__ = ["EXERCISE"]
