"""The exercise `safetensors`."""

from autograder.exercises.safetensors.ask import EXERCISE

__all__ = ["EXERCISE"]
