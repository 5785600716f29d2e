"""An ONNX Runtime with a fault, for a process that finds this file on its path: as real ones have
it, in every process that imports the library.

`ODD_RUNTIME` says which, in JSON:

- `{"lists": "Azure"}`: a provider that is available, that every session which asks for it lists
  first, and that takes no node; with `"without": ["CUDA"]` in a build that lacks these;
- `{"lists": "CUDA", "takes": ["Conv"]}`: one that takes the nodes of these operators and leaves the
  others to the CPU;
- `{"dies": "SIGSEGV", "name": "fp16", "level": "ORT_ENABLE_ALL"}`: a session of a file whose name
  holds `name` ends the process with that signal, at that level or, without one, at all.
"""

import importlib.abc
import importlib.util
import json
import os
import signal
import sys
from types import SimpleNamespace

FAULT = json.loads(os.environ.get("ODD_RUNTIME", "{}"))
CPU = "CPUExecutionProvider"


def break_it(ort):
    real, available = ort.InferenceSession, ort.get_available_providers
    listed = f"{FAULT['lists']}ExecutionProvider" if "lists" in FAULT else None

    class InferenceSession(real):
        def __init__(self, model, options=None, providers=None, **others):
            if "dies" in FAULT and FAULT["name"] in str(model):
                level = options.graph_optimization_level.name
                if FAULT.get("level", level) == level:
                    os.kill(os.getpid(), signal.Signals[FAULT["dies"]])
            names = [name if isinstance(name, str) else name[0] for name in providers or ()]
            self.lies = listed in names
            super().__init__(model, options, providers=[CPU] if self.lies else providers, **others)

        def get_providers(self):
            return [listed, CPU] if self.lies else super().get_providers()

        def get_provider_graph_assignment_info(self):
            found = super().get_provider_graph_assignment_info()
            takes = FAULT.get("takes", ()) if self.lies else ()
            return [
                SimpleNamespace(
                    ep_name=listed if node.op_type in takes else part.ep_name,
                    get_nodes=lambda node=node: [node],
                )
                for part in found
                for node in part.get_nodes()
            ]

    ort.InferenceSession = InferenceSession
    if listed:
        gone = {f"{name}ExecutionProvider" for name in FAULT.get("without", ())}
        has = [listed, *(name for name in available() if name not in gone | {listed})]
        ort.get_available_providers = lambda: list(has)
        ort.preload_dlls = lambda *arguments, **options: None


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != "onnxruntime":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            break_it(module)

        spec.loader.exec_module = exec_module
        return spec


if FAULT:
    sys.meta_path.insert(0, Finder())
