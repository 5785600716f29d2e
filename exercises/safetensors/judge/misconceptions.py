"""What students get wrong in `safetensors`, each with a stored answer that shows it. `findings` and
`rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception


@misconception("day-50/07-safetensors#offsets")
def no_cover():
    """Sorted by their offsets, the tensors follow one another from 0 to the end of the file, with
    nothing between and nothing twice.
    """


@misconception("day-50/07-safetensors#hostile-headers")
def lets_recursion_through():
    """json.loads raises a RecursionError for deep nesting, and that is not a ValueError."""


@misconception("day-50/07-safetensors#header")
def guesses_encoding():
    """json.loads guesses the encoding when it is given bytes. Decode them as UTF-8 yourself."""


@misconception("day-50/07-safetensors#header")
def library():
    """JSON allows it, but the format does not."""


@misconception("day-50/07-safetensors#hostile-headers")
def last_key_wins():
    """A dict keeps the last of two equal keys and reports nothing. object_pairs_hook of json.loads
    sees both.
    """


@misconception("day-50/07-safetensors#hostile-headers")
def floats_are_numbers():
    """2.0 == 2 in Python. Ask for the type int."""


@misconception("day-50/07-safetensors#hostile-headers")
def bool_is_int():
    """bool is a subclass of int: isinstance(True, int) holds. type(dim) is int does not."""


@misconception("day-50/07-safetensors#offsets")
def adds_sizes():
    """The sum of the sizes can be right while their places are wrong: go through the tensors in
    order.
    """


@misconception("day-50/07-safetensors#hostile-headers")
def numpy_prod():
    """numpy.prod multiplies 64-bit numbers, and 2**32 * 2**32 is 0 there. math.prod has no limit."""


@misconception("day-50/07-safetensors#offsets")
def skips_empty_tensors():
    """An empty tensor takes no bytes, and it still has a place: where one tensor ends and the next
    begins.
    """


@misconception("day-50/07-safetensors#dtypes")
def torch_frombuffer():
    """There are no bytes to read, and some functions refuse that, torch.frombuffer for one. Make
    the empty array yourself.
    """


@misconception("day-50/07-safetensors#dtypes")
def bf16_forgotten():
    """NumPy has no bfloat16: read the 16 bits of each number, and make float32 of them."""


@misconception("day-50/07-safetensors#header")
def big_endian_length():
    """The length is eight bytes, lowest first ('<Q'); the header follows them, and data may follow
    the header or not.
    """


@misconception("day-50/07-safetensors#header")
def other_names():
    """The keys of the header are the names of the tensors, and __metadata__."""


@misconception("day-50/07-safetensors#header")
def drops_metadata():
    """__metadata__ is a part of the header: texts about the file. Return it with the rest."""


@misconception("day-50/07-safetensors#offsets")
def absolute_offsets():
    """Return the offsets as they are stored: from the end of the header."""


@misconception("day-50/07-safetensors#dtypes")
def returns_tensor():
    """A numpy.ndarray is asked for."""


@misconception("day-50/07-safetensors#header")
def vectors_for_scalars():
    """The header holds the shape. An empty list is the shape of a single number, and a list with a
    0 is the shape of an empty array.
    """


@misconception("day-50/07-safetensors#dtypes")
def bf16_as_f16():
    """F16 and BF16 share their size and nothing else: five and eight bits of exponent."""


@misconception("day-50/07-safetensors#dtypes")
def bf16_bits():
    """These are the bits of the numbers. Shifted by 16 they are the bits of the same numbers as
    float32.
    """


@misconception("day-50/07-safetensors#offsets")
def offsets_from_file():
    """They count from the end of the header: add 8 and the header's length."""


@misconception("day-50/07-safetensors#offsets")
def offsets_from_header():
    """The header starts at byte 8, so the data start at 8 and the header's length."""


@misconception("day-50/07-safetensors#dtypes")
def big_endian_numbers():
    """The format is little endian: '<f4', '<i8'."""


@misconception("day-50/07-safetensors#dtypes")
def bf16_from_f16():
    """A BF16 number is the upper half of a float32. View its 16 bits, shifted up by 16, as float32:
    no arithmetic.
    """


@misconception("day-50/07-safetensors#header")
def unpacks_short_files():
    """struct.unpack needs exactly as many bytes as its format says; a file may have fewer. Look at
    the length first.
    """


@misconception("day-50/07-safetensors#hostile-headers")
def asserts():
    """assert disappears with python -O, and its error is no ValueError. Write: if not ...: raise
    ValueError(...).
    """


@misconception("day-50/07-safetensors#header")
def library_error():
    """The library's own error is not a ValueError: catch it and raise one."""


@misconception("day-50/07-safetensors#pickle")
def evaluates():
    """eval, exec and pickle run what they read, so the author of a file can run any code on your
    machine. json.loads cannot do that.
    """


@misconception("day-50/07-safetensors#hostile-headers")
def returns_bool():
    """A caller that forgets to look at the result goes on with a bad file. An exception cannot be
    overlooked.
    """


@misconception("day-50/07-safetensors#offsets")
def refuses_empty_tensors():
    """Empty tensors, files without tensors, metadata and any dtype of the table are valid; so is
    any order of the names.
    """


@misconception("day-50/07-safetensors#header")
def no_key_is_none():
    """Look the name up among the tensors. __metadata__ is in the header too, and it is not a
    tensor.
    """


@misconception("day-50/07-safetensors#random-access")
def copies_map():
    """The offsets say where the bytes are: seek there, or map the file. read_bytes, fromfile and
    bytes(mmap) take everything.
    """


@misconception("day-50/07-safetensors#hostile-headers")
def believes_length():
    """file.read(n) makes a buffer of n bytes before it reads. Compare n with the size of the file
    first.
    """


@misconception("day-50/07-safetensors#header")
def latin_one():
    """The header holds letters beyond ASCII. It is UTF-8: decode it with data.decode("utf-8") and
    no other encoding.
    """
