// What every interactive part shares: building elements, loading data, and the frame with its text alternative.

export { plain, raised } from "./text.js";

const shared = new CSSStyleSheet();
shared.replaceSync(await (await fetch(new URL("base.css", import.meta.url))).text());

/** An HTML element. Properties that start with "on" are listeners, the others attributes; null and false leave an attribute out. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for an SVG element. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

export async function bytes(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} could not be loaded: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** A part of a page: what stands between its tags is its text alternative and stays readable under "In words". */
export class Alive extends HTMLElement {
  static css = ""; // rules of this part alone

  async connectedCallback() {
    if (this.shadowRoot) return;
    const root = this.attachShadow({ mode: "open" });
    const own = new CSSStyleSheet();
    own.replaceSync(this.constructor.css);
    root.adoptedStyleSheets = [shared, own];
    this.live = h("p", { class: "sr", "aria-live": "polite" });
    this.frame = h("div", { class: "part" });
    root.append(this.frame, this.live);
    try {
      await this.build();
    } catch (error) {
      this.frame.replaceChildren(h("p", { class: "failed", role: "alert" }, String(error.message ?? error)));
    }
    this.frame.append(h("details", { class: "words" }, h("summary", {}, "In words"), h("slot")));
    this.setAttribute("ready", "");
  }

  /** Call `draw(width)` now and whenever the width of `element` changes. */
  onWidth(element, draw) {
    let last = 0;
    new ResizeObserver(() => {
      const width = Math.floor(element.clientWidth);
      if (width && width !== last) draw((last = width));
    }).observe(element);
  }

  /** Tell a screen reader, once the reader has stopped changing things. */
  say(text) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => (this.live.textContent = text), 400);
  }
}
