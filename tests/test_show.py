"""What the notebooks show: node tables, drawings, one-line refusals, and a Netron that never leaves
the machine.
"""

import http.server
import re
import threading
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise

import nbformat
import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_notebook
from onnx import parser
from playwright.sync_api import sync_playwright

from formatlab import show
from formatlab.show import drawing, layout, viewer
from tests import servers
from tests.chromium import CHROMIUM, FLAGS, MINUTES
from tests.notebook_tools import METADATA

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def branching() -> onnx.ModelProto:
    """z = If(c): -h else Relu(h + b), with h = x @ W taken from outside by both branches."""
    return parser.parse_model("""<ir_version: 10, opset_import: ["": 20]>
    g (float[N,2] x, bool c) => (float[N,3] y) <float[2,3] W = {1,-2,3,4,5,6}, float[3] b = {1,2,3}> {
        h = MatMul(x, W)
        s = Add(h, b)
        z = If(c) <then_branch = one () => (t) { t = Neg(h) }, else_branch = two () => (e) { e = LeakyRelu<alpha = 0.5>(s) }>
        y = Mul(h, z)
    }""")


def test_table_lists_every_node_and_marks_initializers_from_any_depth(branching):
    rows = [line.split() for line in show.table(branching).splitlines()[1:]]
    assert rows == [
        ["MatMul", "x,", "[W]", "h"],
        ["Add", "h,", "[b]", "s"],
        ["If", "c", "z"],
        ["then_branch:", "gives", "t"],
        ["Neg", "h", "t"],
        ["else_branch:", "gives", "e"],
        ["LeakyRelu", "s", "e", "alpha=0.5"],
        ["Mul", "h,", "z", "y"],
    ]


def test_table_shows_omitted_names_as_dashes_and_foreign_domains():
    node = onnx.helper.make_node("Magic", ["x", "", "k"], ["", "y"], domain="com.example")
    graph = onnx.helper.make_graph([node], "g", [], [])
    assert show.table(graph).splitlines()[1].split() == [
        "com.example::Magic",
        "x,",
        "-,",
        "k",
        "-,",
        "y",
    ]


def test_drawing_is_described_in_words_and_falls_back_to_the_table(branching):
    shown = show.draw(branching, 'Two "branches" & a product')
    root = ElementTree.fromstring(shown.svg)
    assert (
        root.attrib["role"] == "img"
        and root.find(f"{SVG}title").text == 'Two "branches" & a product'
    )
    assert "If reads c (its subgraphs read h, s) and gives z" in root.find(f"{SVG}desc").text
    data = shown._repr_mimebundle_()
    assert data["text/plain"] == show.table(branching)
    figure = ElementTree.fromstring(re.sub("(<img [^>]*)>", r"\1/>", data["text/html"]))
    image, caption = figure
    assert caption.text == 'Two "branches" & a product'
    assert image.attrib["alt"] == shown.description
    assert b64decode(image.attrib["src"].partition(",")[2]).decode() == shown.svg
    outermost = [text.text for text in root.findall(f"{SVG}text")]
    assert outermost.count("h") == 1, "a value is named once"


def test_drawing_dashes_the_names_that_branches_capture(branching):
    assert drawing.captured(branching.graph.node[2]) == ["h", "s"]
    root = ElementTree.fromstring(show.draw(branching, "g").svg)
    assert sum("stroke-dasharray" in path.attrib for path in root.findall(f"{SVG}path")) == 2


