"""The steps of notebook 07, from the length of a header to a check of the offsets: together, the lab `safetensors`."""

import json

import numpy as np
import safetensors.numpy

from formatlab_exercises.steps import Slip, Step, Steps

SMALL = {"w": np.array([[0.5, -1, 2], [3, 0, -0.25]], np.float32), "n": np.array(7)}
DATA = safetensors.numpy.save(SMALL)
NOTED = safetensors.numpy.save(SMALL, {"made": "here"})
MANY = safetensors.numpy.save(
    {f"layer.{number}": np.array([number], np.float32) for number in range(9)}
)


def header_length(data):
    return int.from_bytes(data[:8], "little")


def big_endian(data):
    return int.from_bytes(data[:8], "big")


def with_the_eight(data):
    return header_length(data) + 8


def one_byte(data):
    return data[0]


def read_header(data):
    header = json.loads(data[8 : 8 + header_length(data)])
    header.pop("__metadata__", None)
    return header


def with_metadata(data):
    return json.loads(data[8 : 8 + header_length(data)])


def names_only(data):
    return list(read_header(data))


def raw_bytes(data, name):
    begin, end = read_header(data)[name]["data_offsets"]
    start = 8 + header_length(data)
    return data[start + begin : start + end]


def from_the_file(data, name):
    begin, end = read_header(data)[name]["data_offsets"]
    return data[begin:end]


def without_eight(data, name):
    begin, end = read_header(data)[name]["data_offsets"]
    return data[header_length(data) + begin : header_length(data) + end]


def offset_and_length(data, name):
    begin, length = read_header(data)[name]["data_offsets"]
    start = 8 + header_length(data)
    return data[start + begin : start + begin + length]


def padding(length):
    return -length % 8


def always_some(length):
    return 8 - length % 8


def the_rest(length):
    return length % 8


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "U8": 1}


def fits(entry):
    begin, end = entry["data_offsets"]
    count = 1
    for size in entry["shape"]:
        count *= size
    return end - begin == count * SIZES[entry["dtype"]]


def forgets_dtype(entry):
    begin, end = entry["data_offsets"]
    count = 1
    for size in entry["shape"]:
        count *= size
    return end - begin == count


def at_least(entry):
    begin, end = entry["data_offsets"]
    count = 1
    for size in entry["shape"]:
        count *= size
    return end - begin >= count * SIZES[entry["dtype"]]


def in_64_bits(entry):
    begin, end = entry["data_offsets"]
    with np.errstate(over="ignore"):
        return bool(
            end - begin == np.prod(np.array(entry["shape"], np.int64)) * SIZES[entry["dtype"]]
        )


def sum_of_dims(entry):
    begin, end = entry["data_offsets"]
    return end - begin == sum(entry["shape"]) * SIZES[entry["dtype"]]


def covered(header, size):
    at = 0
    for begin, end in sorted(entry["data_offsets"] for entry in header.values()):
        if begin != at or end < begin:
            return False
        at = end
    return at == size


def in_header_order(header, size):
    at = 0
    for entry in header.values():
        begin, end = entry["data_offsets"]
        if begin != at or end < begin:
            return False
        at = end
    return at == size


def chained(header, size):
    pairs = sorted(entry["data_offsets"] for entry in header.values())
    return [0] + [end for _, end in pairs] == [begin for begin, _ in pairs] + [size]


def only_inside(header, size):
    return all(
        0 <= begin <= end <= size
        for begin, end in (entry["data_offsets"] for entry in header.values())
    )


def only_lengths(header, size):
    return (
        sum(end - begin for begin, end in (entry["data_offsets"] for entry in header.values()))
        == size
    )


def leftover_allowed(header, size):
    at = 0
    for begin, end in sorted(entry["data_offsets"] for entry in header.values()):
        if begin != at or end < begin:
            return False
        at = end
    return at <= size


def ranges(*pairs):
    return {
        f"t{number}": entry("U8", [end - begin], begin, end)
        for number, (begin, end) in enumerate(pairs)
    }


