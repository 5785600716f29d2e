// A small graph that can be edited, and the ladder that validates it: parses, checker, shapes, runs, same numbers. No page is needed here.

const W = [
  [1, -2, 3],
  [0.5, 1, -1],
  [2, 2, 1],
  [-3, 0.25, 1],
];

/** y = Relu(Dropout(x · w)) + x · w, with the Dropout in training mode; every edit makes a new state like this one. */
export const START = {
  training: true,
  nodes: [
    { op: "MatMul", inputs: ["x", "w"], output: "h" },
    { op: "Dropout", inputs: ["h", "ratio", "training"], output: "d" },
    { op: "Relu", inputs: ["d"], output: "r" },
    { op: "Add", inputs: ["r", "h"], output: "y" },
  ],
};
export const GIVEN = {
  x: { type: "float", shape: ["N", 4] },
  w: { type: "float", shape: [4, 3] },
  ratio: { type: "float", shape: [] },
  training: { type: "bool", shape: [] },
};
export const OUTPUT = { name: "y", type: "float", shape: ["N", 3] };
export const RUNGS = ["parses", "checker", "shapes", "runs", "same numbers"];

const replaceAt = (list, at, item) => list.map((each, i) => (i === at ? item : each));

export const rewire = (state, node, input, name) => ({
  ...state,
  nodes: replaceAt(state.nodes, node, {
    ...state.nodes[node],
    inputs: replaceAt(state.nodes[node].inputs, input, name),
  }),
});
export const rename = (state, node, name) => ({
  ...state,
  nodes: replaceAt(state.nodes, node, { ...state.nodes[node], output: name }),
});
export const remove = (state, node) => ({ ...state, nodes: state.nodes.filter((_, i) => i !== node) });
export const setTraining = (state, training) => ({ ...state, training });

/** Every name that something in the graph provides, in order. */
export const names = (state) => [...new Set([...Object.keys(GIVEN), ...state.nodes.map(({ output }) => output)])];

/** The model in ONNX's textual form, which `onnx.parser` reads. */
export function text(state) {
  const numbers = W.flat().join(", ");
  const lines = state.nodes.map(({ op, inputs, output }) => `    ${output} = ${op}(${inputs.join(", ")})`);
  return [
    '<ir_version: 10, opset_import: ["" : 20]>',
    "residual (float[N, 4] x) => (float[N, 3] y)",
    `<float[4, 3] w = {${numbers}}, float ratio = {0.5}, bool training = {${state.training ? 1 : 0}}> {`,
    ...lines,
    "}",
  ].join("\n");
}

class Broken extends Error {}

/** For each rung {rung, holds, why}; nothing is said of the rungs behind the first broken one. */
export function ladder(state) {
  const climbed = [];
  const context = {};
  for (const rung of RUNGS) {
    try {
      const why = CLIMB[rung](state, context);
      climbed.push({ rung, holds: true, why });
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      return [...climbed, { rung, holds: false, why: error.message }];
    }
  }
  return climbed;
}

const CLIMB = {
  parses(state) {
    for (const { op, output } of state.nodes) {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(output))
        throw new Broken(
          `${op} writes “${output}”, which is not a name: letters, digits and underscores, no digit first.`,
        );
    }
    return "The text is a model.";
  },

  checker(state) {
    const known = new Set(Object.keys(GIVEN));
    for (const { op, inputs, output } of state.nodes) {
      const missing = inputs.find((name) => !known.has(name));
      if (missing) {
        const later = state.nodes.some((node) => node.output === missing);
        throw new Broken(
          later
            ? `${op} reads ${missing} before it is written.`
            : `${op} reads ${missing}, and nothing writes ${missing}.`,
        );
      }
      if (known.has(output)) throw new Broken(`${op} writes ${output}, and this name is already taken.`);
      known.add(output);
    }
    if (!known.has(OUTPUT.name)) throw new Broken("The graph declares the output y, and nothing writes y.");
    return "Each name is written once, before it is read.";
  },

  shapes(state) {
    const found = { ...GIVEN };
    for (const { op, inputs, output } of state.nodes)
      found[output] = INFER[op](...inputs.map((name) => ({ ...found[name], name })));
    agree(found[OUTPUT.name]);
    return "The types fit, and each inferred shape agrees with the declared one.";
  },

  runs(state, context) {
    context.results = [2, 32].map((rows) => {
      const x = input(rows);
      return { x, runs: [run(state, x), run(state, x)] };
    });
    return "A session computes y for 2 rows and for 32.";
  },

  "same numbers"(state, { results }) {
    if (!results.every(({ runs }) => same(...runs)))
      throw new Broken("Two runs of the graph as it is written differ: a Dropout in training mode is random.");
    if (!results.every(({ x, runs }) => same(runs[0], expected(x)))) throw new Broken("y is not Relu(x · w) + x · w.");
    return "Two runs agree with each other and with Relu(x · w) + x · w.";
  },
};

