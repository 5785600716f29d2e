"""The exercise `shapes`."""

from autograder.exercises.shapes.ask import EXERCISE

__all__ = ["EXERCISE"]
