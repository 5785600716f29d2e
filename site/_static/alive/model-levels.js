// <model-levels data-src="….onnx" data-schema="…json">: one model as formula, graph, node, tensor and bytes; what is
// chosen at one level is chosen at all.

import { Alive, bytes, h, plain, s } from "./base.js";
import { FORMATS, bitString, formula } from "./floats.js";
import { place } from "./outline.js";
import { all, children, readMessage, value } from "./protobuf.js";
import { element } from "./safetensors.js";

const INFIX = { MatMul: "·", Add: "+" };
const LEVELS = ["Formula", "Graph", "Node", "Tensor", "Bytes"];

class ModelLevels extends Alive {
  async build() {
    this.data = await bytes(this.dataset.src);
    const schema = JSON.parse(new TextDecoder().decode(await bytes(this.dataset.schema)));
    this.model = readModel(this.data, schema);
    this.state = { node: this.model.nodes[0].op, tensor: "W", index: 4 };
    this.trail = h("p", { class: "trail mono", role: "status" });
    this.panels = LEVELS.map((name) => h("section", { class: "level", "aria-label": name }));
    this.funnels = s("svg", { class: "funnels", "aria-hidden": "true" });
    this.stack = h("div", { class: "stack" }, this.funnels, this.panels);
    this.frame.append(this.trail, this.stack);
    this.show();
    this.onWidth(this.stack, () => this.drawFunnels());
  }

  get tensor() {
    return this.model.tensors.find(({ name }) => name === this.state.tensor);
  }

  get node() {
    return this.model.nodes.find(({ op }) => op === this.state.node);
  }

  /** Choose a node, a tensor or a number; the levels around it follow. */
  choose(change, level) {
    Object.assign(this.state, change);
    if (change.node)
      this.state.tensor =
        this.node.inputs.find((name) => this.model.tensors.some((each) => each.name === name)) ?? this.node.inputs[0];
    if (change.tensor)
      this.state.node =
        this.model.nodes.find(({ inputs }) => inputs.includes(change.tensor))?.op ?? this.model.nodes.at(-1).op;
    const count = this.tensor ? this.tensor.shape.reduce((a, b) => a * b, 1) : 0;
    this.state.index = Math.max(0, Math.min(this.state.index, count - 1));
    const at = [...this.panels[level].querySelectorAll("button")].indexOf(this.shadowRoot.activeElement);
    this.show();
    if (at >= 0) this.panels[level].querySelectorAll("button")[at]?.focus();
    this.drawFunnels();
  }

  show() {
    const found = [this.formula(), this.graph(), this.nodeTable(), this.tensorGrid(), this.byteRow()];
    this.panels.forEach((panel, i) =>
      panel.replaceChildren(h("h3", {}, `${i + 1}  ${LEVELS[i]}`), h("div", { class: "content" }, found[i])),
    );
    const number = this.number();
    const trail = [this.model.output, this.node.op, this.state.tensor];
    if (number) {
      trail.push(`${this.tensor.name}${place(this.state.index, this.tensor.shape)} = ${plain(number.value, 9)}`);
      trail.push(`bytes ${number.begin} to ${number.end}`);
    }
    this.trail.textContent = trail.join(" › ");
  }

  number() {
    return this.tensor ? element(this.data, this.tensor, this.state.index) : null;
  }

  pick(level, change, text, here, label) {
    return h(
      "button",
      {
        type: "button",
        class: `pick${here ? " here" : ""}`,
        "aria-pressed": String(here),
        "aria-label": label,
        onclick: () => this.choose(change, level),
      },
      text,
    );
  }

  name(level, name) {
    const given = this.model.tensors.some((each) => each.name === name) || name === this.model.input;
    return given ? this.pick(level, { tensor: name }, name, this.state.tensor === name, `tensor ${name}`) : name;
  }

