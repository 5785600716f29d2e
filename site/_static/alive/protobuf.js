// A reader of Protocol Buffers with ONNX's schema. It refuses what the format forbids, and keeps the place of every field.

import { Refused } from "./json.js";

const DEEPEST = 100;
const SCALAR_WIRE = { float: 5, double: 1, string: 2, bytes: 2 }; // every other kind is a varint

/** The fields of a message in bytes[begin:end], by the schema {message: {number: {name, kind, message, repeated}}}. Raises Refused. */
export function readMessage(bytes, schema, message, begin = 0, end = bytes.length, depth = 0) {
  if (depth > DEEPEST) throw new Refused(`messages nest more than ${DEEPEST} levels deep`, begin, end);
  const fields = [];
  let at = begin;
  while (at < end) {
    const field = readField(bytes, schema[message] ?? {}, at, end);
    if (field.message) field.children = readMessage(bytes, schema, field.message, field.content, field.end, depth + 1);
    fields.push(field);
    at = field.end;
  }
  return fields;
}

function readField(bytes, known, begin, end) {
  const key = varint(bytes, begin, end);
  if (key.value >= 2n ** 32n) throw new Refused("the key of a field has at most 32 bits", begin, key.end);
  const [number, wire] = [Number(key.value >> 3n), Number(key.value & 7n)];
  if (number === 0) throw new Refused("a field cannot have the number 0", begin, key.end);
  const place = contentOf(bytes, wire, key.end, begin, end);
  const field = { begin, number, wire, ...place, ...describe(known[number], wire) };
  if (!field.message) field.value = valueOf(bytes, field);
  return field;
}

/** What the schema says of a field; another wire type than the schema's makes it an unknown field, which is kept and not read. */
function describe(entry, wire) {
  const unknown = { name: "unknown field", kind: "unknown" };
  if (!entry) return unknown;
  const wanted = entry.message ? 2 : (SCALAR_WIRE[entry.kind] ?? 0);
  if (wire === wanted) return { name: entry.name, kind: entry.kind, message: entry.message };
  return entry.repeated && wire === 2 && !entry.message
    ? { name: entry.name, kind: `packed ${entry.kind}`, packed: wanted }
    : unknown;
}

function contentOf(bytes, wire, at, begin, end) {
  if (wire === 0) return { content: at, end: varint(bytes, at, end).end };
  if (wire === 1 || wire === 5) return bounded(at, wire === 1 ? 8n : 4n, begin, end);
  if (wire !== 2) throw new Refused(`there is no wire type ${wire} in an ONNX file`, begin, at);
  const length = varint(bytes, at, end);
  return bounded(length.end, length.value, begin, end);
}

function bounded(content, length, begin, end) {
  if (length > BigInt(end - content))
    throw new Refused(`this field wants ${length} bytes, and ${end - content} are left`, begin, content);
  return { content, end: content + Number(length) };
}

/** Seven bits a byte, the lowest first; a top bit that is set says that one more byte follows. */
function varint(bytes, begin, end) {
  let value = 0n;
  for (let at = begin; at < end; at += 1) {
    value |= BigInt(bytes[at] & 0x7f) << BigInt(7 * (at - begin));
    if (bytes[at] < 0x80) return { value: BigInt.asUintN(64, value), end: at + 1 };
    if (at - begin === 9) throw new Refused("a varint has at most ten bytes", begin, at + 1);
  }
  throw new Refused("the file ends inside a number", begin, Math.max(end, begin + 1));
}

function valueOf(bytes, { kind, content, end, packed }) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + content, end - content);
  if (packed !== undefined) return unpacked(bytes, content, end, packed, kind);
  if (kind === "string") return new TextDecoder().decode(bytes.subarray(content, end));
  if (kind === "float") return view.getFloat32(0, true);
  if (kind === "double") return view.getFloat64(0, true);
  if (kind === "bytes" || kind === "unknown") return `${end - content} bytes`;
  return integer(varint(bytes, content, end).value, kind);
}

/** A whole number of the file: a BigInt where a double could not hold it, such as the end of a Slice, 2**63 - 1. */
function integer(varint, kind) {
  const whole = kind.endsWith("uint64") ? varint : BigInt.asIntN(64, varint);
  const number = Number(whole);
  return Number.isSafeInteger(number) ? number : whole;
}

function unpacked(bytes, content, end, wire, kind) {
  const values = [];
  for (let at = content; at < end;) {
    if (wire === 0) {
      const { value, end: next } = varint(bytes, at, end);
      values.push(integer(value, kind));
      at = next;
    } else {
      const size = wire === 5 ? 4 : 8;
      if (at + size > end) throw new Refused("packed numbers end in the middle of one", at, end);
      const view = new DataView(bytes.buffer, bytes.byteOffset + at, size);
      values.push(size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true));
      at += size;
    }
  }
  return values;
}

export const all = (fields, name) => fields.filter((field) => field.name === name);
export const value = (fields, name) => all(fields, name).at(-1)?.value;
export const children = (fields, name) => all(fields, name).at(-1)?.children ?? [];

/** A float32 initializer whose bytes do not fit its dims. Raises Refused. */
export function checkTensor(tensor) {
  const dims = all(tensor.children, "dims")
    .flatMap((field) => field.value)
    .map(Number);
  const raw = all(tensor.children, "raw_data").at(-1);
  const size = { 1: 4, 7: 8, 6: 4, 9: 1, 2: 1, 3: 1, 10: 2, 16: 2, 11: 8 }[value(tensor.children, "data_type")];
  const needed = dims.reduce((product, dim) => product * dim, size);
  if (raw && size && needed !== raw.end - raw.content) {
    const have = raw.end - raw.content;
    throw new Refused(
      `the tensor “${value(tensor.children, "name")}” needs ${needed} bytes and has ${have}`,
      tensor.begin,
      tensor.end,
    );
  }
}
