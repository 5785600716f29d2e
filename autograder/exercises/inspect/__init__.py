"""The exercise `inspect`."""

from autograder.exercises.inspect.exercise import EXERCISE

__all__ = ["EXERCISE"]
