// The drawing of a small graph: nodes in the order of the file, a dot where a value is written, a ring where it is read.

import { s } from "./base.js";
import { GIVEN, OUTPUT } from "./surgery.js";

export const WIDTH = 340;
const [LEFT, SIZE, TALL, GAP] = [112, 124, 40, 86];
const STORED = { w: [0, -16], ratio: [1, -32], training: [1, -4] }; // the row beside which it stands, and how far below its top

/** Where everything stands: {height, sources: {name: [x, y]}, ports: [{node, input, name, at}], boxes}. */
export function layout(state, rows) {
  const top = (row) => 70 + row * GAP;
  const middle = LEFT + SIZE / 2;
  const sources = { x: [middle, 30] };
  Object.entries(STORED).forEach(([name, [row, below]]) => (sources[name] = [78, top(row) + below]));
  const boxes = state.nodes.map((node, i) => ({ ...node, x: LEFT, y: top(i) }));
  const ports = boxes.flatMap(({ inputs, y }, node) =>
    inputs.map((name, input) => ({ node, input, name, at: [LEFT + ((input + 1) * SIZE) / (inputs.length + 1), y] })),
  );
  boxes.forEach(({ output, y }) => (sources[output] ??= [middle, y + TALL]));
  const height = top(rows) + 36;
  const end = { name: OUTPUT.name, at: [middle, height - 26], node: null };
  return { height, sources, ports, boxes, end };
}

/** The way from a dot to a ring: straight to the next node, around the right side past others, from the left for what is stored. */
export function way([x1, y1], [x2, y2]) {
  if (x1 < LEFT) return `M${x1} ${y1}C${x1 + 40} ${y1} ${x2} ${y2 - 34} ${x2} ${y2}`;
  const span = y2 - y1;
  if (span > 0 && span <= GAP - TALL + 14)
    return `M${x1} ${y1}C${x1} ${y1 + span / 2} ${x2} ${y2 - span / 2} ${x2} ${y2}`;
  const side = LEFT + SIZE + 26 + Math.min(Math.abs(span) / 7, 48);
  const away = span > 0 ? 14 : 26;
  return `M${x1} ${y1}C${x1 + 20} ${y1 + away} ${side} ${y1 + away} ${side} ${(y1 + y2) / 2}S${x2 + 30} ${y2 - 20} ${x2} ${y2}`;
}

/** The parts that both drawings share: stored values, nodes, names at dots, edges. `marks` says which are at fault or new. */
export function draw(state, plan, marks = {}) {
  const edge = (port) => {
    const from = plan.sources[port.name];
    const kind = marks.edge?.(port) ?? "";
    return from ? s("path", { class: `edge ${kind}`, d: way(from, port.at) }) : loose(port);
  };
  return [
    [...plan.ports, plan.end].map(edge),
    Object.keys(GIVEN).map((name) => given(name, plan, state)),
    plan.boxes.map((box, i) =>
      s(
        "g",
        { class: `node ${marks.node?.(i) ?? ""}` },
        s("rect", { x: box.x, y: box.y, width: SIZE, height: TALL, rx: 7 }),
        s("text", { x: box.x + SIZE / 2, y: box.y + 25, "text-anchor": "middle" }, box.op),
      ),
    ),
    plan.boxes.map(({ output, x, y }) =>
      s("text", { class: "value", x: x + SIZE / 2 + 9, y: y + TALL + 14 }, shorter(output)),
    ),
    s("rect", { class: "outer", x: plan.end.at[0] - 24, y: plan.end.at[1], width: 48, height: 24, rx: 12 }),
    s("text", { class: "name", x: plan.end.at[0], y: plan.end.at[1] + 17, "text-anchor": "middle" }, plan.end.name),
    Object.values(plan.sources).map(([x, y]) => s("circle", { class: "dot", cx: x, cy: y, r: 3.5 })),
  ];
}

function loose({ name, at: [x, y] }) {
  return [
    s("path", { class: "edge bad", d: `M${x} ${y - 20}V${y}` }),
    s("text", { class: "missing", x: x + 6, y: y - 12 }, `${shorter(name)}?`),
  ];
}

function given(name, plan, state) {
  const [x, y] = plan.sources[name];
  const label = name === "training" ? `training ${state.training ? 1 : 0}` : name === "ratio" ? "ratio 0.5" : name;
  if (name === "x")
    return [
      s("rect", { class: "outer", x: x - 24, y: y - 24, width: 48, height: 24, rx: 12 }),
      s("text", { class: "name", x, y: y - 7, "text-anchor": "middle" }, name),
    ];
  return [
    s("rect", { class: "stored", x: 0, y: y - 12, width: x, height: 24, rx: 4 }),
    s("text", { class: "name", x: x / 2, y: y + 4, "text-anchor": "middle" }, label),
  ];
}

const shorter = (name) => (name.length > 9 ? `${name.slice(0, 8)}…` : name);
