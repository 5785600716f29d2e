"""How `diagnose` is judged. The box in which student code runs does not mount this folder."""

from autograder.exercises.diagnose.judge.marks import JUDGE

__all__ = ["JUDGE"]
