"""Names the inputs in the order of forward's arguments."""

EXPECTED = {'score': 0.5, 'rung': 'numerics', 'message': "each other's name", 'shows': 'swapped-names'}
BASE = 'valid_walk'
EDITS = [
    ('verbose=False).model_proto', 'verbose=False, input_names=sorted(wanted, key=lambda name: [name.startswith(each) for each in names].index(True))).model_proto'),
]