  /** The formula, from the graph: each value is replaced by what writes it. */
  formula() {
    const written = (name) => {
      const node = this.model.nodes.find(({ outputs }) => outputs.includes(name));
      if (!node) return this.name(0, name);
      const here = node.op === this.state.node;
      const sign = this.pick(0, { node: node.op }, INFIX[node.op] ?? node.op, here, `operator ${node.op}`);
      return INFIX[node.op]
        ? [written(node.inputs[0]), sign, written(node.inputs[1])]
        : [sign, "(", written(node.inputs[0]), ")"];
    };
    return h("div", { class: "formula" }, `${this.model.output} = `, written(this.model.output));
  }

  graph() {
    const arrow = (name) => h("span", { class: "arrow" }, h("span", { class: "edge" }, name), "⟶");
    const box = (node) => {
      const given = node.inputs.slice(1).filter((name) => this.model.tensors.some((each) => each.name === name));
      return h(
        "span",
        { class: "box" },
        h(
          "span",
          { class: "given" },
          given.map((name) => this.name(1, name)),
        ),
        this.pick(1, { node: node.op }, node.op, node.op === this.state.node, `node ${node.op}`),
      );
    };
    return h(
      "div",
      { class: "graph" },
      this.model.nodes.map((node) => [arrow(node.inputs[0]), box(node)]),
      arrow(this.model.output),
    );
  }

  nodeTable() {
    const { op, inputs, outputs, begin, end } = this.node;
    const names = inputs.map((name, i) => [i ? ", " : "", this.name(2, name)]);
    const row = (head, content) => h("tr", {}, h("th", { scope: "row" }, head), h("td", {}, content));
    return h(
      "table",
      {},
      h(
        "tbody",
        {},
        row("op_type", op),
        row("input", names),
        row("output", outputs.join(", ")),
        row("in the file", `bytes ${begin} to ${end}`),
      ),
    );
  }

  tensorGrid() {
    if (!this.tensor)
      return h(
        "p",
        {},
        `${this.state.tensor}: float [N, 2]. The caller gives these numbers; the file holds only their type and shape.`,
      );
    const { name, shape } = this.tensor;
    const columns = shape.at(-1);
    const cells = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => {
      const found = element(this.data, this.tensor, i);
      return this.pick(
        3,
        { index: i },
        plain(found.value, 7),
        i === this.state.index,
        `${name}${place(i, shape)} = ${plain(found.value, 7)}`,
      );
    });
    return [
      h("p", { class: "muted" }, `${name}: float [${shape.join(", ")}]`),
      h("div", { class: "numbers", style: `grid-template-columns: repeat(${columns}, minmax(0, 5.5rem))` }, cells),
    ];
  }

  byteRow() {
    if (!this.tensor) return h("p", { class: "muted" }, "No bytes of the file.");
    const found = this.number();
    const raw = [...this.data.subarray(this.tensor.begin, this.tensor.end)].map((byte, i) => {
      const here = found.begin <= this.tensor.begin + i && this.tensor.begin + i < found.end;
      return h("span", { class: here ? "byte here" : "byte" }, byte.toString(16).padStart(2, "0"));
    });
    const bits = new DataView(this.data.buffer, found.begin, 4).getUint32(0, true);
    const text = bitString(FORMATS.FP32, bits);
    const parts = [
      [0, 1, "sign"],
      [1, 9, "exponent"],
      [9, 32, "fraction"],
    ].map(([from, to, part]) => h("span", { class: `bits ${part}` }, text.slice(from, to)));
    const fields = { sign: bits >>> 31, exponent: (bits >>> 23) & 255, fraction: bits & 0x7fffff, kind: "" };
    return [
      h("p", { class: "mono bytes" }, raw),
      h("p", { class: "muted" }, "The lowest byte stands first. From the highest to the lowest, the bits are:"),
      h("p", { class: "mono" }, parts),
      h("p", { class: "mono formula-of" }, `${plain(found.value, 9)} = ${formula(FORMATS.FP32, fields)}`),
    ];
  }

  /** From what is chosen at each level, a funnel to the next one. */
  drawFunnels() {
    const outer = this.stack.getBoundingClientRect();
    const funnel = (panel, i) => {
      const [here, next] = [panel.querySelector(".here"), this.panels[i + 1]];
      if (!here || !next) return null;
      const [a, b] = [here.getBoundingClientRect(), next.getBoundingClientRect()];
      const point = (x, y) => `${(x - outer.left).toFixed(1)},${(y - outer.top).toFixed(1)}`;
      return s("polygon", {
        points: [point(a.left, a.bottom), point(a.right, a.bottom), point(b.right, b.top), point(b.left, b.top)].join(
          " ",
        ),
      });
    };
    this.funnels.replaceChildren(...this.panels.map(funnel).filter(Boolean));
    this.funnels.setAttribute("viewBox", `0 0 ${outer.width} ${outer.height}`);
  }
}

