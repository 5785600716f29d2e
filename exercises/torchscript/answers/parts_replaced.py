"""Works in the module itself, and leaves the compiled parts there."""

EXPECTED = {"loses": ["parts"], "rung": "contract: the parts", "shows": "parts-replaced"}
BASE = "valid_in_place"
EDITS = [("        part._modules.update(children)", "        children.clear()")]
