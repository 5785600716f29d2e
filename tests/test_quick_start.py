"""Importing the harness keeps nbformat and nbgrader from compiling a grammar, and changes nothing
else about it.
"""

import subprocess
import sys
import textwrap

PROGRAM = """
    import sys
    import autograder
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


def test_a_grammar_is_compiled_when_the_first_address_is_checked():
    told = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(PROGRAM)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert told.split() == ["False", "True", "False", "True", "True", "True"]
