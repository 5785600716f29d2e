"""What a check tells a student: a `Finding` on one case, and the `Misconception` that most often
stands behind it.

A misconception is a function. Its name is its id, its docstring the sentence that the student
reads:

    @misconception(f"{PAGE}#masks")
    def mask_forgotten(view, name):
        \"\"\"A Dropout has a second output, the mask. Where something uses it, nodes that make an
        all-True tensor must write it.\"\"\" return name in view.before.masks

The body recognises it: it says whether an answer shows the mistake. One that only has a docstring
is recognised by the rung that names it. `explained` asks several, one after the other.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Misconception:
    """A mistake that students make: its id, the sentence that explains it, the section to read
    again, and how it is recognised.
    """

    id: str
    sentence: str
    read: str
    shows: Callable[..., object]

    def told(self, **words: object) -> Misconception:
        """The same with words in the places that its sentence leaves open: `{kind}`."""
        return replace(self, sentence=self.sentence.format(**words))


def misconception(read: str) -> Callable[[Callable[..., object]], Misconception]:
    """Make a misconception of a function. `read` is the section that treats it, as in
    `day-50/05-graph-surgery#masks`.
    """

    def declare(function: Callable[..., object]) -> Misconception:
        sentence = " ".join(inspect.getdoc(function).split())
        return Misconception(
            function.__name__.strip("_").replace("_", "-"), sentence, read, function
        )

    return declare


def cause(read: str) -> Callable[[Callable[..., object]], Misconception]:
    """As `misconception`, without an id: for a mistake that no stored answer shows, so that nobody
    counts it.
    """
    return lambda function: replace(misconception(read)(function), id="")


def also(cause: str | Misconception, text: str) -> str | Misconception:
    """The same cause, with more to say behind its sentence."""
    return (
        replace(cause, sentence=f"{cause.sentence} {text}")
        if isinstance(cause, Misconception)
        else f"{cause} {text}"
    )


@dataclass(frozen=True)
class Finding:
    """Why a rung broke, in the words that the student reads. A misconception as `cause` brings its
    sentence, its section and its id.
    """

    expected: str
    found: str
    cause: str | Misconception
    read: str = ""
    misconception: str = ""

    def __post_init__(self):
        if isinstance(self.cause, Misconception):
            known = {
                "cause": self.cause.sentence,
                "read": self.read or self.cause.read,
                "misconception": self.cause.id,
            }
            for name, value in known.items():
                object.__setattr__(self, name, value)


def explained(
    expected: str, found: str, causes: Iterable[Misconception | str], *seen: object
) -> Finding:
    """A finding with the first misconception that `seen` shows, or with the sentence that stands at
    the end of `causes`.

    A misconception that answers with a text says better what is found.
    """
    for one in causes:
        shown = isinstance(one, str) or one.shows(*seen)
        if shown:
            return Finding(expected, shown if isinstance(shown, str) else found, one)
    raise LookupError(f"nothing explains: {found}")
