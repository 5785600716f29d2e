// <meaning-search data-data="…/data/" data-runtime="…/vendor/ort/" data-root="…/">: MiniLM finds the section that answers a question.

import { Alive, bytes, h } from "./base.js";
import { runtime } from "./runtime.js";
import { readSafeTensors } from "./safetensors.js";
import { tokenizer } from "./wordpiece.js";

const MOST_TOKENS = 128;
const MOST = 5;
const NAMES = { int8: "INT8", fp32: "FP32", words: "words in common" };

class MeaningSearch extends Alive {
  async build() {
    this.facts = JSON.parse(await this.text("meaning.json"));
    this.models = {};
    this.status = h(
      "p",
      { class: "muted", role: "status" },
      "Nothing is loaded yet. The runtime is 14 MB, and all files come from this site.",
    );
    this.question = h("input", {
      type: "text",
      id: "question",
      autocomplete: "off",
      placeholder: "Why is the first call slower?",
      value: new URLSearchParams(location.search).get("q"),
    });
    this.ask = h("button", { type: "submit", class: "main", disabled: true }, "Search");
    this.buttons = Object.fromEntries(["int8", "fp32"].map((name) => [name, this.loader(name)]));
    this.results = h("div", { class: "results" });
    this.agreement = h("p", { role: "status" });
    const form = h(
      "form",
      { class: "row", onsubmit: (event) => this.search(event) },
      h("label", { for: "question" }, "Your question"),
      this.question,
      this.ask,
    );
    this.frame.append(
      h("div", { class: "row" }, Object.values(this.buttons)),
      this.status,
      form,
      this.results,
      this.agreement,
      this.table(),
    );
  }

  address(name) {
    return new URL(this.dataset.data + name, document.baseURI);
  }

  async text(name) {
    return new TextDecoder().decode(await bytes(this.address(name)));
  }

  loader(name) {
    const size = (this.facts.bytes[name] / 1e6).toFixed(0);
    return h("button", { type: "button", onclick: () => this.load(name) }, `Load ${NAMES[name]} (${size} MB)`);
  }

  async load(name) {
    this.buttons[name].disabled = true;
    this.status.textContent = `Loading ${NAMES[name]} …`;
    try {
      const began = performance.now();
      const [ort, model] = await Promise.all([
        runtime(new URL(this.dataset.runtime, document.baseURI)),
        bytes(this.address(`meaning-${name}.onnx`)),
        this.prepare(),
      ]);
      this.ort = ort;
      this.models[name] = await ort.InferenceSession.create(model, { executionProviders: ["wasm"] });
      await this.embed(name, "the first run takes longer, so it is not timed");
      this.status.textContent = `${NAMES[name]} is ready after ${((performance.now() - began) / 1000).toFixed(1)} s.`;
      this.ask.disabled = false;
      if (this.question.value) this.search();
    } catch (error) {
      this.status.textContent = `${NAMES[name]} could not be loaded: ${error.message ?? error}`;
      this.buttons[name].disabled = false;
    }
  }

  /** The vocabulary and the sections' vectors, once. */
  prepare() {
    this.prepared ??= Promise.all([this.text("meaning-vocab.txt"), bytes(this.address("meaning.safetensors"))]).then(
      ([vocabulary, data]) => {
        this.tokenize = tokenizer(vocabulary, MOST_TOKENS);
        const of = ({ name, begin, end }) => [name, new Float32Array(data.slice(begin, end).buffer)];
        this.vectors = Object.fromEntries(readSafeTensors(data).tensors.map(of));
      },
    );
    return this.prepared;
  }

  /** The text as a unit vector, and the milliseconds that the model took. */
  async embed(name, text) {
    const ids = BigInt64Array.from(this.tokenize(text), BigInt);
    const shape = [1, ids.length];
    const feeds = {
      input_ids: new this.ort.Tensor("int64", ids, shape),
      attention_mask: new this.ort.Tensor(
        "int64",
        ids.map(() => 1n),
        shape,
      ),
    };
    const began = performance.now();
    const [output] = Object.values(await this.models[name].run(feeds));
    const milliseconds = performance.now() - began;
    const width = output.dims[2];
    const mean = Array.from(
      { length: width },
      (_, i) => ids.reduce((sum, _id, token) => sum + output.data[token * width + i], 0) / ids.length,
    );
    const length = Math.hypot(...mean);
    return { vector: mean.map((value) => value / length), milliseconds };
  }

  async search(event) {
    event?.preventDefault();
    const text = this.question.value.trim();
    const names = Object.keys(NAMES).filter((name) => this.models[name]);
    if (!text || !names.length || this.busy) return;
    this.busy = true;
    try {
      const found = [];
      for (const name of names) {
        const { vector, milliseconds } = await this.embed(name, text);
        found.push({ name, milliseconds, best: this.nearest(name, vector) });
      }
      this.results.replaceChildren(...found.map((each) => this.list(each)));
      this.compare(found);
    } finally {
      this.busy = false;
    }
  }

  nearest(name, vector) {
    const all = this.vectors[name];
    const score = (_, i) => ({
      i,
      score: vector.reduce((sum, value, k) => sum + value * all[i * vector.length + k], 0),
    });
    return this.facts.sections
      .map(score)
      .sort((a, b) => b.score - a.score)
      .slice(0, MOST);
  }

  list({ name, milliseconds, best }) {
    const line = ({ i, score }) => {
      const [page, title, address] = this.facts.sections[i];
      return h(
        "li",
        {},
        h("a", { href: this.dataset.root + address }, title),
        h("span", { class: "muted" }, ` ${page} · ${score.toFixed(2)}`),
      );
    };
    return h(
      "section",
      { "aria-label": NAMES[name] },
      h("h3", {}, `${NAMES[name]}: ${milliseconds.toFixed(0)} ms for this question, on this device`),
      h("ol", {}, best.map(line)),
    );
  }

  compare(found) {
    const first = found[0].best[0];
    const said = `The nearest section is ${this.facts.sections[first.i][1]}.`;
    if (found.length < 2) return (this.agreement.textContent = said);
    const [a, b] = found.map(({ best }) => best.map(({ i }) => i));
    const same = a.filter((i) => b.includes(i)).length;
    const order = a[0] === b[0] ? "with the same one first" : "with different ones first";
    this.agreement.textContent = `${said} Both models find ${same} of the same ${MOST} sections, ${order}.`;
  }

  table() {
    const share = ({ found, of, low, high }) =>
      `${found} of ${of} (${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)} %)`;
    const row = (name) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, NAMES[name]),
        ["1", "5"].map((most) => h("td", {}, share(this.facts.recall[name][most]))),
      );
    const heads = ["search by", "right section first", "among the first five"].map((text) =>
      h("th", { scope: "col" }, text),
    );
    const { of } = this.facts.recall.int8["1"];
    const [meaning, words] = this.facts.alone;
    const note = `Among the first five, ${meaning} of the questions are answered by INT8 alone, and ${words} by words in common alone.`;
    return h(
      "div",
      {},
      h("h3", {}, `${of} questions, ${this.facts.sections.length} sections; intervals of 95 %`),
      h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, ["fp32", "int8", "words"].map(row))),
      h("p", { class: "muted" }, note),
    );
  }
}

MeaningSearch.css = `
form input { flex: 1 1 14rem; min-width: 0; }
.results { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 1rem 2rem; }
ol { margin: 0.3rem 0 0; padding-left: 1.4rem; display: grid; gap: 0.25rem; }
a { color: var(--accent); }
`;

customElements.define("meaning-search", MeaningSearch);
