// <byte-view data-src="…" data-format="safetensors | onnx" data-schema="…json">: a file as bytes that light up by field.

import { Alive, bytes, h } from "./base.js";
import { Refused } from "./json.js";
import { outlineOfOnnx, outlineOfSafeTensors, pathTo } from "./outline.js";

const MOST_BYTES = 1024;
const MOST_ENTRIES = 160;
const KINDS = { names: "text", numbers: "numbers", weights: "weights", framing: "framing" };

const hex = (byte) => byte.toString(16).padStart(2, "0");
const letter = (byte) => (byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·");

class ByteView extends Alive {
  async build() {
    this.original = await bytes(this.dataset.src);
    this.fileFormat = this.dataset.format;
    this.schema = this.dataset.schema ? JSON.parse(new TextDecoder().decode(await bytes(this.dataset.schema))) : null;
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.grid = h("div", {
      class: "grid mono",
      role: "grid",
      "aria-label": "Bytes in hexadecimal. Arrow keys move, two hexadecimal digits replace a byte.",
      onkeydown: (event) => this.key(event),
      onpointermove: (event) => this.point(event),
      onclick: (event) => this.point(event),
      onfocusin: (event) => this.point(event),
    });
    this.list = h("ol", { class: "outline", "aria-label": "Fields of the file" });
    this.said = h("div", { class: "said" });
    const legend = Object.entries(KINDS).map(([kind, text]) => h("span", { class: `swatch ${kind}` }, text));
    this.frame.append(
      h("div", { class: "row legend" }, legend),
      h("div", { class: "split" }, h("div", {}, this.grid), h("div", { class: "side" }, this.said, this.list)),
      this.verdict,
      h(
        "div",
        { class: "row" },
        this.breakages(),
        h("button", { type: "button", onclick: () => this.take(this.original) }, "Reset"),
      ),
      h(
        "div",
        { class: "row" },
        h("label", { for: "own" }, "Open a file of yours"),
        h("input", { type: "file", id: "own", accept: ".onnx,.safetensors", onchange: (event) => this.open(event) }),
      ),
    );
    this.fold(16);
    this.take(this.original);
    this.onWidth(this.frame, (width) => this.fold(width < 820 ? 8 : 16));
  }

  breakages() {
    const change = (text, edit) => h("button", { type: "button", onclick: () => this.take(edit(this.original)) }, text);
    const first = (data) =>
      data.with(
        this.fileFormat === "onnx" ? this.lengthOfGraph(data) : 0,
        data[this.fileFormat === "onnx" ? this.lengthOfGraph(data) : 0] + 1,
      );
    return [
      change("Break it: a length, one too large", first),
      change("Break it: the last byte is missing", (data) => data.slice(0, -1)),
    ];
  }

  lengthOfGraph(data) {
    return outlineOfOnnx(data, this.schema).find((each) => each.name === "graph").begin + 1;
  }

  async open(event) {
    const [file] = event.target.files;
    if (!file) return;
    this.fileFormat = file.name.endsWith(".onnx") ? "onnx" : "safetensors";
    this.schema ??= JSON.parse(
      new TextDecoder().decode(await bytes(new URL("../data/onnx-schema.json", import.meta.url))),
    );
    this.original = new Uint8Array(await file.arrayBuffer());
    this.take(this.original);
  }

  take(data) {
    this.data = data;
    this.typed = "";
    try {
      this.entries = this.fileFormat === "onnx" ? outlineOfOnnx(data, this.schema) : outlineOfSafeTensors(data);
      this.fault = null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      [this.entries, this.fault] = [[], error];
    }
    this.show();
  }

  fold(columns) {
    if (columns === this.columns) return;
    this.columns = columns;
    this.grid.style.setProperty("--columns", columns);
    if (this.entries) this.show();
  }

  show() {
    this.kinds = kindsOf(this.entries, this.data.length);
    this.cells = Array.from(this.data.subarray(0, MOST_BYTES), (byte, at) => this.cell(byte, at));
    const rows = [];
    for (let at = 0; at < this.cells.length; at += this.columns) rows.push(this.row(at));
    const rest = this.data.length - this.cells.length;
    this.grid.replaceChildren(
      ...rows,
      rest > 0
        ? h("div", { class: "muted", role: "row" }, h("span", { role: "gridcell" }, `… ${rest} more bytes`))
        : "",
    );
    this.rows = flat(this.entries).slice(0, MOST_ENTRIES);
    this.list.replaceChildren(...this.rows.map((each) => this.line(each)));
    this.verdict.className = this.fault ? "verdict failed" : "verdict";
    const none = `This file is empty. ${this.fault ? "The reader refuses it." : "As protobuf that is a message without fields, so the reader accepts it, but it holds no model."}`;
    this.verdict.textContent = !this.data.length
      ? none
      : this.fault
        ? `The reader refuses this file: ${this.fault.message}. Bytes ${this.fault.begin} to ${this.fault.end}.`
        : `The reader accepts this file. Each of its ${this.data.length} bytes belongs to a field.`;
    const at = this.fault ? this.fault.begin : Math.min(this.cursor ?? 0, this.data.length - 1);
    this.light(Math.max(0, Math.min(at, this.cells.length - 1)));
  }

  cell(byte, at) {
    const kind = this.fault && this.fault.begin <= at && at < this.fault.end ? "fault" : (this.kinds[at] ?? "none");
    return h("span", { role: "gridcell", class: `byte ${kind}`, "data-at": at, tabindex: -1 }, hex(byte));
  }

  row(begin) {
    const cells = this.cells.slice(begin, begin + this.columns);
    const text = [...this.data.subarray(begin, begin + cells.length)].map(letter).join("");
    const head = h("span", { role: "rowheader", class: "offset" }, String(begin).padStart(4, " "));
    return h(
      "div",
      { role: "row", class: "line" },
      head,
      h("span", { class: "cells", role: "none" }, cells),
      h("span", { class: "ascii", "aria-hidden": "true" }, text),
    );
  }

  line(each) {
    const label = [
      h("span", { class: `dot ${each.kind}` }),
      h("span", { class: "name" }, each.name),
      h("span", { class: "muted text" }, each.text),
    ];
    const look = () => this.light(each.content < each.end ? each.content : each.begin, each);
    return h(
      "li",
      { style: `--depth: ${each.depth}` },
      h(
        "button",
        { type: "button", onclick: look, onfocus: look, onpointermove: (event) => moved(event) && look() },
        label,
      ),
    );
  }

  point(event) {
    const at = event.type !== "pointermove" || moved(event) ? event.target.dataset?.at : undefined;
    if (at !== undefined) this.light(Number(at));
    if (at !== undefined && event.type === "click") this.cells[at].focus();
  }

  /** Light up the innermost field that holds a byte, or the one that is given. */
  light(at, wanted) {
    this.cells[this.cursor]?.setAttribute("tabindex", -1);
    this.cursor = at;
    this.cells[at]?.setAttribute("tabindex", 0);
    const path = pathTo(this.entries, at);
    const chosen = wanted ?? path.at(-1);
    const names = (wanted ? path.slice(0, path.indexOf(wanted) + 1) : path).map((each) => each.name);
    this.cells.forEach((cell, i) => {
      cell.classList.toggle("lit", Boolean(chosen) && chosen.begin <= i && i < chosen.end);
      cell.classList.toggle("key", Boolean(chosen) && chosen.begin <= i && i < chosen.content);
    });
    [...this.list.children].forEach((line, i) => line.classList.toggle("lit", this.rows[i] === chosen));
    this.describe(at, chosen, names);
  }

  describe(at, chosen, names) {
    const alone = this.data.length ? `byte ${at}: ${hex(this.data[at])}` : "There is no byte to look at.";
    if (!chosen) return this.said.replaceChildren(h("p", { class: "muted" }, alone));
    const keys = chosen.content - chosen.begin;
    const what = chosen.wire === 2 ? "Key and length" : "The key";
    const field = `field ${chosen.number}, wire type ${chosen.wire}`;
    const framing = keys > 0 ? `${what}: ${keys} of them; ${field}. ` : "";
    const bytesText = `Bytes ${chosen.begin} to ${chosen.end}, ${chosen.end - chosen.begin} in all. ${framing}`;
    this.said.replaceChildren(
      h("p", { class: "path" }, names.join(" › ")),
      h("p", { class: "value" }, chosen.text),
      h("p", { class: "muted" }, bytesText),
    );
    this.say(`${names.join(", ")}: ${chosen.text}. ${bytesText}`);
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns }[event.key];
    const to =
      { Home: 0, End: this.cells.length - 1 }[event.key] ?? (step === undefined ? undefined : this.cursor + step);
    if (to !== undefined) {
      event.preventDefault();
      this.typed = "";
      this.light(Math.max(0, Math.min(this.cells.length - 1, to)));
      this.cells[this.cursor].focus();
    } else if (/^[0-9a-f]$/i.test(event.key) && !event.ctrlKey && !event.metaKey) this.digit(event.key);
  }

  /** The second digit replaces the byte under the cursor. */
  digit(character) {
    this.typed += character;
    if (this.typed.length < 2) return;
    const at = this.cursor;
    this.take(this.data.with(at, parseInt(this.typed, 16)));
    this.light(Math.min(at + 1, this.cells.length - 1));
    this.cells[this.cursor].focus();
    if (this.fault) this.say(this.verdict.textContent);
  }
}

