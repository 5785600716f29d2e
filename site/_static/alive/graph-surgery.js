// <graph-surgery>: a graph that the reader edits, with the validation ladder beside it, before and after with their formulas.

import { Alive, h, s } from "./base.js";
import { WIDTH, draw, layout, way } from "./graph-drawing.js";
import { RUNGS, START, dead, formula, ladder, names, remove, rename, rewire, setTraining, text } from "./surgery.js";

const ROWS = START.nodes.length;
const NEAR = 34;

class GraphSurgery extends Alive {
  build() {
    this.history = [START];
    this.board = h("div", { class: "board" });
    this.after = h("p", { class: "mono formula" });
    this.rungs = h("ol", { class: "rungs" });
    this.goal = h("p", { class: "goal", role: "status" });
    this.rows = h("tbody");
    this.source = h("pre", { class: "mono", tabindex: 0, "aria-label": "The model as text" });
    this.undo = h("button", { type: "button", onclick: () => this.back() }, "Undo");
    const reset = h(
      "button",
      { type: "button", onclick: () => this.edit(START, "The graph is as it was at the start.") },
      "Start again",
    );
    const heads = ["operator", "reads", "writes", ""].map((name) =>
      h("th", { scope: "col" }, name || h("span", { class: "sr" }, "delete")),
    );
    this.frame.append(
      h(
        "div",
        { class: "split" },
        this.before(),
        h("div", {}, h("h3", {}, "After: pull a ring to another dot"), this.board, this.after),
        h(
          "div",
          { class: "side" },
          h("h3", {}, "Validation ladder"),
          this.rungs,
          this.goal,
          h("div", { class: "row" }, this.undo, reset),
        ),
      ),
      h(
        "div",
        { class: "table" },
        h("h3", {}, "The same graph as a table"),
        h("table", { class: "nodes" }, h("thead", {}, h("tr", {}, heads)), this.rows),
      ),
      h("details", { class: "text" }, h("summary", { class: "muted" }, "As text"), this.source),
    );
    this.show();
  }

  get state() {
    return this.history.at(-1);
  }

