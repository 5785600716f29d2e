"""How `shapes` is judged. The box in which student code runs does not mount this folder."""

from autograder.exercises.shapes.judge.marks import JUDGE

__all__ = ["JUDGE"]
