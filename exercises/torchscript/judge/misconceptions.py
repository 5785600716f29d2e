"""What students get wrong in `torchscript`, each with a stored answer that shows it. The rungs
recognise them.
"""

from __future__ import annotations

from nbjudge.findings import Section

TRACE = Section("lab-7-01/05-torchscript#trace")
SCRIPT = Section("lab-7-01/05-torchscript#script")
TRAINING_MODE = Section("lab-7-01/05-torchscript#training-mode")
WHAT_SURVIVES = Section("lab-7-01/05-torchscript#what-survives")
FREEZE = Section("lab-7-01/05-torchscript#freeze")


class Mistakes:
    """Those that a rung recognises by itself."""

    returns_eager = TRACE.mistake("""The module is returned as it came. torch.jit.script and
        torch.jit.trace return a new object.""")
    returns_copy = TRACE.mistake("""This is a module that Python runs, and eval() does not change
        that. torch.jit.script and torch.jit.trace make a ScriptModule.""")
    returns_compiled = TRACE.mistake("""torch.compile gives a module that compiles itself in this
        process when it is called. There is nothing to save.""")
    returns_exported = TRACE.mistake("""torch.export is the successor of TorchScript and has a
        format of its own. This exercise asks for the older one.""")
    traces_function_of_constants = TRACE.mistake("""A function was traced or scripted, so its
        weights are constants without names. Trace the module itself.""")
    in_the_argument = TRAINING_MODE.mistake("""A compiled part was assigned into the argument.
        Assign it into a copy: copy.deepcopy(module).""")
    parts_replaced = TRAINING_MODE.mistake("""The compiled parts are still in the module that was passed
        in. Put its own parts back, or work on a copy.""")
    runs_before_copying = TRAINING_MODE.mistake("""The module was run in training mode, where every
        BatchNorm updates its running statistics. Switch a copy to evaluation first.""")
    leaves_evaluation_mode = TRAINING_MODE.mistake("""eval() changes the module that it is called
        on. Work on copy.deepcopy(module).""")
    restores_one_mode = TRAINING_MODE.mistake("""train() and eval() set the mode of every part, so a
        part that had a mode of its own loses it. Work on copy.deepcopy(module).""")
    no_gradients = TRAINING_MODE.mistake("""requires_grad_() changes the module that it is called
        on. torch.no_grad() is enough to run it.""")
    leaves_hooks = TRAINING_MODE.mistake("""You registered a hook that notes inputs and did not
        remove it. Keep the handle and call its remove(), or register it on a copy.""")
    ignored = WHAT_SURVIVES.mistake("""Something in it is still Python. A method marked with
        torch.jit.ignore stays Python, and leaves a call to it in the graph.""")
    weights_as_constants = FREEZE.mistake("""The numbers in the graph are constants that were copied
        from the weights: a function was traced that is not the module's own.""")
    freezes = FREEZE.mistake("""torch.jit.freeze and optimize_for_inference turn weights into
        constants, so you cannot load others. Return it unfrozen.""")
    wrapped = WHAT_SURVIVES.mistake("""A wrapper around the module was compiled, and its name stands
        before all others. Compile the module itself.""")
    always_trace = TRACE.mistake("""The example took one way, and torch.jit.trace recorded only that
        way.""")
    steps_of_the_example = TRACE.mistake("""The example took some number of steps, and torch.jit.trace
        wrote them down, without a warning where a loop goes over the rows.""")
    idle_control = TRACE.mistake("""The module was traced, and the choice that stands beside it does
        not affect the outputs. Let the module's own choice decide.""")
    another_function = TRAINING_MODE.mistake("""It computes another function: the module's training
        mode, or results of the example kept as constants.""")
    in_its_mode = TRAINING_MODE.mistake("""Dropout is active: the module was compiled in training
        mode.""")
    compiles_is_enough = WHAT_SURVIVES.mistake("""forward asks torch.jit.is_scripting(). That it
        compiles is no proof: compare with the module before you return it.""")
