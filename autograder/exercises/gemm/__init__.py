"""The exercise `gemm`."""

from autograder.exercises.gemm.ask import EXERCISE

__all__ = ["EXERCISE"]