/** A page that scrolls under a resting pointer changes nothing. */
const moved = (event) => event.movementX !== 0 || event.movementY !== 0;

function flat(entries, depth = 0) {
  return entries.flatMap((each) => [Object.assign(each, { depth }), ...flat(each.children, depth + 1)]);
}

/** The kind of each byte: that of the innermost field's content; keys and lengths are framing. */
function kindsOf(entries, size, kinds = new Array(Math.min(size, MOST_BYTES))) {
  for (const { begin, content, end, kind, children } of entries) {
    for (let at = begin; at < Math.min(end, kinds.length); at += 1) kinds[at] = at < content ? "framing" : kind;
    kindsOf(children, size, kinds);
  }
  return kinds;
}

ByteView.css = `
.split { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 1.5rem; }
.grid { line-height: 1.7; user-select: none; }
.line { display: flex; gap: 0.9ch; white-space: pre; }
.offset, .ascii { color: var(--muted); }
.cells { display: flex; min-width: calc(var(--columns) * 2.6ch); }
.byte { padding: 0 0.3ch; border-radius: 2px; cursor: pointer; color: color-mix(in srgb, var(--tone) 70%, var(--fg)); }
.names { --tone: var(--third); }
.numbers { --tone: var(--accent); }
.weights { --tone: var(--good); }
.framing, .none { --tone: var(--muted); }
.byte.lit { background: color-mix(in srgb, var(--tone) 26%, var(--bg)); border-radius: 0; color: var(--fg); }
.byte.key { text-decoration: underline; text-underline-offset: 3px; }
.byte.fault { background: color-mix(in srgb, var(--bad) 26%, var(--bg)); color: var(--fg); border-radius: 0; }
.byte:focus-visible { outline-offset: 0; }
.side { display: flex; flex-direction: column; gap: 0.75rem; min-width: 0; }
.said { min-height: 6.5rem; border-left: 3px solid var(--line); padding-left: 0.75rem; }
.said .path { font-weight: 600; } .said .value { overflow-wrap: anywhere; }
.outline { list-style: none; margin: 0; padding: 0; max-height: 24rem; overflow: auto; }
.outline button { border: 0; background: none; width: 100%; text-align: left; display: flex; gap: 0.5rem; align-items: baseline; min-height: 1.7rem;
  padding: 0.1rem 0.3rem 0.1rem calc(0.3rem + var(--depth) * 0.9rem); border-radius: 4px; }
.outline .text { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
.outline .name { flex: none; }
.outline li.lit button { background: var(--tint); }
.dot { width: 0.6rem; height: 0.6rem; border-radius: 2px; background: var(--tone); flex: none; }
.swatch::before {
  content: ""; display: inline-block; width: 0.6rem; height: 0.6rem; border-radius: 2px; background: var(--tone);
  margin-right: 0.4rem;
}
.legend { color: var(--muted); font-size: 0.85rem; }
input[type="file"] { max-width: 100%; font: inherit; font-size: 0.85rem; }
@container (max-width: 560px) { .split { grid-template-columns: minmax(0, 1fr); } .outline { max-height: 14rem; } }
`;

customElements.define("byte-view", ByteView);
