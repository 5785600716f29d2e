"""Repeats with while_loop, which becomes a Loop, and chooses with torch.cond in a module of its own."""

import torch
from torch._higher_order_ops.while_loop import while_loop

EXPECTED = {"rung": None}


def export_branch(predicate, then_fn, else_fn, example):
    class Choice(torch.nn.Module):
        def forward(self, x):
            return torch.cond(predicate(x), then_fn, else_fn, [x])

    named = {"input_names": ["x"], "output_names": ["y"]}
    return torch.onnx.export(Choice(), (example,), dynamo=True, verbose=False, **named).model_proto


def export_loop(step, initial, sequence):
    class Repeat(torch.nn.Module):
        def forward(self, state, sequence):
            def more(i, state):
                return i < sequence.shape[0]

            def body(i, state):
                return i + 1, step(state, sequence.index_select(0, i.reshape(1)).squeeze(0))

            return while_loop(more, body, (torch.zeros((), dtype=torch.int64), state))[1]

    named = {"input_names": ["state", "sequence"], "output_names": ["result"]}
    shapes = {"state": None, "sequence": {0: torch.export.Dim.DYNAMIC}}
    program = torch.onnx.export(Repeat(), (initial, sequence), dynamo=True, verbose=False, dynamic_shapes=shapes, **named)
    return program.model_proto
