"""What a check tells a student: a `Finding` on one case, and the `Misconception` that most often
stands behind it.

A misconception is a function. Its name is its id, its docstring the sentence that the student
reads:

    @misconception(f"{PAGE}#masks")
    def mask_forgotten(view, name):
        \"\"\"A Dropout has a second output, the mask. Where something uses it, nodes that make an
        all-True tensor must write it.
        \"\"\"
        return name in view.before.masks

The body recognises it: it says whether an answer shows the mistake. `explained` asks several, one
after the other: those of a `Causes`. One that the rung itself recognises is only its sentence, in a
class:

    MASKS = Section(f"{PAGE}#masks")

    class Mistakes:
        mask_forgotten = MASKS.mistake("A Dropout has a second output, the mask.")
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, replace
from types import ModuleType


@dataclass(frozen=True)
class Misconception:
    """A mistake that students make: its id, the sentence that explains it, the section to read
    again, and how it is recognised.
    """

    id: str | None
    sentence: str
    read: str
    shows: Callable[..., object] | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        """One that a class holds, and that has no id yet, has the name that it has there first."""
        if self.id is None:
            object.__setattr__(self, "id", _words(name))

    def is_shown_by(self, *seen: object) -> object:
        """Whether what was seen shows the mistake: true or false, or a text that says better what
        is found. One that is only a sentence needs nothing to show it.
        """
        return True if self.shows is None else self.shows(*seen)

    def told(self, **words: object) -> Misconception:
        """The same with words in the places that its sentence leaves open: `{kind}`."""
        return replace(self, sentence=self.sentence.format(**words))


class Section(str):
    """The section that treats a mistake, as in `day-50/05-graph-surgery#masks`. It makes
    misconceptions of sentences, for the rungs that recognise them.
    """

    def mistake(self, sentence: str) -> Misconception:
        """One whose id is the name that a class gives it."""
        return Misconception(None, _folded(sentence), self)

    def cause(self, sentence: str) -> Misconception:
        """As `cause` below: without an id."""
        return Misconception("", _folded(sentence), self)


def misconception(read: str) -> Callable[[Callable[..., object]], Misconception]:
    """Make a misconception of a function. `read` is the section that treats it, as in
    `day-50/05-graph-surgery#masks`.
    """

    def declare(function: Callable[..., object]) -> Misconception:
        sentence = _folded(inspect.getdoc(function) or "")
        if not sentence:
            raise ValueError(
                f"the misconception {function.__name__} has no docstring: students read that"
            )
        return Misconception(_words(function.__name__), sentence, read, function)

    return declare


def cause(read: str) -> Callable[[Callable[..., object]], Misconception]:
    """As `misconception`, without an id: for a mistake that no stored answer shows, so that nobody
    counts it.
    """
    return lambda function: replace(misconception(read)(function), id="")


class Causes(list[Misconception]):
    """The mistakes that may stand behind one finding, in the order in which they are asked. Each is
    declared on it:

        UNWRITTEN = Causes()

        @UNWRITTEN.misconception(f"{PAGE}#masks")
        def mask_forgotten(view, name): ...
    """

    def misconception(self, read: str) -> Callable[[Callable[..., object]], Misconception]:
        """As `misconception` above, and asked after those that are here."""
        return lambda function: self.asked(misconception(read)(function))

    def cause(self, read: str) -> Callable[[Callable[..., object]], Misconception]:
        """As `cause` above, and asked after those that are here."""
        return lambda function: self.asked(cause(read)(function))

    def asked(self, one: Misconception) -> Misconception:
        """The same misconception, asked after those that are here."""
        self.append(one)
        return one


def _words(name: str) -> str:
    return name.strip("_").replace("_", "-")


def _folded(sentence: str) -> str:
    return " ".join(sentence.split())


# Why a rung broke: a misconception that is known, or a sentence.
Cause = str | Misconception


def also(cause: Cause, text: str) -> Cause:
    """The same cause, with more to say behind its sentence."""
    if isinstance(cause, Misconception):
        return replace(cause, sentence=_longer(cause.sentence, text))
    return _longer(cause, text)


def _longer(sentence: str, text: str) -> str:
    if not sentence:
        return text
    return f"{sentence}{'' if sentence.endswith(('.', '!', '?')) else '.'} {text}"


@dataclass(frozen=True)
class Finding:
    """Why a rung broke, in the words that the student reads. A misconception as `cause` brings its
    sentence, its section and its id.
    """

    expected: str
    found: str
    cause: Cause
    read: str = ""
    _: KW_ONLY
    misconception: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.cause, Misconception):
            known = {
                "cause": self.cause.sentence,
                "read": self.read or self.cause.read,
                "misconception": self.cause.id,
            }
            for name, value in known.items():
                object.__setattr__(self, name, value)

    @property
    def sentence(self) -> str:
        """The cause in the words that the student reads."""
        return self.cause if isinstance(self.cause, str) else self.cause.sentence


def explained(expected: str, found: str, causes: Iterable[Cause], *seen: object) -> Finding:
    """A finding with the first misconception that `seen` shows. One that is only a sentence needs
    nothing to show it, and stands at the end of `causes`.

    A misconception that answers with a text says better what is found.
    """
    for one in causes:
        shown = isinstance(one, str) or one.is_shown_by(*seen)
        if shown:
            return Finding(expected, shown if isinstance(shown, str) else found, one)
    raise LookupError(f"nothing explains: {found}")


def declared(module: ModuleType) -> list[Misconception]:
    """The misconceptions with an id: in a module's classes, and as functions of its folder."""
    folder, _, _ = module.__name__.rpartition(".")
    own = [one for one in vars(module).values() if _home(one).startswith(f"{folder}.")]
    held = [vars(one).values() if isinstance(one, type) else [one] for one in own]
    return [one for each in held for one in each if isinstance(one, Misconception) and one.id]


def _home(one: object) -> str:
    """The module that something was defined in."""
    named = one.shows if isinstance(one, Misconception) else one
    return str(getattr(named, "__module__", ""))
