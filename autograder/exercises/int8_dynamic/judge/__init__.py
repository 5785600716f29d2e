"""How `int8_dynamic` is judged. The box in which student code runs does not mount this folder."""

from autograder.exercises.int8_dynamic.judge.marks import JUDGE

__all__ = ["JUDGE"]
