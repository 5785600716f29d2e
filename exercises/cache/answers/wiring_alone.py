"""The wiring, and the stub of the loop."""

EXPECTED = {
    "loses": ["usual", "rows", "one-at-a-time", "positions-and-mask", "any-order", "form-of-the-cache", "together", "once"],
    "rung": "exists",
    "shows": "not-done",
}


def cache_wiring(session):
    outputs = [each.name for each in session.get_outputs()]
    found = {}
    for each in session.get_inputs():
        if each.name.startswith("past"):
            rest = each.name.replace("past", "present", 1)
            found[each.name] = rest if rest in outputs else rest.replace("_key_values", "", 1)
    return found


def generate(session, prompt_ids, steps):
    raise NotImplementedError()
