"""The exercise `gemm`."""

from autograder.exercises.gemm.exercise import EXERCISE

__all__ = ["EXERCISE"]
