"""Each interactive part as axe sees it: names, roles, contrast, order of headings, in both themes
and on a phone.
"""

import data_bytes
import data_quantize
import pytest
from playwright.sync_api import expect

PARTS = {"quantization": 2, "bytes": 3, "surgery": 1, "digits": 1}
pytestmark = pytest.mark.xdist_group("alive")


@pytest.fixture(scope="module", autouse=True)
def data(site):
    _, folder = site
    data_bytes.write(folder / "_static" / "data")
    data_quantize.write(folder / "_static" / "data")


@pytest.mark.parametrize("page_name", PARTS)
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_a_part_breaks_no_rule(open_page, axe, page_name, width, theme):
    page = open_page(page_name, width=width, theme=theme, reduced_motion="reduce")
    expect(page.locator("[ready]")).to_have_count(PARTS[page_name])
    page.evaluate(axe)
    found = page.evaluate("axe.run()")["violations"]
    assert [(each["id"], [node["target"] for node in each["nodes"]]) for each in found] == []
