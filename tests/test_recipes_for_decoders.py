"""The recipe of the page on decoders takes other models than the page's own, and what the page says
of models that need a change of it holds.
"""

import copy
import functools

import nbformat
import numpy as np
import onnxruntime as ort
import pytest
import torch
import transformers

from formatlab.show.quiet import quiet
from tests.notebook_tools import NOTEBOOKS

VOCABULARY = 64
TEXT = {"vocab_size": VOCABULARY, "bos_token_id": 0, "eos_token_id": None, "pad_token_id": None}
LLAMA = TEXT | {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}
T5 = {"vocab_size": VOCABULARY, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2}


@functools.cache
def page():
    """The two wrappers as the page defines them."""
    found = {"torch": torch, "DynamicCache": transformers.DynamicCache}
    for cell in nbformat.read(NOTEBOOKS / "day-50" / "09-a-decoder.ipynb", as_version=4).cells:
        if cell.cell_type == "code" and "(torch.nn.Module):" in cell.source:
            exec(cell.source, found)
    return found


def exported(wrapped, example, shapes):
    with quiet():
        return torch.onnx.export(
            wrapped.eval(),
            example,
            dynamo=True,
            opset_version=20,
            verbose=False,
            dynamic_shapes=shapes,
        ).model_proto


def ratio(step, wrapped, given):
    """The file's error beside float64, in units of PyTorch's own."""
    session = ort.InferenceSession(step.SerializeToString(), providers=["CPUExecutionProvider"])
    doubles = [each.double() if each.is_floating_point() else each for each in given]
    with torch.no_grad():
        own = wrapped(*given)[0].numpy()
        truth = copy.deepcopy(wrapped).double()(*doubles)[0].numpy()
    names = [value.name for value in session.get_inputs()]
    found = session.run(None, dict(zip(names, (each.numpy() for each in given), strict=True)))[0]
    return np.abs(found - truth).max() / np.abs(own - truth).max()


def caches(rows, old, heads, size):
    return [torch.randn(rows, heads, old, size) for _ in range(4)]


def open_caches(past):
    return tuple({0: "batch", 2: "past"} for _ in past)


DECODERS = {
    "learned positions": lambda: transformers.GPT2LMHeadModel(
        transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=64, **TEXT)
    ),
    "a sliding window": lambda: transformers.MistralForCausalLM(
        transformers.MistralConfig(sliding_window=4, **LLAMA)
    ),
    "a mixture of experts": lambda: transformers.MixtralForCausalLM(
        transformers.MixtralConfig(
            num_local_experts=4,
            num_experts_per_tok=2,
            experts_implementation="batched_mm",
            **LLAMA,
        )
    ),
}


@pytest.mark.parametrize("kind", DECODERS)
def test_the_step_takes_other_decoders(kind):
    torch.manual_seed(0)
    wrapped = page()["Step"](DECODERS[kind]()).eval()
    with torch.no_grad():
        ids = torch.zeros(1, 1, dtype=torch.int64)
        cache = wrapped.model(ids, use_cache=True).past_key_values
    _, heads, _, size = cache.layers[0].keys.shape
    past = caches(2, 5, heads, size)
    shapes = {"input_ids": {0: "batch", 1: "sequence"}, "past": open_caches(past)}
    step = exported(wrapped, (torch.zeros(2, 3, dtype=torch.int64), *past), shapes)
    for rows, new, old in ((1, 1, 0), (2, 3, 9), (3, 1, 1)):
        given = [torch.randint(VOCABULARY, (rows, new)), *caches(rows, old, heads, size)]
        assert ratio(step, wrapped, given) < 8, (rows, new, old)


def t5_step(**settings):
    torch.manual_seed(0)
    config = transformers.T5Config(num_heads=4, decoder_start_token_id=0, **T5, **settings)
    wrapped = page()["DecoderStep"](transformers.T5ForConditionalGeneration(config)).eval()
    past = caches(2, 5, 4, 8)
    source = {0: "batch", 1: "source"}
    shapes = {"decoder_input_ids": {0: "batch", 1: "sequence"}, "states": source, "mask": source}
    example = (torch.zeros(2, 3, dtype=torch.int64), torch.zeros(2, 7, 32))
    mask = torch.ones(2, 7, dtype=torch.int64)
    return wrapped, exported(wrapped, (*example, mask, *past), shapes | {"past": open_caches(past)})


def test_a_t5_needs_attention_spelled_out():
    with pytest.raises(Exception, match="Cannot view a tensor"):
        t5_step()
    wrapped, step = t5_step(attn_implementation="eager")
    for rows, new, old in ((1, 1, 0), (2, 3, 9)):
        mask = torch.ones(rows, 6, dtype=torch.int64)
        mask[1:, -2:] = 0
        given = [torch.randint(VOCABULARY, (rows, new)), torch.randn(rows, 6, 32), mask]
        assert ratio(step, wrapped, [*given, *caches(rows, old, 4, 8)]) < 8, (rows, new, old)