  before() {
    const plan = layout(START, ROWS);
    const picture = s(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${plan.height}`, role: "img", "aria-label": `Before: ${formula(START)}` },
      draw(START, plan),
    );
    return h(
      "div",
      { class: "before" },
      h("h3", {}, "Before"),
      picture,
      h("p", { class: "mono formula" }, formula(START)),
    );
  }

  edit(state, said) {
    this.history.push(state);
    this.show(said);
  }

  back() {
    if (this.history.length > 1) this.history.pop();
    this.show("Undone.");
  }

  show(said = "") {
    const focus = this.shadowRoot.activeElement?.dataset?.key;
    const found = ladder(this.state);
    this.drawBoard();
    this.after.textContent = formula(this.state);
    this.rungs.replaceChildren(...RUNGS.map((rung, i) => this.rung(rung, found[i])));
    this.rows.replaceChildren(...this.state.nodes.map((node, i) => this.row(node, i)), this.flagRow());
    this.source.textContent = text(this.state);
    this.undo.disabled = this.history.length === 1;
    this.judge(found);
    if (focus) this.shadowRoot.querySelector(`[data-key="${focus}"]`)?.focus();
    const broken = found.find(({ holds }) => !holds);
    this.say(
      `${said} ${broken ? `The rung ${broken.rung} is broken: ${broken.why}` : "All five rungs hold."} ${this.goal.textContent}`,
    );
  }

  rung(name, result) {
    const [mark, kind, word] = !result
      ? ["·", "waiting", "not reached"]
      : result.holds
        ? ["✓", "good", "holds"]
        : ["✗", "bad", "broken"];
    return h(
      "li",
      { class: kind },
      h("span", { class: "mark", "aria-hidden": "true" }, mark),
      h("span", {}, h("strong", {}, name), h("span", { class: "sr" }, ` ${word}. `), h("small", {}, result?.why ?? "")),
    );
  }

  /** What is still to do, or that nothing is. */
  judge(found) {
    const whole = found.length === RUNGS.length && found.every(({ holds }) => holds);
    const left = this.state.nodes.some(({ op }) => op === "Dropout");
    const idle = dead(this.state).map((i) => this.state.nodes[i].op);
    const texts = {
      done: "All five rungs hold, and no Dropout is left. This is the edit of the notebook.",
      idle: `All five rungs hold. ${idle[0]} is still in the file, and nothing reads what it writes.`,
      off: "All five rungs hold. The Dropout is still there and does nothing in inference mode.",
      open: "Your task: all five rungs hold, and no Dropout is left.",
    };
    const outcome = !whole ? "open" : idle.length ? "idle" : left ? "off" : "done";
    this.goal.textContent = texts[outcome];
    this.goal.className = `goal ${outcome}`;
  }

  // The table: every edit is possible here, without the drawing.

  row(node, i) {
    const choice = (name, input) => {
      const options = [...new Set([...names(this.state), name])].map((each) =>
        h("option", { value: each, selected: each === name }, each),
      );
      const label = `${node.op}, input ${input + 1}`;
      return h(
        "select",
        {
          "aria-label": label,
          "data-key": `select-${i}-${input}`,
          onchange: (event) => this.pull(i, input, event.target.value),
        },
        options,
      );
    };
    const written = h("input", {
      type: "text",
      value: node.output,
      size: 6,
      spellcheck: "false",
      autocomplete: "off",
      "aria-label": `${node.op} writes`,
      "data-key": `name-${i}`,
      onchange: (event) =>
        this.edit(rename(this.state, i, event.target.value.trim()), `${node.op} writes ${event.target.value}.`),
    });
    const gone = h(
      "button",
      { type: "button", "aria-label": `Delete ${node.op}`, onclick: () => this.cut(i) },
      "Delete",
    );
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, node.op),
      h("td", {}, h("div", { class: "row" }, node.inputs.map(choice))),
      h("td", {}, written),
      h("td", {}, gone),
    );
  }

  flagRow() {
    const { training } = this.state;
    const flag = h(
      "button",
      {
        type: "button",
        "data-key": "flag",
        "aria-pressed": String(training),
        onclick: () => this.edit(setTraining(this.state, !training), `training is ${training ? 0 : 1}.`),
      },
      `training = ${training ? 1 : 0}`,
    );
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, "initializers"),
      h("td", { colspan: 3 }, h("div", { class: "row" }, h("span", {}, "w"), h("span", {}, "ratio = 0.5"), flag)),
    );
  }

  pull(node, input, name) {
    const { op, inputs } = this.state.nodes[node];
    if (inputs[input] === name) return this.drawBoard();
    this.edit(rewire(this.state, node, input, name), `${op} reads ${name} in place of ${inputs[input]}.`);
  }

  cut(node) {
    this.edit(remove(this.state, node), `${this.state.nodes[node].op} is deleted.`);
  }

  // The drawing: rings are pulled by pointer, or by Enter, arrow keys, Enter.

  drawBoard() {
    this.plan = layout(this.state, ROWS);
    const idle = dead(this.state);
    const changed = (port) =>
      START.nodes.some(
        ({ op, inputs }) => op === this.state.nodes[port.node]?.op && inputs[port.input] === port.name,
      ) || port.node === null
        ? ""
        : "new";
    this.thread = s("path", { class: "thread" });
    this.target = s("circle", { class: "target", r: 9, visibility: "hidden" });
    const svg = s("svg", {
      viewBox: `0 0 ${WIDTH} ${this.plan.height}`,
      role: "group",
      "aria-label": "The graph, to edit",
    });
    const rings = this.plan.ports.map((port, i) => this.ring(port, i));
    const handles = this.plan.boxes.map((box, i) => this.handle(box, i));
    svg.append(
      ...[
        draw(this.state, this.plan, { edge: changed, node: (i) => (idle.includes(i) ? "idle" : "") }),
        this.thread,
        this.target,
        handles,
        rings,
      ].flat(Infinity),
    );
    this.svg = svg;
    this.board.replaceChildren(svg);
  }

  handle(box, i) {
    const say = `${box.op} writes ${box.output}. Press Delete to remove it.`;
    const key = (event) => {
      if (event.key !== "Delete" && event.key !== "Backspace") return;
      event.preventDefault();
      this.cut(i);
    };
    const cross = s(
      "g",
      { class: "cross", "aria-hidden": "true", onclick: () => this.cut(i) },
      s("circle", { cx: box.x + 124, cy: box.y + 20, r: 11 }),
      s("path", { d: `M${box.x + 120} ${box.y + 16}l8 8m0 -8l-8 8` }),
    );
    return s(
      "g",
      { class: "handle" },
      s("rect", {
        class: "hit",
        x: box.x,
        y: box.y,
        width: 124,
        height: 40,
        rx: 7,
        tabindex: 0,
        role: "button",
        "aria-label": say,
        "data-key": `node-${i}`,
        onkeydown: key,
      }),
      cross,
    );
  }

  ring(port, i) {
    const { op, inputs } = this.state.nodes[port.node];
    const place = `${op}, input ${port.input + 1} of ${inputs.length}, reads ${port.name}`;
    const label = `${place}. Enter, arrow keys and Enter give it another value.`;
    const [x, y] = port.at;
    return s(
      "g",
      {
        class: "ring",
        role: "button",
        tabindex: 0,
        "aria-label": label,
        "data-key": `ring-${i}`,
        "data-port": `${op} ${port.input + 1}`,
        onpointerdown: (event) => this.grab(event, port),
        ontouchstart: (event) => event.preventDefault(),
        onkeydown: (event) => this.steer(event, port),
      },
      s("circle", { class: "area", cx: x, cy: y, r: inputs.length > 2 ? 13 : 18 }),
      s("circle", { class: "mouth", cx: x, cy: y, r: 6 }),
    );
  }

  place(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  nearest([x, y]) {
    const far = ([, [a, b]]) => Math.hypot(a - x, b - y);
    const [best] = Object.entries(this.plan.sources).sort((a, b) => far(a) - far(b));
    return far(best) <= NEAR ? best[0] : null;
  }

  /** A touch on a ring pulls it and does not scroll the page: touch-action has no effect inside an SVG group. */
  grab(event, port) {
    event.preventDefault();
    const ring = event.currentTarget;
    ring.setPointerCapture(event.pointerId);
    ring.focus({ preventScroll: true });
    const move = (moved) => {
      const at = this.place(moved);
      const name = this.nearest(at);
      this.stretch(name ? this.plan.sources[name] : at, port, name);
    };
    const drop = (dropped) => {
      const name = dropped.type === "pointerup" ? this.nearest(this.place(dropped)) : null;
      this.pull(port.node, port.input, name ?? port.name);
    };
    ring.addEventListener("pointermove", move);
    ring.addEventListener("pointerup", drop, { once: true });
    ring.addEventListener("pointercancel", drop, { once: true });
  }

  /** Show the edge as it would be. */
  stretch(from, port, name) {
    this.thread.setAttribute("d", way(from, port.at));
    this.target.setAttribute("visibility", name ? "visible" : "hidden");
    [this.target.cx.baseVal.value, this.target.cy.baseVal.value] = from;
  }

  steer(event, port) {
    const choices = Object.keys(this.plan.sources);
    if (this.held === undefined) {
      if (event.key !== "Enter" && event.key !== " ") return;
      this.held = Math.max(0, choices.indexOf(port.name));
      this.say(`Choose with the arrow keys. Now ${choices[this.held]}.`);
    } else {
      const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key] ?? 0;
      if (event.key === "Escape" || event.key === "Tab") return this.release(port, port.name);
      if (event.key === "Enter" || event.key === " ")
        return (event.preventDefault(), this.release(port, choices[this.held]));
      if (!step) return;
      this.held = (this.held + step + choices.length) % choices.length;
      this.say(choices[this.held]);
    }
    event.preventDefault();
    this.stretch(this.plan.sources[choices[this.held]], port, true);
  }

  release(port, name) {
    this.held = undefined;
    const focus = this.shadowRoot.activeElement?.dataset?.key;
    this.pull(port.node, port.input, name);
    if (focus) this.shadowRoot.querySelector(`[data-key="${focus}"]`)?.focus();
  }
}

GraphSurgery.css = `
.split { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr) minmax(0, 1.05fr); gap: 1.25rem; }
.split svg { width: 100%; max-width: 340px; height: auto; margin: 0.5rem 0; }
.formula { font-size: 0.85rem; overflow-wrap: anywhere; }
.before svg { opacity: 0.85; }
.edge { fill: none; stroke: var(--muted); stroke-width: 1.5; }
.edge.bad { stroke: var(--bad); stroke-dasharray: 3 3; } .edge.new { stroke: var(--accent); stroke-width: 2.5; }
.node rect {
  fill: color-mix(in srgb, var(--accent) 14%, var(--bg)); stroke: color-mix(in srgb, var(--accent) 45%, var(--bg));
}
.node text, .name { fill: var(--fg); } .node text { font-weight: 600; font-size: 13px; }
.node.idle rect { fill: none; stroke: var(--muted); stroke-dasharray: 4 3; } .node.idle text { fill: var(--muted); }
.stored { fill: none; stroke: var(--muted); stroke-dasharray: 3 3; } .outer { fill: none; stroke: var(--muted); }
.dot { fill: var(--fg); } .value { font-family: var(--mono); } .missing { fill: var(--bad); font-weight: 600; }
.ring { cursor: grab; outline: none; } .ring:active { cursor: grabbing; }
.area, .hit { fill: transparent; } .hit { outline: none; }
.mouth { fill: var(--bg); stroke: var(--accent); stroke-width: 2; }
.ring:hover .mouth { fill: color-mix(in srgb, var(--accent) 35%, var(--bg)); }
.ring:focus-visible .mouth { fill: var(--accent); stroke-width: 4; }
.hit:focus-visible { stroke: var(--accent); stroke-width: 2.5; }
.cross { cursor: pointer; opacity: 0.55; } .cross:hover { opacity: 1; }
.cross circle { fill: var(--bg); stroke: var(--line); } .cross path { stroke: var(--fg); stroke-width: 1.5; }
.thread { fill: none; stroke: var(--accent); stroke-width: 2.5; stroke-dasharray: 5 4; pointer-events: none; }
.target { fill: none; stroke: var(--accent); stroke-width: 2.5; pointer-events: none; }
.rungs { list-style: none; margin: 0.5rem 0; padding: 0; display: grid; gap: 0.35rem; }
.rungs li { display: grid; grid-template-columns: 1.4rem 1fr; }
.rungs strong { font-weight: 600; } .rungs small { display: block; }
.rungs .good .mark { color: var(--good); }
.rungs .bad .mark, .rungs .bad strong { color: var(--bad); }
.rungs .waiting strong { color: var(--muted); font-weight: 400; }
.mark { font-weight: 700; }
.goal { border-left: 3px solid var(--line); padding-left: 0.75rem; }
.goal.done { border-color: var(--good); }
.side { min-width: 0; }
.side .goal { margin: 0.75rem 0; }
.nodes select { padding: 0.1rem 0.3rem; } .nodes .row { gap: 0.3rem; } .nodes input { max-width: 6rem; }
:host([compact]) .part { border: 0; padding: 0; }
:host([compact]) :is(.before, .table, .text, .rungs .good small) { display: none; }
:host([compact]) .split { grid-template-columns: minmax(0, 1.1fr) minmax(0, 1fr); }
:host([compact]) .split .side { grid-column: auto; }
pre { overflow-x: auto; margin: 0.5rem 0 0; }
summary { cursor: pointer; width: fit-content; }
@container (max-width: 880px) {
  .split { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .side { grid-column: 1 / -1; }
}
@container (max-width: 620px) { .split { grid-template-columns: minmax(0, 1fr); } .before svg { max-width: 190px; } }
@container (max-width: 420px) { :host([compact]) .split { grid-template-columns: minmax(0, 1fr); } }
@container (max-width: 480px) {
  .nodes { font-size: 0.85rem; }
  .nodes :is(th, td) { padding-right: 0.3rem; }
  .nodes select { max-width: 4.9rem; }
  .nodes input { width: 3.4rem; padding: 0 0.4rem; }
  .nodes td button { padding: 0 0.4rem; }
}
`;

customElements.define("graph-surgery", GraphSurgery);
