"""The exercise `control_flow`."""

from autograder.exercises.control_flow.ask import EXERCISE

__all__ = ["EXERCISE"]
