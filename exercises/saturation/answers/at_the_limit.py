"""Mends a layer whose pairs just fit."""

EXPECTED = {"loses": ["one-large"], "rung": "structure", "shows": "just-fitting"}
BASE = "valid_halves"
EDITS = [('> 128).any()', '>= 128).any()'), ('< -128).any()', '<= -128).any()')]
