"""Draw README's graph again: `python tools/pictures.py` writes docs/graph.svg. (docs/lab.png is made by tests/test_lab_browser.py.)"""

from pathlib import Path

from onnx import parser

from workbench import show

TEXT = """
residual (float[N, 4] x) => (float[N, 3] y) <float[4, 3] w = {1, -2, 3, 0.5, 1, -1, 2, 2, 1, -3, 0.25, 1}> {
    h = MatMul(x, w)   d = Dropout(h)   r = Relu(d)   y = Add(r, h)
}"""
AFTER = TEXT.replace("d = Dropout(h)   r = Relu(d)", "r = Relu(h)")
DOCS = Path(__file__).resolve().parents[1] / "docs"


def main() -> None:
    before, after = (show.draw(parser.parse_graph(text), name) for text, name in ((TEXT, "with Dropout"), (AFTER, "without")))
    picture = show.pair(before, after, "A residual graph before and after Dropout was removed")
    (DOCS / "graph.svg").write_text(picture.svg, encoding="utf-8")


if __name__ == "__main__":
    main()
