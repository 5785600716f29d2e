"""The page on surgery: its ladder answers as the libraries do, and the graph can be edited by
mouse, touch and keyboard.
"""

import random

import pytest
from playwright.sync_api import expect

from tests.site.alive import ladder

pytestmark = pytest.mark.xdist_group("alive")
NAMES = ["x", "w", "ratio", "training", "h", "d", "r", "y"]
START = [
    ["MatMul", ["x", "w"], "h"],
    ["Dropout", ["h", "ratio", "training"], "d"],
    ["Relu", ["d"], "r"],
    ["Add", ["r", "h"], "y"],
]
ODD = ["a b", "1a", "a-b", "é", "a.b", "a'b", "(", "_", "A1", "h_2"]
TO_STATE = "a.map(([training, nodes]) => ({ training, nodes: nodes.map(([op, inputs, output]) => ({ op, inputs, output })) }))"


def single_edits():
    """Every graph that one edit of the start makes."""
    for node, (op, inputs, _) in enumerate(START):
        yield START[:node] + START[node + 1 :]
        for at in range(len(inputs)):
            for name in NAMES:
                yield [
                    *START[:node],
                    [op, [*inputs[:at], name, *inputs[at + 1 :]], START[node][2]],
                    *START[node + 1 :],
                ]
        for name in [*NAMES, *ODD]:
            yield [*START[:node], [op, inputs, name], *START[node + 1 :]]


def several_edits(count: int):
    """Graphs that two to five random edits make."""
    draw = random.Random(0)
    for _ in range(count):
        nodes = [[op, list(inputs), output] for op, inputs, output in START]
        for _ in range(draw.randint(2, 5)):
            node = draw.choice(nodes)
            kind = draw.random()
            if kind < 0.7:
                node[1][draw.randrange(len(node[1]))] = draw.choice(NAMES[:7])
            elif kind < 0.85:
                node[2] = draw.choice([*NAMES, *ODD[-3:]])
            elif len(nodes) > 1:
                nodes.remove(node)
        yield nodes


def agreement(javascript, graphs):
    states = [[training, nodes] for nodes in graphs for training in (True, False)]
    found = javascript(
        "surgery",
        f"{TO_STATE}.map((s) => [m.text(s), m.ladder(s).find((r) => !r.holds)?.rung ?? null])",
        states,
    )
    expected = [ladder.first_broken(text) for text, _ in found]
    wrong = [
        (text, rung, want)
        for (text, rung), want in zip(found, expected, strict=True)
        if rung != want
    ]
    assert wrong == [], wrong[0]
    return expected


def test_the_ladder_agrees_with_the_libraries_after_one_edit(javascript):
    assert set(agreement(javascript, [START, *single_edits()])) == {None, *ladder.RUNGS}


def test_the_ladder_agrees_with_the_libraries_after_several_edits(javascript):
    assert set(agreement(javascript, several_edits(400))) >= {
        None,
        "checker",
        "shapes",
        "runs",
        "same numbers",
    }


def ring(page, port):
    return page.locator(f"graph-surgery [data-port='{port}'] .mouth")


def dot(page, name):
    """The place of the dot where a name is written, in the page."""
    return page.evaluate(
        """name => {
          const part = document.querySelector("graph-surgery"), [x, y] = part.plan.sources[name];
          const at = new DOMPoint(x, y).matrixTransform(part.svg.getScreenCTM());
          return [at.x, at.y];
        }""",
        name,
    )


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.fixture
def surgery(open_page):
    page = open_page("surgery")
    expect(page.locator("graph-surgery[ready]")).to_be_visible()
    return page


def rungs(page):
    return page.locator("graph-surgery .rungs")


def goal(page):
    return page.locator("graph-surgery .goal")


def test_an_edge_is_pulled_by_mouse_and_the_ladder_answers(surgery):
    expect(rungs(surgery)).to_contain_text("Two runs of the graph as it is written differ")
    ring(surgery, "Relu 1").scroll_into_view_if_needed()
    surgery.mouse.move(*middle(ring(surgery, "Relu 1")))
    surgery.mouse.down()
    surgery.mouse.move(*dot(surgery, "r"))
    surgery.mouse.move(*dot(surgery, "h"), steps=4)
    surgery.mouse.up()
    expect(goal(surgery)).to_contain_text(
        "Dropout is still in the file, and nothing reads what it writes"
    )
    surgery.locator("graph-surgery .cross").nth(1).click()
    expect(goal(surgery)).to_contain_text("no Dropout is left")
    expect(surgery.locator("graph-surgery .formula").last).to_have_text("y = Relu(x · w) + x · w")


def test_a_ring_that_is_dropped_nowhere_changes_nothing(surgery):
    before = surgery.locator("graph-surgery pre").text_content()
    surgery.mouse.move(*middle(ring(surgery, "Relu 1")))
    surgery.mouse.down()
    surgery.mouse.move(5, 5, steps=3)
    surgery.mouse.up()
    assert surgery.locator("graph-surgery pre").text_content() == before


def test_an_edge_is_pulled_by_keyboard(surgery):
    surgery.locator("graph-surgery [data-port='Relu 1']").focus()
    for key in ("Enter", "ArrowUp", "Enter"):
        surgery.keyboard.press(key)
    expect(goal(surgery)).to_contain_text("nothing reads what it writes")
    surgery.locator("graph-surgery [data-key='node-1']").focus()
    surgery.keyboard.press("Delete")
    expect(goal(surgery)).to_contain_text("no Dropout is left")
    surgery.get_by_role("button", name="Undo").press("Enter")
    expect(goal(surgery)).to_contain_text("nothing reads what it writes")


def test_an_edge_is_pulled_by_touch(open_page):
    page = open_page("surgery", width=390, has_touch=True)
    expect(page.locator("graph-surgery[ready]")).to_be_visible()
    ring(page, "Relu 1").scroll_into_view_if_needed()
    touch = page.context.new_cdp_session(page)

    def send(kind, *points):
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )

    send("touchStart", middle(ring(page, "Relu 1")))
    send("touchMove", dot(page, "h"))
    send("touchEnd")
    expect(goal(page)).to_contain_text("nothing reads what it writes")


def test_the_table_can_do_every_edit(surgery):
    surgery.get_by_role("button", name="Delete Dropout").click()
    expect(rungs(surgery)).to_contain_text("Relu reads d, and nothing writes d.")
    surgery.get_by_label("Relu, input 1", exact=True).select_option("h")
    expect(goal(surgery)).to_contain_text("no Dropout is left")
    surgery.get_by_role("button", name="Start again").click()
    surgery.get_by_role("textbox", name="MatMul writes").fill("my h")
    surgery.get_by_role("textbox", name="MatMul writes").press("Enter")
    expect(rungs(surgery)).to_contain_text("which is not a name")
    surgery.get_by_role("button", name="Start again").click()
    surgery.get_by_role("button", name="training = 1").click()
    expect(goal(surgery)).to_contain_text("does nothing in inference mode")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(open_page, theme):
    page = open_page("surgery", width=390, theme=theme)
    expect(page.locator("graph-surgery[ready]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
def test_the_ladder_agrees_with_the_libraries_after_many_edits(javascript):
    agreement(javascript, several_edits(6000))
