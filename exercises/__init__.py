"""The exercises of the course on model formats, one folder each; README.md says what lies where.
`nbjudge.exercises` finds them by the entry point in pyproject.toml.
"""

import formatlab  # noqa: F401  makes torchvision importable before an exercise needs it
