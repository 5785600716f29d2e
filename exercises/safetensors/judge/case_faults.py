"""The faults of the exercise `safetensors`: how a file is made wrong in one way, and why a reader
may not notice.
"""

from __future__ import annotations

from typing import NamedTuple

from exercises.safetensors.judge import case_files, misconceptions
from exercises.safetensors.judge.case_damage import (
    Build,
    changed,
    claims,
    cut_in_header,
    deep,
    entry_with,
    gap_at_start,
    header_text,
    hole,
    metadata,
    overlap,
    overlap_and_hole,
    twice,
    unpadded,
)
from exercises.safetensors.judge.case_files import frame


class Fault(NamedTuple):
    """`build` makes a file with it, `words` say what is wrong with that file, `cause` why a reader
    lets it pass, `anchor` where to read.
    """

    build: Build
    words: str
    cause: str
    anchor: str


_JSON = "Decode the header as UTF-8, parse it as JSON and nothing else, and let what is wrong with either be a ValueError."
_LENGTH = "The first eight bytes are a claim of the file's author. Compare them with the size of the file before you use them."
_FIELDS = "An entry comes from outside: look at its keys, and at the type of each value, before you compute with them."
_COVER = misconceptions.no_cover

LENGTHS = {
    "no_bytes": Fault(lambda rng: b"", "an empty file", _LENGTH, "header"),
    "seven_bytes": Fault(lambda rng: rng.bytes(7), "a file of seven bytes", _LENGTH, "header"),
    "huge_length": Fault(claims(2**63), "a header length of 2**63", _LENGTH, "hostile-headers"),
    "claimed_length": Fault(
        claims(case_files.CLAIMED),
        "a header length of many megabytes in a file of some hundred bytes",
        _LENGTH,
        "hostile-headers",
    ),
    "cut_header": Fault(
        changed(cut_in_header), "a file that ends inside its header", _LENGTH, "header"
    ),
    "zero_length": Fault(claims(0), "a header of no bytes", _JSON, "header"),
}
TEXT = {
    "broken_json": Fault(
        header_text(lambda text: text[:-1] + ",}"),
        "a header with a comma too many",
        _JSON,
        "hostile-headers",
    ),
    "not_utf8": Fault(
        header_text(lambda text: text.encode().replace(b"layer", b"la\xffer", 1)),
        "a header that is not UTF-8",
        _JSON,
        "header",
    ),
    "a_list": Fault(
        header_text(lambda text: f"[{text}]"),
        "a header that is a JSON list",
        "JSON is more than objects: check what comes out.",
        "header",
    ),
    "python_text": Fault(
        header_text(lambda text: text.replace('"', "'")),
        "a header in Python's notation",
        _JSON,
        "header",
    ),
    "two_objects": Fault(
        header_text(lambda text: text + "{}"),
        "a header with a second object behind the first",
        _JSON,
        "header",
    ),
    "zero_padding": Fault(
        header_text(lambda text: text + "\0" * 8),
        "a header padded with zero bytes",
        _JSON,
        "header",
    ),
    "deep": Fault(
        changed(deep),
        "a header of many nested lists",
        misconceptions.lets_recursion_through,
        "hostile-headers",
    ),
    "code": Fault(
        lambda rng: case_files.code_in_json(),
        "a header that is a Python expression",
        _JSON,
        "pickle",
    ),
    "pickle": Fault(
        lambda rng: case_files.pickled(),
        "a pickle in place of a SafeTensors file",
        _LENGTH,
        "pickle",
    ),
    "framed_pickle": Fault(
        lambda rng: frame(case_files.pickled()), "a pickle in place of the header", _JSON, "pickle"
    ),
}
# json.loads guesses the encoding of bytes, so only `validate` is asked about this one.
UTF16 = {
    "utf16": Fault(
        header_text(lambda text: (text + " " * (-len(text) % 4)).encode("utf-16-le")),
        "a header in UTF-16",
        misconceptions.guesses_encoding,
        "header",
    )
}
STRICT = {
    "leading_space": Fault(
        header_text(lambda text: " " + text),
        "a space before the header's brace",
        misconceptions.library,
        "header",
    ),
    "unpadded": Fault(
        changed(unpadded),
        "data that do not start at a multiple of 8",
        "A reader that maps the file wants aligned data, so the header is padded with spaces.",
        "offsets",
    ),
    "name_twice": Fault(
        changed(twice),
        "a name that stands in the header twice",
        misconceptions.last_key_wins,
        "hostile-headers",
    ),
    "field_twice": Fault(
        header_text(lambda text: text.replace('"dtype":', '"dtype":"F32","dtype":', 1)),
        "a field that stands in one entry twice",
        "object_pairs_hook is called for the inner objects too: the same check serves every depth.",
        "hostile-headers",
    ),
    "more_fields": Fault(
        entry_with(1, note="x"),
        "an entry with a field too many",
        "Exactly three fields are allowed: compare the set of keys.",
        "hostile-headers",
    ),
    "list_entry": Fault(
        changed(lambda made, rng: made.header.update(more=["F32", [0], [0, 0]])),
        "an entry that is a list",
        "Each entry is an object. The library also takes a list of its three values, the format does not.",
        "header",
    ),
}
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
    "float_shape": Fault(
        entry_with(1, shape=lambda entry: [float(dim) for dim in entry["shape"]]),
        "a shape of floats",
        misconceptions.floats_are_numbers,
        "hostile-headers",
    ),
    "bool_shape": Fault(
        entry_with(1, shape=lambda entry: [True, *entry["shape"]]),
        "a dimension that is true",
        misconceptions.bool_is_int,
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
    "metadata_number": Fault(
        metadata({"format": "pt", "step": 3}),
        "metadata with a number in it",
        "Each value of __metadata__ is a text.",
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
        "Elements times bytes for each must be exactly end - begin.",
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
        misconceptions.adds_sizes,
        "offsets",
    ),
    "trailing": Fault(
        changed(lambda made, rng: frame(made.header, made.data + rng.bytes(8))),
        "bytes behind the last tensor",
        _COVER,
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
        misconceptions.numpy_prod,
        "hostile-headers",
    ),
    "empty_inside": Fault(
        changed(
            lambda made, rng: made.header.update(
                none={"dtype": "F32", "shape": [0], "data_offsets": [2, 2]}
            )
        ),
        "an empty tensor inside another one",
        misconceptions.skips_empty_tensors,
        "offsets",
    ),
}
GROUPS = {
    "lengths": LENGTHS,
    "text": {**TEXT, **UTF16},
    "strict": STRICT,
    "entries": ENTRIES,
    "offsets": OFFSETS,
}
FAULTS = {name: fault for group in GROUPS.values() for name, fault in group.items()}
