"""Submitted notebooks in every state that they arrive in."""

import codecs
import json
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbjudge import limits
from nbjudge.grading.document import markdown_pictures
from nbjudge.grading.notebook import parser

CELL = {
    "cell_type": "code",
    "id": "a",
    "metadata": {},
    "source": ["x = 'ä'\r\n", "y"],
    "outputs": [],
    "execution_count": None,
}
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "python3"}, "nbjudge": {"version": "1"}},
    "cells": [CELL],
}
PARSED = (
    [{"cell_type": "code", "id": "a", "source": "x = 'ä'\ny", "nbgrader": None, "tags": []}],
    "1",
)


def read(data: bytes):
    """The cells and the version, or the reason for refusing the bytes."""
    try:
        return parser.read_notebook(data)
    except parser.Unreadable as refusal:
        return str(refusal)


def encoded(notebook) -> bytes:
    return json.dumps(notebook).encode()


@pytest.mark.parametrize(
    "data",
    [
        encoded(NOTEBOOK),
        json.dumps(NOTEBOOK, ensure_ascii=False).encode(),
        codecs.BOM_UTF8 + encoded(NOTEBOOK),
        json.dumps(NOTEBOOK).encode("utf-16"),
        json.dumps(NOTEBOOK).encode("utf-16-le"),
        json.dumps(NOTEBOOK).encode("utf-16-be"),
        json.dumps(NOTEBOOK).encode("utf-32"),
        json.dumps(NOTEBOOK, indent=1).replace("\n", "\r\n").encode(),
    ],
)
def test_encodings_do_not_matter(data):
    assert read(data) == PARSED


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (encoded(NOTEBOOK)[:-20], "cut short"),
        (
            b'{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> main\n}',
            "merge conflict (line 2)",
        ),
        (b"{\r\n<<<<<<< a\r\n1\r\n=======\r\n>>>>>>> b\r\n", "merge conflict"),
        (b'{"a": "<<<<<<< HEAD"', "cut short"),
        (b"\xff\xfe\xfd", "not"),
        (b"\x80abc", "UTF-8"),
        (b"[]", "not a notebook"),
        (b"5", "not a notebook"),
        (encoded({**NOTEBOOK, "nbformat": 99}), "format is 99"),
        (encoded({**NOTEBOOK, "nbformat": "4"}), "only formats"),
        (encoded({**NOTEBOOK, "nbformat": 3, "worksheets": 5}), "no list of cells"),
        (encoded({"nbformat": 4}), "no list of cells"),
        (encoded({**NOTEBOOK, "cells": {"0": CELL}}), "no list of cells"),
        (encoded({**NOTEBOOK, "cells": [CELL] * 5001}), "5001 cells"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
        (b"[" * 1_000_000, "nested too deeply"),
        (b"[" * 5_000_000, "more than 2,000,000 values"),
        (b'{"a": [' + b"[]," * 11_000_000 + b"1]}", "more than 2,000,000 values"),
        (b'{"a": [' + b'"",' * 11_000_000 + b"1]}", "more than 2,000,000 values"),
        (json.dumps(NOTEBOOK, ensure_ascii=False).encode("latin-1"), "not UTF-8 text (byte"),
        (json.dumps(NOTEBOOK).encode("utf-16")[:-1], "not UTF-8"),
        (codecs.BOM_UTF8, "not valid JSON"),
        (
            encoded({**NOTEBOOK, "cells": [{**CELL, "source": "x" * (limits.TEXT + 1)}]}),
            "8 MB of text",
        ),
        (b" " * (limits.NOTEBOOK + 1), "larger than 64 MB"),
        (b"9" * 10_000, "not valid JSON"),
    ],
)
def test_what_is_no_notebook_is_refused_with_a_reason(data, reason):
    assert reason in read(data)


def test_an_old_notebook_is_converted():
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [
            {
                "cells": [
                    {
                        "cell_type": "code",
                        "input": ["1"],
                        "language": "python",
                        "outputs": [],
                        "collapsed": False,
                        "metadata": {},
                    }
                ]
            }
        ],
    }
    (cell,) = read(encoded(old))[0]
    assert (cell["cell_type"], cell["source"]) == ("code", "1")


def old(version, *cells):
    where = {"cells": [*cells]}
    return {"nbformat": version, "metadata": {}} | (
        where if version == 1 else {"worksheets": [where, {"cells": "none"}, 5]}
    )


