"""Frames and JSON that cross a box's wall: what went in comes out, and anything else is a
WireError.
"""

import io
import json
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nbjudge import wire
from nbjudge.wire import MAX_DEPTH, Frame, WireError, encode, read, safe_json

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
HEADERS = st.dictionaries(TEXT.filter(lambda key: key not in ("kind", "blobs")), JSON, max_size=4)
FRAMES = st.builds(
    lambda kind, header, blobs: Frame({"kind": kind, **header}, blobs),
    TEXT,
    HEADERS,
    st.dictionaries(TEXT, st.binary(max_size=50), max_size=3),
)


def encoded(frame: Frame) -> bytes:
    fields = dict(frame.header)
    return encode(fields.pop("kind"), frame.blobs, **fields)


def frames(data: bytes, max_bytes: int = 1 << 20) -> list[Frame]:
    return list(read(io.BytesIO(data), max_bytes))


def hostile(header: object, body: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return b"AGF1" + struct.pack("<I", len(text)) + text + body


@given(st.lists(FRAMES, max_size=3))
def test_frames_come_out_as_they_went_in(sent):
    assert frames(b"".join(map(encoded, sent))) == sent


@given(FRAMES, FRAMES, st.data())
def test_a_cut_stream_gives_the_whole_frames_before_the_cut(first, second, data):
    one, two = encoded(first), encoded(second)
    cut = data.draw(st.integers(1, len(two) - 1))
    stream = read(io.BytesIO(one + two[:cut]), 1 << 20)
    assert next(stream) == first
    with pytest.raises(WireError):
        next(stream)


@given(FRAMES, st.data())
def test_a_changed_byte_gives_frames_or_a_wire_error(frame, data):
    stream = bytearray(encoded(frame))
    stream[data.draw(st.integers(0, len(stream) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        found = frames(bytes(stream))
    except WireError:
        return
    assert all(
        isinstance(frame.kind, str)
        and all(isinstance(blob, bytes) for blob in frame.blobs.values())
        for frame in found
    )


@given(st.binary(max_size=200))
def test_noise_is_a_wire_error(noise):
    if noise:
        with pytest.raises(WireError):
            frames(b"x" + noise)


@given(st.lists(FRAMES, min_size=1, max_size=3))
def test_the_limit_holds_for_all_frames_together(sent):
    data = b"".join(map(encoded, sent))
    assert frames(data, len(data)) == sent
    with pytest.raises(WireError):
        frames(data, len(data) - 1)


@pytest.mark.parametrize(
    "header",
    [
        [],
        "text",
        {},
        {"kind": 3, "blobs": {}},
        {"kind": "x", "blobs": []},
        {"kind": "x", "blobs": {"a": -1}},
        {"kind": "x", "blobs": {"a": True}},
        {"kind": "x", "blobs": {"a": 1.0}},
        {"kind": "x", "blobs": {"a": 10**30}},
        b"\xff\xfe",
        b'{"kind": "x", "value": NaN}',
    ],
)
def test_a_header_that_is_none_is_refused(header):
    with pytest.raises(WireError):
        frames(hostile(header))


def test_a_header_over_its_limit_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(wire, "MAX_HEADER", 100)
    with pytest.raises(WireError, match="over the limit"):
        frames(b"AGF1" + struct.pack("<I", 101), 1 << 30)
    with pytest.raises(WireError, match="over the limit"):
        encode("x", text="y" * 100)


@given(JSON)
def test_json_comes_out_as_it_went_in(value):
    assert safe_json(json.dumps(value).encode()) == value
    assert safe_json(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.integers(1, 3 * MAX_DEPTH), st.sampled_from([("[", "]"), ('{"a":', "}")]))
def test_nesting_is_bounded(depth, brackets):
    text = (brackets[0] * depth + "1" + brackets[1] * depth).encode()
    if depth <= MAX_DEPTH:
        safe_json(text)
    else:
        with pytest.raises(WireError, match="deeper"):
            safe_json(text)


def test_json_of_an_answer_has_a_length():
    assert safe_json(b" " * 99 + b"1", max_bytes=100) == 1
    with pytest.raises(WireError, match="over the limit"):
        safe_json(b" " * 100 + b"1", max_bytes=100)


@given(st.text('[]{}"\\', max_size=200))
@example('"' + "\\" * 99)
@example('"' + "[" * 200)
@example("\\" + '"' + "[" * 200)
def test_brackets_inside_strings_are_no_nesting(text):
    value = {"text": [text]}
    assert safe_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize("before", [b'"\\\\"', b'"\\""', b'""', b'"[\\\\\\""'])
def test_strings_hide_no_nesting_after_them(before):
    with pytest.raises(WireError, match="deeper"):
        safe_json(b"[" + before + b", " + b"[" * 100 + b"]" * 101)


@pytest.mark.parametrize(
    "number",
    ["1e400", "-1e999", "9" * 309, "-" + "9" * 400, "1" * 100_000],
    ids=lambda text: text[:6],
)
def test_a_number_beyond_a_float_is_refused(number):
    with pytest.raises(WireError, match="too large"):
        safe_json(f'{{"a": [{number}]}}'.encode())


@given(st.binary(max_size=300) | st.text('[]{}",:\\0e-', max_size=300).map(str.encode))
@example(b"\xef\xbb\xbf{}")
@example(b"1" * 5000)
@example(b"[" * 100_000)
@example(b'"\\' * 100_000)
@example(b"-Infinity")
def test_anything_else_is_a_wire_error(data):
    try:
        value = safe_json(data)
    except WireError:
        return
    assert json.loads(data) == value
