"""How much of what a student hands in is read. The guides for students and instructors give these
figures, and a test holds them to it; how long code may take is `grading.budget`.
"""

from __future__ import annotations

NOTEBOOK = 64 << 20  # its outputs are thrown away; to parse so much takes a box half of its memory
FILE = 64 << 20
SUBMISSION = 256 << 20
FILES = 500  # of a submission, and of an archive
ARCHIVE = 100 << 20  # packed, and unpacked
DOWNLOAD = 240 << 20  # a class in one archive, packed, and unpacked
DOWNLOAD_FILES = 10_000
NAME = 200  # bytes of each part of a path; file systems allow 255, and some lose the rest
TEXT = 8 << 20  # code and text of a notebook

# How the name of an archive ends that can be handed in.
ARCHIVE_SUFFIXES = (".zip",)
