// <digit-runner data-data="…/data/" data-runtime="…/vendor/ort/">: the reader draws a digit, and the exported CNN
// answers in FP32 and INT8.

import { Alive, bytes, h, plain, s } from "./base.js";
import { runtime } from "./runtime.js";
import { floats, readSafeTensors } from "./safetensors.js";
import { median, softmax, toImage } from "./strokes.js";

const SIDE = 280;
const STEP = SIDE / 14;
const [WARMUP, ROUNDS, REPEATS] = [30, 15, 10]; // a browser's clock is too coarse for one run
const MODELS = [
  ["FP32", "digits-fp32.onnx"],
  ["INT8", "digits-int8.onnx"],
];
const HELP = "Draw a digit. By keyboard: arrow keys move the pen, the space bar lowers and lifts it, Delete clears.";

class DigitRunner extends Alive {
  build() {
    this.strokes = [];
    this.pen = { at: [SIDE / 2, SIDE / 4], down: false };
    this.start = h("button", { type: "button", class: "main", onclick: () => this.load() }, "Load both models");
    this.status = h(
      "p",
      { class: "muted", role: "status" },
      "The runtime is 14 MB. It comes from this site, and loads when you ask for it.",
    );
    this.pad = this.makePad();
    this.seen = s("svg", { viewBox: "0 0 8 8", class: "seen", role: "img", "aria-label": "Nothing is drawn" });
    this.columns = MODELS.map(([name]) => this.column(name));
    this.verdict = h("p", { role: "status", class: "verdict" });
    this.frame.append(
      h("div", { class: "row" }, this.start, this.status),
      h(
        "div",
        { class: "split" },
        h(
          "div",
          { class: "draw" },
          h("h3", {}, "Your digit"),
          this.pad,
          h(
            "div",
            { class: "row" },
            h("button", { type: "button", onclick: () => this.clear() }, "Clear"),
            this.sampleChoice(),
          ),
        ),
        h(
          "div",
          { class: "see" },
          h("h3", {}, "What the models see"),
          this.seen,
          h("p", { class: "muted" }, "8 × 8 shares of ink"),
        ),
        h(
          "div",
          { class: "answers" },
          this.columns.map(({ box }) => box),
          this.verdict,
        ),
      ),
    );
    this.redraw();
  }

  makePad() {
    this.ink = s("path", { class: "ink" });
    this.cursor = s("circle", { class: "cursor", r: 7 });
    return s(
      "svg",
      {
        viewBox: `0 0 ${SIDE} ${SIDE}`,
        class: "pad",
        tabindex: 0,
        role: "application",
        "aria-label": HELP,
        onpointerdown: (event) => this.begin(event),
        onpointermove: (event) => this.continue(event),
        onpointerup: () => this.end(),
        onpointercancel: () => this.end(),
        onkeydown: (event) => this.key(event),
      },
      this.ink,
      this.cursor,
    );
  }

  sampleChoice() {
    const options = Array.from({ length: 10 }, (_, digit) => h("option", { value: digit }, `a ${digit}`));
    return h(
      "label",
      { class: "row" },
      "or from the test set ",
      h("select", { onchange: (event) => this.takeSample(event) }, h("option", { value: "" }, "choose"), options),
    );
  }

  column(name) {
    const bars = Array.from({ length: 10 }, (_, digit) => {
      const bar = h("span", { class: "bar" });
      const value = h("span", { class: "value number" });
      return {
        bar,
        value,
        row: h("li", {}, h("span", { class: "digit number" }, digit), h("span", { class: "track" }, bar), value),
      };
    });
    const answer = h("p", { class: "big" }, "–");
    const time = h("p", { class: "muted number" }, " ");
    return {
      name,
      bars,
      answer,
      time,
      box: h(
        "section",
        { "aria-label": name },
        h("h3", {}, name),
        answer,
        h(
          "ol",
          { start: 0 },
          bars.map(({ row }) => row),
        ),
        time,
      ),
    };
  }

