"""Pages of our own from templates. Markup is a type of its own: what is made here passes, and every
plain text is cleaned, then escaped.
"""

from __future__ import annotations

from jinja2 import Environment, FileSystemLoader

from nbjudge import plain_text
from nbjudge.course.pages import TEMPLATES

ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=lambda value: plain_text.block(value) if type(value) is str else value,
)
