"""A class: prepared once, graded side by side, written one at a time."""
