// <quantization-bench data-src="…safetensors">: sliders for bits, range and zero point over a histogram, SQNR beside.

import { Alive, bytes, h, plain, s } from "./base.js";
import { bestRange, codes, covered, histogram, judge, parameters } from "./quantize.js";
import { floats, readSafeTensors } from "./safetensors.js";

const BITS = [2, 3, 4, 5, 6, 7, 8];
const [HEIGHT, MIDDLE, TOP] = [250, 138, 18];

class QuantizationBench extends Alive {
  async build() {
    const data = await bytes(this.dataset.src);
    const file = readSafeTensors(data);
    this.tensors = Object.fromEntries(file.tensors.map(({ name }) => [name, floats(data, file, name)]));
    this.tensors["conv2.weight, one outlier"] = withOutlier(this.tensors["conv2.weight"]);
    this.names = ["conv2.weight", "relu(conv1)", "conv2.weight, one outlier"];
    this.state = { name: this.names[0], bits: 4, symmetric: false };
    this.inputs = this.controls();
    this.picture = h("div", { class: "picture" });
    this.curve = h("div");
    this.result = h("p", { class: "big" });
    this.facts = h("dl");
    const side = h("div", { class: "side" }, h("h3", {}, "SQNR"), this.result, this.curve, this.facts);
    this.frame.append(this.choice(), h("div", { class: "split" }, h("div", {}, this.picture, this.sliders()), side));
    this.onWidth(this.picture, (width) => this.draw((this.width = width)));
    this.fit();
  }

  choice() {
    const option = (name, i) =>
      h(
        "label",
        {},
        h("input", { type: "radio", name: "tensor", value: name, checked: i === 0, onchange: () => this.choose(name) }),
        name,
      );
    return h("fieldset", {}, h("legend", {}, "Tensor"), h("div", { class: "choices" }, this.names.map(option)));
  }

  controls() {
    const slider = (name, label, act) => {
      const value = h("output", { class: "mono", for: name });
      const input = h("input", {
        type: "range",
        id: name,
        step: "any",
        oninput: (event) => act(Number(event.target.value)),
      });
      return { input, value, row: h("div", { class: "slider" }, h("label", { for: name }, label), value, input) };
    };
    return {
      bits: slider("bits", "Bits", (value) => this.set({ bits: Math.round(value) })),
      zero: slider("zero", "Zero point", (value) => this.slide(Math.round(value))),
      low: slider("low", "Smallest number", (value) =>
        this.set(this.state.symmetric ? { low: value, high: -value } : { low: value }),
      ),
      high: slider("high", "Largest number", (value) =>
        this.set(this.state.symmetric ? { low: -value, high: value } : { high: value }),
      ),
    };
  }

  sliders() {
    const { bits, zero, low, high } = this.inputs;
    Object.assign(bits.input, { min: 2, max: 8, step: 1 });
    this.symmetric = h("input", { type: "checkbox", onchange: (event) => this.setSymmetric(event.target.checked) });
    return h(
      "div",
      { class: "sliders" },
      [bits, zero, low, high].map(({ row }) => row),
      h(
        "div",
        { class: "row" },
        h("label", {}, this.symmetric, " Symmetric, signed codes"),
        h("button", { type: "button", onclick: () => this.fit() }, "Fit to the data"),
        h("button", { type: "button", onclick: () => this.best() }, "Find the best range"),
      ),
    );
  }

  get values() {
    return this.tensors[this.state.name];
  }

  choose(name) {
    this.state.name = name;
    this.fit();
  }

  setSymmetric(on) {
    this.state.symmetric = on;
    this.fit();
  }

  /** From the smallest to the largest number of the tensor, as the notebook's `parameters` does. */
  fit(part = 1) {
    const [low, high] = extremes(this.values);
    const most = Math.max(-low, high);
    this.set(
      this.state.symmetric
        ? { low: -most * part, high: most * part }
        : { low: Math.min(low, 0) * part, high: Math.max(high, 0) * part },
    );
  }

  best() {
    const { part } = bestRange(this.values, extremes(this.values), this.state.bits, this.state.symmetric);
    this.fit(part);
  }

  /** Another zero point: the range keeps its length and moves. */
  slide(zero) {
    const { scale } = this.setting;
    const [least, most] = codes(this.state.bits, false);
    this.set({ low: (least - zero) * scale, high: (most - zero) * scale });
  }

