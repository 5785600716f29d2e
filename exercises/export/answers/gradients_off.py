"""Takes the gradients from the module's parameters for the export, and leaves them off."""

EXPECTED = {"loses": ["module"], "rung": "contract: the module", "shows": "gradients-off"}
BASE = "valid_program"
EDITS = [("torch.export.export(module.eval(), several", "torch.export.export(module.eval().requires_grad_(False), several")]
