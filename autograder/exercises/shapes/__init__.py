"""The exercise `shapes`."""

from autograder.exercises.shapes.exercise import EXERCISE

__all__ = ["EXERCISE"]