  async load() {
    this.start.disabled = true;
    this.status.textContent = "Loading the runtime and two models …";
    try {
      const began = performance.now();
      const ort = (this.ort = await runtime(new URL(this.dataset.runtime, document.baseURI)));
      this.sessions = await Promise.all(
        MODELS.map(async ([, file]) => {
          const model = await bytes(new URL(this.dataset.data + file, document.baseURI));
          return {
            session: await ort.InferenceSession.create(model, { executionProviders: ["wasm"] }),
            size: model.length,
          };
        }),
      );
      const sizes = this.sessions.map(({ size }, i) => `${MODELS[i][0]} ${size.toLocaleString("en")} bytes`).join(", ");
      this.status.textContent = `Ready after ${((performance.now() - began) / 1000).toFixed(1)} s: ${sizes}.`;
      this.start.hidden = true;
      this.answer();
    } catch (error) {
      this.status.textContent = `The models could not be loaded: ${error.message ?? error}`;
      this.start.disabled = false;
    }
  }

  // Drawing

  at(event) {
    const box = this.pad.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * SIDE, ((event.clientY - box.top) / box.height) * SIDE];
  }

  begin(event) {
    event.preventDefault();
    this.pad.setPointerCapture(event.pointerId);
    this.pad.focus({ preventScroll: true });
    if (this.sample) this.clear();
    this.drawing = true;
    this.strokes.push([this.at(event)]);
    this.changed();
  }

  continue(event) {
    if (!this.drawing) return;
    this.strokes.at(-1).push(this.at(event));
    this.changed();
  }

  end() {
    this.drawing = false;
  }

  key(event) {
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (move) this.movePen(move);
    else if (event.key === " ") this.turnPen();
    else if (event.key === "Delete" || event.key === "Backspace") this.clear();
    else return;
    event.preventDefault();
  }

  movePen(move) {
    this.pen.at = this.pen.at.map((value, i) => Math.max(0, Math.min(SIDE, value + move[i] * STEP)));
    if (this.pen.down) {
      this.strokes.at(-1).push(this.pen.at);
      this.changed();
    } else this.redraw();
  }

  turnPen() {
    this.pen.down = !this.pen.down;
    if (this.pen.down) {
      if (this.sample) this.clear();
      this.pen.down = true;
      this.strokes.push([this.pen.at]);
      this.changed();
    } else this.redraw();
    this.say(this.pen.down ? "The pen is down." : "The pen is up.");
  }

  clear() {
    [this.strokes, this.sample, this.pen.down] = [[], null, false];
    this.shadowRoot.querySelector("select").value = "";
    this.changed();
  }

  async takeSample(event) {
    const digit = event.target.value;
    if (digit === "") return this.clear();
    const data = await bytes(new URL(`${this.dataset.data}digits-samples.safetensors`, document.baseURI));
    this.images ??= floats(data, readSafeTensors(data), "images");
    this.strokes = [];
    this.sample = this.images.slice(64 * Number(digit), 64 * Number(digit) + 64);
    this.changed();
  }

  changed() {
    this.redraw();
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = null;
      this.answer();
    });
  }

  redraw() {
    const line = (stroke) =>
      `M${stroke.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join("L")}${stroke.length === 1 ? "h0.1" : ""}`;
    this.ink.setAttribute("d", this.strokes.map(line).join(""));
    this.cursor.setAttribute("cx", this.pen.at[0]);
    this.cursor.setAttribute("cy", this.pen.at[1]);
    this.cursor.classList.toggle("down", this.pen.down);
    this.image = this.sample ?? toImage(this.strokes);
    const cell = (value, i) =>
      s("rect", {
        x: i % 8,
        y: Math.floor(i / 8),
        width: 0.96,
        height: 0.96,
        style: `fill-opacity: ${value.toFixed(3)}`,
      });
    this.seen.replaceChildren(...Array.from(this.image ?? new Float32Array(64), cell));
    this.seen.setAttribute(
      "aria-label",
      this.image
        ? `8 by 8 image, ${plain(this.image.reduce((a, b) => a + b, 0) / 64, 2)} of it ink`
        : "Nothing is drawn",
    );
  }

  // Answering

  async answer() {
    if (!this.sessions) return;
    if (!this.image) return this.forget();
    const turn = (this.turn = {});
    const feeds = { image: new this.ort.Tensor("float32", Float32Array.from(this.image), [1, 1, 8, 8]) };
    for (const i of [0, 1]) {
      const logits = await this.run(i, feeds);
      if (this.turn !== turn) return;
      this.showAnswer(this.columns[i], softmax(logits));
    }
    this.compare();
    clearTimeout(this.timing);
    this.timing = setTimeout(() => this.time(feeds, turn), 350);
  }

  /** One run at a time: a session of the browser's runtime cannot be asked twice at once. */
  run(i, feeds) {
    const asked = async () => (await this.sessions[i].session.run(feeds)).logits.data;
    this.queue = (this.queue ?? Promise.resolve()).then(asked, asked);
    return this.queue;
  }

  showAnswer(column, shares) {
    const best = shares.indexOf(Math.max(...shares));
    column.best = best;
    column.answer.textContent = String(best);
    column.bars.forEach(({ bar, value, row }, digit) => {
      bar.style.width = `${100 * shares[digit]}%`;
      value.textContent = `${(100 * shares[digit]).toFixed(1)} %`;
      row.classList.toggle("best", digit === best);
    });
  }

  compare() {
    const [a, b] = this.columns;
    const of = ({ name, best, bars }) => `${name}: ${best} with ${bars[best].value.textContent}`;
    this.verdict.textContent = `${a.best === b.best ? "Both give the same answer." : "The answers differ."} ${of(a)}, ${of(b)}.`;
  }

  forget() {
    this.turn = null;
    this.columns.forEach(({ answer, bars, time }) => {
      answer.textContent = "–";
      time.textContent = " ";
      bars.forEach(({ bar, value, row }) => {
        bar.style.width = "0";
        value.textContent = "";
        row.classList.remove("best");
      });
    });
    this.verdict.textContent = "";
  }

  /** Both models in turn, so that what slows the device down slows both. */
  async time(feeds, turn) {
    const found = [[], []];
    // The first runs are slow while the browser still compiles the kernels, those of INT8 most of all.
    for (let round = 0; round < WARMUP; round += 1) for (const i of [0, 1]) await this.run(i, feeds);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const i of round % 2 ? [1, 0] : [0, 1]) {
        if (this.turn !== turn) return;
        const began = performance.now();
        for (let repeat = 0; repeat < REPEATS; repeat += 1) await this.run(i, feeds);
        found[i].push((performance.now() - began) / REPEATS);
      }
    }
    const how = `on this device, just now: the median of ${ROUNDS} rounds of ${REPEATS}, after ${WARMUP} runs to warm up`;
    this.columns.forEach(({ time }, i) => (time.textContent = `${median(found[i]).toFixed(2)} ms a run, ${how}`));
  }
}

