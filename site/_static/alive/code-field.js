// A field for code. Tab indents; Escape, then Tab, leaves the field, so that nobody who has a keyboard alone is caught in it.

import { h } from "./base.js";

const INDENT = "    ";
const CURLY = { "“": '"', "”": '"', "‘": "'", "’": "'" };

export class CodeField {
  /** `label` names the field, `changed(text)` hears of what is written. */
  constructor(label, id, changed) {
    this.leaving = false;
    this.area = h("textarea", {
      id,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      autocorrect: "off",
      wrap: "off",
      "aria-describedby": `${id}-keys`,
      onkeydown: (event) => this.key(event),
      onblur: () => (this.leaving = false),
      oninput: () => {
        this.straighten();
        changed(this.area.value);
      },
    });
    const button = (words, deeper) =>
      h("button", { type: "button", class: "touch", onclick: () => this.shift(deeper) }, words);
    this.element = h(
      "div",
      { class: "field" },
      h("label", { for: id }, label),
      this.area,
      h(
        "p",
        { class: "keys", id: `${id}-keys` },
        h("small", {}, "Tab indents, Shift and Tab take back. To leave the field press Escape, then Tab."),
      ),
      h("div", { class: "row touch" }, button("Indent", true), button("Take back", false)),
    );
  }

  get value() {
    return this.area.value;
  }

  set value(text) {
    this.area.value = text;
    this.area.rows = Math.min(40, Math.max(8, text.split("\n").length + 1));
  }

  key(event) {
    if (event.key === "Escape") this.leaving = true;
    else if (event.key === "Tab" && !this.leaving && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      this.shift(!event.shiftKey);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      this.newline();
    } else if (event.key !== "Shift" && event.key !== "Tab") this.leaving = false;
  }

  /** A new line as deep as this one, and deeper behind a colon. */
  newline() {
    const before = this.area.value.slice(0, this.area.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    this.type(`\n${/^ */.exec(line)[0]}${/:\s*(#.*)?$/.test(line) ? INDENT : ""}`);
  }

  /** Indent the lines of the selection, or take an indentation back; between two letters, four spaces. */
  shift(deeper) {
    const { area } = this;
    area.focus();
    const [start, end] = [area.selectionStart, area.selectionEnd];
    if (deeper && start === end) return this.type(INDENT);
    const first = area.value.lastIndexOf("\n", start - 1) + 1;
    const lines = area.value.slice(first, end).split("\n");
    const moved = lines.map((line) => (deeper ? line && INDENT + line : line.replace(/^ {1,4}/, ""))).join("\n");
    if (moved === lines.join("\n")) return;
    area.setSelectionRange(first, end);
    this.type(moved);
    area.setSelectionRange(Math.max(first, start + (moved.length - (end - first))), first + moved.length);
    if (start !== end) area.setSelectionRange(first, first + moved.length);
  }

  /** As if it had been typed, so that the browser's own undo takes it back. */
  type(text) {
    const typed = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
    if (typed) return;
    this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
    this.area.dispatchEvent(new Event("input"));
  }

  /** A phone's keyboard writes curly quotes, which Python does not read. */
  straighten() {
    const straight = this.area.value.replace(/[“”‘’]/g, (quote) => CURLY[quote]);
    if (straight === this.area.value) return;
    const at = this.area.selectionStart;
    this.area.value = straight;
    this.area.setSelectionRange(at, at);
  }
}
