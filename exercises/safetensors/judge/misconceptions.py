"""What students get wrong in `safetensors`, each with a stored answer that shows it. The rungs
recognise them.
"""

from __future__ import annotations

from nbjudge.findings import Section

OFFSETS = Section("day-50/07-safetensors#offsets")
HOSTILE_HEADERS = Section("day-50/07-safetensors#hostile-headers")
HEADER = Section("day-50/07-safetensors#header")
DTYPES = Section("day-50/07-safetensors#dtypes")
PICKLE = Section("day-50/07-safetensors#pickle")
RANDOM_ACCESS = Section("day-50/07-safetensors#random-access")


class Mistakes:
    """Those that a rung recognises by itself."""

    no_cover = OFFSETS.mistake("""Sorted by their offsets, the tensors follow one another from 0 to
        the end of the file, with nothing between and nothing twice.""")
    lets_recursion_through = HOSTILE_HEADERS.mistake("""json.loads raises a RecursionError for deep
        nesting, and that is not a ValueError.""")
    guesses_encoding = HEADER.mistake("""json.loads guesses the encoding when it is given bytes.
        Decode them as UTF-8 yourself.""")
    library = HEADER.mistake("JSON allows it, but the format does not.")
    last_key_wins = HOSTILE_HEADERS.mistake("""A dict keeps the last of two equal keys and reports
        nothing. object_pairs_hook of json.loads sees both.""")
    floats_are_numbers = HOSTILE_HEADERS.mistake("2.0 == 2 in Python. Ask for the type int.")
    bool_is_int = HOSTILE_HEADERS.mistake("""bool is a subclass of int: isinstance(True, int) holds.
        type(dim) is int does not.""")
    null_is_absent = HEADER.mistake("""A key with the value null is there, and null is no object.
        header.get(key) gives None for both: ask whether the key is in the header.""")
    adds_sizes = OFFSETS.mistake("""The sum of the sizes can be right while their places are wrong:
        go through the tensors in order.""")
    numpy_prod = HOSTILE_HEADERS.mistake("""numpy.prod multiplies 64-bit numbers, and 2**32 * 2**32
        is 0 there. math.prod has no limit.""")
    skips_empty_tensors = OFFSETS.mistake("""An empty tensor takes no bytes, and it still has a
        place: where one tensor ends and the next begins.""")
    torch_frombuffer = DTYPES.mistake("""There are no bytes to read, and some functions refuse that,
        torch.frombuffer for one. Make the empty array yourself.""")
    bf16_forgotten = DTYPES.mistake("""NumPy has no bfloat16: read the 16 bits of each number, and
        make float32 of them.""")
    big_endian_length = HEADER.mistake("""The length is eight bytes, lowest first ('<Q'); the header
        follows them, and data may follow the header or not.""")
    other_names = HEADER.mistake("""The keys of the header are the names of the tensors, and
        __metadata__.""")
    drops_metadata = HEADER.mistake("""__metadata__ is a part of the header: texts about the file.
        Return it with the rest.""")
    absolute_offsets = OFFSETS.mistake("""Return the offsets as they are stored: from the end of the
        header.""")
    returns_tensor = DTYPES.mistake("A numpy.ndarray is asked for.")
    vectors_for_scalars = HEADER.mistake("""The header holds the shape. An empty list is the shape
        of a single number, and a list with a 0 is the shape of an empty array.""")
    bf16_as_f16 = DTYPES.mistake("""F16 and BF16 share their size and nothing else: five and eight
        bits of exponent.""")
    bf16_bits = DTYPES.mistake("""These are the bits of the numbers. Shifted by 16 they are the bits
        of the same numbers as float32.""")
    offsets_from_file = OFFSETS.mistake("""They count from the end of the header: add 8 and the
        header's length.""")
    offsets_from_header = OFFSETS.mistake("""The header starts at byte 8, so the data start at 8 and
        the header's length.""")
    big_endian_numbers = DTYPES.mistake("The format is little endian: '<f4', '<i8'.")
    bf16_from_f16 = DTYPES.mistake("""A BF16 number is the upper half of a float32. View its 16
        bits, shifted up by 16, as float32: no arithmetic.""")
    unpacks_short_files = HEADER.mistake("""struct.unpack needs exactly as many bytes as its format
        says; a file may have fewer. Look at the length first.""")
    asserts = HOSTILE_HEADERS.mistake("""assert disappears with python -O, and its error is no
        ValueError. Write: if not ...: raise ValueError(...).""")
    library_error = HEADER.mistake("""The library's own error is not a ValueError: catch it and
        raise one.""")
    evaluates = PICKLE.mistake("""eval, exec and pickle run what they read, so the author of a file
        can run any code on your machine. json.loads cannot do that.""")
    returns_bool = HOSTILE_HEADERS.mistake("""A caller that forgets to look at the result goes on
        with a bad file. An exception cannot be overlooked.""")
    refuses_empty_tensors = OFFSETS.mistake("""Empty tensors, files without tensors, metadata and
        any dtype of the table are valid; so is any order of the names.""")
    no_key_is_none = HEADER.mistake("""Look the name up among the tensors. __metadata__ is in the
        header too, and it is not a tensor.""")
    copies_map = RANDOM_ACCESS.mistake("""The offsets say where the bytes are: seek there, or map
        the file. read_bytes, fromfile and bytes(mmap) take everything.""")
    believes_length = HOSTILE_HEADERS.mistake("""file.read(n) makes a buffer of n bytes before it
        reads. Compare n with the size of the file first.""")
    half_of_the_length = HEADER.mistake("""The length has eight bytes. A reader that takes four of
        them finds the header of a file that claims to be many gigabytes long.""")
    takes_what_is_there = HEADER.mistake("""A slice beyond the end gives what is there, without an
        exception. Compare the length with the bytes that follow it, even if what is there is JSON.""")
    no_limit = HOSTILE_HEADERS.mistake("""The header's length is at most 100 000 000. Compare it
        with that too, before you read so many bytes.""")
    inner_keys_twice = HOSTILE_HEADERS.mistake("""object_pairs_hook is called for the inner objects
        too: the same check serves every depth, in entries and in __metadata__.""")
    half_a_pair = HOSTILE_HEADERS.mistake("""Python's json makes a text of \\ud800 alone, and other
        readers refuse it: encode what you parsed as UTF-8, which fails for half of a pair.""")
    signed_zero = HOSTILE_HEADERS.mistake("""int("-0") is 0, and readers that hold numbers without a
        sign refuse it. parse_int of json.loads sees the digits.""")
    any_number = HOSTILE_HEADERS.mistake("""Python's int has no limit, and other readers hold 64
        bits: refuse numbers from 2**64 on, in empty tensors too.""")
    refuses_empty_metadata = HEADER.mistake("""An empty `__metadata__` is valid, because none of its
        values is anything but a text. An empty dict counts as false in Python: ask for its type.""")
    signed_numbers = HOSTILE_HEADERS.mistake("""Readers hold these numbers in 64 bits without a sign,
        so 2**64 - 1 is valid too, in empty tensors.""")
    other_whitespace = HEADER.mistake("""Python's strip() drops more than JSON allows: only spaces,
        tabs and line ends may follow the header.""")
    spaces_alone = HEADER.mistake("""JSON may hold tabs and line ends between its parts and behind
        it. Leave them to json.loads.""")
    refuses_no_name = HEADER.mistake("""The name of a tensor is any text, and the empty one is a
        text.""")
    few_dimensions = HEADER.mistake("""The format has no limit for the number of dimensions.""")
    spare_bytes = OFFSETS.mistake("""Elements times bytes for each must be exactly end - begin.""")
    nothing_to_cover = OFFSETS.mistake("""A file without tensors ends with its header. The rule that
        the tensors fill the rest of the file holds without tensors, too.""")
    refuses_empty_header = HEADER.mistake("""{} is a JSON object, and the header of a file without
        tensors. An empty dict counts as false in Python: ask for its type.""")
    other_entries = HEADER.mistake("""Return what json.loads gives, without making anything else
        of it.""")
    latin_one = HEADER.mistake("""The header holds letters beyond ASCII. It is UTF-8: decode it with
        data.decode("utf-8") and no other encoding.""")
