"""Reusable checks. A rung looks at one case and returns None, or a `Finding` that says what was
expected, found, and why.
"""
