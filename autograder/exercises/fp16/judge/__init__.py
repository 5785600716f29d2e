"""How `fp16` is judged. The box in which student code runs does not mount this folder."""

from autograder.exercises.fp16.judge.marks import JUDGE

__all__ = ["JUDGE"]
