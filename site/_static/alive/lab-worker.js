// Python in a worker of its own, so that a page that waits for an answer can be read, and an answer without an end stopped.
// It takes {folder, version, files, exercises} first, says {ready} or {failed}, then answers {id, asked} with {id, found}.

const NAME = "course-python-";
// The most memory that Python gets, in pages of 64 KiB. An answer that eats memory meets a MemoryError; without the limit
// it would meet the browser's, which ends the tab on a phone.
const MOST_PAGES = (512 << 20) >> 16;

let answer;

class Limited extends WebAssembly.Memory {
  constructor(wanted) {
    super({ ...wanted, maximum: Math.min(wanted.maximum ?? MOST_PAGES, MOST_PAGES) });
  }
}
WebAssembly.Memory = Limited;

/** Let `fetch` keep these files in this browser, under the name of their version, and forget those of other versions. */
async function keep(folder, version, files) {
  const wanted = new Set(files.map((name) => new URL(name, folder).href));
  const load = self.fetch.bind(self);
  let store;
  try {
    for (const name of await caches.keys())
      if (name.startsWith(NAME) && name !== NAME + version) await caches.delete(name);
    store = await caches.open(NAME + version);
  } catch {
    return; // no store here: the browser's own cache has to do
  }
  self.fetch = async (wish, options) => {
    const url = new URL(typeof wish === "string" ? wish : (wish.url ?? wish), folder).href;
    if (!wanted.has(url)) return load(wish, options);
    const kept = await store.match(url);
    if (kept) return kept;
    const found = await load(wish, options);
    if (found.ok) await store.put(url, found.clone()).catch(() => {}); // a full disk takes nothing away
    return found;
  };
}

/** Tell Python how many bytes files were asked for, where Linux tells it: the check of `safetensors` reads it there. */
function countReads(FS) {
  const stream = FS.filesystems.MEMFS.ops_table?.file.stream;
  if (!stream) return;
  const read = stream.read;
  let asked = 0;
  stream.read = (...given) => {
    const found = read(...given);
    asked += found;
    return found;
  };
  const device = FS.makedev(70, 1);
  FS.registerDevice(device, {
    open(file) {
      file.seekable = false;
      file.left = new TextEncoder().encode(`rchar: ${asked}\n`);
    },
    read(file, buffer, offset, length) {
      const part = file.left.subarray(0, length);
      buffer.set(part, offset);
      file.left = file.left.subarray(part.length);
      return part.length;
    },
  });
  FS.mkdev("/proc/self/io", device);
}

async function start({ folder, version, files, exercises }) {
  await keep(folder, version, files);
  const { loadPyodide } = await import(new URL("pyodide.mjs", folder).href);
  const python = await loadPyodide({ indexURL: folder, stdout: () => {}, stderr: () => {} });
  await python.loadPackage("numpy", { messageCallback: () => {}, errorCallback: () => {} });
  const course = await fetch(new URL("course.zip", folder).href);
  if (!course.ok) throw new Error(`course.zip could not be loaded: ${course.status}`);
  python.FS.writeFile("/tmp/course.zip", new Uint8Array(await course.arrayBuffer()));
  python.runPython(`
import importlib, shutil, sysconfig
shutil.unpack_archive("/tmp/course.zip", sysconfig.get_path("purelib"), "zip")
importlib.invalidate_caches()
`);
  countReads(python.FS);
  const page = python.pyimport("in_page");
  page.prepare(exercises);
  answer = page.answer;
}

self.onmessage = async ({ data }) => {
  if (data.asked === undefined) {
    try {
      await start(data);
      self.postMessage({ ready: true });
    } catch (error) {
      self.postMessage({ failed: String(error.message ?? error) });
    }
    return;
  }
  try {
    self.postMessage({ id: data.id, found: answer(data.asked) });
  } catch (error) {
    // Python itself is at its end: its stack or its memory was too small for the answer.
    self.postMessage({ id: data.id, ended: String(error.message ?? error) });
  }
};