def place(rect: ElementTree.Element) -> tuple[float, ...]:
    """Left, top, right and bottom of a rectangle."""
    x, y, width, height = (float(rect.get(key, 0)) for key in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def holder_of_frames(root: ElementTree.Element) -> tuple[float, ...]:
    """Where the box of the one node with subgraphs is: the tallest dark rectangle."""
    dark = [rect for rect in root.findall(f"{SVG}rect") if rect.get("fill") == "#243b53"]
    return place(max(dark, key=lambda rect: float(rect.get("height"))))


def test_drawing_shows_each_subgraph_in_a_frame_inside_its_node(branching):
    root = ElementTree.fromstring(show.draw(branching, "g").svg)
    outermost = [text.text for text in root.findall(f"{SVG}text")]
    assert {"then_branch", "else_branch"} <= set(outermost) and "Neg" not in outermost
    left, top, right, bottom = holder_of_frames(root)
    frames = root.findall(f"{SVG}g")
    edges = [left]
    for frame in frames:
        x, y = map(float, re.findall(r"[\d.]+", frame.get("transform")))
        _, _, width, height = place(frame.find(f"{SVG}rect"))
        assert top < y and y + height < bottom, "a frame lies inside the box"
        assert edges[-1] < x, "frames stand side by side"
        edges.append(x + width)
    assert edges[-1] < right
    texts = [[text.text for text in frame.findall(f"{SVG}text")] for frame in frames]
    assert [sorted(names) for names in texts] == [["Neg", "h", "t"], ["LeakyRelu", "e", "s"]]


def test_drawing_frames_subgraphs_of_subgraphs():
    model = parser.parse_model("""<ir_version: 10, opset_import: ["": 20]>
    g (float[N] x, bool c) => (float[N] y) {
        y = If(c) <then_branch = one () => (t) {
                t = If(c) <then_branch = deep () => (u) { u = Neg(x) }, else_branch = flat () => (v) { v = Abs(x) }>
            }, else_branch = two () => (e) { e = Relu(x) }>
    }""")
    root = ElementTree.fromstring(show.draw(model, "nested").svg)
    inner = [
        text.text
        for frame in root.findall(f"{SVG}g/{SVG}g")
        for text in frame.findall(f"{SVG}text")
    ]
    assert sorted(inner) == ["Abs", "Neg", "u", "v", "x", "x"]


def test_lines_pass_beside_a_box_with_frames_and_stay_in_the_picture(branching):
    root = ElementTree.fromstring(show.draw(branching, "g").svg)
    left, top, right, bottom = holder_of_frames(root)
    for path in root.findall(f"{SVG}path"):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d"))]
        for x, y in zip(numbers[::2], numbers[1::2], strict=True):
            is_covered = left < x < right and top + drawing.HEIGHT < y < bottom - drawing.HEIGHT
            assert not is_covered, "no box covers a line"
            assert 0 < x < float(root.get("width"))


def test_layout_never_overlaps_and_always_points_down():
    names = [f"v{number}" for number in range(12)]
    edges = [
        (names[a], names[b])
        for a in range(12)
        for b in range(a + 1, 12)
        if (a * 7 + b * 5) % 4 == 0
    ]
    widths = {name: 40.0 + 10 * number for number, name in enumerate(names)}
    places, routes = layout.layered(widths, edges, set(), gap=20)
    assert all(places[start][1] < places[end][1] for start, end in edges)
    for route in routes:
        assert [depth for _, depth in route] == list(range(route[0][1], route[-1][1] + 1)), (
            "a line passes through every layer"
        )
    for depth in {depth for _, depth in places.values()}:
        row = sorted((x, widths[name]) for name, (x, level) in places.items() if level == depth)
        assert all(
            right - left >= (a + b) / 2 + 20 - 1e-6 for (left, a), (right, b) in pairwise(row)
        )


def test_attempt_tells_the_reason_without_the_machine(tmp_path):
    assert show.attempt(int, "3") == "accepted"
    said = show.attempt(onnx.load, tmp_path / "missing.onnx")
    assert (
        said.startswith("FileNotFoundError: ")
        and "missing.onnx" in said
        and str(tmp_path) not in said
    )
    assert len(show.attempt(int, "9" * 300 + "x")) < 140


def test_netron_frame_has_a_title_and_carries_the_model(branching, monkeypatch):
    monkeypatch.setenv("JPY_SESSION_NAME", "02.ipynb")
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/ada/")
    html = show.netron(branching, 'two "branches"')._repr_html_()
    assert (
        'title="Netron: two &quot;branches&quot;"' in html
        and 'src="/user/ada/static/netron/index.html?' in html
    )
    monkeypatch.delenv("JPY_SESSION_NAME")
    assert "iframe" not in show.netron(branching, "two branches")._repr_html_()


def test_netron_refuses_a_version_that_it_was_not_written_for(tmp_path, monkeypatch):
    monkeypatch.setattr(viewer, "CALLS", (*viewer.CALLS, "await no_such_call();"))
    with pytest.raises(viewer.UnknownNetron, match="no_such_call"):
        show.netron_static(tmp_path)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture
def served(tmp_path):
    """The static copy, served as JupyterLab serves it: under /static."""
    show.netron_static(tmp_path / "static")
    handler = partial(Quiet, directory=tmp_path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_netron_shows_the_graph_offline_400_days_later(served, branching):
    requests, failures = [], []
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 900, "height": 700})
        page.clock.set_fixed_time(datetime.now(UTC) + timedelta(days=400))
        page.on("request", lambda request: requests.append(request.url))
        page.route(
            re.compile(rf"^(?!{re.escape(served)}|data:|blob:)"), lambda route: route.abort()
        )
        page.on(
            "response",
            lambda response: failures.append(response.url) if response.status >= 400 else None,
        )
        page.goto(served + viewer.netron_address(branching))
        for operator in ("MatMul", "Add", "If", "Mul"):
            page.locator("#canvas").get_by_text(operator, exact=True).first.wait_for(
                timeout=MINUTES
            )
        message = page.locator("#message-text").is_visible()
        browser.close()
    assert not message, "Netron shows a banner instead of the graph"
    assert not failures
    assert [url for url in requests if not re.match(rf"{re.escape(served)}|data:|blob:", url)] == []


