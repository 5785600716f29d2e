"""How `int8_static` is judged. The box in which student code runs does not mount this folder."""

from autograder.exercises.int8_static.judge.marks import JUDGE

__all__ = ["JUDGE"]
