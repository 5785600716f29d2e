"""One module per exercise. `get` finds an exercise by its id; `of_assignment` lists an assignment's exercises in the order of the labs."""

from __future__ import annotations

from importlib import import_module

from autograder.exercises.base import Exercise

IDS = {
    "day-50": ("inspect", "diagnose", "shapes", "control_flow", "dropout", "layernorm", "gemm", "optimizers", "safetensors"),
    "lab-7-01": ("export", "benchmark", "torchscript", "fp16", "int8_dynamic", "int8_static", "capstone"),
}


class UnknownExercise(KeyError):
    """No exercise has that id. The text lists those that exist."""

    def __str__(self) -> str:
        known = ", ".join(name for names in IDS.values() for name in names)
        return f"there is no exercise {self.args[0]!r}; the exercises are: {known}"


def get(exercise_id: str) -> Exercise:
    """The exercise with that id. Raises UnknownExercise."""
    if not any(exercise_id in names for names in IDS.values()):
        raise UnknownExercise(exercise_id)
    return import_module(f"autograder.exercises.{exercise_id}").EXERCISE


def of_assignment(assignment: str) -> list[Exercise]:
    """The exercises of an assignment; none for one that the harness does not know (a plain nbgrader assignment)."""
    return [get(exercise_id) for exercise_id in IDS.get(assignment, ())]
