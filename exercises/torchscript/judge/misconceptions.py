"""What goes wrong with TorchScript, and what it means: words for the findings of `torchscript`."""

from __future__ import annotations

PAGE = "lab-7-01/05-torchscript"

# What is special about each kind of module, for the findings of its case.
TWISTS = {
    "plain": "BatchNorm and Dropout behave differently in training, and the module is passed in training mode.",
    "choice": "forward asks for a value of the input and takes one of two layers.",
    "halving": "forward repeats until the values are small enough.",
    "recurrence": "forward takes one step for each row of the input.",
    "row-mean": "forward divides by the number of rows.",
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
WRONG_TYPES = {
    "the module itself": "The module is returned as it came. torch.jit.script and torch.jit.trace return a new object.",
    "an eager module": "A module that Python runs; eval() leaves it one. torch.jit.script and torch.jit.trace make a ScriptModule.",
    "OptimizedModule": "torch.compile gives a module that compiles itself in this process when it is called. There is nothing to save.",
    "GraphModule": "torch.fx writes Python code. It can be scripted or traced, and is not yet.",
    "ExportedProgram": "torch.export is what succeeds TorchScript, with a format of its own. This exercise asks for the older one.",
    "ScriptFunction": "A function was traced or scripted, so its weights are constants without names. Trace the module itself.",
}

# What the compiler says, and what it means. The text of a hidden case's exception is not looked at.
REFUSALS = {
    "string literal": "The compiler has to know which attribute is meant before it runs.",
    "keyword-arg expansion": "The compiler has to know the arguments' names before it runs.",
    "Lambda": "The compiler knows def, and no lambda.",
    "requires grad as a constant": "A function was traced that uses the module's weights without owning them.",
    "weak reference": "The compiler knows PyTorch's functions, and none of NumPy's.",
}
REFUSED = "torch.jit.trace does not read Python, it watches what is computed: trace the module or the part that has this line."

# What has to be as it was before the call, in the order in which it is looked at: (what it is, what was found, why).
KEPT = {
    "parts": (
        "the module's own parts",
        "parts of the module that was passed in are replaced",
        "A compiled part was assigned into the argument. Assign it into a copy: copy.deepcopy(module).",
    ),
    "weights": (
        "the module's weights and running statistics",
        "values of the module that was passed in are changed",
        "The module was run in training mode, where every BatchNorm updates its running statistics. Switch a copy to evaluation first.",
    ),
    "mode": (
        "the module's mode",
        "the module that was passed in is in the other mode",
        "eval() changes the module that it is called on. Work on copy.deepcopy(module).",
    ),
    "modes": (
        "the modes of all parts",
        "a part of the module that was passed in is in the other mode",
        "train() and eval() reach every part, so a part that had a mode of its own has lost it. Work on copy.deepcopy(module).",
    ),
    "gradients": (
        "requires_grad of the module's parameters",
        "parameters of the module that was passed in have another requires_grad",
        "requires_grad_() changes the module that it is called on. torch.no_grad() is enough to run it.",
    ),
    "hooks": (
        "the module's hooks",
        "hooks are left on the module that was passed in",
        "A hook that noted inputs was registered and not removed. Keep the handle and call its remove(), or register it on a copy.",
    ),
}
