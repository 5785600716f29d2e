"""Saves the module with torch.save."""

import torch

EXPECTED = {"loses": "everything", "rung": "loads", "shows": "saves-module", "lazy": "argument"}


def export_model(module, example, path):
    torch.save(module.state_dict(), path)
