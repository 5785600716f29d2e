"""The page on bytes: its readers refuse what the libraries refuse, read what they read, and light
up the right bytes.
"""

import json
import re
import struct

import data_bytes
import numpy as np
import onnx
import pytest
from google.protobuf.message import DecodeError
from playwright.sync_api import expect
from safetensors import SafetensorError, deserialize

from formatlab.models import to_bytes
from tests.site.alive import cells

pytestmark = pytest.mark.xdist_group("alive")
READ = """a.map((list) => {{
  try {{ {call}; return "accepted"; }} catch (error) {{ if (!("begin" in error)) throw error; return error.message; }}
}})"""
# Groups are Protocol Buffers' first form of messages. ONNX has none, and the libraries skip them as
# unknown fields.
GROUPS = [f"there is no wire type {wire} in an ONNX file" for wire in (3, 4)]
STEP = "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"
# What the format's description forbids and the library lets pass.
STRICTER = re.compile(r"stands twice|does not know|has to begin with")


@pytest.fixture(scope="module", autouse=True)
def data(site):
    _, folder = site
    data_bytes.write(folder / "_static" / "data")


def packed(header: object, body: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + body


def entry(begin=0, end=4, dtype="F32", shape=(1,)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


HOSTILE = {
    "nothing": b"",
    "seven bytes": b"1234567",
    "a huge length": packed({}, length=2**63),
    "longer than the file": packed({"a": entry()}, b"1234", length=4000),
    "no JSON": packed(b"{a}"),
    "a list": packed(b"[]"),
    "bad UTF-8": packed(b'{"\xff":1}'),
    "text behind": packed(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}} x', b"1234"),
    "unclosed": packed(b'{"a":{"dtype":"F32"'),
    "an escape without an end": packed(b'{"a\\'),
    "offsets behind the end": packed({"a": entry(0, 8, shape=[2])}, b"1234"),
    "a shape that does not fit": packed({"a": entry(shape=[3])}, b"1234"),
    "an overlap": packed({"a": entry(), "b": entry(2, 6)}, b"123456"),
    "a hole": packed({"a": entry(), "b": entry(6, 10)}, b"1234567890"),
    "bytes left over": packed({"a": entry()}, b"12345"),
    "begin behind end": packed({"a": entry(4, 0)}, b"1234"),
    "a negative offset": packed({"a": entry(-4, 0)}, b"1234"),
    "an unknown dtype": packed({"a": entry(dtype="F99")}, b"1234"),
    "a float as a size": packed(
        b'{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}', b"1234"
    ),
    "metadata that is a number": packed({"__metadata__": {"a": 1}}),
    "metadata that is a text": packed({"__metadata__": "a"}),
    "no shape": packed({"a": {"dtype": "F32", "data_offsets": [0, 4]}}, b"1234"),
    "an entry that is a list": packed({"a": []}),
    "offsets of three": packed(
        b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}', b"12345678"
    ),
    "a size spelled as a float": packed(
        b'{"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}}', b"1234"
    ),
    "an offset spelled with an exponent": packed(
        b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4e0]}}', b"1234"
    ),
    "a size of minus zero": packed(b'{"a":{"dtype":"F32","shape":[-0],"data_offsets":[0,0]}}', b""),
    "half of a surrogate pair in a name": packed(
        b'{"\\ud800":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}', b"1234"
    ),
    "half of a surrogate pair in the metadata": packed(b'{"__metadata__":{"a":"\\udc00"}}'),
    "a product that overflows": packed({"a": entry(shape=[2**40, 2**40])}, b"1234"),
}


def accepted(data: bytes) -> bool:
    try:
        deserialize(data)
    except (SafetensorError, ValueError, OverflowError):
        return False
    return True


