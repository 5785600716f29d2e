"""The exercise `torchscript`."""

from autograder.exercises.torchscript.exercise import EXERCISE

__all__ = ["EXERCISE"]