  set(change) {
    // A range that ends at 0 has no minus sign there.
    for (const key of Object.keys(change)) if (change[key] === 0) change[key] = 0;
    Object.assign(this.state, change);
    const { low, high, bits, symmetric } = this.state;
    this.setting = parameters(low, high, bits, symmetric);
    this.judged = judge(this.values, this.setting);
    this.show();
  }

  show() {
    const { setting, judged, inputs, state } = this;
    const reach = Math.max(...extremes(this.values).map(Math.abs));
    const place = (control, min, max, value, text) => {
      Object.assign(control.input, { min, max, value });
      control.input.setAttribute("aria-valuetext", text);
      control.value.textContent = text;
    };
    place(inputs.bits, 2, 8, state.bits, String(state.bits));
    place(inputs.zero, setting.least, setting.most, setting.zero, String(setting.zero));
    place(inputs.low, -reach, 0, state.low, plain(state.low, 3));
    place(inputs.high, 0, reach, state.high, plain(state.high, 3));
    inputs.zero.input.disabled = state.symmetric;
    this.symmetric.checked = state.symmetric;
    this.result.textContent = `${judged.sqnr.toFixed(1)} dB`.replace("-", "−").replace("Infinity", "∞");
    this.facts.replaceChildren(...this.rows().flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    if (this.width) this.draw(this.width);
    this.say(
      `${this.result.textContent} at ${state.bits} bits; ${this.rows()
        .map((row) => row.join(" "))
        .join(", ")}`,
    );
  }

  rows() {
    const { setting, judged } = this;
    const share = (part) => `${(100 * part).toFixed(part > 0 && part < 0.01 ? 2 : 1)} %`;
    return [
      ["scale", plain(setting.scale, 4)],
      ["zero point", String(setting.zero).replace("-", "−")],
      ["codes in use", `${judged.counts.size} of ${setting.most - setting.least + 1}`],
      ["clipped", share(judged.clipped)],
      ["become 0", share(judged.zeros)],
    ];
  }

  draw(width) {
    this.picture.replaceChildren(this.drawing(width));
    this.curve.replaceChildren(this.drawCurve());
  }

  drawing(width) {
    const { values, setting, judged } = this;
    const extent = extremes(values);
    const reach = Math.max(...extent.map(Math.abs)) * 1.06;
    const [from, to] = [extent[0] < 0 ? -reach : -reach * 0.12, reach];
    const x = (value) => ((value - from) / (to - from)) * width;
    const bins = Math.min(120, Math.floor(width / 5));
    const counts = histogram(values, from, to, bins);
    const tall = Math.sqrt(Math.max(...counts));
    const [first, last] = covered(setting);
    const [low, high] = [x(first - setting.scale / 2), x(last + setting.scale / 2)];
    const bar = (count, i) => {
      const [left, size] = [(i * width) / bins, (Math.sqrt(count) / tall) * (MIDDLE - 12 - TOP)];
      const middle = left + width / bins / 2;
      const kind = middle < low - 1 || middle > high + 1 ? "out" : "in";
      return count
        ? s("rect", {
            class: kind,
            x: left + 0.5,
            y: MIDDLE - 12 - size,
            width: Math.max(width / bins - 1, 1),
            height: size,
          })
        : null;
    };
    const most = Math.sqrt(Math.max(...judged.counts.values()));
    const step = Math.max(x(setting.scale) - x(0), 1);
    const code = ([code, count]) => {
      const size = (Math.sqrt(count) / most) * (HEIGHT - MIDDLE - 40);
      const thick = Math.max(Math.min(step - 1, 14), 1);
      return s("rect", {
        class: "code",
        x: x((code - setting.zero) * setting.scale) - thick / 2,
        y: MIDDLE + 4,
        width: thick,
        height: Math.max(size, 1),
      });
    };
    const ticks = [];
    for (let code = setting.least; code <= setting.most; code += 1) {
      const at = x((code - setting.zero) * setting.scale);
      if (at >= 0 && at <= width) ticks.push(`M${at.toFixed(1)} ${MIDDLE - 9}v9`);
    }
    const edge = (at) =>
      at > 0 && at < width ? s("line", { class: "edge", x1: at, x2: at, y1: TOP - 6, y2: MIDDLE }) : null;
    const label = `Histogram of ${values.length} numbers above, the ${judged.counts.size} codes in use below`;
    return s(
      "svg",
      { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
      counts.map(bar),
      s("path", { class: "ticks", d: ticks.join("") }),
      s("line", { class: "axis", x1: 0, x2: width, y1: MIDDLE, y2: MIDDLE }),
      [...judged.counts].map(code),
      edge(low),
      edge(high),
      s("text", { x: 0, y: 10 }, `${values.length} numbers`),
      s("text", { x: width, y: 10, "text-anchor": "end" }, "outside the range: clipped"),
      axisLabels(extent, x, width),
      s(
        "text",
        { x: 0, y: HEIGHT - 4 },
        "what the codes stand for" + (width > 420 ? "; heights: square root of the count" : ""),
      ),
    );
  }

  /** SQNR over bits, for the same range. */
  drawCurve() {
    const { low, high, symmetric, bits } = this.state;
    const found = BITS.map((each) => judge(this.values, parameters(low, high, each, symmetric)).sqnr);
    const finite = found.map((value) => Math.max(-5, Math.min(55, value)));
    const [x, y] = [(each) => 14 + (each - 2) * 32, (value) => 96 - ((value + 5) / 60) * 84];
    const line = BITS.map((each, i) => `${i ? "L" : "M"}${x(each)} ${y(finite[i]).toFixed(1)}`).join("");
    const label = `SQNR for the same range: ${BITS.map((each, i) => `${each} bits ${found[i].toFixed(1)} dB`).join(", ")}`;
    return s(
      "svg",
      { width: 220, height: 124, viewBox: "0 0 220 124", role: "img", "aria-label": label },
      s("line", { class: "axis", x1: 0, x2: 220, y1: y(0), y2: y(0) }),
      s("text", { x: 220, y: y(0) - 3, "text-anchor": "end" }, "0 dB"),
      s("path", { class: "line", d: line }),
      BITS.map((each, i) =>
        s("circle", {
          class: each === bits ? "now" : "dot",
          cx: x(each),
          cy: y(finite[i]),
          r: each === bits ? 5 : 2.5,
        }),
      ),
      BITS.map((each) => s("text", { x: x(each), y: 120, "text-anchor": "middle" }, String(each))),
    );
  }
}

function axisLabels(extent, x, width) {
  const places = extent[0] < 0 ? [extent[0], 0, extent[1]] : [0, extent[1]];
  const anchor = (at) => (at < 30 ? "start" : at > width - 30 ? "end" : "middle");
  return places.map((value) =>
    s("text", { x: x(value), y: HEIGHT - 20, "text-anchor": anchor(x(value)) }, plain(value, 3)),
  );
}

function extremes(values) {
  return values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
}

/** The same numbers and one more, four times as large as the largest. */
function withOutlier(values) {
  return Float32Array.of(...values, 4 * Math.max(...extremes(values).map(Math.abs)));
}

QuantizationBench.css = `
.split { display: grid; grid-template-columns: minmax(0, 1fr) 220px; gap: 1.5rem; }
.side > * + * { margin-top: 0.4rem; }
.sliders { display: grid; gap: 0.6rem 1.25rem; grid-template-columns: 1fr 1fr; margin-top: 0.75rem; }
.sliders .row { grid-column: 1 / -1; }
.slider { display: grid; grid-template-columns: 1fr auto; }
.slider input { grid-column: 1 / -1; }
@container (max-width: 620px) { .split { grid-template-columns: minmax(0, 1fr); } }
rect.in { fill: color-mix(in srgb, var(--accent) 55%, var(--bg)); }
rect.out { fill: var(--bad); }
rect.code { fill: var(--accent); }
.ticks { stroke: var(--accent); stroke-width: 1; opacity: 0.7; }
.axis { stroke: var(--line); }
.edge { stroke: var(--bad); stroke-dasharray: 3 3; }
.line { fill: none; stroke: var(--accent); stroke-width: 1.5; }
.dot { fill: var(--accent); }
.now { fill: var(--bg); stroke: var(--accent); stroke-width: 2.5; }
`;

customElements.define("quantization-bench", QuantizationBench);
