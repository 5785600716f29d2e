// The check's ladder as a page shows it. Its words may be those of the code that was checked, so nothing of it is live:
// elements of these kinds are built anew, with their text, and everything else is left out.

const KINDS = new Set([
  "P",
  "STRONG",
  "TABLE",
  "TBODY",
  "TR",
  "TD",
  "DL",
  "DT",
  "DD",
  "UL",
  "LI",
  "DETAILS",
  "SUMMARY",
]);
const PLACE = /^[a-z0-9_/-]+(#[a-z0-9_-]+)?$/;

/** `html` as elements. Where it links to the section to read again, the link leads to `link`. */
export function ladder(html, link) {
  const found = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  const made = document.createElement("div");
  made.className = "ladder";
  if (found) copy(found, made, link);
  made.querySelector("table")?.setAttribute("aria-label", "rungs of the ladder");
  for (const row of made.querySelectorAll("tr")) row.dataset.mark = row.cells[0]?.textContent ?? "";
  return made;
}

/** The page of the section that a finding points to, seen from `root`; empty where it points to none. */
export function address(read, root) {
  if (!PLACE.test(read)) return "";
  const [page, section] = read.split("#");
  return `${root}notebooks/${page}.html${section ? `#${section}` : ""}`;
}

function copy(from, to, link) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
    else if (node.nodeType !== Node.ELEMENT_NODE) continue;
    else if (KINDS.has(node.tagName)) to.append(copied(node, document.createElement(node.tagName), link));
    else if (node.tagName === "A" && link) to.append(copied(node, linked(link), link));
    else if (node.tagName === "A") copy(node, to, link);
  }
}

function copied(from, to, link) {
  copy(from, to, link);
  return to;
}

function linked(link) {
  const made = document.createElement("a");
  made.href = link;
  return made;
}
