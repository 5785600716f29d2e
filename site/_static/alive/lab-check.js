// <lab-check data-exercise="quantize" data-python="…/vendor/python/" data-root="…/">: write an exercise's functions, and have
// the lab's own check look at them, in this page.

import { Alive, bytes, h } from "./base.js";
import { CodeField } from "./code-field.js";
import { address, ladder } from "./ladder.js";
import { Python } from "./lab-python.js";

const WHY = {
  stopped: "Stopped. Python is started again.",
  late: "No answer after a minute and a half, so it was stopped: is there a loop without an end? Python is started again.",
  ended:
    "Python came to its end: the code calls itself without an end, used up the memory that a page has, or left with os._exit. Python is started again.",
};

let shared; // the page's Python, for all of its exercises

async function python(folder) {
  const here = [...document.querySelectorAll("lab-check")].map((part) => part.dataset.exercise);
  shared ??= bytes(new URL("labs.json", folder)).then(
    (text) => new Python(folder.href, JSON.parse(new TextDecoder().decode(text)), here),
  );
  return shared;
}

/** Let the browser save the text as a file. */
function save(text, type, name) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

class LabCheck extends Alive {
  async build() {
    this.python = await python(new URL(this.dataset.python, document.baseURI));
    const { exercises, lacks } = this.python.listed;
    this.task = exercises[this.dataset.exercise];
    const name = this.dataset.exercise;
    if (lacks) {
      const said = `This copy of the site was built without ${lacks} for the browser, so it cannot check ${name} here. `;
      this.frame.append(h("p", {}, said, this.offer("Download the lab"), " and check it on your machine."));
      return;
    }
    this.fields = this.task.cells.map((cell) => this.field(cell));
    this.given = this.task.given;
    this.status = h("p", { role: "status", class: "muted" });
    this.shown = h("div", { class: "shown" });
    this.make();
    this.frame.append(
      h("h3", {}, `Do it here: ${name}`),
      h(
        "p",
        {},
        "Your code runs in this browser and is sent nowhere. The check is the lab's own. It shows the points that the cases would be worth, and gives no mark.",
      ),
      h("details", {}, h("summary", {}, "What your code starts with"), h("pre", { tabindex: "0" }, this.given)),
      ...this.fields.map(({ code }) => code.element),
      h("div", { class: "row" }, Object.values(this.buttons)),
      this.status,
      this.shown,
    );
    this.python.addEventListener("change", () => this.follow());
    this.follow();
  }

  make() {
    const button = (words, pressed, main) =>
      h("button", { type: "button", class: main ? "main" : null, onclick: pressed }, words);
    const { packed } = this.python.listed;
    this.buttons = {
      load: button(`Load Python (${Math.round(packed / 1e6)} MB)`, () => this.load(), true),
      check: button("Check", () => this.check(false), true),
      practise: button("Practise on fresh cases", () => this.check(true)),
      stop: button("Stop", () => this.python.stop()),
      again: button("Start again", () => this.again()),
      take: button("Take it along as a notebook", () => this.take()),
    };
  }

  /** What is written in a cell is kept in this browser under its name. */
  field(cell) {
    const key = `course-lab:${this.task.lab}:${cell.id}`;
    const code = new CodeField(`Your code: ${cell.functions.join(", ")}`, `code-${cell.id}`, (text) =>
      this.keep(key, text === cell.stub ? null : text),
    );
    code.value = this.kept(key) ?? cell.stub;
    return { cell, key, code };
  }

  keep(key, text) {
    try {
      if (text === null) localStorage.removeItem(key);
      else localStorage.setItem(key, text);
    } catch {
      /* storage is refused: it lasts as long as the page */
    }
  }

