"""Faults of the exercise `safetensors` in what a header says of its tensors."""

from __future__ import annotations

import math

from formatlab_exercises.safetensors.judge.case_damage import (
    Fault,
    changed,
    entry_with,
    gap_at_start,
    header_text,
    hole,
    metadata,
    overlap,
    overlap_and_hole,
)
from formatlab_exercises.safetensors.judge.case_files import frame
from formatlab_exercises.safetensors.judge.misconceptions import Mistakes

_FIELDS = "An entry comes from outside: look at its keys, and at the type of each value, before you compute with them."
_COVER = Mistakes.no_cover
_EXACTLY = Mistakes.spare_bytes
ENTRIES = {
    "no_dtype": Fault(entry_with(0, dtype=None), "an entry without dtype", _FIELDS, "header"),
    "no_shape": Fault(entry_with(1, shape=None), "an entry without shape", _FIELDS, "header"),
    "no_offsets": Fault(
        entry_with(2, data_offsets=None), "an entry without data_offsets", _FIELDS, "header"
    ),
    "unknown_dtype": Fault(
        entry_with(0, dtype="F31"),
        "a dtype that does not exist",
        "Look each dtype up in the table.",
        "dtypes",
    ),
    "small_letters": Fault(
        entry_with(0, dtype=lambda entry: entry["dtype"].lower()),
        "a dtype in small letters",
        "The names are written as in the table.",
        "dtypes",
    ),
    "dtype_list": Fault(
        entry_with(0, dtype=["F32"]),
        "a dtype that is a list",
        "A list cannot be looked up in a dict: check for str first.",
        "dtypes",
    ),
    "text_shape": Fault(
        entry_with(1, shape="23"), "a shape that is a text", _FIELDS, "hostile-headers"
    ),
    "number_shape": Fault(
        entry_with(1, shape=lambda entry: math.prod(entry["shape"])),
        "a shape that is a number",
        _FIELDS,
        "hostile-headers",
    ),
    "float_shape": Fault(
        entry_with(1, shape=lambda entry: [float(dim) for dim in entry["shape"]]),
        "a shape of floats",
        Mistakes.floats_are_numbers,
        "hostile-headers",
    ),
    "bool_shape": Fault(
        entry_with(1, shape=lambda entry: [True, *entry["shape"]]),
        "a dimension that is true",
        Mistakes.bool_is_int,
        "hostile-headers",
    ),
    "negative_shape": Fault(
        entry_with(1, shape=lambda entry: [-dim for dim in entry["shape"]]),
        "negative dimensions whose product is right",
        "Two negative dimensions multiply to a positive size. Look at each one.",
        "hostile-headers",
    ),
    "text_offsets": Fault(
        entry_with(2, data_offsets=lambda entry: [str(at) for at in entry["data_offsets"]]),
        "offsets that are texts",
        _FIELDS,
        "hostile-headers",
    ),
    "three_offsets": Fault(
        entry_with(2, data_offsets=lambda entry: [*entry["data_offsets"], 0]),
        "three offsets in an entry",
        _FIELDS,
        "hostile-headers",
    ),
    "float_offsets": Fault(
        entry_with(0, data_offsets=lambda entry: [float(at) for at in entry["data_offsets"]]),
        "offsets that are floats",
        _FIELDS,
        "hostile-headers",
    ),
    "bool_offsets": Fault(
        entry_with(
            0,
            data_offsets=lambda entry: [at if at > 1 else bool(at) for at in entry["data_offsets"]],
        ),
        "an offset that is false",
        Mistakes.bool_is_int,
        "hostile-headers",
    ),
    "minus_zero": Fault(
        header_text(lambda text: text.replace('"data_offsets":[0,', '"data_offsets":[-0,', 1)),
        "an offset of -0",
        Mistakes.signed_zero,
        "hostile-headers",
    ),
    "past_64_bits": Fault(
        changed(
            lambda made, rng: made.header.update(
                none={"dtype": "F32", "shape": [0, 2**64], "data_offsets": [0, 0]}
            )
        ),
        "a dimension that does not fit into 64 bits, in an empty tensor",
        Mistakes.any_number,
        "hostile-headers",
    ),
    "metadata_null": Fault(
        metadata(None),
        "metadata that are null",
        Mistakes.null_is_absent,
        "header",
    ),
    "metadata_number": Fault(
        metadata({"format": "pt", "step": 3}),
        "metadata with a number in it",
        "Each value of __metadata__ is a text.",
        "header",
    ),
    "metadata_with_null": Fault(
        metadata({"format": "pt", "step": None}),
        "metadata with a null in it",
        "Each value of __metadata__ is a text, and null is none.",
        "header",
    ),
    "metadata_list": Fault(
        metadata(["pt"]),
        "metadata that are a list",
        "__metadata__ is an object: text to text.",
        "header",
    ),
}
OFFSETS = {
    "wrong_size": Fault(
        entry_with(1, shape=lambda entry: [entry["shape"][0] + 1, entry["shape"][1]]),
        "a shape that needs more bytes than the offsets give",
        _EXACTLY,
        "offsets",
    ),
    "small_shape": Fault(
        entry_with(1, shape=lambda entry: [entry["shape"][0] - 1, entry["shape"][1]]),
        "a shape that needs fewer bytes than the offsets give",
        _EXACTLY,
        "offsets",
    ),
    "reversed": Fault(
        entry_with(0, data_offsets=lambda entry: entry["data_offsets"][::-1]),
        "offsets whose end comes before their begin",
        _COVER,
        "offsets",
    ),
    "negative_offset": Fault(
        entry_with(0, data_offsets=lambda entry: [at - 8 for at in entry["data_offsets"]]),
        "a negative offset",
        "Python counts negative offsets from the end. In a file they are nonsense.",
        "offsets",
    ),
    "hole": Fault(
        changed(hole), "bytes between two tensors that belong to none", _COVER, "offsets"
    ),
    "gap_at_start": Fault(
        changed(gap_at_start), "bytes before the first tensor", _COVER, "offsets"
    ),
    "overlap": Fault(changed(overlap), "two tensors that share bytes", _COVER, "offsets"),
    "overlap_and_hole": Fault(
        changed(overlap_and_hole),
        "an overlap and a hole of the same size",
        Mistakes.adds_sizes,
        "offsets",
    ),
    "trailing": Fault(
        changed(lambda made, rng: frame(made.header, made.data + rng.bytes(8))),
        "bytes behind the last tensor",
        _COVER,
        "offsets",
    ),
    "no_tensors": Fault(
        changed(lambda made, rng: frame({}, made.data)),
        "bytes behind the header of a file without tensors",
        Mistakes.nothing_to_cover,
        "offsets",
    ),
    "cut_data": Fault(
        changed(lambda made, rng: frame(made.header, made.data[:-4])),
        "a file that ends inside its last tensor",
        _COVER,
        "offsets",
    ),
    "wrapping_shape": Fault(
        changed(
            lambda made, rng: made.header.update(
                big={"dtype": "F32", "shape": [2**32, 2**32], "data_offsets": [0, 0]}
            )
        ),
        "a shape whose product does not fit into 64 bits",
        Mistakes.numpy_prod,
        "hostile-headers",
    ),
    "empty_inside": Fault(
        changed(
            lambda made, rng: made.header.update(
                none={"dtype": "F32", "shape": [0], "data_offsets": [2, 2]}
            )
        ),
        "an empty tensor inside another one",
        Mistakes.skips_empty_tensors,
        "offsets",
    ),
}