/** {input, output, nodes, tensors} of a chain, with the places of nodes and of the tensors' numbers in the file. */
function readModel(data, schema) {
  const graph = children(readMessage(data, schema, "ModelProto"), "graph");
  const texts = (fields, name) => all(fields, name).map((field) => field.value);
  const nodes = all(graph, "node").map(({ children: inner, begin, end }) => ({
    op: value(inner, "op_type"),
    inputs: texts(inner, "input"),
    outputs: texts(inner, "output"),
    begin,
    end,
  }));
  const tensors = all(graph, "initializer").map(({ children: inner }) => {
    const raw = all(inner, "raw_data").at(-1);
    return {
      name: value(inner, "name"),
      dtype: "F32",
      shape: texts(inner, "dims").flat(),
      begin: raw.content,
      end: raw.end,
    };
  });
  return {
    nodes,
    tensors,
    input: value(children(graph, "input"), "name"),
    output: value(children(graph, "output"), "name"),
  };
}

ModelLevels.css = `
.level th { width: 8rem; }
.trail { color: var(--muted); }
.stack { position: relative; display: grid; gap: 2.2rem; }
.funnels { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; }
.funnels polygon { fill: color-mix(in srgb, var(--accent) 10%, transparent); }
.level { position: relative; border: 1px solid var(--line); border-radius: 8px; padding: 0.6rem 0.9rem 0.8rem; }
.level .content { margin-top: 0.4rem; overflow-x: auto; padding: 3px; }
.pick {
  border-color: transparent; background: none; min-height: 1.9rem; padding: 0 0.4rem;
  font-variant-numeric: tabular-nums;
}
.pick.here { background: color-mix(in srgb, var(--accent) 16%, var(--bg)); border-color: var(--accent); }
.formula { font-size: 1.25rem; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1rem; }
.graph { display: flex; flex-wrap: wrap; align-items: flex-end; gap: 0.35rem; }
.box { display: grid; justify-items: center; gap: 0.2rem; }
.box > .pick { border: 1px solid var(--line); } .box > .pick.here { border-color: var(--accent); }
.given .pick { border: 1px dashed var(--line); min-height: 1.6rem; } .given .pick.here { border-color: var(--accent); }
.given { min-height: 1.6rem; }
.arrow { display: grid; justify-items: center; color: var(--muted); line-height: 1.1; padding-bottom: 0.45rem; }
.edge { font-family: var(--mono); font-size: 0.8rem; }
.numbers { display: grid; gap: 0.25rem; margin-top: 0.3rem; }
.numbers .pick { border: 1px solid var(--line); }
.numbers .pick.here { border-color: var(--accent); }
.bytes { display: flex; flex-wrap: wrap; gap: 0.15rem 0; }
.byte { padding: 0 0.35ch; }
.byte.here { background: color-mix(in srgb, var(--accent) 18%, var(--bg)); font-weight: 700; }
.bits { padding: 0 0.4ch; margin-right: 2px; overflow-wrap: anywhere; }
.bits.sign { color: var(--bad); }
.bits.exponent { color: var(--accent); }
.bits.fraction { color: var(--third); }
@container (max-width: 620px) {
  .arrow { font-size: 0.8rem; }
  .graph { gap: 0.1rem; }
  .graph .pick { padding: 0 0.25rem; font-size: 0.85rem; }
  .level { padding: 0.6rem; }
}
@media (prefers-reduced-motion: no-preference) {
  .funnels polygon { animation: open 0.3s ease-out; }
  @keyframes open { from { opacity: 0; } }
}
`;

customElements.define("model-levels", ModelLevels);
