"""What students get wrong in `torchscript`, each with a stored answer that shows it. `findings` and
`rungs` recognise them.
"""

from __future__ import annotations

from autograder.findings import misconception


@misconception("lab-7-01/05-torchscript#trace")
def returns_eager():
    """The module is returned as it came. torch.jit.script and torch.jit.trace return a new object."""


@misconception("lab-7-01/05-torchscript#trace")
def returns_copy():
    """This is a module that Python runs, and eval() does not change that. torch.jit.script and
    torch.jit.trace make a ScriptModule.
    """


@misconception("lab-7-01/05-torchscript#trace")
def returns_compiled():
    """torch.compile gives a module that compiles itself in this process when it is called. There is
    nothing to save.
    """


@misconception("lab-7-01/05-torchscript#trace")
def returns_exported():
    """torch.export is the successor of TorchScript and has a format of its own. This exercise asks
    for the older one.
    """


@misconception("lab-7-01/05-torchscript#trace")
def traces_function_of_constants():
    """A function was traced or scripted, so its weights are constants without names. Trace the
    module itself.
    """


@misconception("lab-7-01/05-torchscript#script")
def always_script():
    """The compiler has to know before the run which attribute you mean."""


@misconception("lab-7-01/05-torchscript#script")
def warnings_decide():
    """The compiler knows def, but no lambda."""


@misconception("lab-7-01/05-torchscript#script")
def traces_function():
    """A function was traced that uses the module's weights without owning them."""


@misconception("lab-7-01/05-torchscript#training-mode")
def in_the_argument():
    """A compiled part was assigned into the argument. Assign it into a copy: copy.deepcopy(module)."""


@misconception("lab-7-01/05-torchscript#training-mode")
def runs_before_copying():
    """The module was run in training mode, where every BatchNorm updates its running statistics.
    Switch a copy to evaluation first.
    """


@misconception("lab-7-01/05-torchscript#training-mode")
def leaves_evaluation_mode():
    """eval() changes the module that it is called on. Work on copy.deepcopy(module)."""


@misconception("lab-7-01/05-torchscript#training-mode")
def restores_one_mode():
    """train() and eval() set the mode of every part, so a part that had a mode of its own loses it.
    Work on copy.deepcopy(module).
    """


@misconception("lab-7-01/05-torchscript#training-mode")
def no_gradients():
    """requires_grad_() changes the module that it is called on. torch.no_grad() is enough to run
    it.
    """


@misconception("lab-7-01/05-torchscript#training-mode")
def leaves_hooks():
    """You registered a hook that notes inputs and did not remove it. Keep the handle and call its
    remove(), or register it on a copy.
    """


@misconception("lab-7-01/05-torchscript#what-survives")
def ignored():
    """Something in it is still Python. A method marked with torch.jit.ignore stays Python, and
    leaves a call to it in the graph.
    """


@misconception("lab-7-01/05-torchscript#training-mode")
def train_mode():
    """The module ran in training mode while it was compiled, or its weights were converted."""


@misconception("lab-7-01/05-torchscript#freeze")
def weights_as_constants():
    """The numbers in the graph are constants that were copied from the weights: a function was
    traced that is not the module's own.
    """


@misconception("lab-7-01/05-torchscript#freeze")
def freezes():
    """torch.jit.freeze and optimize_for_inference turn weights into constants, so you cannot load
    others. Return it unfrozen.
    """


@misconception("lab-7-01/05-torchscript#what-survives")
def wrapped():
    """A wrapper around the module was compiled, and its name stands before all others. Compile the
    module itself.
    """


@misconception("lab-7-01/05-torchscript#trace")
def always_trace():
    """The example took one way, and torch.jit.trace recorded only that way."""


@misconception("lab-7-01/05-torchscript#training-mode")
def in_its_mode():
    """Dropout is active: the module was compiled in training mode."""


@misconception("lab-7-01/05-torchscript#what-survives")
def compiles_is_enough():
    """forward asks torch.jit.is_scripting(). That it compiles is no proof: compare with the module
    before you return it.
    """