DigitRunner.css = `
.split { display: grid; grid-template-columns: minmax(0, 17rem) 8rem minmax(0, 1fr); gap: 1.5rem; align-items: start; }
.pad {
  width: 100%; max-width: 17rem; aspect-ratio: 1; border: 1px solid var(--line); border-radius: 8px;
  touch-action: none; cursor: crosshair; margin: 0.4rem 0 0.6rem;
}
.ink { fill: none; stroke: var(--fg); stroke-width: 18; stroke-linecap: round; stroke-linejoin: round; }
.cursor { fill: none; stroke: var(--accent); stroke-width: 2.5; visibility: hidden; }
.cursor.down { fill: var(--accent); }
.pad:focus-visible .cursor { visibility: visible; }
.seen { width: 100%; max-width: 8rem; margin: 0.4rem 0; border: 1px solid var(--line); }
.seen rect { fill: var(--fg); transition: none; }
.answers { display: grid; grid-template-columns: 1fr 1fr; gap: 0.5rem 1.5rem; }
.answers .verdict { grid-column: 1 / -1; min-height: 3em; }
ol { list-style: none; margin: 0.3rem 0; padding: 0; display: grid; gap: 0.15rem; }
li {
  display: grid; grid-template-columns: 1ch 1fr 4.2rem; gap: 0.5rem; align-items: center; font-size: 0.85rem;
  color: var(--muted);
}
li.best { color: var(--fg); font-weight: 600; }
.track {
  height: 0.7rem; border-radius: 3px; background: color-mix(in srgb, var(--line) 45%, var(--bg)); overflow: hidden;
}
.bar { display: block; height: 100%; width: 0; background: color-mix(in srgb, var(--accent) 55%, var(--bg)); }
.best .bar { background: var(--accent); }
.value { text-align: right; }
@media (prefers-reduced-motion: no-preference) { .bar { transition: width 0.15s; } }
@container (max-width: 860px) {
  .split { grid-template-columns: minmax(0, 17rem) minmax(5rem, 1fr); }
  .answers { grid-column: 1 / -1; }
}
@container (max-width: 480px) {
  .answers { gap: 0.5rem 0.9rem; }
  li { grid-template-columns: 1ch 1fr 3.4rem; gap: 0.3rem; }
  .seen { max-width: 6rem; }
}
`;

customElements.define("digit-runner", DigitRunner);
