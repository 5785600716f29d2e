"""How `benchmark` is judged. The box in which student code runs does not mount this folder."""

from autograder.exercises.benchmark.judge.marks import JUDGE

__all__ = ["JUDGE"]
