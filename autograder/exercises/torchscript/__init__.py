"""The exercise `torchscript`."""

from autograder.exercises.torchscript.ask import EXERCISE

__all__ = ["EXERCISE"]
