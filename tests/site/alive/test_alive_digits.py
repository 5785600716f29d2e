"""The page that reads digits: the notebook's models, loaded on demand, recognise what is drawn by
mouse, touch and keyboard.
"""

import hashlib
from pathlib import Path

import data_digits
import numpy as np
import onnxruntime as ort
import pytest
import vendor
from playwright.sync_api import expect

from formatlab.models import digits, fixtures, to_bytes
from tests.site.alive import cells

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.xdist_group("alive")
READY = 60_000  # a bound for a loaded machine, in ms
# Each digit as a person draws it: lines through points of a square, both axes from 0 to 1.
DRAWN = {
    0: [
        [
            (0.5, 0.15),
            (0.33, 0.25),
            (0.28, 0.5),
            (0.34, 0.76),
            (0.5, 0.86),
            (0.66, 0.76),
            (0.72, 0.5),
            (0.66, 0.25),
            (0.5, 0.15),
        ]
    ],
    1: [[(0.38, 0.3), (0.52, 0.15), (0.52, 0.85)]],
    2: [
        [
            (0.32, 0.3),
            (0.4, 0.17),
            (0.56, 0.15),
            (0.67, 0.27),
            (0.62, 0.45),
            (0.3, 0.84),
            (0.72, 0.84),
        ]
    ],
    3: [
        [
            (0.34, 0.2),
            (0.55, 0.15),
            (0.67, 0.28),
            (0.6, 0.43),
            (0.46, 0.48),
            (0.62, 0.54),
            (0.69, 0.7),
            (0.56, 0.84),
            (0.33, 0.8),
        ]
    ],
    4: [[(0.5, 0.13), (0.28, 0.58), (0.74, 0.58)], [(0.6, 0.4), (0.56, 0.87)]],
    5: [
        [
            (0.68, 0.15),
            (0.36, 0.15),
            (0.34, 0.46),
            (0.55, 0.42),
            (0.68, 0.55),
            (0.66, 0.74),
            (0.52, 0.85),
            (0.32, 0.8),
        ]
    ],
    6: [
        [
            (0.6, 0.14),
            (0.4, 0.35),
            (0.33, 0.62),
            (0.4, 0.82),
            (0.56, 0.85),
            (0.66, 0.72),
            (0.6, 0.57),
            (0.45, 0.55),
            (0.35, 0.66),
        ]
    ],
    7: [[(0.3, 0.17), (0.7, 0.17), (0.56, 0.5), (0.46, 0.86)], [(0.38, 0.5), (0.66, 0.5)]],
    8: [
        [(0.5, 0.48), (0.36, 0.34), (0.42, 0.18), (0.58, 0.18), (0.64, 0.34), (0.5, 0.48)],
        [(0.5, 0.48), (0.34, 0.66), (0.42, 0.84), (0.58, 0.84), (0.66, 0.66), (0.5, 0.48)],
    ],
    9: [
        [
            (0.65, 0.35),
            (0.5, 0.48),
            (0.37, 0.38),
            (0.4, 0.2),
            (0.56, 0.15),
            (0.66, 0.28),
            (0.64, 0.55),
            (0.56, 0.86),
        ]
    ],
}


@pytest.fixture(scope="module", autouse=True)
def data(site):
    _, folder = site
    data_digits.write(folder / "_static" / "data")
    vendor.collect(ROOT / "site", ROOT / "build" / "npm", folder / "_static" / "vendor")


def start(page):
    page.get_by_role("button", name="Load both models").click()
    expect(page.locator("digit-runner")).to_contain_text("Ready after", timeout=READY)
    return page.locator("digit-runner .pad")


def answers(page):
    return page.locator("digit-runner section .big")


@pytest.mark.slow  # it runs a third of a notebook
def test_both_models_are_those_of_the_notebook(site):
    _, folder = site
    names = cells.namespace("lab-7-01/04-int8", "fixed = static()")
    stored = {
        name: (folder / "_static" / "data" / f"digits-{name}.onnx").read_bytes()
        for name in ("fp32", "int8")
    }
    assert (
        hashlib.sha256(stored["fp32"]).digest()
        == hashlib.sha256(fixtures.read("digits-cnn")).digest()
    )
    assert to_bytes(names["exported"]) == stored["fp32"]
    assert to_bytes(names["fixed"]) == stored["int8"]


