"""Which system calls a box may ask for: the filter for both processors, run here as the kernel runs
it, and calls in a real box that no list names.
"""

import errno
import platform
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbjudge.boxes import seccomp
from tests.boxes.box_tools import evaluate

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COMPAT = {"x86_64": 0x40000003, "aarch64": 0x40000028}  # i386 and 32-bit arm
ALLOWED, KILLED, REFUSED = 0x7FFF0000, 0x80000000, 0x00050000
MISSING = REFUSED | errno.ENOSYS
X32 = 0x40000000
# What Linux 6.1 has, in its own tables: unistd_64.h, and asm-generic/unistd.h for aarch64.
LINUX_6_1 = {
    "x86_64": {*range(335), *range(424, 451)},
    "aarch64": {*range(244), *range(260, 295), *range(424, 451)},
}
# Linux lets these two through itself, whatever a filter says.
OF_TRACERS = {"x86_64": {335, 336}, "aarch64": set()}
NEWER = {
    "map_shadow_stack": 453,
    "futex_wait": 455,
    "statmount": 457,
    "listmount": 458,
    "lsm_set_self_attr": 460,
    "mseal": 462,
    "setxattrat": 463,
    "removexattrat": 466,
    "open_tree_attr": 467,
    "file_setattr": 469,
    "listns": 470,
}


def answer(machine: str, number: int, audit: int | None = None) -> int:
    """What the filter says to a call whose arguments are all 0."""
    data = struct.pack("<II", number, AUDIT[machine] if audit is None else audit) + bytes(56)
    lines, at, word = list(struct.iter_unpack("<HBBI", seccomp.program(machine))), 0, 0
    while True:
        code, if_true, if_false, constant = lines[at]
        at += 1
        if code == 0x20:
            (word,) = struct.unpack_from("<I", data, constant)
        elif code == 0x06:
            return constant
        else:
            held = {
                0x15: word == constant,
                0x35: word >= constant,
                0x45: bool(word & constant),
            }[code]
            at += if_true if held else if_false


@pytest.mark.parametrize("machine", AUDIT)
@given(number=st.integers(0, 600) | st.integers(0, 2**32 - 1))
def test_a_call_that_nobody_reviewed_does_not_exist(machine, number):
    known = LINUX_6_1[machine] | OF_TRACERS[machine]
    assert (answer(machine, number) == MISSING) == (number not in known or number == 435)


@pytest.mark.parametrize("machine", AUDIT)
@pytest.mark.parametrize("number", NEWER.values(), ids=NEWER)
def test_calls_that_came_after_the_list_do_not_exist(machine, number):
    assert answer(machine, number) == MISSING


@pytest.mark.parametrize("machine", AUDIT)
@given(number=st.integers(0, 600))
def test_the_numbers_of_x32_do_not_exist(machine, number):
    assert answer(machine, X32 | number) == MISSING


@pytest.mark.parametrize("machine", AUDIT)
@given(number=st.integers(0, 600))
def test_a_call_of_another_architecture_ends_the_process(machine, number):
    other = next(each for each in AUDIT if each != machine)
    assert answer(machine, number, COMPAT[machine]) == KILLED
    assert answer(machine, number, AUDIT[other]) == KILLED


@pytest.mark.parametrize("machine", AUDIT)
def test_what_is_on_the_deny_list_was_reviewed(machine):
    """A name above the reviewed numbers would never be looked at."""
    column = list(AUDIT).index(machine)
    for name, numbers in seccomp._DENIED.items():
        if numbers[column] is not None:
            assert answer(machine, numbers[column]) == REFUSED | errno.EPERM, name


def test_in_a_box_they_do_not_exist():
    """With arguments that a kernel which has the call would not answer by ENOSYS."""
    numbers = [*NEWER.values(), 423, 451, 471, 999, 2**31 - 1]
    if platform.machine() == "x86_64":
        numbers += [337, 402, 512, 521, *(X32 | number for number in (0, 39, 101, 102, 521))]
    source = f"""
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
print([number for number in {numbers} if (libc.syscall(number, -100, b"", 0, 0, 0, 0), ctypes.get_errno()) != (-1, errno.ENOSYS)])
"""
    assert evaluate(source) == "[]\n"


WORK = """
import os, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
import numpy, onnx, onnxruntime, torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters())
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(4, 8)).square().mean().backward()
    optimizer.step()
given = torch.randn(1, 8)
exported = torch.onnx.export(model.eval(), (given,), dynamo=True, verbose=False)
session = onnxruntime.InferenceSession(exported.model_proto.SerializeToString())
(seen,) = session.run(None, {session.get_inputs()[0].name: given.numpy()})
numpy.testing.assert_allclose(seen, model(given).detach().numpy(), atol=1e-5)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "one")
    open(path, "w").write("text")
    os.chmod(path, 0o600)
    shutil.copy2(path, path + "2")
    os.access(path, os.R_OK, effective_ids=True)
with ThreadPoolExecutor(2) as pool:
    assert list(pool.map(abs, range(-3, 0))) == [3, 2, 1]
told = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True, check=True)
print("all of it:", told.stdout)
"""


def test_real_work_misses_none_of_them():
    assert "all of it: 42" in evaluate(WORK)
