"""Importing the harness keeps nbformat and nbgrader from compiling a grammar, and onnx_ir from
importing sympy, and changes nothing else about them.
"""

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
    import sys
    import nbjudge
    import nbformat
    print("rfc3987_syntax.syntax_helpers" in sys.modules)
    import jsonschema
    schema, checker = {"format": "iri"}, jsonschema.Draft202012Validator.FORMAT_CHECKER
    found = [not list(jsonschema.Draft202012Validator(schema, format_checker=checker).iter_errors(text))
             for text in ("https://example.org/\\u00e4", "no address")]
    print(*found, "rfc3987_syntax.syntax_helpers" in sys.modules)
    import rfc3987_syntax
    print(rfc3987_syntax.__file__ is not None, rfc3987_syntax.is_valid_syntax("iri", "http://a"))
"""


def told(program: str) -> list[str]:
    """The words that the program prints in a fresh interpreter."""
    run = [sys.executable, "-P", "-c", textwrap.dedent(program)]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()


def test_a_grammar_is_compiled_when_the_first_address_is_checked():
    assert told(PROGRAM) == ["False", "True", "False", "True", "True", "True"]


def test_what_notebooks_import_leaves_sympy_until_it_is_needed():
    assert told("""
        import sys
        from formatlab import graphs, loading, show
        import onnx_ir
        print("sympy.core" in sys.modules, onnx_ir.SymbolicDim("batch").value, "sympy.core" in sys.modules)
        print((onnx_ir.SymbolicDim("batch") + 1).evaluate({"batch": 2}), "sympy.core" in sys.modules)
    """) == ["False", "batch", "False", "3", "True"]


@pytest.mark.parametrize(
    "first",
    [
        "import sympy.core",
        "from sympy import *",
        "from sympy.printing import latex",
        "import importlib, sympy; importlib.reload(sympy)",
        "import sympy, torch._dynamo",
    ],
)
def test_sympy_is_itself_however_it_is_imported(first):
    assert told(f"""
        import formatlab, onnx_ir, types
        {first}
        import sympy
        n = sympy.Symbol("n", positive=True)
        print(sympy.simplify(n * n / n), onnx_ir.SymbolicDim("n") + 1 == "n + 1")
        print(type(sympy) is types.ModuleType, sympy.__spec__.loader is sympy.__loader__)
    """) == ["n", "True", "True", "True"]


def test_a_sympy_that_cannot_be_imported_says_so_when_it_is_used(tmp_path):
    (tmp_path / "sympy.py").write_text("import a_package_that_is_missing")
    assert (
        told(f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import formatlab, sympy
        for _ in range(2):
            try:
                sympy.Symbol
            except ModuleNotFoundError as error:
                print(error.name)
    """)
        == ["a_package_that_is_missing"] * 2
    )
