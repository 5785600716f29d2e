# A kernel of the tests runs this first where torch is built with CUDA: what its exporter writes
# holds the build's name, which is longer than the CPU build's, and pages count bytes. It defines no
# name.
__import__("torch").__version__ = __import__("torch.torch_version").torch_version.TorchVersion(
    __import__("torch").__version__.partition("+")[0] + "+cpu"
)
