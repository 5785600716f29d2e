"""The operators that may run in a quantized model that is judged, and which of them multiply by
weights: the one list that running, counting and refusing go by.

1. An operator is written `Op` where it is ONNX's own, and `domain::Op` elsewhere.
2. PRODUCTS have a place for an activation and one for a weight, so each of them is a layer.
3. MIXED multiply too, but hold several weights, or none that could be told from an activation: they
   count as products that are not quantized.
4. TABLES hand out rows of a weight.
5. OTHERS compute number by number, move numbers, add them up or hold other graphs. A product may be
   spelled out in them, and no list can tell: `exercises.shared.judge.disturbed` shows by disturbing
   the layers that a model computes with them and with nothing beside them.
6. What stands in none of these may not run: operators that draw random numbers, train, or work on
   text and sequences, and what a runtime's optimizer writes for one processor.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass

import onnx_ir as ir
from onnx import NodeProto

from formatlab import graphs

MICROSOFT = "com.microsoft"


@dataclass(frozen=True)
class Product:
    """The inputs of an operator that are its activation, its weight and the scale of its weight
    (None where the scale is applied by a Mul behind it).

    `integer` tells that it computes with codes; `scaled`, that it reads the scale of its activation
    right behind the activation.
    """

    activation: int = 0
    weight: int = 1
    scale: int | None = None
    integer: bool = False
    _: KW_ONLY
    scaled: bool = False


_QLINEAR = Product(0, 3, 4, integer=True, scaled=True)
PRODUCTS: dict[str, Product] = {
    **dict.fromkeys(("Conv", "ConvTranspose", "Gemm", "MatMul"), Product()),
    **dict.fromkeys(("ConvInteger", "MatMulInteger"), Product(integer=True)),
    **dict.fromkeys(("QLinearConv", "QLinearMatMul"), _QLINEAR),
    **{
        f"{MICROSOFT}::{name}": Product()
        for name in ("Attention", "FusedConv", "FusedGemm", "FusedMatMul", "TransposeMatMul")
    },
    **{f"{MICROSOFT}::{name}": _QLINEAR for name in ("QLinearConv", "QGemm")},
    f"{MICROSOFT}::MatMulIntegerToFloat": Product(0, 1, 3, integer=True),
    f"{MICROSOFT}::DynamicQuantizeMatMul": Product(0, 1, 2, integer=True),
    f"{MICROSOFT}::MatMulNBits": Product(0, 1, 2),
}
MIXED = frozenset(
    {
        *("Attention", "DFT", "DeformConv", "Einsum", "GRU", "LSTM", "RNN", "STFT"),
        f"{MICROSOFT}::MultiHeadAttention",
    }
)
TABLES = frozenset(
    {
        *("Gather", "GatherElements", "GatherND"),
        f"{MICROSOFT}::EmbedLayerNormalization",
        f"{MICROSOFT}::GatherBlockQuantized",
    }
)
_OWN = """
    Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh AveragePool BatchNormalization
    BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BlackmanWindow Cast CastLike Ceil Celu
    CenterCropPad Clip Col2Im Compress Concat Constant ConstantOfShape Cos Cosh CumSum DepthToSpace
    DequantizeLinear Det Div Dropout DynamicQuantizeLinear Elu Equal Erf Exp Expand EyeLike Flatten
    Floor Gelu GlobalAveragePool GlobalLpPool GlobalMaxPool Greater GreaterOrEqual GridSample
    GroupNormalization HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity If
    InstanceNormalization IsInf IsNaN LRN LayerNormalization LeakyRelu Less LessOrEqual Log
    LogSoftmax Loop LpNormalization LpPool Max MaxPool MaxRoiPool MaxUnpool Mean
    MeanVarianceNormalization Min Mish Mod Mul Neg NonMaxSuppression NonZero Not OneHot Or PRelu Pad
    Pow QuantizeLinear RMSNormalization Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum
    ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape
    Resize ReverseSequence RoiAlign RotaryEmbedding Round Scan ScatterElements ScatterND Selu Shape
    Shrink Sigmoid Sign Sin Sinh Size Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt Squeeze
    Sub Sum Swish Tan Tanh TensorScatter ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze
    Upsample Where Xor
"""
_MICROSOFTS = """
    BiasGelu BiasSplitGelu DequantizeLinear FastGelu Gelu GroupNorm QLinearAdd QLinearAveragePool
    QLinearConcat QLinearGlobalAveragePool QLinearLeakyRelu QLinearMul QLinearSigmoid QLinearSoftmax
    QLinearWhere QuantizeLinear QuickGelu RotaryEmbedding SkipGroupNorm SkipLayerNormalization
    SkipSimplifiedLayerNormalization
"""
OTHERS = frozenset(_OWN.split()) | {f"{MICROSOFT}::{name}" for name in _MICROSOFTS.split()}
RUN = frozenset(PRODUCTS) | MIXED | TABLES | OTHERS


def named(node: ir.Node | NodeProto) -> str:
    """The node's operator, as it is written here."""
    domain = graphs.domain(node.domain)
    return f"{domain}::{node.op_type}" if domain else node.op_type


def product(node: ir.Node) -> Product | None:
    """Where the node has its activation and its weight, None where it is no product of two."""
    return PRODUCTS.get(named(node))


def multiplies(node: ir.Node) -> bool:
    return named(node) in PRODUCTS or named(node) in MIXED


def outside(nodes: Iterable[NodeProto], own: Iterable[str] = ()) -> list[str]:
    """The operators of the nodes that may not run, sorted; `own` are others that may."""
    return sorted({named(node) for node in nodes} - RUN - set(own))
