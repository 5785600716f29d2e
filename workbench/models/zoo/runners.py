"""The model through formats and runtimes of the extra `zoo`. Each function imports its own tools and returns all images' outputs."""

from __future__ import annotations

import contextlib
import io
import platform
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Subject:
    """What every way starts from: the PyTorch module in evaluation mode, the same model as ONNX, images (N, 1, 8, 8), a folder to write to.

    The module is a convolutional network of two convolutions with BatchNorm (`features`) and two linear layers (`head`), as notebook 01
    builds it: the ways that have no converter write its layers again.
    """

    module: object
    onnx: Path
    images: np.ndarray
    folder: Path

    def weights(self) -> dict[str, np.ndarray]:
        return {name: tensor.numpy() for name, tensor in self.module.state_dict().items()}

    def exported(self, rows: int | None = None):
        """The module as a `torch.export` program: for any number of rows, or for exactly `rows`."""
        import torch

        example = torch.from_numpy(self.images[: rows or 2])
        free = None if rows else ({0: torch.export.Dim("batch", min=1, max=4096)},)
        return torch.export.export(self.module, (example,), dynamic_shapes=free)


def openvino(subject: Subject) -> np.ndarray:
    import openvino

    # Without the hint it computes in bfloat16 on a CPU that can.
    options = {"INFERENCE_PRECISION_HINT": "f32"}
    compiled = openvino.Core().compile_model(openvino.convert_model(str(subject.onnx)), "CPU", options)
    return np.array(compiled(subject.images)[0])


def tvm(subject: Subject) -> np.ndarray:
    import onnx
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    library = str(subject.folder / "digits.so")
    tvm.compile(from_onnx(onnx.load(subject.onnx), keep_params_in_input=False), target="llvm").export_library(library)
    machine = relax.VirtualMachine(tvm.runtime.load_module(library), tvm.cpu())
    return machine["main"](tvm.runtime.tensor(subject.images)).numpy()


def executorch(subject: Subject) -> np.ndarray:
    import torch
    from executorch.exir import to_edge_transform_and_lower
    from executorch.runtime import Runtime

    path = subject.folder / "digits.pte"
    path.write_bytes(to_edge_transform_and_lower(subject.exported(rows=1)).to_executorch().buffer)
    method = Runtime.get().load_program(str(path)).load_method("forward")
    images = torch.from_numpy(subject.images)
    # A copy of each result, for the buffer is used again.
    return np.concatenate([method.execute([images[i : i + 1]])[0].numpy().copy() for i in range(len(images))])


def core_ml(subject: Subject) -> np.ndarray | str:
    import coremltools

    program = subject.exported(rows=1).run_decompositions({})
    with contextlib.redirect_stderr(io.StringIO()):  # progress bars
        model = coremltools.convert(program, compute_precision=coremltools.precision.FLOAT32)
    model.save(str(subject.folder / "digits.mlpackage"))
    return f"converted; predicts on macOS only, and this is {platform.system()}"


def keras_files(subject: Subject) -> np.ndarray:
    import keras

    model = _keras(subject)
    found = []
    for name in ("digits.keras", "digits.h5"):
        model.save(subject.folder / name)
        found.append(np.array(keras.models.load_model(subject.folder / name)(_channels_last(subject.images), training=False)))
    if not np.array_equal(*found):
        raise RuntimeError("the two files give different outputs")
    return found[0]


def saved_model(subject: Subject) -> np.ndarray:
    import tensorflow

    path = str(subject.folder / "saved_model")
    _keras(subject).export(path, verbose=False)
    loaded = tensorflow.saved_model.load(path)  # kept in a name: the variables live as long as it does
    return loaded.serve(_channels_last(subject.images)).numpy()


def frozen_graph(subject: Subject) -> np.ndarray:
    import tensorflow
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    model, path = _keras(subject), subject.folder / "digits.pb"
    function = tensorflow.function(lambda images: model(images, training=False))
    concrete = function.get_concrete_function(tensorflow.TensorSpec([None, 8, 8, 1]))
    frozen = convert_variables_to_constants_v2(concrete)
    path.write_bytes(frozen.graph.as_graph_def().SerializeToString())
    graph = tensorflow.compat.v1.GraphDef.FromString(path.read_bytes())
    names = [tensor.name for tensor in (*frozen.inputs, *frozen.outputs)]
    wrapped = tensorflow.compat.v1.wrap_function(lambda: tensorflow.graph_util.import_graph_def(graph, name=""), [])
    source, result = (wrapped.graph.get_tensor_by_name(name) for name in names)
    return wrapped.prune(source, result)(tensorflow.constant(_channels_last(subject.images))).numpy()


