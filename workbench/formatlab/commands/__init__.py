"""Commands of `course` that need the library alone."""
