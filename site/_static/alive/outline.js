// A file as an outline: entries {name, kind, begin, content, end, text, children} that explain every byte of it.

import { plain } from "./text.js";
import { all, checkTensor, readMessage, value } from "./protobuf.js";
import { element, readSafeTensors } from "./safetensors.js";

const SHOWN = 64; // numbers of one tensor that get an entry of their own
const ELEMENT = { 1: "F32", 2: "U8", 3: "I8", 6: "I32", 7: "I64", 9: "BOOL", 10: "F16", 11: "F64", 16: "BF16" };

export function outlineOfSafeTensors(bytes) {
  const file = readSafeTensors(bytes);
  const pairs = file.header.value.map((pair) => ofPair(pair));
  const padding =
    file.brace < file.start
      ? [entry("padding", "framing", file.brace, file.start, "spaces, so that the data start at a multiple of 8")]
      : [];
  const tensors = [...file.tensors].sort((a, b) => a.begin - b.begin);
  return [
    entry("length of the header", "numbers", 0, 8, String(file.start - 8)),
    { ...entry("header", "names", 8, file.brace, "JSON"), children: pairs },
    ...padding,
    ...tensors.map((tensor) => ({
      ...entry(
        `tensor ${tensor.name}`,
        "weights",
        tensor.begin,
        tensor.end,
        `${tensor.dtype} [${tensor.shape.join(", ")}]`,
      ),
      children: elements(bytes, tensor),
    })),
  ];
}

function ofPair({ key, value: node }) {
  const inner = node.kind === "object" ? node.value.map(ofPair) : [];
  const text = node.kind === "object" ? "" : show(node);
  const kind = node.kind === "object" || node.kind === "string" ? "names" : "numbers";
  return { ...entry(key.value, kind, key.begin, node.end, text), children: inner };
}

const show = (node) => (node.kind === "array" ? `[${node.value.map(show).join(", ")}]` : String(node.value));

const entry = (name, kind, begin, end, text) => ({ name, kind, begin, content: begin, end, text, children: [] });

export function elements(bytes, tensor) {
  const size = (tensor.end - tensor.begin) / Math.max(count(tensor.shape), 1);
  if (!Number.isInteger(size)) return [];
  return Array.from({ length: Math.min(count(tensor.shape), SHOWN) }, (_, i) => {
    const found = element(bytes, tensor, i);
    const number =
      typeof found.value === "bigint" ? String(found.value) : found.value === null ? "" : plain(found.value, 9);
    return entry(place(i, tensor.shape), "weights", found.begin, found.end, number);
  });
}

const count = (shape) => shape.reduce((product, dim) => product * dim, 1);

/** The indices of the i-th number, the last dimension fastest. */
export function place(i, shape) {
  const found = [];
  for (const dim of [...shape].reverse()) {
    found.unshift(i % dim);
    i = Math.floor(i / dim);
  }
  return `[${found.join(", ")}]`;
}

export function outlineOfOnnx(bytes, schema) {
  return readMessage(bytes, schema, "ModelProto").map((field) => ofField(bytes, field));
}

function ofField(bytes, field) {
  const message = field.message;
  if (message === "TensorProto") checkTensor(field);
  const inner = message ? field.children.map((child) => ofField(bytes, child)) : [];
  if (message === "TensorProto") numbered(bytes, field, inner);
  const kind = message
    ? "framing"
    : field.name === "raw_data"
      ? "weights"
      : field.kind === "string"
        ? "names"
        : "numbers";
  const text = message ? `${message}, ${field.end - field.content} bytes` : String(field.value);
  return {
    name: field.name,
    kind,
    begin: field.begin,
    content: field.content,
    end: field.end,
    text,
    children: inner,
    number: field.number,
    wire: field.wire,
  };
}

/** Give the raw bytes of a tensor an entry for each number. */
function numbered(bytes, field, inner) {
  const raw = inner.find((child) => child.name === "raw_data");
  const dtype = ELEMENT[value(field.children, "data_type")];
  if (!raw || !dtype) return;
  const shape = all(field.children, "dims")
    .flatMap((dims) => dims.value)
    .map(Number);
  raw.children = elements(bytes, { dtype, shape, begin: raw.content, end: raw.end });
}

/** The entries from the outermost to the innermost that hold the byte. */
export function pathTo(entries, byte) {
  const found = entries.find((each) => each.begin <= byte && byte < each.end);
  return found ? [found, ...pathTo(found.children, byte)] : [];
}
