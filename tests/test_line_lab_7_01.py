"""The line of Lab 7-01: three pages and a lab that carry MiniLM through an evening, and the table
that grows on them.
"""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from notebook_tools import NOTEBOOKS, ROOT, TABLE, printed_table, read

from formatlab import measure, retrieval, running_table
from formatlab.running_table import Row, Time

FOLDER = NOTEBOOKS / "lab-7-01"
PAGES = [
    FOLDER / f"{name}.ipynb"
    for name in ("line-1-run-and-measure", "line-2-smaller", "line-3-decide")
]
LAB = ROOT / "labs" / "lab-7-01" / "int8_dynamic.ipynb"
CONTROL = "INT8 static, all"


def shown(path):
    """What the page's cells print and display, as text."""
    outputs = [output for cell in read(path).cells for output in cell.get("outputs", [])]
    texts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
    return "\n".join(texts)


def prose(path):
    return "\n\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


def test_each_part_leads_to_the_next_and_the_line_to_its_lab():
    for page, following in zip(PAGES, [*PAGES[1:], LAB], strict=True):
        [said] = re.findall(r"^Next: .*$", prose(page), re.MULTILINE)
        [target] = re.findall(r"\]\(([^)]+)\)", said)
        assert (FOLDER / target).resolve() == following
    assert "labs/lab-7-01/int8_dynamic.ipynb" in prose(PAGES[1])


def test_part_3_reads_the_table_that_part_2_shows():
    assert TABLE.read_text("utf-8") == running_table.RECORDED.read_text("utf-8")
    assert printed_table(read(PAGES[1])).strip() == TABLE.read_text(encoding="utf-8").strip()
    about, rows = running_table.recorded()
    table = str(running_table.table(rows))
    assert table in shown(PAGES[1]) and table in shown(PAGES[2])
    assert about["date"] in shown(PAGES[2]) and about["device"] in shown(PAGES[2])


def test_part_3_shows_the_intervals_that_another_implementation_finds():
    """And they refuse the file that must fail, and no file that is as good as float32."""
    _, [base, *others] = running_table.recorded()
    places = np.random.default_rng(0).integers(len(base.ranks), size=(4000, len(base.ranks)))
    scores = {row.variant: 1 / np.array(row.ranks) for row in others}
    found = retrieval.changes(scores, 1 / np.array(base.ranks), places)
    for name, interval in found.items():
        assert "{:+.3f} ({:+.3f} to {:+.3f})".format(*interval) in shown(PAGES[2]), name
    assert found[CONTROL][2] < 0
    assert found["FP16"][1] <= 0 <= found["FP16"][2]
    assert all(high >= 0 for name, (_, _, high) in found.items() if name != CONTROL)


def test_the_ruined_file_looks_like_the_best_one_but_for_its_error_and_its_score():
    _, rows = running_table.recorded()
    by_name = {row.variant: row for row in rows}
    ruined, dynamic = by_name[CONTROL], by_name["INT8 dynamic"]
    assert abs(ruined.megabytes / dynamic.megabytes - 1) < 0.02
    assert ruined.error > 0.5 > 2 * dynamic.error and ruined.mrr < dynamic.mrr < 1
    assert all(len(row.ranks) == len(row.margins) == len(rows[0].ranks) for row in rows)


def test_the_passport_holds_what_the_table_holds():
    text = shown(PAGES[2])
    passport = json.loads(text[text.index('{\n "file"') : text.index("\n}\n") + 2])
    about, rows = running_table.recorded()
    row = next(each for each in rows if each.variant == "INT8 dynamic")
    assert passport["made"]["by"] == row.how
    assert passport["file"]["megabytes"] == pytest.approx(row.megabytes, abs=0.1)
    assert passport["error against float64"] == pytest.approx(row.error, rel=0.1)
    assert passport["task"]["MRR"] == pytest.approx(row.mrr, abs=1e-3)
    assert passport["time against float32"] == {
        f"{length} tokens": str(time) for length, time in row.times.items()
    }
    assert passport["device"] == about["device"]
    assert passport["versions"]["onnxruntime"] and len(passport["file"]["sha256"]) == 64


NUMBERS = st.floats(0.001, 1000, allow_nan=False)
TIMES = st.builds(Time, ratio=NUMBERS, low=NUMBERS, high=NUMBERS, told_apart=st.booleans())
ROWS = st.builds(
    Row,
    variant=st.text(max_size=20),
    how=st.text(max_size=20),
    megabytes=NUMBERS,
    error=NUMBERS,
    ranks=st.lists(st.integers(1, 300), max_size=5),
    margins=st.lists(st.floats(-2, 2), max_size=5),
    times=st.dictionaries(st.integers(1, 512), TIMES, max_size=3),
)


@given(st.lists(ROWS, max_size=4), st.dictionaries(st.text(max_size=5), st.text(max_size=5)))
def test_a_table_is_read_as_it_was_written(rows, about):
    keys = {f"_{name}": value for name, value in about.items()}
    assert running_table.from_text(running_table.to_text(rows, **keys)) == (keys, rows)


def test_a_table_grows_and_has_dashes_where_nothing_is_measured():
    time = Time(ratio=0.5, low=0.4, high=0.6, told_apart=True)
    row = Row(variant="half", how="", megabytes=45.2, error=0.001)
    assert str(running_table.table([row])).splitlines()[1].split() == [
        "half",
        "45.2",
        "0.1",
        "%",
        "-",
        "-",
        "-",
    ]
    row = replace(row, ranks=[1, 2], times={16: time, 128: replace(time, told_apart=False)})
    [_, line] = str(running_table.table([row])).splitlines()
    assert "0.750  0.50 (0.40 to 0.60)  " in line
    assert line.endswith("0.50 (0.40 to 0.60), not told apart")


def test_a_time_is_told_apart_as_the_measurement_says():
    results = measure.recorded("minilm-batch-1-cpu")
    for name in results.names[1:]:
        time = Time.of(results, name)
        assert time.told_apart == results.told_apart(name)
        assert time.low <= time.ratio == results.ratio(name).value <= time.high


def test_texts_to_calibrate_on_are_the_same_in_batches_and_then_padded():
    alone, batches = retrieval.held_out(), retrieval.held_out(size=8)
    kept = [row[mask == 1] for each in batches for row, mask in zip(*each.values(), strict=True)]
    assert len(kept) == len(alone)
    for one, row in zip(alone, kept, strict=True):
        assert one["input_ids"][0].tolist() == row.tolist()
    assert all((each["attention_mask"] == 1).all() for each in alone)
    assert any((each["attention_mask"] == 0).any() for each in batches)