const shown = ({ type, shape }) => `${type}[${shape.map((dim) => dim ?? "?").join(", ")}]`;

function needFloat(op, value) {
  if (value.type !== "float") throw new Broken(`${op} takes float, and ${value.name} is ${value.type}.`);
}

const INFER = {
  MatMul(a, b) {
    [a, b].forEach((value) => needFloat("MatMul", value));
    if (!a.shape.length || !b.shape.length)
      throw new Broken(`MatMul takes no single number: ${shown(a)} · ${shown(b)}.`);
    const [inner, other] = [a.shape[1], b.shape[0]];
    if (Number.isInteger(inner) && Number.isInteger(other) && inner !== other)
      throw new Broken(`MatMul: ${shown(a)} · ${shown(b)} does not fit, ${inner} is not ${other}.`);
    return { type: "float", shape: [a.shape[0], b.shape[1]] };
  },
  Dropout(data, ratio, training) {
    needFloat("Dropout", data);
    needFloat("Dropout", ratio);
    if (training.type !== "bool")
      throw new Broken(`Dropout takes a bool as training_mode, and ${training.name} is ${training.type}.`);
    if (ratio.shape.length)
      throw new Broken(`Dropout's ratio is a single number, and ${ratio.name} is ${shown(ratio)}.`);
    if (training.shape.length)
      throw new Broken(`Dropout's training_mode is a single bool, and ${training.name} is ${shown(training)}.`);
    return { type: "float", shape: data.shape };
  },
  Relu(data) {
    needFloat("Relu", data);
    return { type: "float", shape: data.shape };
  },
  Add(a, b) {
    [a, b].forEach((value) => needFloat("Add", value));
    const rank = Math.max(a.shape.length, b.shape.length);
    const dim = (shape, i) => (i < rank - shape.length ? 1 : shape[i - rank + shape.length]);
    const shape = Array.from({ length: rank }, (_, i) => {
      const fit = broadcast(dim(a.shape, i), dim(b.shape, i));
      if (fit === undefined) throw new Broken(`Add: ${shown(a)} + ${shown(b)} does not fit.`);
      return fit;
    });
    return { type: "float", shape };
  },
};

/** One dimension of a sum; null where it is not known before the model runs, undefined where the two do not fit. */
function broadcast(a, b) {
  const sizes = [a, b].filter((dim) => Number.isInteger(dim) && dim !== 1);
  if (sizes.length === 2) return sizes[0] === sizes[1] ? sizes[0] : undefined;
  if (sizes.length === 1) return sizes[0];
  const others = [a, b].filter((dim) => dim !== 1);
  return others.length === 2 ? null : (others[0] ?? 1);
}

function agree(given) {
  const fits = (dim, i) => !Number.isInteger(dim) || !Number.isInteger(OUTPUT.shape[i]) || dim === OUTPUT.shape[i];
  if (given.shape.length !== OUTPUT.shape.length || !given.shape.every(fits))
    throw new Broken(`y is ${shown(given)}, and the graph declares ${shown(OUTPUT)}.`);
}

