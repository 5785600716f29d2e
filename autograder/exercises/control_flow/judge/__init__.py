"""How `control_flow` is judged. The box in which student code runs does not mount this folder."""

from autograder.exercises.control_flow.judge.marks import JUDGE

__all__ = ["JUDGE"]
