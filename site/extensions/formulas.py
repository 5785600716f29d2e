"""Formulas as MathML, made when the site is built: browsers show it without a script."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(
        f'<div class="formula">{convert(node.astext(), display="block")}</div>\n'
    )
    raise nodes.SkipNode