/** Normal numbers of both signs, the same for every ladder. */
function input(rows) {
  let seed = rows;
  const next = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const values = Array.from(
    { length: rows * 4 },
    () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next()),
  );
  return { shape: [rows, 4], values };
}

const COMPUTE = {
  MatMul(a, b) {
    const [rows, inner, columns] = [a.shape[0], a.shape[1], b.shape[1]];
    if (inner !== b.shape[0]) throw new Broken(`MatMul stops: ${inner} columns meet ${b.shape[0]} rows.`);
    const values = Array.from({ length: rows * columns }, (_, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns];
      return Array.from({ length: inner }, (_, k) => a.values[row * inner + k] * b.values[k * columns + column]).reduce(
        (sum, term) => sum + term,
        0,
      );
    });
    return { shape: [rows, columns], values };
  },
  Dropout(data, ratio, training) {
    const keep = 1 - ratio.values[0];
    return training.values[0]
      ? { ...data, values: data.values.map((value) => (Math.random() < keep ? value / keep : 0)) }
      : data;
  },
  Relu: (data) => ({ ...data, values: data.values.map((value) => Math.max(value, 0)) }),
  Add(a, b) {
    const rank = Math.max(a.shape.length, b.shape.length);
    const [one, other] = [a, b].map(({ shape }) => [...new Array(rank - shape.length).fill(1), ...shape]);
    const shape = one.map((dim, i) => {
      if (dim !== other[i] && dim !== 1 && other[i] !== 1) throw new Broken(`Add stops: ${dim} meets ${other[i]}.`);
      return Math.max(dim, other[i]);
    });
    const at = (dims, place) => dims.reduce((sum, dim, i) => sum * dim + (dim === 1 ? 0 : place[i]), 0);
    const values = places(shape).map((place) => a.values[at(one, place)] + b.values[at(other, place)]);
    return { shape, values };
  },
};

const places = (shape) =>
  shape.reduce((found, dim) => found.flatMap((place) => Array.from({ length: dim }, (_, i) => [...place, i])), [[]]);

function run(state, x) {
  const values = {
    x,
    w: { shape: [4, 3], values: W.flat() },
    ratio: { shape: [], values: [0.5] },
    training: { shape: [], values: [state.training] },
  };
  for (const { op, inputs, output } of state.nodes) values[output] = COMPUTE[op](...inputs.map((name) => values[name]));
  return values.y;
}

function expected(x) {
  const product = COMPUTE.MatMul(x, { shape: [4, 3], values: W.flat() });
  return COMPUTE.Add(COMPUTE.Relu(product), product);
}

function same(a, b) {
  const scale = Math.max(...b.values.map(Math.abs)) || 1;
  return (
    a.shape.join() === b.shape.join() && a.values.every((value, i) => Math.abs(value - b.values[i]) <= 1e-6 * scale)
  );
}

/** y with every name replaced by what writes it; “?” behind a name that nothing writes before. */
export function formula(state) {
  const written = (name, before) => {
    const at = state.nodes.findLastIndex((node, i) => i < before && node.output === name);
    if (at < 0) return name in GIVEN ? name : `${name}?`;
    const { op, inputs } = state.nodes[at];
    const [first, second] = inputs.map((each) => written(each, at));
    if (op === "MatMul") return `${bracket(first)} · ${bracket(second)}`;
    return op === "Add" ? `${first} + ${second}` : `${op}(${first})`;
  };
  return `y = ${written(OUTPUT.name, state.nodes.length)}`;
}

const bracket = (term) => (/ \+ /.test(term.replace(/\(.*\)/g, "")) ? `(${term})` : term);

/** Indices of the nodes that do not reach y. */
export function dead(state) {
  const wanted = new Set([OUTPUT.name]);
  const found = [];
  for (let i = state.nodes.length - 1; i >= 0; i -= 1) {
    const { inputs, output } = state.nodes[i];
    if (wanted.has(output)) inputs.forEach((name) => wanted.add(name));
    else found.unshift(i);
  }
  return found;
}
