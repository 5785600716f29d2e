"""Saves the module with torch.save."""

import torch

EXPECTED = {"lazy": "argument", "score": 0.1, "rung": "loads", "message": "torch.save stores", "shows": "saves-module"}


def export_model(module, example, path):
    torch.save(module.state_dict(), path)
