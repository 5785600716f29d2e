// ONNX Runtime for the browser, served by this site and loaded when a part asks for it.

let loading;

/** The runtime's module, on one thread. `folder` is where its files lie. */
export function runtime(folder) {
  loading ??= import(new URL("ort.wasm.min.mjs", folder).href).then((ort) => {
    ort.env.wasm.numThreads = 1;
    ort.env.wasm.wasmPaths = folder.href;
    ort.env.logLevel = "error";
    return ort;
  });
  loading.catch(() => (loading = undefined));
  return loading;
}
