"""Which formats lead from which training framework to which runtime: the map that notebook 01
draws. The names of a column stand in an order in which few lines cross.

A way stands here because a notebook walks it (`RUN`, with the section that does), or because its
makers document it (`BEYOND`).
"""

STACKS = {
    "trained in": ("scikit-learn", "LightGBM, XGBoost", "PyTorch", "JAX", "TensorFlow, Keras"),
    "kept as": (
        "skops",
        "ONNX",
        "TorchScript",
        "state dict",
        "SafeTensors",
        "GGUF",
        "torch.export",
        "StableHLO",
        "Orbax",
        "SavedModel",
        "Keras file",
        "LiteRT file",
    ),
    "run by": (
        "back in sklearn",
        "TensorRT",
        "Windows ML",
        "OpenVINO",
        "TVM",
        "ONNX Runtime",
        "ONNX reference",
        "Core ML",
        "back in PyTorch",
        "vLLM, TGI",
        "llama.cpp",
        "AOTInductor",
        "ExecuTorch",
        "IREE",
        "XLA",
        "back in JAX",
        "TensorFlow",
        "LiteRT",
    ),
}
HERE = "01-format-landscape"
ZOO = "08-the-zoo"
# What a notebook of Day 50 runs, and where.
RUN = {
    ("scikit-learn", "ONNX"): f"{ZOO}#trees-and-forests",
    ("scikit-learn", "skops"): f"{ZOO}#trees-and-forests",
    ("LightGBM, XGBoost", "ONNX"): f"{ZOO}#trees-and-forests",
    ("PyTorch", "ONNX"): f"{ZOO}#onnx-and-onnx-runtime",
    ("PyTorch", "TorchScript"): f"{ZOO}#pytorch-files",
    ("PyTorch", "torch.export"): f"{ZOO}#pytorch-files",
    ("PyTorch", "state dict"): f"{ZOO}#pytorch-files",
    ("PyTorch", "SafeTensors"): f"{ZOO}#pytorch-files",
    ("PyTorch", "GGUF"): f"{ZOO}#gguf-and-llamacpp",
    ("PyTorch", "StableHLO"): f"{ZOO}#torchax",
    ("PyTorch", "SavedModel"): f"{ZOO}#torchax",
    ("PyTorch", "LiteRT file"): f"{ZOO}#torchax",
    ("JAX", "StableHLO"): f"{ZOO}#stablehlo-and-xla",
    ("JAX", "Orbax"): f"{ZOO}#jax-and-orbax",
    ("TensorFlow, Keras", "Keras file"): f"{ZOO}#keras",
    ("TensorFlow, Keras", "SavedModel"): f"{ZOO}#savedmodel",
    ("TensorFlow, Keras", "LiteRT file"): f"{ZOO}#litert",
    ("TensorFlow, Keras", "ONNX"): f"{ZOO}#keras",
    ("skops", "back in sklearn"): f"{ZOO}#trees-and-forests",
    ("ONNX", "OpenVINO"): f"{ZOO}#openvino",
    ("ONNX", "TVM"): f"{ZOO}#tvm",
    ("ONNX", "IREE"): f"{ZOO}#iree",
    ("ONNX", "ONNX Runtime"): f"{ZOO}#onnx-and-onnx-runtime",
    ("ONNX", "ONNX reference"): f"{HERE}#weights-and-a-graph",
    ("ONNX", "back in PyTorch"): f"{ZOO}#the-way-back-to-pytorch",
    ("TorchScript", "back in PyTorch"): f"{ZOO}#pytorch-files",
    ("state dict", "back in PyTorch"): f"{ZOO}#pytorch-files",
    ("SafeTensors", "back in PyTorch"): f"{ZOO}#pytorch-files",
    ("torch.export", "back in PyTorch"): f"{ZOO}#pytorch-files",
    ("torch.export", "AOTInductor"): f"{ZOO}#aotinductor",
    ("torch.export", "ExecuTorch"): f"{ZOO}#executorch",
    ("GGUF", "back in PyTorch"): f"{HERE}#weights",
    ("GGUF", "llama.cpp"): f"{ZOO}#gguf-and-llamacpp",
    ("StableHLO", "IREE"): f"{ZOO}#iree",
    ("StableHLO", "XLA"): f"{ZOO}#stablehlo-and-xla",
    ("Orbax", "back in JAX"): f"{ZOO}#jax-and-orbax",
    ("SavedModel", "TensorFlow"): f"{ZOO}#savedmodel",
    ("Keras file", "TensorFlow"): f"{ZOO}#keras",
    ("LiteRT file", "LiteRT"): f"{ZOO}#litert",
}
# What is converted without a verdict on outputs, or described: the row of `systems.SYSTEMS` that
# says so.
BEYOND = {
    ("TorchScript", "Core ML"): "Core ML",
    ("ONNX", "TensorRT"): "TensorRT",
    ("ONNX", "Windows ML"): "Windows ML",
    ("SafeTensors", "vLLM, TGI"): "vLLM",
}
LINKS = tuple((start, end, ways is RUN) for ways in (RUN, BEYOND) for start, end in ways)
