"""Takes the first axis of each input for the open one."""

EXPECTED = {
    "loses": ["usual", "one", "equal", "nested", "limits", "multiples", "names", "stored", "tied", "narrower", "choice"],
    "rung": "contract",
    "shows": "static",
}
BASE = "valid_walk"
EDITS = [
    (
        "return {axis: dims[word] for axis, word in enumerate(axes) if word in dims}\n\n    def named",
        "return {axis: dims[word] for axis, word in enumerate(axes[:1]) if word in dims}\n\n    def named",
    ),
    (
        "return {axis: word for axis, word in enumerate(axes) if word in dims}",
        "return {axis: word for axis, word in enumerate(axes[:1]) if word in dims}",
    ),
]