def test_the_runtime_is_loaded_only_when_it_is_asked_for(open_page, site):
    page = open_page("digits")
    # A page that is left while it waits for something would note that as its own fault.
    expect(page.locator("digit-runner[ready]")).to_be_visible()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    expect(page.locator("digit-runner[ready]")).to_be_visible()
    assert not [url for url in asked if "vendor" in url or url.endswith(".onnx")]
    start(page)
    assert {url.rsplit(".", 1)[-1] for url in asked if "vendor" in url} == {"mjs", "wasm"}
    _, folder = site
    [program] = (folder / "_static" / "vendor" / "ort").glob("*.wasm")
    assert round(program.stat().st_size / 1e6) == 14  # what the page says


def test_every_drawn_digit_is_recognised_by_both_models(open_page):
    page = open_page("digits")
    pad = start(page)
    for digit, strokes in DRAWN.items():
        page.get_by_role("button", name="Clear").click()
        pad.scroll_into_view_if_needed()
        box = pad.bounding_box()
        for stroke in strokes:
            places = [
                (box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in stroke
            ]
            page.mouse.move(*places[0])
            page.mouse.down()
            for place in places[1:]:
                page.mouse.move(*place, steps=3)
            page.mouse.up()
        expect(answers(page)).to_have_text([str(digit)] * 2, timeout=READY)
    expect(page.locator("digit-runner")).to_contain_text(
        "ms a run, on this device, just now", timeout=READY
    )


def test_a_digit_is_drawn_by_keyboard(open_page):
    page = open_page("digits")
    start(page).focus()
    page.keyboard.press("Space")
    for _ in range(8):
        page.keyboard.press("ArrowDown")
    expect(answers(page)).to_have_text(["1", "1"], timeout=READY)
    page.keyboard.press("Delete")
    expect(answers(page)).to_have_text(["–", "–"])  # noqa: RUF001


def test_a_digit_is_drawn_by_touch(open_page):
    page = open_page("digits", width=390, has_touch=True)
    pad = start(page)
    pad.scroll_into_view_if_needed()
    box, touch = pad.bounding_box(), page.context.new_cdp_session(page)
    for i, (x, y) in enumerate(DRAWN[2][0]):
        point = {"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"]}
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": "touchMove" if i else "touchStart", "touchPoints": [point]},
        )
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(answers(page)).to_have_text(["2", "2"], timeout=READY)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_images_of_the_test_set_get_the_answers_of_onnx_runtime(open_page, site):
    _, folder = site
    page = open_page("digits")
    start(page)
    images = data_digits.samples()[:, None]
    for name, column in (("fp32", 0), ("int8", 1)):
        session = ort.InferenceSession(
            folder / "_static" / "data" / f"digits-{name}.onnx", providers=["CPUExecutionProvider"]
        )
        expected = session.run(None, {"image": images})[0].argmax(axis=1)
        for digit in range(10):
            page.get_by_label("or from the test set").select_option(str(digit))
            expect(answers(page).nth(column)).to_have_text(str(expected[digit]), timeout=READY)


def test_strokes_become_images_with_as_much_ink_as_the_training_set(javascript):
    strokes = [[[[x, y] for x, y in stroke] for stroke in drawn] for drawn in DRAWN.values()]
    images = np.array(javascript("strokes", "a.map((s) => [...m.toImage(s)])", strokes))
    assert images.shape == (10, 64) and images.min() == 0 and images.max() == 1
    assert images.mean() == pytest.approx(digits.load().train_images.mean(), rel=0.2)
    assert np.array_equal(images * 16, np.rint(images * 16))  # whole counts of a block's 16 pixels
    assert javascript("strokes", "m.toImage([])") is None
    moved = [
        [[[3 * x + 40, 3 * y - 7] for x, y in stroke] for stroke in drawn] for drawn in strokes
    ]
    again = np.array(javascript("strokes", "a.map((s) => [...m.toImage(s)])", moved))
    assert np.abs(again - images).max() <= 1 / 16


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(open_page, theme):
    page = open_page("digits", width=390, theme=theme)
    expect(page.locator("digit-runner[ready]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
