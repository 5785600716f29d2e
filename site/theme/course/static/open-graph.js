// <open-graph data-model="models/x.onnx" data-name="x">x: 3 nodes</open-graph>: a button that opens the model in Netron, in the page.
const statics = new URL(".", import.meta.url);

class OpenGraph extends HTMLElement {
  connectedCallback() {
    if (this.querySelector("button")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.textContent = "Open the graph";
    button.setAttribute("aria-label", `Open the graph ${this.dataset.name}`);
    button.addEventListener("click", () => this.toggle(button));
    this.prepend(button, " ");
  }

  toggle(button) {
    const shown = this.querySelector("iframe");
    if (shown) shown.remove();
    else this.append(this.frame());
    button.setAttribute("aria-expanded", String(!shown));
    button.textContent = shown ? "Open the graph" : "Close the graph";
    button.setAttribute("aria-label", `${shown ? "Open" : "Close"} the graph ${this.dataset.name}`);
  }

  frame() {
    const frame = document.createElement("iframe");
    frame.title = `The graph ${this.dataset.name} in Netron`;
    // Netron reads the address as relative to its own folder.
    frame.src = new URL(`netron/index.html?url=../${this.dataset.model}`, statics).href;
    return frame;
  }
}

customElements.define("open-graph", OpenGraph);