@pytest.mark.parametrize(
    ("version", "cell", "kind", "source"),
    [
        (1, {"cell_type": "code", "code": "1"}, "code", "1"),
        (1, {"cell_type": "text", "text": "a"}, "markdown", "a"),
        (2, {"cell_type": "code", "input": "1"}, "code", "1"),
        (2, {"cell_type": "html", "source": "<b>"}, "markdown", "<b>"),
        (3, {"cell_type": "heading", "level": 3, "source": ["a"]}, "markdown", "### a"),
        (3, {"cell_type": "heading", "level": 10**12, "source": "a"}, "markdown", "# a"),
        (3, {"cell_type": ["x"], "input": {"a": 1}, "outputs": 7}, "raw", ""),
    ],
)
def test_every_old_cell_keeps_its_source(version, cell, kind, source):
    (found,) = read(encoded(old(version, cell)))[0]
    assert (found["cell_type"], found["source"]) == (kind, source)


def test_an_old_notebook_costs_what_a_new_one_costs():
    """Whatever is wrong with its outputs."""
    odd = [{"output_type": "odd", "a": [[], []]}] * 3000
    cell = {"cell_type": "code", "input": "1", "source": "1", "outputs": odd}

    def cost(notebook):
        data, began = encoded(notebook), time.process_time()
        assert len(parser.read_notebook(data)[0]) == 1
        return time.process_time() - began

    # In turn, and the quickest of each: a collection of garbage takes longer than either.
    pairs = [(cost(old(3, cell)), cost({**NOTEBOOK, "cells": [cell]})) for _ in range(5)]
    of_old, of_new = map(min, zip(*pairs, strict=True))
    assert of_old < 30 * of_new


def test_a_repeated_or_impossible_id_is_dropped():
    cells = [{**CELL, "id": name} for name in ("a", "a", "b", "", "x" * 65, 5, None, "<b>")]
    assert [cell["id"] for cell in read(encoded({**NOTEBOOK, "cells": cells}))[0]] == [
        "a",
        None,
        "b",
        *[None] * 5,
    ]


def test_lone_surrogates_are_replaced():
    cells = [{**CELL, "source": "a\ud800b \U0001f600"}]
    ((cell,), _) = read(encoded({**NOTEBOOK, "cells": cells}))
    assert cell["source"] == "a\ufffdb \U0001f600"


def test_cells_of_the_wrong_shape_do_not_stop_the_others():
    cells = [
        5,
        None,
        [],
        {},
        {"cell_type": 7, "source": {"a": 1}, "metadata": []},
        {"source": [1, "x", None]},
        CELL,
    ]
    parsed = read(encoded({**NOTEBOOK, "cells": cells}))[0]
    assert [cell["source"] for cell in parsed] == ["", "", "x", "x = 'ä'\ny"]


def test_nbgrader_s_metadata_comes_back_with_its_types_checked():
    metadata = {
        "grade_id": "t",
        "grade": True,
        "solution": "yes",
        "locked": 1,
        "points": 1e400,
        "cell_type": ["code"],
        "scramble_config": "x",
    }
    text = json.dumps(
        {
            **NOTEBOOK,
            "cells": [{**CELL, "metadata": {"nbgrader": metadata, "tags": ["raises-exception"]}}],
        }
    )
    (cell,) = read(text.replace("Infinity", "1e400").encode())[0]
    assert cell["nbgrader"] == {
        "grade_id": "t",
        "grade": True,
        "solution": False,
        "locked": False,
        "task": False,
        "points": None,
        "cell_type": None,
    }


def test_commas_and_brackets_of_text_are_no_values(monkeypatch):
    """A table that was printed, a page of HTML: neither is large in memory, or nested."""
    monkeypatch.setattr(parser, "MAX_VALUES", 100)
    said = "1,2,[{" * 1000 + '\\" \\\\ , ["' + "[" * 1000
    outputs = [{"output_type": "stream", "name": "stdout", "text": said}]
    assert read(encoded({**NOTEBOOK, "cells": [{**CELL, "outputs": outputs}]})) == PARSED
    assert "values" in read(encoded({**NOTEBOOK, "other": [0] * 101}))


@pytest.mark.parametrize("depth", [parser.MAX_DEPTH - 1, parser.MAX_DEPTH])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be"])
def test_how_deep_a_document_nests_is_known_before_it_is_parsed(depth, encoding):
    text = json.dumps({**NOTEBOOK, "x": "\u5b5b"}, ensure_ascii=False)[:-1]
    data = f'{text}, "deep": {"[" * depth}{"]" * depth}}}'.encode(encoding)
    assert read(data) == PARSED if depth < parser.MAX_DEPTH else "too deeply" in read(data)


def test_of_two_keys_the_last_one_counts():
    text = json.dumps(NOTEBOOK)
    assert read(f'{text[:-1]}, "cells": []}}'.encode()) == ([], "1")