def lite_rt(subject: Subject) -> np.ndarray:
    import tensorflow
    from ai_edge_litert.interpreter import Interpreter

    with contextlib.redirect_stdout(io.StringIO()):
        data = tensorflow.lite.TFLiteConverter.from_keras_model(_keras(subject)).convert()
    interpreter = Interpreter(model_content=data)
    images = _channels_last(subject.images)
    place, result = interpreter.get_input_details()[0]["index"], interpreter.get_output_details()[0]["index"]
    interpreter.resize_tensor_input(place, images.shape)
    interpreter.allocate_tensors()
    interpreter.set_tensor(place, images)
    interpreter.invoke()
    return interpreter.get_tensor(result)


def orbax(subject: Subject) -> np.ndarray:
    import orbax.checkpoint

    path = subject.folder.resolve() / "orbax"
    with orbax.checkpoint.StandardCheckpointer() as checkpointer:
        checkpointer.save(path, subject.weights(), force=True)
        checkpointer.wait_until_finished()
        weights = checkpointer.restore(path)
    return np.array(_jax_forward(weights, subject.images))


def stable_hlo(subject: Subject) -> np.ndarray:
    import jax

    weights = subject.weights()
    shape = jax.ShapeDtypeStruct((jax.export.symbolic_shape("batch")[0], 1, 8, 8), "float32")
    data = jax.export.export(jax.jit(lambda images: _jax_forward(weights, images)))(shape).serialize()
    return np.array(jax.jit(jax.export.deserialize(data).call)(subject.images))


def iree(subject: Subject) -> np.ndarray:
    import iree.compiler
    import iree.runtime
    import jax

    weights = subject.weights()
    shape = jax.ShapeDtypeStruct(subject.images.shape, "float32")
    text = jax.export.export(jax.jit(lambda images: _jax_forward(weights, images)))(shape).mlir_module()
    # This machine's own instructions, so the module is not portable.
    target = ["--iree-llvmcpu-target-cpu=host"]
    binary = iree.compiler.compile_str(text, input_type="stablehlo", target_backends=["llvm-cpu"], extra_args=target)
    config = iree.runtime.Config("local-task")
    module = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, binary), config)
    return module.main(subject.images).to_host()


def _channels_last(images: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1))


def _keras(subject: Subject):
    """The network in Keras: channels last, its BatchNorm's epsilon set to PyTorch's, and the flattening in PyTorch's order."""
    import keras
    from keras import layers

    weights = subject.weights()
    steps = [keras.Input((8, 8, 1))]
    for convolution, norm, channels in (("features.0", "features.1", 16), ("features.3", "features.4", 32)):
        steps += [layers.Conv2D(channels, 3, padding="same", name=convolution.replace(".", "_"))]
        steps += [layers.BatchNormalization(epsilon=1e-5, name=norm.replace(".", "_")), layers.ReLU()]
    steps += [layers.MaxPool2D(2), layers.Permute((3, 1, 2)), layers.Flatten()]
    steps += [layers.Dense(64, activation="relu", name="head_1"), layers.Dense(10, name="head_3")]
    model = keras.Sequential(steps)
    for layer in model.layers:
        if layer.weights:
            layer.set_weights(_for_keras(weights, layer.name.replace("_", ".")))
    return model


def _for_keras(weights: dict[str, np.ndarray], name: str) -> list[np.ndarray]:
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    if weight.ndim == 1:
        return [weight, bias, weights[f"{name}.running_mean"], weights[f"{name}.running_var"]]
    return [weight.transpose(2, 3, 1, 0) if weight.ndim == 4 else weight.T, bias]


def _jax_forward(weights: dict[str, np.ndarray], images):
    import jax
    from jax import numpy as jnp

    value = images
    for convolution, norm in (("features.0", "features.1"), ("features.3", "features.4")):
        value = jax.lax.conv_general_dilated(value, weights[f"{convolution}.weight"], (1, 1), "SAME")
        value = value + weights[f"{convolution}.bias"].reshape(-1, 1, 1)
        scale = weights[f"{norm}.weight"] / jnp.sqrt(weights[f"{norm}.running_var"] + 1e-5)
        value = (value - weights[f"{norm}.running_mean"].reshape(-1, 1, 1)) * scale.reshape(-1, 1, 1)
        value = jax.nn.relu(value + weights[f"{norm}.bias"].reshape(-1, 1, 1))
    value = jax.lax.reduce_window(value, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    value = value.reshape(value.shape[0], -1)
    value = jax.nn.relu(value @ weights["head.1.weight"].T + weights["head.1.bias"])
    return value @ weights["head.3.weight"].T + weights["head.3.bias"]