step = Steps(
    "day-50/07-safetensors",
    length=Step(
        "header",
        header_length,
        {
            "two tensors": lambda: (DATA,),
            "with a text": lambda: (NOTED,),
            "nine tensors": lambda: (MANY,),
            "more than four bytes can say": lambda: ((2**33 + 5).to_bytes(8, "little") + b"{}",),
        },
        (
            Slip(
                lambda data: int.from_bytes(data[:4], "little"),
                "You read four bytes. The number takes eight.",
            ),
            Slip(big_endian, "The lowest byte comes first: use the byte order `little`."),
            Slip(
                with_the_eight,
                "You add the eight bytes of the number itself. Return the number as it is stored.",
            ),
            Slip(
                one_byte,
                "You read one byte. The number takes eight, and a header can be longer than 255 bytes.",
            ),
        ),
    ),
    header=Step(
        "header",
        read_header,
        {"two tensors": lambda: (DATA,), "with a text": lambda: (NOTED,)},
        (
            Slip(with_metadata, "`__metadata__` is not a tensor. Remove it from what you return."),
            Slip(names_only, "You return the names. Return the dict of names and entries."),
        ),
    ),
    raw=Step(
        "offsets",
        raw_bytes,
        {
            "the number": lambda: (NOTED, "n"),
            "the matrix": lambda: (NOTED, "w"),
            "one of nine": lambda: (MANY, "layer.3"),
        },
        (
            Slip(
                from_the_file,
                "You count from the start of the file. Offsets count from the end of the header.",
            ),
            Slip(without_eight, "You forgot the eight bytes in front of the header."),
            Slip(
                offset_and_length,
                "The second offset is the byte behind the last one, not a length.",
            ),
        ),
    ),
    padding=Step(
        "build",
        padding,
        {"200 bytes": lambda: (200,), "197 bytes": lambda: (197,), "201 bytes": lambda: (201,)},
        (
            Slip(
                always_some,
                "A header whose length is a multiple of 8 needs no padding. You add eight bytes.",
            ),
            Slip(
                the_rest,
                "You return what is left over. Return what is missing to the next multiple of 8.",
            ),
        ),
    ),
    fits=Step(
        "hostile-headers",
        fits,
        {
            "fits": lambda: (entry("F32", [2, 3], 8, 32),),
            "a scalar": lambda: (entry("I64", [], 0, 8),),
            "too few bytes": lambda: (entry("F32", [2, 3], 8, 24),),
            "too many bytes": lambda: (entry("F32", [2, 3], 8, 40),),
            "as many bytes as elements": lambda: (entry("F32", [2, 3], 8, 14),),
            "a product over 64 bits": lambda: (entry("U8", [2**32, 2**32], 0, 0),),
        },
        (
            Slip(
                forgets_dtype,
                "You compare bytes with elements. Multiply by the bytes that one element takes.",
            ),
            Slip(at_least, "You accept an entry with too many bytes. Both sides have to be equal."),
            Slip(
                in_64_bits,
                "NumPy multiplies in 64 bits, and the product becomes 0. Python's own integers have no limit.",
            ),
            Slip(sum_of_dims, "You add the dimensions. Multiply them; the product of none is 1."),
        ),
    ),
    covered=Step(
        "hostile-headers",
        covered,
        {
            "side by side": lambda: (ranges((0, 8), (8, 16)), 16),
            "listed in another order": lambda: (ranges((8, 16), (0, 8)), 16),
            "overlap": lambda: (ranges((0, 8), (4, 12)), 16),
            "overlap and hole": lambda: (ranges((0, 8), (4, 12), (12, 16)), 20),
            "hole": lambda: (ranges((0, 8), (12, 16)), 16),
            "bytes left over": lambda: (ranges((0, 8)), 12),
            "end before begin": lambda: (ranges((0, 8), (8, 4), (4, 16)), 16),
            "there and back": lambda: (ranges((0, 20), (20, 16)), 16),
        },
        (
            Slip(
                in_header_order,
                "The header can list tensors in any order. Sort by the offsets first.",
            ),
            Slip(
                chained,
                "Each range begins where the one before ends, but one of them ends before it begins.",
            ),
            Slip(
                only_inside,
                "Every range is inside the data, but ranges can overlap or leave holes. Go from one to the next.",
            ),
            Slip(
                only_lengths,
                "The lengths add up, but an overlap and a hole can cancel out. Go from one range to the next.",
            ),
            Slip(
                leftover_allowed,
                "The last range has to end where the data end. You accept bytes that are left over.",
            ),
        ),
    ),
)