  kept(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  /** Show what can be done now. */
  follow() {
    const { state } = this.python;
    const { load, check, practise, stop } = this.buttons;
    load.hidden = state !== "none";
    check.hidden = practise.hidden = state === "none";
    check.disabled = practise.disabled = state !== "ready";
    stop.hidden = state !== "busy";
    if (state === "none" && !this.status.textContent) {
      const plain = Math.round(this.python.listed.bytes / 1e6);
      this.status.textContent = `Python and NumPy come from this site, ${plain} MB unpacked, and this browser keeps them.`;
    }
  }

  async load() {
    this.status.textContent = "Python is being loaded …";
    try {
      await this.python.load();
      this.status.textContent = "Python is ready.";
      this.buttons.check.focus();
    } catch (error) {
      this.status.textContent = `Python could not be loaded: ${error.message}. Your code is kept; try again, or take it along as a notebook.`;
    }
  }

  async check(practice) {
    const asked = {
      exercise: this.dataset.exercise,
      given: this.given,
      sources: this.fields.map(({ code }) => code.value),
      practice,
      seed: (practice && this.draw) || null,
    };
    this.status.textContent = "Checking …";
    try {
      this.show(await this.python.check(asked));
      this.status.textContent = "";
    } catch (error) {
      this.shown.replaceChildren();
      this.status.textContent = WHY[error.why] ?? `The check failed: ${error.message}`;
    }
  }

  show({ html, read, failed, printed, verdict, draw }) {
    const parts = [];
    const broken = verdict?.rungs.find((rung) => rung.passed === false);
    if (draw) this.draw = broken ? draw : null; // the same cases until they are right
    if (failed) parts.push(h("h4", {}, "Your code does not run"), h("pre", { class: "failed", tabindex: "0" }, failed));
    else parts.push(ladder(html, address(read ?? "", this.dataset.root)));
    if (printed) parts.push(h("h4", {}, "What your code printed"), h("pre", { tabindex: "0" }, printed));
    this.shown.replaceChildren(...parts);
    this.say(failed ? "Your code does not run." : broken ? `The rung ${broken.name} is broken.` : "Every rung passed.");
  }

  /** The stubs again, and a new Python; a second press brings back what was written. */
  again() {
    const written = this.fields.map(({ code }) => code.value);
    const isStub = this.fields.every(({ cell, code }) => code.value === cell.stub);
    const texts = isStub && this.before ? this.before : this.fields.map(({ cell }) => cell.stub);
    if (!isStub) this.before = written;
    this.fields.forEach(({ cell, key, code }, i) => {
      code.value = texts[i];
      this.keep(key, texts[i] === cell.stub ? null : texts[i]);
    });
    this.shown.replaceChildren();
    if (this.python.state === "ready") this.python.stop();
    this.status.textContent = isStub ? "" : "The stubs are back. Press Start again once more for what you had written.";
  }

  /** The lab's notebook with everything that was written in this browser. */
  async take() {
    let notebook;
    try {
      notebook = JSON.parse(new TextDecoder().decode(await bytes(this.lab())));
    } catch {
      this.status.textContent =
        "The lab's notebook could not be loaded. What you wrote is taken along as a file of code, for its answer cells.";
      const codes = this.fields.map(({ code }) => code.value);
      return save(codes.join("\n\n"), "text/x-python", `${this.dataset.exercise}.py`);
    }
    for (const cell of notebook.cells) {
      const text = this.kept(`course-lab:${this.task.lab}:${cell.id}`);
      if (text !== null) cell.source = text;
    }
    save(JSON.stringify(notebook, null, 1), "application/x-ipynb+json", `${this.task.lab.split("/").pop()}.ipynb`);
  }

  lab() {
    return new URL(`${this.dataset.root}_static/labs/${this.task.lab}.ipynb`, document.baseURI);
  }

  offer(words) {
    return h("a", { href: this.lab().href, download: true }, words);
  }
}

LabCheck.css = `
textarea { width: 100%; font-family: var(--mono); font-size: max(16px, 0.9rem); line-height: 1.45; color: var(--fg);
  background: var(--bg); border: 1px solid var(--line); border-radius: 6px; padding: 0.6rem; resize: vertical;
  white-space: pre; overflow: auto; tab-size: 4; }
.field { display: grid; gap: 0.35rem; }
.field label { color: var(--muted); font-size: 0.8rem; font-weight: 600; }
.touch { display: none; }
@media (pointer: coarse) { .row.touch { display: flex; } button.touch { display: inline-block; } .keys { display: none; } }
pre { margin: 0; overflow-x: auto; font-family: var(--mono); font-size: 0.85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.shown { display: grid; gap: 0.75rem; }
.shown:empty { display: none; }
.ladder { border-left: 4px solid currentColor; padding-left: 0.9rem; display: grid; gap: 0.6rem; min-width: 0; overflow-x: auto; }
.ladder dl { display: block; }
.ladder dt { font-weight: 600; color: var(--fg); }
.ladder dd { margin: 0 0 0.4em 1em; }
.ladder ul { margin: 0; padding-left: 1.2rem; }
.ladder td:nth-child(3) { white-space: nowrap; }
.ladder tr[data-mark="✓"] td:first-child { color: var(--good); }
.ladder tr[data-mark="✗"] td:first-child { color: var(--bad); }
a { color: var(--accent); }
[hidden] { display: none !important; }
@media (pointer: fine) { textarea { font-size: 0.86rem; } }
@container (max-width: 34rem) { .ladder > p:first-child { order: -2; } .ladder > dl { order: -1; } .ladder table, .ladder tbody { display: block; }
  .ladder tr { display: grid; grid-template-columns: auto 1fr; border-bottom: 1px solid var(--line); padding: 0.25rem 0; }
  .ladder td { border: 0; padding: 0 0.5rem 0 0; } .ladder td:nth-child(n + 3) { grid-column: 2; color: var(--muted); } }
`;

customElements.define("lab-check", LabCheck);
