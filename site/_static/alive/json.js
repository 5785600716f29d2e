// A strict JSON reader that remembers where each value stands, which JSON.parse does not, and refuses a key that stands twice.

export class Refused extends Error {
  /** `begin` and `end` are the bytes that are at fault. */
  constructor(message, begin, end = begin + 1) {
    super(message);
    [this.begin, this.end] = [begin, end];
  }
}

const DEEPEST = 64;

/**
 * Read one value from bytes[begin:end]. A value is {kind, value, begin, end}; of an object `value` is a list of
 * {key: value, value: value}, of an array a list of values.
 */
export function readJson(bytes, begin, end) {
  const reader = { bytes, at: begin, end };
  const value = readValue(reader, 0);
  skipSpace(reader);
  if (reader.at < end) throw new Refused("text stands behind the closing brace of the header", reader.at, end);
  return value;
}

const character = (reader) => (reader.at < reader.end ? String.fromCharCode(reader.bytes[reader.at]) : "");

function skipSpace(reader) {
  while (reader.at < reader.end && [0x20, 0x09, 0x0a, 0x0d].includes(reader.bytes[reader.at])) reader.at += 1;
}

function expect(reader, wanted) {
  skipSpace(reader);
  if (character(reader) !== wanted)
    throw new Refused(`the header is not valid JSON: “${wanted}” is missing here`, reader.at);
  reader.at += 1;
}

function readValue(reader, depth) {
  if (depth > DEEPEST) throw new Refused(`the header nests more than ${DEEPEST} levels deep`, reader.at);
  skipSpace(reader);
  const first = character(reader);
  if (first === "{") return readObject(reader, depth);
  if (first === "[") return readArray(reader, depth);
  if (first === '"') return readString(reader);
  return readWord(reader);
}

function readObject(reader, depth) {
  const begin = reader.at;
  const seen = new Set();
  const value = readList(reader, "}", () => {
    skipSpace(reader);
    if (character(reader) !== '"')
      throw new Refused("the header is not valid JSON: a key in quotes is missing here", reader.at);
    const key = readString(reader);
    if (seen.has(key.value)) throw new Refused(`the key “${key.value}” stands twice`, key.begin, key.end);
    seen.add(key.value);
    expect(reader, ":");
    return { key, value: readValue(reader, depth + 1) };
  });
  return { kind: "object", value, begin, end: reader.at };
}

function readArray(reader, depth) {
  const begin = reader.at;
  const value = readList(reader, "]", () => readValue(reader, depth + 1));
  return { kind: "array", value, begin, end: reader.at };
}

function readList(reader, closing, readItem) {
  const items = [];
  reader.at += 1;
  skipSpace(reader);
  if (character(reader) === closing) {
    reader.at += 1;
    return items;
  }
  for (;;) {
    items.push(readItem());
    skipSpace(reader);
    if (character(reader) === closing) break;
    expect(reader, ",");
  }
  reader.at += 1;
  return items;
}

function readString(reader) {
  const begin = reader.at;
  reader.at += 1;
  while (character(reader) !== '"') {
    if (reader.at >= reader.end)
      throw new Refused("the header is not valid JSON: a text has no closing quote", begin, reader.end);
    reader.at += character(reader) === "\\" ? 2 : 1;
  }
  reader.at += 1;
  const value = parsed(reader, begin);
  // JSON.parse lets half of a surrogate pair through; a strict reader, such as that of safetensors, does not.
  if (!value.isWellFormed()) throw new Refused("the header is not valid JSON: half of a character", begin, reader.at);
  return { kind: "string", value, begin, end: reader.at };
}

function readWord(reader) {
  const begin = reader.at;
  while (/[-+.0-9A-Za-z]/.test(character(reader))) reader.at += 1;
  if (reader.at === begin) throw new Refused("the header is not valid JSON: a value is missing here", begin);
  const value = parsed(reader, begin);
  // A whole number may be spelled 2.0 or 2e0, which is the same to JSON.parse and not to every reader.
  const isWhole = /^(0|[1-9][0-9]*)$/.test(String.fromCharCode(...reader.bytes.subarray(begin, reader.at)));
  return { kind: value === null ? "null" : typeof value, value, isWhole, begin, end: reader.at };
}

/** What the text from `begin` to here says, by the browser's own strict parser. */
function parsed(reader, begin) {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return JSON.parse(text.decode(reader.bytes.subarray(begin, Math.min(reader.at, reader.end))));
  } catch {
    throw new Refused("the header is not valid JSON here", begin, reader.at);
  }
}
