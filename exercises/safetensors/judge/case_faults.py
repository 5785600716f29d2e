"""The faults of the exercise `safetensors`: how a file is made wrong in one way, and why a reader
may not notice.
"""

from __future__ import annotations

from formatlab_exercises.safetensors.judge import case_files
from formatlab_exercises.safetensors.judge.case_damage import (
    Fault,
    changed,
    claims,
    cut_in_header,
    cut_in_padding,
    deep,
    entry_with,
    header_text,
    high_length,
    list_entry,
    twice,
    unpadded,
)
from formatlab_exercises.safetensors.judge.case_faults_in_entries import ENTRIES, OFFSETS
from formatlab_exercises.safetensors.judge.case_files import frame
from formatlab_exercises.safetensors.judge.misconceptions import Mistakes

_JSON = "Decode the header as UTF-8, parse it as JSON and nothing else, and let what is wrong with either be a ValueError."
_LENGTH = "The first eight bytes are a claim of the file's author. Compare them with the size of the file before you use them."

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
    "high_length": Fault(
        changed(high_length),
        "a header length of more than four bytes",
        Mistakes.half_of_the_length,
        "header",
    ),
    # Zero bytes, which are no JSON, stand in for the spaces: they take no room on a disk.
    "long_header": Fault(
        claims(case_files.MOST + 8),
        "a header of more than 100 000 000 bytes",
        Mistakes.no_limit,
        "hostile-headers",
        size=8 + case_files.MOST + 8,
    ),
    "cut_header": Fault(
        changed(cut_in_header), "a file that ends inside its header", _LENGTH, "header"
    ),
    "cut_in_padding": Fault(
        changed(cut_in_padding),
        "a file that ends inside the spaces behind its header",
        Mistakes.takes_what_is_there,
        "header",
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
        header_text(lambda text: text + "\0" * (8 + -len(text) % 8)),
        "a header padded with zero bytes",
        _JSON,
        "header",
    ),
    # Which Python's strip() takes for whitespace.
    "feed_padding": Fault(
        header_text(lambda text: text + "\f" * (8 + -len(text) % 8)),
        "a header padded with form feeds",
        Mistakes.other_whitespace,
        "header",
    ),
    "deep": Fault(
        changed(deep),
        "a header of many nested lists",
        Mistakes.lets_recursion_through,
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
        Mistakes.guesses_encoding,
        "header",
    )
}
STRICT = {
    "leading_space": Fault(
        header_text(lambda text: " " + text),
        "a space before the header's brace",
        Mistakes.library,
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
        Mistakes.last_key_wins,
        "hostile-headers",
    ),
    "field_twice": Fault(
        header_text(lambda text: text.replace('"dtype":', '"dtype":"F32","dtype":', 1)),
        "a field that stands in one entry twice",
        Mistakes.inner_keys_twice,
        "hostile-headers",
    ),
    "text_twice": Fault(
        header_text(lambda text: '{"__metadata__":{"format":"pt","format":"np"},' + text[1:]),
        "a key that stands in __metadata__ twice",
        Mistakes.inner_keys_twice,
        "hostile-headers",
    ),
    "half_a_pair": Fault(
        header_text(lambda text: '{"__metadata__":{"format":"\\ud800"},' + text[1:]),
        "a text that is half of a surrogate pair",
        Mistakes.half_a_pair,
        "hostile-headers",
    ),
    "half_a_name": Fault(
        header_text(lambda text: text.replace('{"', '{"\\ud800', 1)),
        "a tensor whose name holds half of a surrogate pair",
        Mistakes.half_a_pair,
        "hostile-headers",
    ),
    "more_fields": Fault(
        entry_with(1, note="x"),
        "an entry with a field too many",
        "Exactly three fields are allowed: compare the set of keys.",
        "hostile-headers",
    ),
    "list_entry": Fault(
        changed(list_entry),
        "an entry that is a list",
        "Each entry is an object. The library also takes a list of its three values, the format does not.",
        "header",
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
