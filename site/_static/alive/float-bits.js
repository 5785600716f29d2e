// <float-bits>: a number as bits that can be flipped, in five formats, with value, spacing and formula.

import { Alive, h, plain, s } from "./base.js";
import { FORMATS, bias, bitString, decode, encode, formula, hex, landmarks, spacing, width } from "./floats.js";
import { raised } from "./text.js";

class FloatBits extends Alive {
  build() {
    this.name = this.dataset.format ?? "FP16";
    this.bits = encode(this.format, Number(this.dataset.value ?? 0.1));
    this.typed = h("input", {
      type: "text",
      inputmode: "decimal",
      id: "typed",
      size: 12,
      autocomplete: "off",
      onchange: () => this.type(),
    });
    this.board = h("div", {
      class: "board",
      role: "group",
      "aria-label": "Bits, the sign first",
      onkeydown: (event) => this.move(event),
    });
    const wrong = "That is not a number. Type digits, such as 0.1 or -3e5, or inf or nan.";
    this.refused = h("p", { class: "refused" }, wrong);
    this.refused.hidden = true;
    this.value = h("p", { class: "big" });
    this.formula = h("p", { class: "mono formula" });
    this.facts = h("dl");
    this.marks = h("div", { class: "choices" });
    this.others = h("tbody");
    this.reach = h("div");
    const heads = ["format", "nearest number", "error", "bits"].map((text) => h("th", { scope: "col" }, text));
    this.frame.append(
      this.choice(),
      h("div", { class: "row" }, h("label", { for: "typed" }, "Type a number"), this.typed, this.marks),
      this.refused,
      this.board,
      h("div", { class: "pair" }, h("div", {}, this.value, this.formula), this.facts),
      h(
        "div",
        {},
        h("h3", {}, "The same number in every format"),
        h("div", { class: "wide" }, h("table", {}, h("thead", {}, h("tr", {}, heads)), this.others)),
      ),
      h("div", {}, h("h3", {}, "How far each format reaches, in powers of two"), this.reach),
    );
    this.onWidth(this.reach, (width) => this.draw((this.width = width)));
    this.wanted = Number(this.dataset.value ?? 0.1);
    this.rebuild();
  }

  get format() {
    return FORMATS[this.name];
  }

  choice() {
    const option = (name) =>
      h(
        "label",
        {},
        h("input", {
          type: "radio",
          name: "format",
          value: name,
          checked: name === this.name,
          onchange: () => this.turn(name),
        }),
        name,
      );
    return h(
      "fieldset",
      {},
      h("legend", {}, "Format"),
      h("div", { class: "choices" }, Object.keys(FORMATS).map(option)),
    );
  }

  /** The same number in another format. */
  turn(name) {
    this.name = name;
    this.bits = encode(this.format, this.wanted);
    this.rebuild();
  }

  type() {
    const text = this.typed.value
      .trim()
      .replace("−", "-")
      .replace(",", ".")
      .replace(/^([+-]?)(inf(inity)?|∞)$/i, "$1Infinity");
    const value = text === "" ? NaN : Number(text);
    if (Number.isNaN(value) && !/^nan$/i.test(text)) return this.refuse();
    this.typed.removeAttribute("aria-invalid");
    this.refused.hidden = true;
    this.wanted = value;
    this.bits = encode(this.format, value);
    this.show();
  }

  refuse() {
    this.typed.setAttribute("aria-invalid", "true");
    this.refused.hidden = false;
    this.say(this.refused.textContent);
  }

  take(bits) {
    this.bits = bits;
    this.wanted = decode(this.format, bits).value;
    this.show();
  }

  rebuild() {
    const { exponent, fraction } = this.format;
    const part = (i) => (i === 0 ? "sign" : i <= exponent ? "exponent" : "fraction");
    const button = (i) =>
      h("button", { type: "button", class: `bit ${part(i)}`, tabindex: i ? -1 : 0, onclick: () => this.flip(i) });
    this.buttons = Array.from({ length: width(this.format) }, (_, i) => button(i));
    const field = (name, from, to) =>
      h(
        "div",
        { class: `field ${name}` },
        h("span", { class: "name" }, name),
        h("div", { class: "bits" }, this.buttons.slice(from, to)),
      );
    this.board.replaceChildren(
      field("sign", 0, 1),
      field("exponent", 1, 1 + exponent),
      field("fraction", 1 + exponent, 1 + exponent + fraction),
    );
    const mark = ([name, bits]) => h("button", { type: "button", onclick: () => this.take(bits) }, name);
    this.marks.replaceChildren(...Object.entries(landmarks(this.format)).map(mark));
    this.show();
  }

  flip(i) {
    const place = 2 ** (width(this.format) - 1 - i);
    this.focusBit(i);
    this.take(this.bits + (bitString(this.format, this.bits)[i] === "1" ? -place : place));
  }

  focusBit(i) {
    this.buttons.forEach((button, at) => (button.tabIndex = at === i ? 0 : -1));
    this.buttons[i].focus();
  }

  move(event) {
    const at = this.buttons.indexOf(this.shadowRoot.activeElement);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.buttons.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    this.focusBit(Math.max(0, Math.min(this.buttons.length - 1, to)));
  }

