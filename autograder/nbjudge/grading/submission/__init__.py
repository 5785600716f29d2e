"""One submission from bytes to a result, without a course folder."""
