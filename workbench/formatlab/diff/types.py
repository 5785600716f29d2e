"""Whether two declared types are the same but for the names of their dimensions."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping

from onnx import TensorProto

from formatlab.in_words import Declared as Declared
from formatlab.in_words import declared as declared
from formatlab.in_words import element_of


class Symbols:
    """Which dimension name of A is which of B. A name that is another one everywhere is only a name."""

    def __init__(self) -> None:
        self.forth: MutableMapping[str, str] = {}
        self.back: MutableMapping[str, str] = {}

    def same(self, one: Declared, other: Declared) -> bool:
        if one.element != other.element or (one.dims is None) != (other.dims is None):
            return False
        if one.dims is None or other.dims is None:
            return True
        return len(one.dims) == len(other.dims) and all(
            self._same(*pair) for pair in zip(one.dims, other.dims, strict=True)
        )

    def _same(self, one: int | str | None, other: int | str | None) -> bool:
        if not (isinstance(one, str) and isinstance(other, str)):
            return one == other
        return (
            self.forth.setdefault(one, other) == other and self.back.setdefault(other, one) == one
        )

    def learn(self, pairs: Iterable[tuple[Declared | None, Declared | None]]) -> None:
        """Dimensions that keep their name are the same; only what is left may be named anew."""
        for one, other in pairs:
            if one is None or other is None:
                continue
            if one.dims and other.dims and len(one.dims) == len(other.dims):
                for first, second in zip(one.dims, other.dims, strict=True):
                    if isinstance(first, str) and first == second:
                        self.forth.setdefault(first, second)
                        self.back.setdefault(second, first)


def is_float(kind: int) -> bool:
    """Is it a type of floating point numbers, of any width?"""
    name = element_of(kind)
    return "FLOAT" in name or name == "DOUBLE"


def is_real(kind: int) -> bool:
    """Is it a type of integers, Booleans or floating point numbers?"""
    return kind not in (
        TensorProto.UNDEFINED,
        TensorProto.STRING,
        TensorProto.COMPLEX64,
        TensorProto.COMPLEX128,
    )
