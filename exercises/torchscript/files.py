"""What passes between the boxes of `torchscript`: names of files, and what an answer has to be."""

EXPECTED = "a torch.jit.ScriptModule"
# The inputs on which the result is run stay outside of the box that compiles: a result could hold
# what the module gives for them.
EXAMPLE, INPUTS = "example.safetensors", "inputs.safetensors"
MODULE = "module.pt"
LARGEST = 16 << 20
OUTPUTS = "outputs.safetensors"
STATE = "state.safetensors"
GRAPH = "graph.txt"
# What stands there before a choice or a repetition on which no output depends.
IDLE = "idle:"
REPORT = "report.json"
# How often the result is run on inputs that the example did not show.
RUNS = 5
