"""Cases of one difficulty each, by their names."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, TypeVar

from nbjudge.contract import Case, case_seed

Kind = TypeVar("Kind")
# Makes a case from its name, its kind, a seed, and whether it is public.
Make = Callable[[str, Kind, int, bool], Case]


class Makers(NamedTuple):
    """What makes the cases of an exercise: its `public_cases` and its `cases`, from a seed."""

    public: Callable[[], list[Case]]
    hidden: Callable[[int], list[Case]]


def of(
    make: Make[Kind], exercise: str, public: Mapping[str, Kind], hidden: Mapping[str, Kind]
) -> Makers:
    """Cases with the names of their kinds."""

    def public_cases() -> list[Case]:
        return [make(name, kind, 0, True) for name, kind in public.items()]

    def cases(seed: int) -> list[Case]:
        return [
            make(name, kind, case_seed(seed, exercise, name), False)
            for name, kind in hidden.items()
        ]

    return Makers(public_cases, cases)


def all_hidden(
    make: Make[str],
    exercise: str,
    kinds: Collection[str],
    public: Collection[str],
    public_only: Collection[str] = (),
) -> Makers:
    """Some kinds are public, and every kind is hidden that is not `public_only`: where a public case
    has the kind's name, the hidden one is called `<kind>-new`.
    """

    def public_cases() -> list[Case]:
        return [make(kind, kind, 0, True) for kind in public]

    def cases(seed: int) -> list[Case]:
        return [
            make(
                f"{kind}-new" * (kind in public) or kind,
                kind,
                case_seed(seed, exercise, kind),
                False,
            )
            for kind in kinds
            if kind not in public_only
        ]

    return Makers(public_cases, cases)
