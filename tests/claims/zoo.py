"""Formats and runtimes whose packages are not all in the default environment: each proof runs once
its package is there.
"""

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import onnx
import onnxruntime as ort
import torch
from safetensors.numpy import save_file

from .ledger import Source, Verdict, holds, not_ours, topic
from .running import attempt, new_path, relative_error, run
from .subjects import MLP_INPUT, cnn_default, mlp, mlp_default

claim = topic("Other formats and runtimes")
ZOO = "08-the-zoo"
KERAS_TO_ONNX = """
import sys, keras, numpy
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
numpy.save(sys.argv[2], keras.ops.convert_to_numpy(model(numpy.ones((1, 3), "float32"))))
model.export(sys.argv[1], format="onnx", verbose=False)
"""
DAY_50, LAB, COMPILATION, INTEROPERABILITY = (
    Source.DAY_50,
    Source.LAB,
    Source.COMPILATION,
    Source.INTEROPERABILITY,
)


@claim(
    "beyond-deep-learning",
    INTEROPERABILITY,
    "ONNX also supports models from libraries like Scikit-Learn: Random Forests or SVMs.",
    Verdict.CONFIRMED,
    "01-format-landscape#only-for-deep-learning",
    needs=("skl2onnx",),
)
@claim(
    "trained-in-sklearn",
    INTEROPERABILITY,
    "…regardless of whether it was trained in PyTorch, TensorFlow, or Scikit-Learn.",
    Verdict.CONFIRMED,
    "01-format-landscape#only-for-deep-learning",
    needs=("skl2onnx",),
)
def scikit_learn() -> str:
    from skl2onnx import to_onnx
    from sklearn.datasets import load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.svm import SVC

    x, labels = load_digits(return_X_y=True)
    x = (x / 16).astype(np.float32)
    found = {}
    for model in (RandomForestClassifier(20, random_state=0), SVC()):
        model.fit(x[:1400], labels[:1400])
        converted = to_onnx(
            model, x[:1], target_opset={"": 18, "ai.onnx.ml": 3}, options={"zipmap": False}
        )
        same = (run(converted, {"X": x[1400:]}) == model.predict(x[1400:])).mean()
        holds(same > 0.99, f"{type(model).__name__}: {same:.1%} of the labels agree")
        found[type(model).__name__] = next(
            each.op_type for each in converted.graph.node if each.domain == "ai.onnx.ml"
        )
    return (
        "skl2onnx converts both: "
        + ", ".join(f"{name} to {operator}" for name, operator in found.items())
        + ", and more than 99 % of the labels agree."
    )


@claim(
    "gguf-metadata",
    DAY_50,
    "GGUF: a single file, weights + metadata.",
    Verdict.CONFIRMED,
    "01-format-landscape#weights",
    needs=("gguf",),
)
def gguf_file() -> str:
    import gguf

    path = _gguf(gguf)
    reader = gguf.GGUFReader(path)
    keys, tensors = (
        set(reader.fields),
        {each.name: each.tensor_type.name for each in reader.tensors},
    )
    holds("general.architecture" in keys and len(tensors) == 3, keys)
    return f"One file read back: metadata such as general.architecture, and {len(tensors)} tensors."


@claim(
    "gguf-quantized",
    DAY_50,
    "GGUF: quantized LLMs.",
    Verdict.MISLEADING,
    "01-format-landscape#weights",
    needs=("gguf",),
)
def gguf_quantized() -> str:
    import gguf

    tensors = sorted(each.tensor_type.name for each in gguf.GGUFReader(_gguf(gguf)).tensors)
    holds(tensors == ["F16", "F32", "Q8_0"], tensors)
    return f"Quantized or not: one file holds {', '.join(tensors)} side by side."


