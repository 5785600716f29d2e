"""Which formats lead from which training framework to which runtime: the map that notebook 01 draws."""

STACKS = {
    "trained in": ("scikit-learn", "PyTorch", "JAX", "TensorFlow, Keras"),
    "kept as": ("ONNX", "TorchScript", "torch.export", "state dict", "SafeTensors", "GGUF", "StableHLO", "SavedModel"),
    "run by": (
        *("TensorRT", "OpenVINO", "TVM", "ONNX Runtime", "reference evaluator", "back in PyTorch", "AOTInductor", "ExecuTorch"),
        *("Core ML", "vLLM, TGI", "llama.cpp", "IREE", "XLA", "TFLite (LiteRT)"),
    ),
}
# What notebook 01 runs with what every reader has.
WALKED = {
    "scikit-learn": ("ONNX",),
    "PyTorch": ("ONNX", "TorchScript", "torch.export", "state dict", "SafeTensors", "GGUF"),
    "ONNX": ("ONNX Runtime", "reference evaluator"),
    **dict.fromkeys(("TorchScript", "torch.export", "state dict", "SafeTensors", "GGUF"), ("back in PyTorch",)),
}
# What needs more than that, or is named by the source texts only.
BEYOND = {
    "PyTorch": ("StableHLO",),
    "JAX": ("StableHLO", "SavedModel"),
    "TensorFlow, Keras": ("SavedModel", "ONNX"),
    "ONNX": ("TensorRT", "OpenVINO", "TVM", "IREE"),
    "TorchScript": ("Core ML",),
    "torch.export": ("AOTInductor", "ExecuTorch", "Core ML"),
    "SafeTensors": ("vLLM, TGI",),
    "GGUF": ("llama.cpp",),
    "StableHLO": ("IREE", "XLA"),
    "SavedModel": ("XLA", "TFLite (LiteRT)"),
}
LINKS = tuple((start, end, ways is WALKED) for ways in (WALKED, BEYOND) for start, ends in ways.items() for end in ends)
