"""Sentences, written for this course, and their tokens as MiniLM's tokenizer gives them: no
tokenizer is needed.

PUBLIC is what labs and notebooks show, HIDDEN what grading adds: {sentence: token ids, with the
special ones}.
"""

from __future__ import annotations

import json

from formatlab.models.fixtures import FOLDER

_STORED = json.loads((FOLDER / "sentences.json").read_text(encoding="utf-8"))
PUBLIC, HIDDEN = (
    {sentence: tuple(tokens) for sentence, tokens in _STORED[part].items()}
    for part in ("public", "hidden")
)
