"""What students get wrong in `control_flow`, each with a stored answer that shows it. The rungs
recognise them.
"""

from __future__ import annotations

from formatlab import loading
from nbjudge.findings import Section

BRANCHES = Section("day-50/03-export#branches")
RECIPE = Section("day-50/line-1-export#the-recipe")
OPEN_AXES = Section("day-50/line-1-export#open-axes")
LOOPS = Section("day-50/03-export#loops")
ONE_FILE = Section("day-50/line-1-export#one-file")


class Mistakes:
    """Those that a rung recognises by itself."""

    raises_in_python_if = BRANCHES.mistake("""A Python if or while asks for the value of a tensor
        that is only traced. Give both branches to torch.cond instead.""")
    returns_program = RECIPE.mistake("""torch.onnx.export gives an ONNXProgram, which holds
        the model: return its model_proto.""")
    fixed_length = OPEN_AXES.mistake("""Without dynamic_shapes (or dynamic_axes, with the
        right name as key) an export keeps the sizes of its example.""")
    own_names = RECIPE.mistake("""The names are the exporter's: pass input_names and
        output_names.""")
    other_types = RECIPE.mistake("""The model takes and gives the types of the example's
        tensors. A state of whole numbers stays int64.""")
    frozen_state = LOOPS.mistake("""A value that the caller should pass is stored in the model. The
        function that you export has to take it as an argument.""")
    all_states = LOOPS.mistake("""The states of all steps, or a batch dimension, are returned.
        Return only what the plain Python code gives.""")
    stored_result = LOOPS.mistake("""The result for the example is stored in the model. Another input
        needs another output.""")
    where = BRANCHES.mistake("""Both branches are computed for every input, and one result is thrown
        away. This works, but it does the work twice: use torch.cond.""")
    baked_branch = BRANCHES.mistake("""The exporter wrote down one branch: it followed the example
        through a Python if, or the condition does not depend on x. Use torch.cond with
        predicate(x).""")
    idle_if = BRANCHES.mistake("""The work of both branches is done before the If, which only picks
        a result. Call the functions inside the branches.""")
    idle_work = BRANCHES.mistake("""The If or the loop stands there, and other nodes make the output:
        its result is multiplied by 0, or thrown away. Let the output come out of it.""")
    where_in_if = BRANCHES.mistake("""One branch of the If holds the work of both functions. Each
        function belongs in a branch of its own.""")
    unrolled_loop = LOOPS.mistake("""Your Python for loop ran while the model was traced, once for
        each element of the example. The exporter never saw a loop.""")
    other_side = BRANCHES.mistake("""The two branches may have changed places, or the predicate is
        computed from something else than the input.""")
    one_side_twice = BRANCHES.mistake("""The other branch was never exported, another graph is in
        its place, or the condition is not the predicate. Run both on inputs of your own.""")
    step_beside = LOOPS.mistake("""One step is done before or behind the loop. The loop begins with
        the state that it is given, and does all steps.""")
    other_start = LOOPS.mistake("""An element is left out, or the step reads something else than the
        state and the element: another first state, or the arguments exchanged.""")
    fixed_steps = OPEN_AXES.mistake("""The number of steps is fixed, or depends on the
        example. It has to come from the sequence that the model is given.""")
    backwards = LOOPS.mistake("""One step is right and several are not: the elements come in another
        order, or a step does not begin with the state before it.""")
    newest_versions = RECIPE.mistake("""helper.make_model takes the newest versions that onnx
        knows, and ONNX Runtime loads older ones. Keep those that the exporter wrote.""")
    weights_elsewhere = ONE_FILE.mistake("""Only the model itself is handed in, no file beside
        it.""")


# What stands behind the reasons for which a model is refused.
REFUSALS = {
    loading.NEWEST_VERSIONS: Mistakes.newest_versions,
    loading.OTHER_FILE: Mistakes.weights_elsewhere,
}
