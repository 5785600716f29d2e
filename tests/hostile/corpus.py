"""The whole corpus, and the seeded part of it that every run of the suite grades."""

from __future__ import annotations

import os
import random

from tests.hostile import (
    artefacts,
    damage,
    exhaust,
    injection,
    kernel,
    malformed,
    metadata,
    process,
    shell,
    steal,
    values,
)
from tests.hostile.attack import Attack

THEMES = {
    module.__name__.rpartition(".")[2]: module.ATTACKS
    for module in (
        *(metadata, kernel, shell, values, steal),
        *(process, damage, exhaust, malformed, injection, artefacts),
    )
}
ALL: list[Attack] = [attack for attacks in THEMES.values() for attack in attacks]
EACH = 1


def sample() -> list[Attack]:
    """`EACH` of every theme that do not wait for a budget. HOSTILE_SEED=7 chooses others."""
    draw = random.Random(int(os.environ.get("HOSTILE_SEED", "0")))
    return [
        attack
        for attacks in THEMES.values()
        for attack in draw.sample([one for one in attacks if not one.costly], EACH)
    ]
