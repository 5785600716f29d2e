"""Submitted notebooks in every state that they arrive in."""

import codecs
import json
import time

import pytest
from box_tools import PARSER

from nbjudge import boxes, wire
from nbjudge.boxes.inside import notebook as parser

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
PARSED = {
    "cells": [
        {"cell_type": "code", "id": "a", "source": "x = 'ä'\ny", "nbgrader": None, "tags": []}
    ],
    "kernel": "python3",
    "version": "1",
}


def parse(data: bytes):
    """The parsed notebook, or the reason for refusing it."""
    ended = boxes.run(
        PARSER, [wire.encode("notebook", {"notebook.ipynb": data})], boxes.limits_for_notebook()
    )
    assert ended.ended == "finished", ended
    (frame,) = ended.frames
    return (
        frame.header["reason"]
        if frame.kind == "refused"
        else wire.safe_json(frame.blobs["notebook.json"])
    )


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
    assert parse(data) == PARSED


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (encoded(NOTEBOOK)[:-20], "cut short"),
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
        (b"[" * 5_000_000, "nested too deeply"),
        (b"9" * 10_000, "not valid JSON"),
    ],
)
def test_what_is_no_notebook_is_refused_with_a_reason(data, reason):
    assert reason in parse(data)


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
    (cell,) = parse(encoded(old))["cells"]
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
    (found,) = parse(encoded(old(version, cell)))["cells"]
    assert (found["cell_type"], found["source"]) == (kind, source)


def test_an_old_notebook_costs_what_a_new_one_costs():
    """Whatever is wrong with its outputs."""
    odd = [{"output_type": "odd", "a": [[], []]}] * 3000
    cell = {"cell_type": "code", "input": "1", "source": "1", "outputs": odd}

    def cost(notebook):
        data, began = encoded(notebook), time.process_time()
        assert len(parser.parse(data)["cells"]) == 1
        return time.process_time() - began

    # In turn, and the quickest of each: a collection of garbage takes longer than either.
    pairs = [(cost(old(3, cell)), cost({**NOTEBOOK, "cells": [cell]})) for _ in range(5)]
    of_old, of_new = map(min, zip(*pairs, strict=True))
    assert of_old < 30 * of_new


def test_a_repeated_or_impossible_id_is_dropped():
    cells = [{**CELL, "id": name} for name in ("a", "a", "b", "", "x" * 65, 5, None, "<b>")]
    assert [cell["id"] for cell in parse(encoded({**NOTEBOOK, "cells": cells}))["cells"]] == [
        "a",
        None,
        "b",
        *[None] * 5,
    ]


def test_lone_surrogates_are_replaced():
    (cell,) = parse(encoded({**NOTEBOOK, "cells": [{**CELL, "source": "a\ud800b \U0001f600"}]}))[
        "cells"
    ]
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
    parsed = parse(encoded({**NOTEBOOK, "cells": cells}))["cells"]
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
    (cell,) = parse(text.replace("Infinity", "1e400").encode())["cells"]
    assert cell["nbgrader"] == {
        "grade_id": "t",
        "grade": True,
        "solution": False,
        "locked": False,
        "task": False,
        "points": None,
        "cell_type": None,
    }