  show() {
    const found = decode(this.format, this.bits);
    [...bitString(this.format, this.bits)].forEach((bit, i) => {
      this.buttons[i].textContent = bit;
      this.buttons[i].setAttribute("aria-pressed", bit === "1");
      this.buttons[i].setAttribute("aria-label", `${this.part(i)}: ${bit}`);
    });
    if (this.shadowRoot.activeElement !== this.typed) this.typed.value = String(this.wanted);
    this.value.textContent = plain(found.value, 17);
    this.formula.textContent = formula(this.format, found);
    this.facts.replaceChildren(...this.rows(found).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
    this.others.replaceChildren(...Object.keys(FORMATS).map((name) => this.other(name)));
    if (this.width) this.draw(this.width);
    this.say(`${plain(found.value, 9)}, ${found.kind}. ${this.formula.textContent}`);
  }

  part(i) {
    const { exponent, fraction } = this.format;
    if (i === 0) return "sign bit";
    return i <= exponent ? `exponent bit ${i} of ${exponent}` : `fraction bit ${i - exponent} of ${fraction}`;
  }

  rows(found) {
    const gap = spacing(this.format, this.bits);
    return [
      ["kind", found.kind],
      ["bits", hex(this.format, this.bits)],
      ["to the next number", Number.isNaN(gap) ? "there is none" : `${plain(gap, 6)} = 2${raised(Math.log2(gap))}`],
      ["exponent", `${found.exponent} − ${bias(this.format)} = ${plain(found.exponent - bias(this.format))}`],
    ];
  }

  other(name) {
    const format = FORMATS[name];
    const bits = encode(format, this.wanted);
    const { value } = decode(format, bits);
    const error = Math.abs(value - this.wanted) / Math.abs(this.wanted);
    const off =
      value === this.wanted || Number.isNaN(this.wanted)
        ? "exact"
        : Number.isFinite(error)
          ? plain(error, 2)
          : "out of range";
    return h(
      "tr",
      { class: name === this.name ? "here" : null },
      h("th", { scope: "row" }, name),
      h("td", {}, plain(value, 9)),
      h("td", {}, off),
      h("td", { class: "mono" }, hex(format, bits)),
    );
  }

  draw(width) {
    const names = Object.keys(FORMATS);
    const [left, row, low, high] = [78, 26, -152, 130];
    const x = (power) => left + ((power - low) / (high - low)) * (width - left - 4);
    const size = Math.abs(this.wanted);
    const bar = (name, i) => {
      const [format, y] = [FORMATS[name], i * row + 6];
      const least = 1 - bias(format);
      const top = Math.log2(decode(format, landmarks(format).largest).value);
      return [
        s("text", { x: 0, y: y + 11, class: name === this.name ? "here" : null }, name),
        s("rect", {
          class: "sub",
          x: x(least - format.fraction),
          y,
          width: x(least) - x(least - format.fraction),
          height: 14,
        }),
        s("rect", { class: "normal", x: x(least), y, width: x(top) - x(least), height: 14 }),
      ];
    };
    const at = size > 0 && Number.isFinite(size) ? x(Math.max(low, Math.min(high, Math.log2(size)))) : null;
    const height = names.length * row + 22;
    const label =
      "Ranges of the formats: FP32 and BF16 reach from about 2^-126 to 2^128, FP16 from 2^-14 to 2^16, E4M3 to 448, E5M2 to 57344";
    const ticks = (width > 500 ? [-126, -14, 0, 16, 128] : [-126, 0, 128]).map((power) =>
      s("text", { x: x(power), y: height - 4, "text-anchor": power > 100 ? "end" : "middle" }, plain(power)),
    );
    this.reach.replaceChildren(
      s(
        "svg",
        { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
        names.map(bar),
        ticks,
        at && s("line", { class: "at", x1: at, x2: at, y1: 0, y2: names.length * row }),
      ),
    );
  }
}

FloatBits.css = `
.refused { margin: 0; color: var(--bad); font-size: 0.9rem; }
.board { display: flex; flex-wrap: wrap; gap: 0.6rem 1rem; }
.field .name { font-size: 0.8rem; font-weight: 600; display: block; margin-bottom: 0.2rem; color: var(--tone); }
.field.sign { --tone: var(--bad); } .field.exponent { --tone: var(--accent); } .field.fraction { --tone: var(--third); }
.bits { display: flex; flex-wrap: wrap; gap: 3px; }
.bit {
  font-family: var(--mono); width: 2rem; min-height: 2.4rem; padding: 0; border-color: var(--line);
  color: var(--muted); touch-action: manipulation;
}
.bit[aria-pressed="true"] {
  background: color-mix(in srgb, var(--tone) 16%, var(--bg)); border-color: var(--tone); color: var(--fg);
  font-weight: 700;
}
.formula { color: var(--muted); margin-top: 0.25rem; }
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem 2rem; }
@container (max-width: 620px) {
  .pair { grid-template-columns: minmax(0, 1fr); }
  .bit { width: 1.75rem; }
}
tr.here th, text.here { font-weight: 700; fill: var(--fg); color: var(--accent); }
rect.normal { fill: color-mix(in srgb, var(--accent) 55%, var(--bg)); }
rect.sub { fill: color-mix(in srgb, var(--accent) 22%, var(--bg)); }
.at { stroke: var(--bad); stroke-width: 1.5; }
input[aria-invalid] { border-color: var(--bad); }
`;

customElements.define("float-bits", FloatBits);
