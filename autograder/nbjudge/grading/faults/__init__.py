"""Whose fault it is when something ends badly, and what a person can do about it."""
