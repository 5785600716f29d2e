"""One submission as it was handed in: its files, their names and times."""
