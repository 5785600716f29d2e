"""How long a student's code may take. Generous by default: a mark never depends on the speed of a machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """Seconds for a cell, for one call of a student's function, for a notebook, and for one turn of a whole submission."""

    cell: float = 120
    case: float = 60
    notebook: float = 600
    submission: float = 900
