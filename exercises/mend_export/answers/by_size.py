"""Gives one Dim to all sizes that are equal in the example."""

EXPECTED = {'score': 0.6, 'rung': 'contract', 'message': 'got one name', 'shows': 'tied-sizes'}
BASE = 'valid_walk'
EDITS = [
    ('    def declared(tensor, axes):\n        return {axis: dims[word] for axis, word in enumerate(axes) if word in dims}\n\n    def named(tensor, axes):\n        return {axis: word for axis, word in enumerate(axes) if word in dims}\n', '    first = {}\n\n    def declared(tensor, axes):\n        return {axis: first.setdefault(tensor.shape[axis], word) for axis, word in enumerate(axes) if word in dims}\n\n    named = declared\n'),
    ('shapes = {name: walk(declared, value, name) for name, value in call.items()}', 'shapes = {name: walk(lambda _, axes: {axis: dims[word] for axis, word in enumerate(axes) if word in dims}, value, name) for name, value in call.items()}'),
]
