"""A notebook as data: its cells, its Markdown and its code."""
