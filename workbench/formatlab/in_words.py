"""What a model's file says, in words: names that are safe on a terminal, and the declared types of
values. It needs nothing but onnx, because node tables import it as well as `formatlab.diff`.
"""

from __future__ import annotations

from dataclasses import dataclass

from onnx import TensorProto, TypeProto, ValueInfoProto

LONGEST = 60


def plain(text: str, longest: int = LONGEST) -> str:
    """The text on one line, without characters that move a cursor, turn the reading direction or
    show nothing.
    """
    safe = "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )
    return safe if len(safe) <= longest else f"{safe[: longest - 1]}…"


@dataclass(frozen=True)
class Declared:
    """A tensor's element type and sizes (a number, a name, or None), no sizes where the rank is not
    known. Of a sequence, a map or an optional the sizes are those of the tensors inside, and
    `element` says what is around them: `sequence of FLOAT`.
    """

    element: str
    dims: tuple[int | str | None, ...] | None

    def __str__(self) -> str:
        if self.dims is None:
            return f"{self.element} of any shape"
        shown = ", ".join("?" if dim is None else plain(str(dim), 24) for dim in self.dims)
        return f"{self.element}[{plain(shown, 120)}]"

    def contradicts(self, other: Declared) -> bool:
        """Can no tensor be both? Names of dimensions say nothing about that."""
        if self.element != other.element:
            return True
        if self.dims is None or other.dims is None:
            return False
        return len(self.dims) != len(other.dims) or any(
            isinstance(one, int) and isinstance(two, int) and one != two
            for one, two in zip(self.dims, other.dims, strict=True)
        )


def declared(value: ValueInfoProto) -> Declared | None:
    """None where nothing is declared."""
    return _of_type(value.type)


def _of_type(kind: TypeProto) -> Declared | None:
    name = kind.WhichOneof("value")
    if name is None:
        return None
    inner = getattr(kind, name)
    if name in ("tensor_type", "sparse_tensor_type"):
        found = _tensor(inner)
        prefix = "sparse " if name == "sparse_tensor_type" else ""
        return Declared(f"{prefix}{found.element}", found.dims)
    if name == "map_type":
        return _around(f"map of {element_of(inner.key_type)} to", inner.value_type)
    if name in ("sequence_type", "optional_type"):
        return _around(f"{name.removesuffix('_type')} of", inner.elem_type)
    # A type of some domain's own: what it is called, and what is said of it.
    return Declared(plain(str(inner).replace("\n", " ").strip() or name, 120), None)


def _around(words: str, inner: TypeProto) -> Declared:
    found = _of_type(inner)
    if found is None:
        return Declared(f"{words} anything", None)
    return Declared(f"{words} {found.element}", found.dims)


def _tensor(tensor: TypeProto.Tensor | TypeProto.SparseTensor) -> Declared:
    element = element_of(tensor.elem_type)
    if not tensor.HasField("shape"):
        return Declared(element, None)
    dims = tuple(
        dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None
        for dim in tensor.shape.dim
    )
    return Declared(element, dims)


def element_of(number: int) -> str:
    known = number in TensorProto.DataType.values()
    return TensorProto.DataType.Name(number) if known else f"type {number}"