def test_numbers_that_no_json_has_are_no_numbers_here():
    text = json.dumps({**NOTEBOOK, "a": [float("nan"), float("inf")]})
    assert read(text.replace("NaN", "-Infinity, 1e999, -1e999").encode()) == PARSED


def test_a_number_of_many_digits_is_refused():
    text = json.dumps({**NOTEBOOK, "a": 7})
    assert "not valid JSON" in read(text.replace("7", "7" * 5000).encode())
    assert read(text.replace("7", "7" * 4000).encode()) == PARSED


PIECES = st.sampled_from(
    [
        *(
            b"[",
            b"]",
            b"{",
            b"}",
            b",",
            b'"',
            b":",
            b"\\",
            b'\\"',
            b"\\u",
            b"\\ud800",
            b"\0",
            b"\xff",
        ),
        *(
            b"[],",
            b'{"":0},',
            b'"",',
            b"[[],",
            b"9",
            b"-1e9",
            b"NaN",
            b"null",
            b" ",
            b"\n",
            b"\xc3",
        ),
        *(b"nbformat", b'"cells"', b"![](data:,", b"<img src=", b"\xf0\x9f\x98\x80"),
        *(codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE),
    ]
)
REPEATED = st.tuples(st.one_of(PIECES, st.binary(max_size=8)), st.integers(1, 3000))
BYTES = st.lists(REPEATED, max_size=6).map(
    lambda parts: b"".join(piece * times for piece, times in parts)
)


def in_a_cell(source: bytes, kind: str) -> bytes:
    """A notebook with a cell in which the bytes stand, as text where they are text."""
    text = source.decode("utf-8", "surrogateescape")
    return encoded({**NOTEBOOK, "cells": [{**CELL, "cell_type": kind, "source": text}]})


@settings(deadline=None)
@given(
    st.one_of(
        BYTES,
        st.builds(lambda inner: b'{"nbformat": 4, "cells": [' + inner + b"]}", BYTES),
        st.builds(in_a_cell, BYTES, st.sampled_from(["code", "markdown"])),
    )
)
def test_any_bytes_give_cells_or_a_line_that_says_why(data):
    """Within memory that follows from their size, and from how many values are allowed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "MAX_VALUES", 2000)
        tracemalloc.start()
        try:
            found = read(data)
        finally:
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
    assert peak < 400_000 + 20 * len(data)
    if isinstance(found, str):
        assert found.isprintable() and len(found) < 500
        return
    cells, version = found
    assert version is None or isinstance(version, str)
    for cell in cells:
        assert cell.keys() == {"cell_type", "id", "source", "nbgrader", "tags"}
        assert isinstance(cell["source"], str) and cell["source"].encode() is not None


MARKDOWN = {
    "sources in one tag": "<img " + "src=x " * 40 + "y" * 500,
    "a source without an end": "<img src=" + "src=" * 100,
    "quotes in quotes": "<img src='src=\"",
    "words that open": "![![a]",
    "many words": "![" + "![a]" * 300,
    "targets that open": "![a](b",
    "titles that open": '![a](b "' + "c" * 290,
    "blanks": "![a](b" + " " * 20 + '"',
    "names": "[a" * 150 + "\n",
}


@pytest.mark.parametrize("what", MARKDOWN)
def test_markdown_is_read_in_time_that_follows_from_its_size(what):
    """Four times as much takes about four times as long, where going over it from every place in it
    would take sixteen times.
    """

    def cost(size: int) -> float:
        source = MARKDOWN[what] * (size // len(MARKDOWN[what]))
        data = encoded({**NOTEBOOK, "cells": [{**CELL, "cell_type": "markdown", "source": source}]})
        began = time.thread_time()
        parser.read_notebook(data)
        return time.thread_time() - began

    small, large = (min(cost(size) for _ in range(4)) for size in (1 << 18, 1 << 20))
    assert large < 10 * small


def test_an_attachment_is_decoded_once_however_often_it_is_shown(monkeypatch):
    """Under whichever of its names: `%61` is an `a`."""
    decoded = []
    monkeypatch.setattr(
        markdown_pictures,
        "_of_base64",
        lambda form, text, into: decoded.append(text) or into.add(text.encode()),
    )
    names = ["aa", "a%61", "%61a", "%61%61"]
    source = "".join(f"![](attachment:{name})" for name in names * 100)
    cell = {**CELL, "cell_type": "markdown", "attachments": {"aa": {"image/png": "AAAA"}}}
    ((found,), _) = parser.read_notebook(
        encoded({**NOTEBOOK, "cells": [{**cell, "source": source}]})
    )
    assert decoded == ["AAAA"] and found["source"].count("(picture:") == 400