def _gguf(gguf) -> str:
    """A GGUF file with one tensor in each of three types."""
    path = str(new_path("tiny.gguf"))
    values = np.random.default_rng(0).normal(size=(4, 64)).astype(np.float32)
    kind = gguf.GGMLQuantizationType
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(1)
    writer.add_tensor("full", values)
    writer.add_tensor("half", values.astype(np.float16))
    writer.add_tensor("quantized", gguf.quants.quantize(values, kind.Q8_0), raw_dtype=kind.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@claim(
    "landscape-safetensors-llama",
    DAY_50,
    "State dicts (.safetensors) → SafeTensors → llama.cpp.",
    Verdict.WRONG,
    "01-format-landscape#the-map",
    needs=("gguf",),
)
def safetensors_llama() -> str:
    import gguf

    path = new_path("weights.safetensors")
    save_file({"weight": np.ones((2, 2), np.float32)}, path)
    said = attempt(gguf.GGUFReader, str(path))
    holds(said.startswith("ValueError") and "magic" in said.lower(), said)
    return (
        f"llama.cpp reads GGUF; its own reader refuses a SafeTensors file: “{said.split(': ', 1)[1]}”. Between the two there is a "
        "conversion."
    )


@claim(
    "savedmodel",
    DAY_50,
    "SavedModel: full TF graph with signatures, in a directory.",
    Verdict.CONFIRMED,
    f"{ZOO}#savedmodel",
    needs=("tensorflow-cpu",),
)
@claim(
    "landscape-tensorflow-savedmodel",
    DAY_50,
    "TensorFlow → SavedModel (.pb dir).",
    Verdict.CONFIRMED,
    f"{ZOO}#savedmodel",
    needs=("tensorflow-cpu",),
)
def saved_model() -> str:
    import tensorflow

    path = new_path("saved")

    class Doubled(tensorflow.Module):
        @tensorflow.function(input_signature=[tensorflow.TensorSpec([None, 2], tensorflow.float32)])
        def __call__(self, x):
            return {"y": 2 * x}

    tensorflow.saved_model.save(Doubled(), str(path))
    loaded = tensorflow.saved_model.load(str(path))
    files = sorted(each.name for each in path.iterdir())
    result = loaded.signatures["serving_default"](tensorflow.constant([[1.0, 2.0]]))["y"].numpy()
    holds(
        "saved_model.pb" in files and (path / "variables").is_dir() and result.tolist() == [[2, 4]],
        files,
    )
    return f"A directory with {', '.join(files)}; its signature serving_default runs."


@claim(
    "landscape-tensorflow-h5",
    DAY_50,
    "TensorFlow saves .pb/.h5.",
    Verdict.OUTDATED,
    f"{ZOO}#keras",
    needs=("keras",),
)
def keras_h5() -> str:
    os.environ.setdefault("KERAS_BACKEND", "torch")
    import keras

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.save(str(new_path("model.keras")))
    refused = attempt(model.save, str(new_path("model")))
    holds("`.keras`" in refused or ".keras" in refused, refused)
    return "Keras's own format is .keras today; .h5 is called legacy, and a name without an extension is refused."


@claim(
    "landscape-tflite",
    DAY_50,
    "SavedModel → TFLite.",
    Verdict.CONFIRMED,
    f"{ZOO}#litert",
    needs=("tensorflow-cpu",),
)
def tflite() -> str:
    import tensorflow

    function = tensorflow.function(lambda x: 2 * x).get_concrete_function(
        tensorflow.TensorSpec([1, 2])
    )
    data = tensorflow.lite.TFLiteConverter.from_concrete_functions([function]).convert()
    holds(data[4:8] == b"TFL3", data[:8])
    return "TensorFlow's converter writes it: a FlatBuffer with TFL3 at byte 4."


@claim(
    "landscape-coreml",
    DAY_50,
    "…→ CoreML.",
    Verdict.MISLEADING,
    f"{ZOO}#core-ml",
    needs=("coremltools",),
)
@claim(
    "deploy-coreml",
    LAB,
    "Train in PyTorch → (ONNX) → deploy in CoreML.",
    Verdict.MISLEADING,
    f"{ZOO}#core-ml",
    needs=("coremltools",),
)
def core_ml() -> str:
    import coremltools

    path = new_path("cnn.onnx")
    path.write_bytes(cnn_default().path.read_bytes())
    said = attempt(coremltools.convert, str(path))
    holds(said != "accepted", said)
    holds("CoreMLExecutionProvider" in ort.get_all_providers(), ort.get_all_providers())
    return (
        "coremltools converts PyTorch and TensorFlow models directly, and refuses an .onnx file. From ONNX the way leads through ONNX "
        "Runtime, which has an execution provider for Core ML on Apple's devices."
    )


@claim(
    "landscape-openvino",
    DAY_50,
    "ONNX is deployed on OpenVINO.",
    Verdict.CONFIRMED,
    f"{ZOO}#openvino",
    needs=("openvino",),
)
def openvino() -> str:
    import openvino

    compiled = openvino.Core().compile_model(
        openvino.convert_model(str(mlp_default().path)), "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )
    error = relative_error(compiled(MLP_INPUT.numpy())[0], mlp()(MLP_INPUT))
    holds(error < 1e-5, error)
    return "OpenVINO reads the exported MLP and agrees to a relative error below 1e-5, once told to compute in f32."


@claim(
    "landscape-jax",
    DAY_50,
    "JAX (pytree) → StableHLO (.mlir) → XLA.",
    Verdict.CONFIRMED,
    f"{ZOO}#stablehlo-and-xla",
    needs=("jax",),
)
def jax_stablehlo() -> str:
    import jax

    exported = jax.export.export(jax.jit(lambda p, x: x @ p["w"] + p["b"]))(
        {"w": jax.ShapeDtypeStruct((3, 2), "float32"), "b": jax.ShapeDtypeStruct((2,), "float32")},
        jax.ShapeDtypeStruct((4, 3), "float32"),
    )
    holds("stablehlo.dot_general" in exported.mlir_module(), exported.mlir_module()[:300])
    parameters = {"w": np.ones((3, 2), np.float32), "b": np.zeros(2, np.float32)}
    result = np.asarray(
        jax.jit(jax.export.deserialize(exported.serialize()).call)(
            parameters, np.ones((4, 3), np.float32)
        )
    )
    holds((result == 3).all(), result)
    return "jax.export writes StableHLO and XLA's CPU back end runs it. TPU and GPU were not tried."


@claim(
    "landscape-iree",
    DAY_50,
    "StableHLO → IREE.",
    Verdict.CONFIRMED,
    f"{ZOO}#iree",
    needs=("iree-base-compiler",),
)
def iree() -> str:
    import iree.compiler

    text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %y = stablehlo.add %x, %x : tensor<2xf32>\n return %y : tensor<2xf32> }"
    data = iree.compiler.compile_str(text, input_type="stablehlo", target_backends=["llvm-cpu"])
    holds(len(data) > 0, len(data))
    return "IREE's compiler takes StableHLO and writes a module for the CPU."


@claim(
    "tvm", COMPILATION, "TVM imports ONNX.", Verdict.CONFIRMED, f"{ZOO}#tvm", needs=("apache-tvm",)
)
def tvm() -> str:
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    machine = relax.VirtualMachine(
        tvm.compile(
            from_onnx(onnx.load(mlp_default().path), keep_params_in_input=False), target="llvm"
        ),
        tvm.cpu(),
    )
    error = relative_error(
        machine["main"](tvm.runtime.tensor(MLP_INPUT.numpy())).numpy(), mlp()(MLP_INPUT)
    )
    holds(error < 1e-5, error)
    return "TVM compiles the exported MLP and agrees to a relative error below 1e-5."


@claim(
    "from-tensorflow",
    COMPILATION,
    "Train a model in PyTorch or TensorFlow, export to ONNX.",
    Verdict.CONFIRMED,
    f"{ZOO}#keras",
    needs=("keras",),
)
def from_tensorflow() -> str:
    not_ours("tf2onnx")
    model, outputs = new_path("keras.onnx"), new_path("outputs.npy")
    # A process of its own, because Keras has one backend for the life of a process.
    command = [sys.executable, "-c", KERAS_TO_ONNX, str(model), str(outputs)]
    subprocess.run(
        command, env={**os.environ, "KERAS_BACKEND": "torch"}, check=True, capture_output=True
    )
    exported = onnx.load(model)
    x = np.ones((1, 3), np.float32)
    error = relative_error(run(exported, {exported.graph.input[0].name: x}), np.load(outputs))
    holds(error < 1e-5, error)
    return (
        "A Keras model goes to ONNX through its PyTorch backend and agrees to a relative error below 1e-5. TensorFlow's own way, "
        "tf2onnx, is in no environment of the course."
    )


@claim(
    "deploy-tensorflow",
    LAB,
    "Train in PyTorch → deploy in TensorFlow.",
    Verdict.MISLEADING,
    f"{ZOO}#torchax",
    needs=("tensorflow-cpu", "torchax", "jax"),
)
def to_tensorflow() -> str:
    not_ours("onnx-tf")
    # Once torchax is imported, torch.compile and torch.export fail in that process.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        error = alone.submit(_error_through_jax, str(new_path("from_torch"))).result()
    holds(error < 1e-5, error)
    return (
        "Not through ONNX, whose way back to TensorFlow (onnx-tf) is in no environment of the course. Through JAX: the MLP becomes a "
        "SavedModel and agrees to a relative error below 1e-5."
    )


def _error_through_jax(path: str) -> float:
    """The relative error of the MLP that went through JAX into a SavedModel, loaded again."""
    import tensorflow
    from jax.experimental import jax2tf

    arrays, function = _torchax().exported_program_to_jax(torch.export.export(mlp(), (MLP_INPUT,)))
    module = tensorflow.Module()
    shape = tensorflow.TensorSpec(tuple(MLP_INPUT.shape))
    convert = jax2tf.convert(lambda x: function(arrays, (x,))[0])
    module.serve = tensorflow.function(convert, input_signature=[shape], autograph=False)
    tensorflow.saved_model.save(module, path)
    loaded = tensorflow.saved_model.load(path)
    return relative_error(loaded.serve(MLP_INPUT.numpy()).numpy(), mlp()(MLP_INPUT))


def _torchax():
    """torchax's exporter. It names operators that PyTorch has dropped; while it is imported, a name
    stands for each of them.
    """
    packet = torch._ops.OpOverloadPacket
    original = packet.__getattr__

    def forgiving(self, name):
        try:
            return original(self, name)
        except AttributeError:
            if "imname" in name or "names" in name:
                return ("missing", str(self), name)
            raise

    packet.__getattr__ = forgiving
    try:
        from torchax import export
    finally:
        packet.__getattr__ = original
    return export