ONE_NODE = """\
from onnx import parser
from formatlab import show
from formatlab.models import make_model
show.netron(make_model(parser.parse_graph("g (float[N] x) => (float[N] y) { y = Softplus(x) }")), "one node")
"""


@pytest.fixture
def jupyterlab(tmp_path):
    """A JupyterLab that serves the static copy, beside a notebook of one cell; the address of that
    notebook.
    """
    (tmp_path / "root").mkdir()
    nbformat.write(
        new_notebook(cells=[new_code_cell(ONE_NODE)], metadata=METADATA),
        tmp_path / "root" / "one.ipynb",
    )
    show.netron_static(tmp_path / "static")
    folders = (
        f"--ServerApp.root_dir={tmp_path / 'root'}",
        f"--ServerApp.extra_static_paths={tmp_path / 'static'}",
    )
    with servers.module("jupyterlab", *folders) as address:
        yield f"{address}lab/tree/one.ipynb"


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_netron_opens_under_its_cell_in_jupyterlab(jupyterlab):
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.set_default_timeout(MINUTES)
        page.goto(jupyterlab)
        page.locator(".jp-Notebook .jp-Cell").first.wait_for()
        # Cells that are run before the notebook has its kernel are cleared and not run.
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        frame = page.frame_locator('iframe[title="Netron: one node"]')
        frame.locator("#canvas").get_by_text("Softplus", exact=True).first.wait_for()
        browser.close()


@pytest.mark.parametrize("empty", [onnx.ModelProto(), onnx.GraphProto()], ids=["model", "graph"])
def test_a_model_without_anything_is_drawn(empty):
    found = show.draw(empty, "nothing")
    assert ElementTree.fromstring(found.svg).get("aria-label") == "nothing"
    assert found.description == "nothing. Inputs: none. Nodes: none. Outputs: none."


def test_a_sparse_initializer_is_one_in_table_and_drawing():
    model = parser.parse_model("""<ir_version: 10, opset_import: ["": 20]>
        g (bool c, float[N, 2] x) => (float[N, 2] y) {
            h = Add(x, w)
            y = If(c) <then_branch = t () => (float[N, 2] a) { a = Mul(h, v) },
                       else_branch = e () => (float[N, 2] b) { b = Neg(h) }> }""")
    for graph, name in ((model.graph, "w"), (model.graph.node[1].attribute[0].g, "v")):
        values = onnx.numpy_helper.from_array(np.float32([3]), name)
        indices = onnx.numpy_helper.from_array(np.int64([1]), "")
        graph.sparse_initializer.append(onnx.helper.make_sparse_tensor(values, indices, [2]))
    found = show.draw(model, "sparse")
    assert "[w]" in found.text and "[v]" in found.text
    assert "its subgraphs read h)" in found.description
    assert found.svg.count(drawing.STYLE["initializer"]) == 2
    assert found.svg.count(drawing.STYLE["input"]) == 2


