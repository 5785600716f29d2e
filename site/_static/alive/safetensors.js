// A SafeTensors reader that refuses what the format forbids, and keeps the place of every field.

import { FORMATS, decode } from "./floats.js";
import { Refused, readJson } from "./json.js";

const LARGEST_HEADER = 100_000_000;
const BITS = {
  BOOL: 8,
  U8: 8,
  I8: 8,
  F8_E5M2: 8,
  F8_E4M3: 8,
  F8_E8M0: 8,
  F8_E4M3FNUZ: 8,
  F8_E5M2FNUZ: 8,
  I16: 16,
  U16: 16,
  F16: 16,
  BF16: 16,
  I32: 32,
  U32: 32,
  F32: 32,
  C64: 64,
  F64: 64,
  I64: 64,
  U64: 64,
  F4: 4,
  F6_E2M3: 6,
  F6_E3M2: 6,
};
const SMALL_FLOATS = { F16: "FP16", BF16: "BF16", F8_E4M3: "FP8 E4M3", F8_E5M2: "FP8 E5M2" };

/** {length, header, brace, start, metadata, tensors}; a tensor is {name, dtype, shape, begin, end, entry}. Raises Refused. */
export function readSafeTensors(bytes) {
  const start = headerEnd(bytes);
  if (bytes[8] !== 0x7b) throw new Refused("the header has to begin with “{”", 8);
  const header = readJson(bytes, 8, start);
  checkUtf8(bytes, 8, start);
  const tensors = [];
  let metadata = [];
  for (const { key, value } of header.value) {
    if (key.value === "__metadata__") metadata = readMetadata(value);
    else tensors.push(readEntry(key, value, start, bytes.length));
  }
  checkCovered(tensors, start, bytes.length);
  return { start, header, brace: header.end, metadata, tensors };
}

function headerEnd(bytes) {
  if (bytes.length < 8)
    throw new Refused("the file is too short: eight bytes hold the length of the header", 0, bytes.length);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  if (length > BigInt(LARGEST_HEADER))
    throw new Refused(`the header's length is ${length}: more than 100 MB is not allowed`, 0, 8);
  const start = 8 + Number(length);
  if (start > bytes.length)
    throw new Refused(`the header's length is ${length}, and only ${bytes.length - 8} bytes follow`, 0, 8);
  if (length === 0n) throw new Refused("the header is empty", 0, 8);
  return start;
}

function checkUtf8(bytes, begin, end) {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(begin, end));
  } catch {
    throw new Refused("the header is not UTF-8", begin, end);
  }
}

function readMetadata(node) {
  if (node.kind !== "object") throw new Refused("__metadata__ has to be an object of texts", node.begin, node.end);
  for (const { value } of node.value) {
    if (value.kind !== "string") throw new Refused("__metadata__ may hold texts alone", value.begin, value.end);
  }
  return node.value;
}

function readEntry(key, node, start, size) {
  if (node.kind !== "object") throw new Refused(`the entry of “${key.value}” is not an object`, node.begin, node.end);
  const field = Object.fromEntries(node.value.map((pair) => [pair.key.value, pair.value]));
  for (const name of ["dtype", "shape", "data_offsets"]) {
    if (!field[name]) throw new Refused(`the entry of “${key.value}” has no ${name}`, node.begin, node.end);
  }
  for (const { key: other } of node.value) {
    if (!["dtype", "shape", "data_offsets"].includes(other.value)) {
      throw new Refused(
        `the entry of “${key.value}” has a field that the format does not know: ${other.value}`,
        other.begin,
        other.end,
      );
    }
  }
  const { dtype, shape, data_offsets: offsets } = field;
  if (dtype.kind !== "string" || !BITS[dtype.value])
    throw new Refused(`there is no dtype ${JSON.stringify(dtype.value)}`, dtype.begin, dtype.end);
  const dims = naturals(shape, "shape");
  const span = naturals(offsets, "data_offsets");
  if (span.length !== 2 || span[0] > span[1])
    throw new Refused("data_offsets has to be a begin and an end behind it", offsets.begin, offsets.end);
  if (span[1] > size - start)
    throw new Refused(`“${key.value}” ends behind the end of the file`, offsets.begin, offsets.end);
  const needed = dims.reduce((product, dim) => product * dim, 1) * (BITS[dtype.value] / 8);
  if (needed !== span[1] - span[0]) {
    throw new Refused(
      `“${key.value}”: shape and dtype need ${needed} bytes, data_offsets give ${span[1] - span[0]}`,
      shape.begin,
      offsets.end,
    );
  }
  return {
    name: key.value,
    dtype: dtype.value,
    shape: dims,
    begin: start + span[0],
    end: start + span[1],
    key,
    node,
    field,
  };
}

function naturals(node, name) {
  const whole = (item) => item.kind === "number" && item.isWhole && Number.isSafeInteger(item.value);
  if (node.kind !== "array" || !node.value.every(whole))
    throw new Refused(`${name} has to be a list of whole numbers from 0`, node.begin, node.end);
  return node.value.map((item) => item.value);
}

/** Every byte of the data belongs to one tensor: no holes, no overlaps, nothing left over. */
function checkCovered(tensors, start, size) {
  let at = start;
  for (const { name, begin, end } of [...tensors].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin < at) throw new Refused(`“${name}” overlaps the tensor before it`, begin, at);
    if (begin > at) throw new Refused("these bytes belong to no tensor", at, begin);
    at = end;
  }
  if (at < size) throw new Refused("these bytes belong to no tensor", at, size);
}

/** The number at one place of a tensor, and the bytes [begin, end) that hold it. */
export function element(bytes, tensor, index) {
  const size = BITS[tensor.dtype] / 8;
  const begin = tensor.begin + index * size;
  return {
    begin,
    end: begin + size,
    value: number(new DataView(bytes.buffer, bytes.byteOffset + begin, size), tensor.dtype),
  };
}

function number(view, dtype) {
  if (SMALL_FLOATS[dtype]) {
    return decode(FORMATS[SMALL_FLOATS[dtype]], view.byteLength === 2 ? view.getUint16(0, true) : view.getUint8(0))
      .value;
  }
  const read = {
    F32: "getFloat32",
    F64: "getFloat64",
    I64: "getBigInt64",
    U64: "getBigUint64",
    I32: "getInt32",
    U32: "getUint32",
    I16: "getInt16",
    U16: "getUint16",
    I8: "getInt8",
    U8: "getUint8",
    BOOL: "getUint8",
  }[dtype];
  return read ? view[read](0, true) : null;
}

/** A float32 tensor as numbers, at an address of its own so that it may start at any byte. */
export function floats(bytes, { tensors }, name) {
  const tensor = tensors.find((each) => each.name === name);
  return new Float32Array(bytes.slice(tensor.begin, tensor.end).buffer);
}
