"""Mends a layer whose pairs just fit."""

EXPECTED = {"score": 0.6, "rung": "structure", "message": "both fit", "shows": "just-fitting"}
BASE = "valid_halves"
EDITS = [('> 128).any()', '>= 128).any()'), ('< -128).any()', '<= -128).any()')]
