"""Cases of one difficulty each: a kind of case has a name, some kinds are public, and every kind is
hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from autograder.contract import Case, case_seed

# Makes a case from its name, its kind, a seed, and whether it is public.
Make = Callable[[str, str, int, bool], Case]


def public_cases(make: Make, public: Iterable[str]) -> list[Case]:
    return [make(kind, kind, 0, True) for kind in public]


def hidden_cases(
    make: Make, exercise: str, kinds: Iterable[str], public: Collection[str], seed: int
) -> list[Case]:
    """One case of each kind. Where a public case has the kind's name, it is called `<kind>-new`."""
    return [
        make(
            f"{kind}-new" if kind in public else kind, kind, case_seed(seed, exercise, kind), False
        )
        for kind in kinds
    ]
