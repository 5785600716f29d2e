"""The exercise `capstone`."""

from autograder.exercises.capstone.ask import EXERCISE

__all__ = ["EXERCISE"]
