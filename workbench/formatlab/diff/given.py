"""Inputs and outputs out of files: an .npz, a .safetensors, or a folder of .pb files as onnx's own test
data has them. What a file announces is measured before anything is read.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

from formatlab import numerics
from formatlab.diff.inputs import CannotGive, listed
from formatlab.diff.words import joined, plain, quoted
from formatlab.numerics import Feeds

# The most bytes of arrays that are read.
MOST_BYTES = 1 << 30
MOST_RUNS = 100
Arrays = dict[str, np.ndarray]


def load_feeds(path: Path, inputs: Sequence[ValueInfoProto]) -> tuple[list[Feeds], list[str]]:
    """Return the inputs in a file or folder, and what had to be changed so that they fit, as
    sentences. A folder has several runs if it has several folders of .pb files. Raises CannotGive.
    """
    runs = _runs(path, "input")
    said: list[str] = []
    found = [_matched(path, arrays, inputs, "input", said) for arrays in runs]
    for arrays in found:
        for value in inputs:
            _require_shape(path, value, arrays[value.name])
    return found, list(dict.fromkeys(said))


def load_expected(
    path: Path, outputs: Sequence[ValueInfoProto], runs: int
) -> tuple[list[Arrays], list[str]]:
    """Return the outputs in a file or folder by the names of `outputs`, for so many runs, and what had
    to be changed, as sentences. Outputs that the file lacks are left out. Raises CannotGive.
    """
    said: list[str] = []
    found = _runs(path, "output")
    if len(found) != runs:
        raise CannotGive(
            f"{_shown(path)} has the outputs of {len(found)} runs, and there are inputs of {runs}"
        )
    return [_matched(path, arrays, outputs, "output", said) for arrays in found], list(
        dict.fromkeys(said)
    )


def _shown(path: Path) -> str:
    return plain(str(path), 200)


def _runs(path: Path, noun: str) -> list[Arrays]:
    try:
        if path.is_dir():
            return _of_folder(path, noun)
        if path.suffix == ".safetensors":
            return [_of_safetensors(path)]
        return [_of_npz(path)]
    except OSError as problem:
        raise CannotGive(f"{_shown(path)} cannot be read: {problem.strerror or problem}") from None


def _require_small(path: Path, size: int) -> None:
    if size > MOST_BYTES:
        raise CannotGive(
            f"{_shown(path)} holds {size >> 20} MiB of arrays; {MOST_BYTES >> 20} MiB at most are read"
        )


def _of_npz(path: Path) -> Arrays:
    try:
        with zipfile.ZipFile(path) as archive:
            _require_small(path, sum(each.file_size for each in archive.infolist()))
        with np.load(path, allow_pickle=False) as file:
            return {each: file[each] for each in file.files}
    except (
        ValueError,
        EOFError,
        AttributeError,
        KeyError,
        NotImplementedError,
        zipfile.BadZipFile,
        zipfile.error,
    ):
        raise CannotGive(
            f"{_shown(path)} is no .npz file of arrays: write one with numpy.savez({path.name!r}, NAME=...), or "
            "give a .safetensors file, or a folder of .pb files"
        ) from None


def _of_safetensors(path: Path) -> Arrays:
    from safetensors import SafetensorError, safe_open

    _require_small(path, path.stat().st_size)
    try:
        with safe_open(path, framework="numpy") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, TypeError, AttributeError, ValueError) as problem:
        raise CannotGive(
            f"{_shown(path)} is no .safetensors file that NumPy can hold: {plain(str(problem), 120)}"
        ) from None


def _of_folder(path: Path, noun: str) -> list[Arrays]:
    folders = sorted((each for each in path.iterdir() if each.is_dir()), key=_number)
    folders = [path] if any(path.glob(f"{noun}_*.pb")) else folders
    found = [arrays for each in folders[:MOST_RUNS] if (arrays := _of_set(each, noun))]
    if not found:
        raise CannotGive(
            f"{_shown(path)} has no {noun}_0.pb, as a folder of onnx's test data has, and no folder with one"
        )
    return found


def _of_set(folder: Path, noun: str) -> Arrays:
    files = sorted(folder.glob(f"{noun}_*.pb"), key=_number)
    _require_small(folder, sum(each.stat().st_size for each in files))
    found = {}
    for at, file in enumerate(files):
        try:
            tensor = TensorProto.FromString(file.read_bytes())
            if tensor.data_location == TensorProto.EXTERNAL:
                raise ValueError("its numbers lie in another file")
            found[tensor.name or str(at)] = numpy_helper.to_array(tensor)
        except Exception as problem:  # of protobuf, of onnx, of NumPy  # noqa: BLE001
            raise CannotGive(f"{_shown(file)} is no tensor: {plain(str(problem), 120)}") from None
    return found


def _number(path: Path) -> tuple[int, str]:
    digits = re.findall(r"\d+", path.stem)
    return (int(digits[-1][:9]) if digits else -1), path.name


def _matched(
    path: Path, arrays: Arrays, values: Sequence[ValueInfoProto], noun: str, said: list[str]
) -> Arrays:
    """The arrays by the names of `values`, in their types."""
    names = [value.name for value in values]
    strange = [name for name in arrays if name not in names]
    missing = [name for name in names if name not in arrays]
    if strange and len(arrays) == len(names):
        # Names that are only places: `arr_0`, as numpy.savez has them, or those of .pb files.
        if len(strange) == len(names) and all(
            re.fullmatch(r"(arr_|\w+_)?\d+", name) for name in strange
        ):
            pairs = dict(zip(sorted(strange, key=_place), names, strict=True))
        elif len(strange) == 1:
            pairs = {strange[0]: missing[0]}
        else:
            pairs = {}
        if pairs:
            shown = joined([f"{quoted(one)} as {quoted(other)}" for one, other in pairs.items()])
            said.append(f"{_shown(path)} was read with {shown}")
            arrays = {pairs.get(name, name): value for name, value in arrays.items()}
            strange = []
            missing = []
    if strange or (missing and noun == "input") or not arrays:
        raise CannotGive(
            f"{_shown(path)} has the arrays {listed(list(arrays))}; the {noun}s are {listed(names)}: give each its name"
        )
    found = {}
    for value in values:
        if value.name not in arrays:
            said.append(
                f"{_shown(path)} has no {quoted(value.name)}, so nothing was expected of it"
            )
            continue
        found[value.name] = _typed(path, value, arrays[value.name], said)
    return found


def _place(name: str) -> int:
    return int(re.findall(r"\d+", name)[-1])


def _typed(path: Path, value: ValueInfoProto, array: np.ndarray, said: list[str]) -> np.ndarray:
    kind = value.type.tensor_type.elem_type
    if not kind or kind == TensorProto.STRING:
        return array
    dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
    if array.dtype == dtype:
        return array
    with np.errstate(all="ignore"):
        cast = array.astype(dtype)
        kept = array.dtype.kind == dtype.kind or (cast.astype(array.dtype) == array).all()
    if not kept or (
        dtype.kind in "iu" and not (cast.astype(np.float64) == array.astype(np.float64)).all()
    ):
        raise CannotGive(
            f"{quoted(value.name)} in {_shown(path)} is {array.dtype}, with numbers that "
            f"{dtype} of the model does not hold: change it with .astype"
        )
    said.append(
        f"{quoted(value.name)} is {array.dtype} in {_shown(path)} and {dtype} in the model, and was cast"
    )
    return cast


def _require_shape(path: Path, value: ValueInfoProto, array: np.ndarray) -> None:
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return
    wanted = [dim.dim_value if numerics.is_fixed(dim) else None for dim in tensor.shape.dim]
    fits = len(wanted) == array.ndim and all(
        size in (None, has) for size, has in zip(wanted, array.shape, strict=True)
    )
    if not fits:
        shown = ", ".join("any" if size is None else str(size) for size in wanted)
        raise CannotGive(
            f"{quoted(value.name)} in {_shown(path)} has the shape {list(array.shape)}; the input takes [{shown}]"
        )
