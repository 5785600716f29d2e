"""The exercise `safetensors`."""

from autograder.exercises.safetensors.exercise import EXERCISE

__all__ = ["EXERCISE"]
