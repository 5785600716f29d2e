"""Write what `exercises/calibration/judge/stored.py` knows of the public cases and of the draws for
practice: `.venv/bin/python tools/calibration_cases.py`, after a change to how they are drawn.
"""

from __future__ import annotations

from pathlib import Path

from formatlab_exercises.calibration.judge import cases, computed, stored
from nbjudge import practice

DRAWS = 8
TARGET = Path(__file__).parents[1] / "exercises/calibration/judge/stored.py"


def lines() -> list[str]:
    """Return a line for each case, as `TABLE` has it."""
    drawn = cases.public_draws()
    for number in range(1, DRAWS + 1):
        drawn += cases.hidden_draws(practice.seed_of(number))
    return [line(draw) for draw in drawn]


def line(draw: cases.Draw) -> str:
    """Return the line of one case, computed."""
    place, (counts, _) = cases.fitting(draw)
    third, _ = cases.histograms(draw)
    order = stored.PERCENTILE if isinstance(third, float) else stored.ENTROPY
    ends = [",".join(map(str, computed.ends(name, counts, third))) for name in order]
    known = stored.digest(counts, third)
    return " ".join([draw.name, str(draw.seed), str(place), known, *ends])


def main() -> None:
    stored.TABLE = ""  # what is known may be of other mistakes
    text = TARGET.read_text()
    before, _, rest = text.partition('TABLE = """\n')
    _, _, behind = rest.partition('"""\n')
    TARGET.write_text(f'{before}TABLE = """\n' + "\n".join(lines()) + f'\n"""\n{behind}')


if __name__ == "__main__":
    main()
