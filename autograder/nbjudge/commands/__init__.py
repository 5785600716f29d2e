"""Commands of `course` that have a file of their own."""
