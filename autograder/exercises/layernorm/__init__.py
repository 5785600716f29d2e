"""The exercise `layernorm`."""

from autograder.exercises.layernorm.exercise import EXERCISE

__all__ = ["EXERCISE"]
