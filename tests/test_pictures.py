"""The pictures of the notebooks: what they say in words, and that the drawing holds what it was
given.
"""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from colours import turn_over
from onnx import parser

from formatlab import show
from formatlab.picture import WIDTH
from formatlab.show import pictures

DRAWN = {
    "line": lambda *words: pictures.number_line([0.1, 0.74], [0.0, 0.5], 0.5, *words),
    "histogram": lambda *words: pictures.histogram(np.arange(50.0), {"cut": 40.0}, "size", *words),
    "curves": lambda *words: pictures.curves(
        [1, 2], {"one": [1, 2], "other": [1, 2]}, ("x", "y"), *words
    ),
    "channels": lambda *words: pictures.channels(
        {"before": [1, 100], "after": [10, 10]}, ("channel", "range"), *words
    ),
    "shares": lambda *words: pictures.shares({"float": {"Conv": 0.7, "Gemm": 0.3}}, *words),
    "intervals": lambda *words: pictures.intervals({"one": (1, 0.9, 1.1)}, "ratio", *words, at=1),
    "noise": lambda *words: pictures.beyond_noise({"file": 1.2, "control": 900.0}, 4, *words),
    "frontier": lambda *words: pictures.frontier(
        {"small": (1, 0.5), "large": (9, 0.9)}, ("MB", "recall"), *words
    ),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_a_picture_says_its_message_and_is_the_same_each_time(kind):
    first, again = (DRAWN[kind]("What it shows", "What is to be seen.") for _ in range(2))
    assert first.svg == again.svg
    assert str(first) == "What it shows. What is to be seen."
    assert "What it shows" in "".join(ElementTree.fromstring(first.svg).itertext())
    assert 'alt="What it shows. What is to be seen."' in first._repr_mimebundle_()["text/html"]


def test_a_title_wider_than_the_picture_takes_a_second_line():
    title = "What an interval for independent times holds where the times depend on each other"
    first, second = labels(DRAWN["curves"](title, "Two lines."))[-2:]
    assert f"{first} {second}" == title


def labels(picture):
    return [
        "".join(each.itertext()).strip()
        for each in ElementTree.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text")
    ]


def test_lines_that_end_together_have_names_that_do_not_cover_each_other():
    places = pictures._apart({"one": [0, 5], "other": [0, 5], "third": [0, 1]}, None)
    assert places[0] != places[1] and abs(places[0] - places[1]) >= 0.07 * 5 and places[2] == 1


def test_a_line_that_ends_early_is_named_at_its_last_number():
    assert pictures._apart({"short": [3, np.nan], "long": [1, 9]}, None) == [3, 9]


def heights(picture):
    """Where each text stands, from the top."""
    texts = ElementTree.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text")
    return {
        "".join(each.itertext()).strip(): float(
            each.get("y") or each.get("transform").split("translate(")[1].split()[1].strip(")")
        )
        for each in texts
        if each.get("y") or each.get("transform")  # powers of ten have neither
    }


def test_a_line_is_named_at_its_right_end_in_whatever_order_its_numbers_come():
    def drawn(order):
        lines = {"falls": [9, 1][::order], "rises": [1, 9][::order]}
        return heights(pictures.curves([1, 2][::order], lines, ("x", "y"), "t", "s"))

    for found in (drawn(1), drawn(-1)):
        assert found["rises"] < found["falls"]


def name_boxes(picture, names):
    """The room that each name of a frontier takes, narrower than any font draws it."""
    found = {}
    for text in ElementTree.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text"):
        name = "".join(text.itertext()).strip()
        if name in names:
            width = 3.6 * len(name)
            x = float(text.get("x")) - ("anchor: end" in text.get("style")) * width
            y = float(text.get("y"))
            found[name] = (x, y - 7, x + width, y)
    return found


CLOSE = {"a": (59, 0.35), "b": (60, 0.35), "c": (20, 0.9)}
SENTENCE_ENCODER = {
    "float32": (90, 0),
    "FP16": (45, 0),
    "dynamic": (23, -0.025),
    "8 bits, level unset": (60, -0.015),
    "8 bits, level 4": (60, -0.02),
    "4 bits, level unset": (54, -0.051),
    "4 bits, level 4": (54, -0.049),
    "static, smoothed": (59, -0.012),
    "static, MatMul alone": (59, -0.073),
    "static, every operator": (23, -0.224),
}
ONE_PLACE = {f"the file with number {number}": (5, 0.5) for number in range(6)} | {"far": (9, 0.9)}


@pytest.mark.parametrize(
    "points", [CLOSE, SENTENCE_ENCODER, ONE_PLACE], ids=("close", "ten", "one")
)
def test_names_on_a_frontier_do_not_cover_each_other(points):
    boxes = name_boxes(pictures.frontier(points, ("x", "y"), "t", "s"), points)
    assert boxes.keys() == points.keys()
    every = list(boxes.values())
    for number, (left, top, right, bottom) in enumerate(every):
        assert left >= 0 and right <= WIDTH * 72
        assert all(
            right <= x or end <= left or bottom <= y or low <= top
            for x, y, end, low in every[:number]
        )


def test_names_stand_beside_what_they_name():
    assert {"one", "other"} <= set(labels(DRAWN["curves"]("t", "s")))
    assert {"small", "large"} <= set(labels(DRAWN["frontier"]("t", "s")))
    assert any(text.startswith("cut 40") for text in labels(DRAWN["histogram"]("t", "s")))


def test_no_cut_of_a_histogram_goes_through_the_name_of_another():
    """The names stand one above the other in the order of the cuts, to the left of their lines."""
    cuts = {"last": 40.0, "first": 10.0, "middle": 25.0}
    found = heights(pictures.histogram(np.arange(50.0), cuts, "size", "t", "s"))
    first, middle, last = (
        found[f"{name} {cuts[name]:.3g}"] for name in ("first", "middle", "last")
    )
    assert first - middle > 8 and middle - last > 8  # y grows downwards


def test_on_the_frontier_are_the_points_that_none_beats():
    svg = pictures.frontier(
        {"a": (1, 0.5), "b": (2, 0.4), "c": (3, 0.9)}, ("x", "y"), "t", "s"
    ).svg.decode()
    assert svg.count(pictures.CODES) > svg.count(pictures.QUIET) > 0


CHOICE = (
    "What limits you?",
    {"memory": "weights alone", "time": ("Where?", {"CPU": "INT8", "GPU": "FP16"})},
)
CHARTS = {
    "bars": lambda: show.bars({"one": 3, "other": 6}, "One is half of the other", "nodes"),
    "strip": lambda: show.strip([("length", "8 bytes"), ("header", "40 bytes")], "A file"),
    "grid": lambda: show.grid_of([["a", "b", "c"]], [(0, 1)], "One window"),
    "pair": lambda: show.pair(
        show.draw(graph_of("Relu"), "first"),
        show.draw(graph_of("Neg"), "second"),
        "Relu became Neg",
    ),
    "chain": lambda: show.chain(
        [("module", "plain", "the branch that did not run"), ("file", "codes", "")],
        "What an export can lose on its way",
    ),
    "lanes": lambda: show.lanes(
        {"file": [("x", "float"), ("Conv", "node")], "session": [("y", "float"), None]},
        "A file computes otherwise than a session",
    ),
    "tree": lambda: show.tree(CHOICE, "Memory decides before time does"),
}


def graph_of(operator):
    return parser.parse_graph(f"g (float[N] x) => (float[N] y) {{ y = {operator}(x) }}")


def texts(chart):
    return [
        "".join(each.itertext()).strip()
        for each in ElementTree.fromstring(chart.svg).iter("{http://www.w3.org/2000/svg}text")
    ]


@pytest.mark.parametrize("kind", CHARTS)
def test_a_chart_says_in_words_what_it_draws_and_is_the_same_each_time(kind):
    chart, again = CHARTS[kind](), CHARTS[kind]()
    assert chart.svg == again.svg
    title = ElementTree.fromstring(chart.svg).find("{http://www.w3.org/2000/svg}title").text
    assert chart.description.startswith(f"{title}. ")
    assert all(text in chart.description for text in texts(chart))


def test_bars_are_as_long_as_their_numbers():
    rects = ElementTree.fromstring(CHARTS["bars"]().svg).iter("{http://www.w3.org/2000/svg}rect")
    one, other = (float(rect.get("width")) for rect in list(rects)[1:])
    assert other == pytest.approx(2 * one, abs=0.2)


def test_one_is_not_counted_in_the_plural():
    assert {"1 node", "2 nodes"} <= set(
        texts(show.bars({"after": 1, "before": 2}, "One of two is left", "nodes"))
    )


def test_names_of_two_outputs_of_a_node_do_not_overlap():
    graph = parser.parse_graph(
        "g (float[N] x) => (float[N] y) { h, mask = Dropout(x)   kept = Cast <to = 1> (mask)   y = Mul(h, kept) }"
    )
    found = ElementTree.fromstring(show.draw(graph, "two outputs").svg).iter(
        "{http://www.w3.org/2000/svg}text"
    )
    left = {text.text: float(text.get("x")) for text in found if text.text in ("h", "mask")}
    assert left["h"] > left["mask"] + len("mask") * 7


def test_a_strip_that_is_too_long_goes_on_in_another_row():
    parts = [(f"part {number}", "1000 bytes") for number in range(9)]
    boxes = list(
        ElementTree.fromstring(show.strip(parts, "long").svg).iter(
            "{http://www.w3.org/2000/svg}rect"
        )
    )[1:]
    assert len(boxes) == 9 and len({box.get("y") for box in boxes}) > 1
    assert all(float(box.get("x")) + float(box.get("width")) <= 360 for box in boxes), (
        "a phone shows it without shrinking the words"
    )


def test_marked_cells_of_a_grid_look_different():
    first, marked, last = list(
        ElementTree.fromstring(CHARTS["grid"]().svg).iter("{http://www.w3.org/2000/svg}rect")
    )[1:]
    assert first.get("fill") == last.get("fill") and (first.get("stroke"), first.get("fill")) != (
        marked.get("stroke"),
        marked.get("fill"),
    )


def test_words_tell_the_marked_cells_of_a_grid_from_the_others():
    assert "brackets: a, [b], c." in CHARTS["grid"]().description


def test_wrong_cells_of_a_grid_are_red_and_have_a_cross():
    rows = [["a", "b"], ["c", "d"]]
    found = show.grid_of(rows, [(0, 0)], "t", wrong=[(1, 1)])
    fills = re.findall(r'<rect x="[^>]* fill="([^"]+)"', found.svg)
    assert len(set(fills)) == 3 and "\N{BALLOT X} d" in texts(found)
    assert "[a], b; c, \N{BALLOT X} d" in found.description


def test_a_pair_names_its_two_halves_and_shows_both():
    found = texts(CHARTS["pair"]())
    assert {"before", "after", "Relu", "Neg"} <= set(found)


def fills(picture):
    """Of the parts of bars, which have a white edge."""
    return re.findall(r"fill: (#[0-9a-f]{6}); stroke: #ffffff", picture.svg.decode())


def test_no_two_parts_of_a_bar_have_one_colour_but_the_smallest_of_many():
    parts = {"Gemm": 0.05, "Conv": 0.5, "Add": 0.03, "Mul": 0.02, "Cast": 0.1, "Relu": 0.09}
    found = fills(pictures.shares({"row": parts | {"MaxPool": 0.01, "FusedConv": 0.2}}, "t", "s"))
    *named, quiet = pictures.COLOURS
    assert [found.count(colour) for colour in named] == [1] * len(named)
    assert found.count(quiet) == 3
    few = fills(pictures.shares({"row": {"sign": 0.1, "fraction": 0.9}}, "t", "s"))
    assert [few.count(colour) for colour in pictures.COLOURS[:3]] == [1, 1, 0]


def test_a_part_too_narrow_for_its_name_is_named_above_the_bars():
    """Its colour alone says nothing; and no name is wider than the part that it stands in."""
    bits = {"float16": {"sign": 1, "exponent": 5, "fraction": 10}}
    found = labels(pictures.shares(bits, "t", "s", across="bits", whole=16))
    assert {"■ sign", "exponent", "fraction"} <= set(found) and "sign" not in found
    narrow = {"digits": {"Conv": 0.8, "FusedGemm": 0.14, "Relu": 0.06}}
    assert "■ FusedGemm" in labels(pictures.shares(narrow, "t", "s"))


def test_an_axis_of_shares_is_as_long_as_the_whole():
    svg = pictures.shares({"x": {"one": 8, "other": 8}}, "t", "s", across="bits", whole=16)
    assert {"0", "16"} <= {text.rstrip(".0") or "0" for text in labels(svg)}


def test_a_frontier_with_intervals_fills_what_was_chosen_and_says_so():
    points = {"small": (1, 0.5), "ruined": (1, 0.1), "large": (9, 0.5)}
    spans = {name: (at[1] - 0.1, at[1] + 0.1) for name, at in points.items()}
    found = pictures.frontier(points, ("MB", "score"), "t", "s", spans=spans, chosen=["large"])
    without = pictures.frontier(points, ("MB", "score"), "t", "s")
    assert "● chosen" in labels(found) and "● chosen" not in labels(without)
    assert found.svg.decode().count(pictures.QUIET) > without.svg.decode().count(pictures.QUIET)


def test_a_frontier_shows_limits_and_keeps_what_is_far_below_at_its_edge():
    points = {"small": (1, 0.5), "ruined": (1, -30), "large": (9, 0.5)}
    limits = {"costs": {"at most 4 MB": 4}, "qualities": {"0.4 at least": 0.4}}
    found = pictures.frontier(points, ("MB", "score"), "t", "s", lowest=0.3, **limits)
    assert {"at most 4 MB", "0.4 at least", "ruined: -30", "small", "large"} <= set(labels(found))
    # Its axis goes down to the edge, and without one to where the ruined point is.
    assert not any(re.fullmatch(".3\\d", each) for each in labels(found))
    far = pictures.frontier(points, ("MB", "score"), "t", "s")
    assert "ruined" in labels(far) and any(re.fullmatch(".30", each) for each in labels(far))


def test_a_line_that_bars_are_compared_with_stands_where_a_bar_of_its_length_ends():
    chart = show.bars({"half": 0.5, "twice": 2}, "t", "times", line=(1, "the bare weights"))
    [path] = ElementTree.fromstring(chart.svg).iter("{http://www.w3.org/2000/svg}path")
    places = {float(each) for each in re.findall(r"M([\d.]+)", path.get("d"))}
    (start, _, half, _), (_, _, twice, _) = rectangles(chart)
    assert places == {start + (half + twice) / 2.5}
    assert "the bare weights" in texts(chart) and "the bare weights" in chart.description


STACKS = {"kept as": ["ONNX", "GGUF"], "run by": ["a session", "back in PyTorch"]}
WAYS = [
    ("ONNX", "a session", True),
    ("ONNX", "back in PyTorch", True),
    ("GGUF", "back in PyTorch", True),
]


def lines_of(drawing):
    """The colour of each line, in the order in which they are drawn, the last on top."""
    paths = ElementTree.fromstring(drawing.svg).iter("{http://www.w3.org/2000/svg}path")
    return [path.get("stroke") for path in paths]


def test_the_lines_of_a_followed_name_have_a_colour_of_their_own_and_lie_on_top():
    """Among many lines that are alike, the eye follows none."""
    assert len(set(lines_of(show.columns("t", STACKS, WAYS)))) == 1
    other, *followed = lines_of(show.columns("t", STACKS, WAYS, followed=["ONNX"]))
    assert len(set(followed)) == 1 and other not in followed
    both = lines_of(show.columns("t", STACKS, WAYS, followed=["ONNX", "back in PyTorch"]))
    assert len(both) == 3 and len(set(both)) == 2


def test_a_column_is_as_wide_as_its_longest_name():
    """No name leaves its box, and three columns are hardly wider than their names."""
    long = {"one": ["a name that is long, very long"], "two": ["b"], "three": ["c"]}
    first, second, _ = rectangles(show.columns("t", long, []))
    assert first[2] >= 30 * 6.5 and second[2] < 80


@pytest.mark.parametrize("points", [CLOSE, SENTENCE_ENCODER], ids=("close", "ten"))
def test_a_name_on_a_frontier_without_a_line_to_its_point_has_no_nearer_one(points):
    picture = pictures.frontier(points, ("x", "y"), "t", "s")
    boxes = name_boxes(picture, points)
    found = re.findall(
        rf'<use [^>]*x="([\d.]+)" y="([\d.]+)"[^>]*(?:{pictures.CODES}|{pictures.QUIET})',
        picture.svg.decode(),
    )
    marks = [(float(x), float(y)) for x, y in found]
    assert len(marks) == len(points)
    for (name, (left, top, right, bottom)), own in zip(
        ((name, boxes[name]) for name in points), marks, strict=True
    ):

        def away(at, left=left, top=top, right=right, bottom=bottom):
            return np.hypot(
                max(left - at[0], 0, at[0] - right), max(top - at[1], 0, at[1] - bottom)
            )

        lined = abs((top + bottom) / 2 - own[1]) > 8
        assert lined or away(own) <= min(map(away, marks)) + 3, name


def contrast(colour, paper):
    """Of WCAG 2: from 1 to 21."""
    light, dark = sorted(map(luminance, (colour, paper)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return np.dot(linear, (0.2126, 0.7152, 0.0722))


@pytest.mark.parametrize("colour", pictures.COLOURS)
def test_each_colour_of_a_picture_is_seen_on_a_light_and_on_a_dark_page(colour):
    """The site turns the lightness of a picture over; 3 is what WCAG asks of what is no text."""
    assert contrast(colour, "#ffffff") >= 3
    assert contrast(turn_over(colour[1:]), "#12161c") >= 3


SCHEMES = ("chain", "lanes", "tree")


@pytest.mark.parametrize("kind", CHARTS)
def test_a_chart_has_its_title_below_it_once(kind):
    chart = CHARTS[kind]()
    title = ElementTree.fromstring(chart.svg).find("{http://www.w3.org/2000/svg}title").text
    shown = chart._repr_mimebundle_()["text/html"]
    assert shown.endswith(f"<figcaption>{title}</figcaption></figure>")
    assert shown.count("<figcaption>") == 1 and shown.startswith("<figure ")


def test_a_drawing_without_a_title_has_no_caption():
    drawing = show.Drawing("<svg></svg>", "text", "what is seen")
    assert "figcaption" not in drawing._repr_mimebundle_()["text/html"]


def rectangles(chart):
    """Left end, top, width and height of each box, without the frame."""
    boxes = list(ElementTree.fromstring(chart.svg).iter("{http://www.w3.org/2000/svg}rect"))[1:]
    return [tuple(float(box.get(name)) for name in ("x", "y", "width", "height")) for box in boxes]


@pytest.mark.parametrize(
    "scheme",
    [
        show.chain(
            [("a label that needs two lines", "plain", "a note of many words " * 3)] * 3, "t"
        ),
        show.lanes({"one": [("a label for two lines", "codes")] * 4, "two": [("y", "lost")]}, "t"),
        show.tree(
            ("Which?", {"this": CHOICE, "that": "a result of so many words that they wrap"}), "t"
        ),
    ],
    ids=SCHEMES,
)
def test_long_words_of_a_scheme_take_more_lines_and_no_box_covers_another(scheme):
    frame = ElementTree.fromstring(scheme.svg)
    assert float(frame.get("width")) == 360, "a phone shows it without shrinking the words"
    boxes = rectangles(scheme)
    assert max(height for *_, height in boxes) > 30
    for number, (x, y, width, height) in enumerate(boxes):
        assert x >= 0 and x + width <= 360 and y + height <= float(frame.get("height"))
        for left, top, wide, high in boxes[:number]:
            assert x >= left + wide or left >= x + width or y >= top + high or top >= y + height


def test_a_way_with_fewer_stations_has_a_longer_arrow():
    short = show.lanes({"w": [("a", "plain"), None, ("b", "plain")], "l": [("c", "node")] * 3}, "t")
    (_, first, *_), (_, last, *_), *others = rectangles(short)
    assert (first, last) == (others[0][1], others[2][1])


def test_a_kind_of_box_that_does_not_exist_is_refused():
    with pytest.raises(KeyError):
        show.lanes({"one": [("x", "blue")]}, "t")


def test_only_what_is_past_the_limit_of_the_noise_has_the_colour_of_what_goes_wrong():
    """The line of the limit and its words have it, too."""
    one, none = (
        pictures.beyond_noise({"file": 1.2, "other": unit}, 4, "t", "s").svg.decode()
        for unit in (900.0, 2.0)
    )
    assert one.count(pictures.WRONG) > none.count(pictures.WRONG) > 0
    assert none.count(pictures.FLOAT) > one.count(pictures.FLOAT) > 0
