"""Who uses ONNX, and what used to be: statements that no program can decide, each with the reason."""

from formatlab.models.zoo.landscape import LINKS

from .ledger import Source, Verdict, holds, not_ours, topic
from .running import attempt
from .subjects import MLP_INPUT, mlp

claim = topic("Ecosystem")
LANDSCAPE = "01-format-landscape"
DAY_50, COMPILATION, FORMAT, INTEROPERABILITY = (
    Source.DAY_50,
    Source.COMPILATION,
    Source.FORMAT,
    Source.INTEROPERABILITY,
)
UNKNOWN = Verdict.NOT_TESTABLE


@claim(
    "dominates",
    DAY_50,
    "ONNX dominates this space, backed by Microsoft, Meta, and NVIDIA.",
    UNKNOWN,
    "01-format-landscape#the-map",
)
@claim(
    "de-facto",
    COMPILATION,
    "ONNX has become the de facto interchange format, with broad adoption across cloud providers and hardware vendors.",
    UNKNOWN,
    LANDSCAPE,
)
def market() -> str:
    return "A share of a market and who pays for what: nothing that is installed can tell."


@claim(
    "azure",
    COMPILATION,
    "Microsoft Azure Machine Learning uses ONNX Runtime to serve models trained in any framework.",
    UNKNOWN,
    LANDSCAPE,
)
@claim(
    "azure",
    INTEROPERABILITY,
    "Microsoft uses ONNX extensively within its Azure Machine Learning platform.",
    UNKNOWN,
    LANDSCAPE,
)
@claim(
    "azure-optimizes",
    INTEROPERABILITY,
    "Azure provides a unified inference environment that automatically optimizes models for different hardware.",
    UNKNOWN,
    LANDSCAPE,
)
@claim(
    "meta",
    INTEROPERABILITY,
    "Meta utilizes ONNX to bridge the gap between PyTorch research and production; it reduces time-to-market.",
    UNKNOWN,
    LANDSCAPE,
)
@claim(
    "automotive",
    INTEROPERABILITY,
    "In the automotive industry, companies use ONNX to deploy models onto embedded hardware inside vehicles.",
    UNKNOWN,
    LANDSCAPE,
)
@claim(
    "nms-practice",
    COMPILATION,
    "Teams often export models before stages like NMS and handle those in separate runtime code.",
    UNKNOWN,
    "03-export#custom-operators",
)
def companies() -> str:
    return "What companies and teams do inside cannot be tested, and the text names no source."


@claim(
    "silos",
    FORMAT,
    "Historically, moving models between environments required rewriting model code, introducing conversion errors.",
    UNKNOWN,
    LANDSCAPE,
)
@claim(
    "silos",
    INTEROPERABILITY,
    "Historically, a model trained in PyTorch was tethered to the PyTorch ecosystem for deployment.",
    UNKNOWN,
    LANDSCAPE,
)
@claim(
    "retraining",
    COMPILATION,
    "Switching to another runtime or accelerator meant expensive retraining or complex conversion work.",
    UNKNOWN,
    LANDSCAPE,
)
@claim(
    "tightly-coupled",
    COMPILATION,
    "Training frameworks and deployment runtimes are tightly coupled; you historically needed PyTorch at serving time.",
    UNKNOWN,
    LANDSCAPE,
)
def history() -> str:
    return "A statement about the past: the installed versions say nothing about it."


@claim(
    "runs-elsewhere",
    DAY_50,
    "PyTorch is great for research, but production inference runs on TensorRT, CoreML, ONNX Runtime, or custom hardware.",
    Verdict.MISLEADING,
    "01-format-landscape#the-map",
)
def runs_elsewhere() -> str:
    import torch._inductor

    program = torch.export.export(mlp(), (MLP_INPUT,))
    holds(attempt(lambda: program.module()(MLP_INPUT)) == "accepted", "torch.export fails")
    holds(callable(torch._inductor.aoti_compile_and_package), "AOTInductor is gone")
    return (
        "Not only: PyTorch brings its own way to production, `torch.export` with AOTInductor or ExecuTorch. Which of them production "
        "runs on, nothing here can tell."
    )


@claim(
    "neuron",
    COMPILATION,
    "Amazon Inferentia accepts ONNX models through the Neuron compiler.",
    Verdict.WRONG,
    f"{LANDSCAPE}#the-map",
)
def neuron() -> str:
    not_ours("torch-neuronx", "neuronx-cc")
    holds(
        ("ONNX", "Neuron") not in {(start, end) for start, end, _ in LINKS},
        "the map leads from ONNX to Neuron",
    )
    return (
        "By AWS's own documentation, which says that Neuron does not compile ONNX files and sends such models through PyTorch: "
        "[ONNX FAQ](https://awsdocs-neuron.readthedocs-hosted.com/en/latest/archive/faq/onnx-faq.html). Not run here: Neuron's packages "
        "come from Amazon's own repository."
    )


@claim(
    "xla-import",
    COMPILATION,
    "Google supports ONNX import in some XLA pipelines for TPU deployment.",
    UNKNOWN,
    "08-the-zoo#not-run-here",
)
def xla_import() -> str:
    not_ours("torch-xla", "libtpu")
    return "Wants a TPU; neither torch-xla nor libtpu is in an environment of the course, and the text names no pipeline."


@claim(
    "sparsity", DAY_50, "N:M sparsity patterns map directly to NVIDIA sparse tensor cores.", UNKNOWN
)
@claim(
    "pruning-quantization",
    DAY_50,
    "Combine pruning with quantization for maximum compression without accuracy loss.",
    UNKNOWN,
)
def next_day() -> str:
    return "Announces Day 51, whose text and models the course does not have; the first half wants an NVIDIA GPU."
