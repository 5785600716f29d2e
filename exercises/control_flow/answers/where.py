"""Computes both branches and picks one."""

EXPECTED = {"loses": ["choice", "choice-weights"], "rung": "structure", "shows": "where"}
BASE = "valid_script"
EDITS = [
    (
        """class Choice(torch.nn.Module):
    def __init__(self, *functions):
        super().__init__()
        self.predicate, self.then_fn, self.else_fn = functions""",
        """def export_branch(predicate, then_fn, else_fn, example):
    def choose(x):
        return torch.where(predicate(x), then_fn(x), else_fn(x))""",
    ),
    (
        """    def forward(self, x):
        return self.then_fn(x) if bool(self.predicate(x)) else self.else_fn(x)


def export_branch(predicate, then_fn, else_fn, example):
    traced = [torch.jit.trace(function, (example,)) for function in (predicate, then_fn, else_fn)]
    return exported(torch.jit.script(Choice(*traced)), (example,), input_names=["x"], output_names=["y"])""",
        '    return exported(Module(choose), (example,), input_names=["x"], output_names=["y"])',
    ),
]
