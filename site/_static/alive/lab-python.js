// The one Python of a page: loaded when a part asks for it, stopped when an answer has no end, and started again then.

/** The answer did not come. `why` is "stopped", "late" or "ended". */
export class NoAnswer extends Error {
  constructor(why, detail = "") {
    super(detail);
    this.why = why;
  }
}

// Seconds until an answer counts as one without an end. The slowest exercise takes some seconds on a slow phone.
const PATIENCE = 90;

export class Python extends EventTarget {
  /** `folder` holds Pyodide, `listed` is labs.json of it, and `exercises` are those of the page. */
  constructor(folder, listed, exercises) {
    super();
    this.folder = folder;
    this.listed = listed;
    this.exercises = exercises;
    this.state = "none"; // none, loading, ready, busy
    this.number = 0;
    this.patience = PATIENCE;
  }

  to(state) {
    this.state = state;
    this.dispatchEvent(new Event("change"));
  }

  /** Load Python, or wait until it is there. Rejects when it cannot be loaded. */
  load() {
    this.loading ??= new Promise((resolve, reject) => {
      this.to("loading");
      this.worker = new Worker(new URL("lab-worker.js", import.meta.url), { type: "module" });
      this.worker.onerror = (event) => reject(new Error(event.message || "the worker could not be started"));
      this.worker.onmessage = ({ data }) => {
        if (data.failed !== undefined) return reject(new Error(data.failed));
        if (data.ready) {
          this.to("ready");
          return resolve();
        }
        this.answered(data);
      };
      const { version, files } = this.listed;
      this.worker.postMessage({ folder: this.folder, version, files, exercises: this.exercises });
    });
    this.loading.catch(() => this.end("none"));
    return this.loading;
  }

  /** What the check says of {exercise, given, sources, practice, seed}. Rejects with NoAnswer. */
  async check(asked) {
    await this.load();
    const id = ++this.number;
    this.to("busy");
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => this.stop("late"), this.patience * 1000);
      this.waiting = { id, resolve, reject, late };
      this.worker.postMessage({ id, asked: JSON.stringify(asked) });
    });
  }

  answered({ id, found, ended }) {
    if (this.waiting?.id !== id) return;
    if (ended !== undefined) return this.stop("ended", ended);
    const { resolve, reject, late } = this.waiting;
    clearTimeout(late);
    this.waiting = undefined;
    this.to("ready");
    try {
      resolve(JSON.parse(found));
    } catch {
      reject(new NoAnswer("ended", "what came back cannot be read"));
    }
  }

  /** End what runs, whatever it does. Python is started again, from what this browser has kept. */
  stop(why = "stopped", detail = "") {
    const waiting = this.waiting;
    this.waiting = undefined;
    this.end("none");
    if (waiting) {
      clearTimeout(waiting.late);
      waiting.reject(new NoAnswer(why, detail));
    }
    this.load().catch(() => {});
  }

  end(state) {
    this.worker?.terminate();
    this.worker = undefined;
    this.loading = undefined;
    this.to(state);
  }
}