NUMBERS = {
    "half = 0.5": np.float32(0.5), "root = 1.414": np.float32(2**0.5), "three = 3": np.array([3]),
    "yes = True": np.array(True), "two": np.zeros(2, np.float32), "word": np.array(["a"]),
}  # fmt: skip


@pytest.mark.parametrize("label", NUMBERS)
def test_an_initializer_of_one_number_shows_it(label):
    name = label.partition(" ")[0]
    held = onnx.numpy_helper.from_array(np.asarray(NUMBERS[label]), name)
    node = onnx.helper.make_node("Mul", ["x", name], ["y"])
    graph = onnx.helper.make_graph([node], "g", [], [], [held])
    shown = show.draw(graph, "g")
    assert f">{label}<" in shown.svg and f"Mul reads x, {label} and" in shown.description
    held.raw_data = b""
    held.data_location = onnx.TensorProto.EXTERNAL
    outside = onnx.helper.make_graph([node], "g", [], [], [held])
    assert f">{name}<" in show.draw(outside, "g").svg


def test_a_number_that_a_damaged_file_lacks_is_drawn_by_its_name():
    held = onnx.TensorProto(name="k", dims=[1], data_type=onnx.TensorProto.FLOAT, raw_data=b"12")
    node = onnx.helper.make_node("Mul", ["x", "k"], ["y"])
    assert ">k<" in show.draw(onnx.helper.make_graph([node], "g", [], [], [held]), "g").svg


def test_a_name_of_a_branch_s_own_is_no_outer_initializer():
    model = parser.parse_model("""<ir_version: 10, opset_import: ["": 20]>
        g (float[2] x) => (float[2] y) <float[2] w = {1, 2}, int64 n = {3}> {
            y = Loop(n, "", x) <body = b (int64 i, bool c, float[2] w) => (bool d, float[2] v) {
                d = Identity(c) v = Relu(w) }> }""")
    assert "[w]" not in show.table(model)


def test_functions_stand_under_their_names_with_their_overloads():
    model = parser.parse_model("""<ir_version: 10, opset_import: ["": 20, "my": 1]>
        g (float[2] x) => (float[2] y) { y = my.f(x) }
        <domain: "my", opset_import: ["": 20]> f (x) => (y) { y = Relu(x) }""")
    model.functions[0].overload = "two"
    assert [line.split() for line in show.table(model).splitlines()[1:]] == [
        ["my::f", "x", "y"],
        ["my::f:two:", "takes", "x", "gives", "y"],
        ["Relu", "x", "y"],
    ]


@given(name=st.text(min_size=1, max_size=400))
def test_any_name_stands_in_one_line_and_in_a_picture(name):
    nodes = [onnx.helper.make_node("Relu", ["x"], [name]), onnx.helper.make_node("Neg", [name], [])]
    found = show.draw(onnx.helper.make_graph(nodes, "g", [], []), "hostile")
    assert len(found.text.splitlines()) == 3
    assert ElementTree.fromstring(found.svg) is not None
    assert int(ElementTree.fromstring(found.svg).get("width")) < 1500


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ([0.1, 2.0], "k=[0.1, 2]"),
        ([b"a", b"b"], "k=[a, b]"),
        (onnx.helper.make_tensor_type_proto(1, [2, "N"]), "k=FLOAT[2, N]"),
        (
            onnx.helper.make_sequence_type_proto(onnx.helper.make_tensor_type_proto(7, None)),
            "k=sequence of INT64 of any shape",
        ),
        (onnx.TensorProto(data_type=99, dims=[2]), "k=type 99[2]"),
        (
            onnx.helper.make_sparse_tensor(
                onnx.numpy_helper.from_array(np.float32([3]), "w"),
                onnx.numpy_helper.from_array(np.int64([1]), ""),
                [2],
            ),
            "k=sparse FLOAT[2]",
        ),
    ],
)
def test_every_kind_of_attribute_stands_in_one_line(value, shown):
    node = onnx.helper.make_node("Any", ["x"], ["y"])
    node.attribute.append(onnx.helper.make_attribute("k", value))
    table = show.table(onnx.helper.make_graph([node], "g", [], []))
    assert table.splitlines()[1].endswith(shown)
    assert len(table.splitlines()) == 2
