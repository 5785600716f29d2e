"""The exercise `capstone`."""

from autograder.exercises.capstone.exercise import EXERCISE

__all__ = ["EXERCISE"]
