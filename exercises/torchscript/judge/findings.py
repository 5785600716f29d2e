"""What goes wrong with TorchScript, and what it means: words for the findings of `torchscript`."""

from __future__ import annotations

from formatlab_exercises.torchscript.judge.misconceptions import Mistakes
from nbjudge.findings import Cause

PAGE = "lab-7-01/05-torchscript"

# What is special about each kind of module, for the findings of its case.
DESCRIPTIONS = {
    "plain": "BatchNorm and Dropout behave differently in training, and the module is passed in training mode.",
    "choice": "forward asks for a value of the input and takes one of two layers.",
    "halving": "forward repeats until the values are small enough.",
    "recurrence": "forward takes one step for each row of the input.",
    "small-batch": "forward takes one of two layers, by the number of rows.",
    "by-name": "forward looks an attribute up by its name, which the compiler refuses.",
    "keywords": "forward passes arguments from a dictionary, which the compiler refuses.",
    "anonymous": "forward has a lambda, which the compiler refuses.",
    "scaled": "forward calls NumPy, which the compiler refuses.",
    "two-faced": "forward does something else once it is compiled.",
    "unused": "forward calls a method that is marked as unused in TorchScript.",
    "router": "forward chooses, and calls a part that the compiler refuses.",
    "report": "a part chooses, and the module around it is one that the compiler refuses.",
    "chain": "one part chooses, and another is refused by the compiler.",
    "pooling": "two inputs, two outputs, and for each row as many tokens as its length says.",
}

# The type that came back, and why.
WRONG_TYPES: dict[str, Cause] = {
    "the module itself": Mistakes.returns_eager,
    "an eager module": Mistakes.returns_copy,
    "OptimizedModule": Mistakes.returns_compiled,
    "GraphModule": "torch.fx writes Python code. It can be scripted or traced, and is not yet.",
    "ExportedProgram": Mistakes.returns_exported,
    "ScriptFunction": Mistakes.traces_function_of_constants,
}

# What the compiler says, and what it means. The text of a hidden case's exception is not looked at.
REFUSALS: dict[str, Cause] = {
    "string literal": "The compiler has to know before the run which attribute you mean.",
    "keyword-arg expansion": "The compiler has to know the arguments' names before it runs.",
    "Lambda": "The compiler knows def, but no lambda.",
    "requires grad as a constant": "A function was traced that uses the module's weights without owning them.",
    "weak reference": "The compiler knows PyTorch's functions, and none of NumPy's.",
}
HOOK_SIGN = "hook '"
HOOK_LEFT = "A hook is still on the module that is compiled, and torch.jit.script compiles hooks too. Remove each one first: handle.remove()."
REFUSED = "torch.jit.trace does not read Python, it watches what is computed: trace the module or the part that has this line."

# What has to be as it was before the call, in the order in which it is looked at: (what it is, what
# was found, why).
KEPT = {
    "parts": (
        "the module's own parts",
        "parts of the module that was passed in are replaced",
        Mistakes.in_the_argument,
    ),
    "weights": (
        "the module's weights and running statistics",
        "values of the module that was passed in are changed",
        Mistakes.runs_before_copying,
    ),
    "mode": (
        "the module's mode",
        "the module that was passed in is in the other mode",
        Mistakes.leaves_evaluation_mode,
    ),
    "modes": (
        "the modes of all parts",
        "a part of the module that was passed in is in the other mode",
        Mistakes.restores_one_mode,
    ),
    "gradients": (
        "requires_grad of the module's parameters",
        "parameters of the module that was passed in have another requires_grad",
        Mistakes.no_gradients,
    ),
    "hooks": (
        "the module's hooks",
        "hooks are left on the module that was passed in",
        Mistakes.leaves_hooks,
    ),
}