def flipped(data: bytes, count: int, seed: int) -> list[bytes]:
    """Copies of the file with one to three bytes changed, or its end cut off."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        changed = bytearray(data)
        for at in rng.integers(len(data), size=rng.integers(1, 4)):
            changed[at] = rng.integers(256)
        found.append(
            bytes(changed[: rng.integers(1, len(data))] if rng.random() < 0.1 else changed)
        )
    return found


def read(javascript, module, call, files):
    return javascript(module, READ.format(call=call), [list(data) for data in files])


def test_what_the_library_refuses_is_refused(javascript):
    said = read(
        javascript, "safetensors", "m.readSafeTensors(Uint8Array.from(list))", HOSTILE.values()
    )
    assert not any(accepted(data) for data in HOSTILE.values())
    assert [name for name, text in zip(HOSTILE, said, strict=True) if text == "accepted"] == []


def test_changed_files_get_the_verdict_of_the_library(javascript):
    files = flipped(data_bytes.small_safetensors(), 1500, seed=0)
    said = read(javascript, "safetensors", "m.readSafeTensors(Uint8Array.from(list))", files)
    wrong = [
        (file, text)
        for file, text in zip(files, said, strict=True)
        if (text == "accepted") != accepted(file)
    ]
    assert [each for each in wrong if not STRICTER.search(each[1])] == []
    assert 50 < sum(text == "accepted" for text in said) < 1450


def test_the_tensors_are_those_of_the_library(javascript):
    file = data_bytes.small_safetensors()
    found = javascript(
        "safetensors",
        """(() => { const data = Uint8Array.from(a), file = m.readSafeTensors(data);
        return file.tensors.map((t) => [t.name, t.dtype, t.shape,
          Array.from({ length: t.shape.reduce((p, d) => p * d, 1) }, (_, i) => Number(m.element(data, t, i).value))]); })()""",
        list(file),
    )
    expected = {name: (value["dtype"], list(value["shape"])) for name, value in deserialize(file)}
    assert {name: (dtype, shape) for name, dtype, shape, _ in found} == expected
    assert {name: values for name, _, _, values in found} == {
        "n": [7],
        "w": [0.5, -1, 2, 3, 0, -0.25],
        "h": [1.5, -2],
    }


def test_numbers_that_a_double_cannot_hold_are_shown_whole(javascript):
    ends = [2**63 - 1, -(2**63), 2**53 + 1, -7]
    counts = [2**64 - 1, 2**60 + 1]
    model = onnx.helper.make_model(
        onnx.helper.make_graph(
            [onnx.helper.make_node("Slice", ["x"], ["y"], end=ends[0])],
            "main",
            [],
            [],
            [
                onnx.TensorProto(name="ends", dims=[4], data_type=7, int64_data=ends),
                onnx.TensorProto(name="counts", dims=[2], data_type=13, uint64_data=counts),
            ],
        )
    )
    shown = javascript(
        "outline",
        """(() => { const flat = (entry) => [[entry.name, entry.text], ...entry.children.flatMap(flat)];
        return m.outlineOfOnnx(Uint8Array.from(a[0]), a[1]).flatMap(flat); })()""",
        [list(to_bytes(model)), data_bytes.schema()],
    )
    texts = {name: text for name, text in shown if name in ("i", "int64_data", "uint64_data")}
    assert texts == {
        "i": str(ends[0]),
        "int64_data": ",".join(map(str, ends)),
        "uint64_data": ",".join(map(str, counts)),
    }


def decodes(data: bytes) -> bool:
    try:
        onnx.ModelProto.FromString(data)
    except DecodeError:
        return False
    return True


def test_changed_models_get_the_verdict_of_protobuf(javascript):
    files = flipped(to_bytes(data_bytes.levels()), 1500, seed=1)
    call = f"m.readMessage(Uint8Array.from(list), {json.dumps(data_bytes.schema())}, 'ModelProto')"
    said = read(javascript, "protobuf", call, files)
    wrong = [
        (file.hex(), text)
        for file, text in zip(files, said, strict=True)
        if (text == "accepted") != decodes(file)
    ]
    assert [each for each in wrong if each[1] not in GROUPS] == []
    assert 50 < sum(text == "accepted" for text in said) < 1450


def by_hand(message: onnx.ModelProto) -> list:
    """The fields of a message as [name, value or inner fields], with the names sorted."""
    found = []
    for field, value in message.ListFields():
        for each in value if field.is_repeated else [value]:
            inner = (
                by_hand(each)
                if field.message_type
                else f"{len(each)} bytes"
                if isinstance(each, bytes)
                else each
            )
            found.append([field.name, inner])
    return sorted(found, key=lambda pair: pair[0])


def test_the_fields_of_a_model_are_those_of_protobuf(javascript):
    model = data_bytes.levels()
    found = javascript(
        "protobuf",
        """(() => { const simple = (fields) => fields.map((f) => [f.name, f.children ? simple(f.children) : f.value]);
        return simple(m.readMessage(Uint8Array.from(a[0]), a[1], "ModelProto")); })()""",
        [list(to_bytes(model)), data_bytes.schema()],
    )

    def ordered(fields):
        return sorted(
            [
                [name, ordered(value) if isinstance(value, list) else value]
                for name, value in fields
            ],
            key=lambda pair: pair[0],
        )

    assert ordered(found) == by_hand(model)


def test_a_tensor_that_does_not_fit_its_dims_is_refused(javascript):
    model = data_bytes.small_onnx()
    model.graph.initializer[0].dims[0] = 4
    call = f"m.outlineOfOnnx(Uint8Array.from(list), {json.dumps(data_bytes.schema())})"
    assert read(javascript, "outline", call, [to_bytes(model)]) == [
        "the tensor “b” needs 16 bytes and has 12"
    ]


def test_the_files_are_those_of_the_notebooks(site):

    assert (
        to_bytes(data_bytes.small_onnx())
        == cells.namespace("day-50/02-inside-an-onnx-file", "data")["data"]
    )
    assert (
        data_bytes.small_safetensors()
        == cells.namespace("day-50/07-safetensors", "data = save(small")["data"]
    )


def test_a_field_lights_up_its_bytes_and_a_byte_its_field(open_page):
    page = open_page("bytes")
    view = page.locator("byte-view").first
    view.get_by_role("button", name=re.compile("^n$")).hover()
    view.get_by_role("button", name=re.compile("^tensor n")).focus()
    expect(view.locator(".byte.lit")).to_have_text(["07", "00", "00", "00", "00", "00", "00", "00"])
    view.locator("[data-at='0']").hover()
    expect(view.locator(".said")).to_contain_text("length of the header")
    expect(view.locator(".said .value")).to_have_text("200")


def test_a_byte_is_replaced_by_keyboard_and_the_reader_answers(open_page):
    page = open_page("bytes")
    view = page.locator("byte-view").first
    view.locator("[data-at='0']").click()
    page.keyboard.type("c9")
    expect(view.get_by_role("status")).to_contain_text("The reader refuses this file")
    view.get_by_role("button", name="Reset").click()
    expect(view.get_by_role("status")).to_contain_text("accepts this file. Each of its 244 bytes")
    onnx_view = page.locator("byte-view").nth(1)
    onnx_view.get_by_role("button", name="a length, one too large").click()
    expect(onnx_view.get_by_role("status")).to_contain_text("refuses")
    onnx_view.get_by_role("button", name="Reset").click()
    onnx_view.locator("[data-at='0']").focus()
    page.keyboard.press("ArrowDown")
    columns = onnx_view.evaluate("view => view.columns")  # as many as the page has room for
    assert columns in (8, 16)
    expect(onnx_view.locator(".byte:focus")).to_have_attribute("data-at", str(columns))


def test_a_file_of_the_reader_is_taken_apart(open_page, tmp_path):
    path = tmp_path / "mine.onnx"
    path.write_bytes(to_bytes(data_bytes.levels()))
    view = open_page("bytes").locator("byte-view").first
    view.get_by_label("Open a file of yours").set_input_files(path)
    expect(view.locator(".outline")).to_contain_text("MatMul")


@pytest.mark.parametrize("number", [0, 1], ids=["onnx", "safetensors"])
def test_an_empty_file_has_no_byte(open_page, tmp_path, number):
    path = tmp_path / "empty"
    path.write_bytes(b"")
    view = open_page("bytes").locator("byte-view").nth(number)
    view.get_by_label("Open a file of yours").set_input_files(path)
    expect(view).to_contain_text("This file is empty")
    expect(view).to_contain_text("There is no byte to look at")


def test_one_number_is_followed_through_five_levels(open_page):
    page = open_page("bytes")
    levels = page.locator("model-levels")
    levels.get_by_role("region", name="Formula").get_by_role("button", name="tensor b").click()
    levels.get_by_role("region", name="Tensor").get_by_role(
        "button", name=re.compile("= .1$")
    ).click()
    trail = levels.get_by_role("status")
    expect(trail).to_contain_text(
        f"y {STEP} Add {STEP} b {STEP} b[2] = \N{MINUS SIGN}1 {STEP} bytes"
    )
    begin = to_bytes(data_bytes.levels()).index(np.float32([0.25, 0, -1]).tobytes()) + 8
    expect(trail).to_contain_text(f"bytes {begin} to {begin + 4}")
    expect(levels.locator(".byte.here")).to_have_text(["00", "00", "80", "bf"])
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(trail).to_contain_text("b[1] = 0")
    levels.get_by_role("region", name="Graph").get_by_role("button", name="node Relu").click()
    expect(trail).to_contain_text(f"y {STEP} Relu {STEP} s")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(open_page, theme):
    page = open_page("bytes", width=390, theme=theme)
    for part in ("model-levels", "byte-view >> nth=0", "byte-view >> nth=1"):
        expect(page.locator(part)).to_have_attribute("ready", "")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
