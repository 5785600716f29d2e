"""The exercise `layernorm`."""

from autograder.exercises.layernorm.ask import EXERCISE

__all__ = ["EXERCISE"]
