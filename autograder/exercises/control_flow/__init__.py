"""The exercise `control_flow`."""

from autograder.exercises.control_flow.exercise import EXERCISE

__all__ = ["EXERCISE"]
