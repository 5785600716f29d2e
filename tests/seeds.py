"""How many seeds a property is tried on: the first few in every run, all the others among the slow
tests (`make test-all`).
"""

import pytest


def seeds(many: int, few: int = 2, first: int = 0) -> pytest.MarkDecorator:
    """The parameter `seeds`, twice: the first `few` of `many`, and the rest."""
    slow = pytest.param(range(first + few, first + many), id="the-rest", marks=pytest.mark.slow)
    return pytest.mark.parametrize(
        "seeds", [pytest.param(range(first, first + few), id="a-few"), slow]
    )


def each_seed(many: int, few: int = 2) -> pytest.MarkDecorator:
    """The parameter `seed`: one test for each."""
    return pytest.mark.parametrize(
        "seed",
        [pytest.param(seed, marks=[pytest.mark.slow] * (seed >= few)) for seed in range(many)],
    )
