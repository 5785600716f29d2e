// What every page does: colours, menu, search key, sections, and what the reader keeps. Nothing leaves the browser.
const root = document.documentElement;
const page = document.body.dataset.page;
// An output on a phone, in pixels: its letters as they are, the smallest that it may get, and its two paddings.
const [LETTER, SMALLEST, PADDING] = [11.2, 9, 24];

function colours() {
  const button = document.querySelector(".top .theme");
  const show = () => button.setAttribute("aria-pressed", String(root.dataset.theme === "dark"));
  button.addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    kept.set("course-theme", root.dataset.theme);
    show();
    root.dispatchEvent(new CustomEvent("course-theme", { bubbles: true }));
  });
  show();
}

function menu() {
  const button = document.querySelector(".top .menu");
  const pages = document.getElementById("pages");
  const open = (isOpen) => {
    document.body.classList.toggle("menu-open", isOpen);
    button.setAttribute("aria-expanded", String(isOpen));
  };
  button.addEventListener("click", () => {
    open(!document.body.classList.contains("menu-open"));
    if (document.body.classList.contains("menu-open"))
      (pages.querySelector("[aria-current]") ?? pages.querySelector("summary")).focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.body.classList.contains("menu-open")) {
      open(false);
      button.focus();
    }
  });
  document.getElementById("content").addEventListener("click", () => open(false));
}

// The list of pages shows the one that is open.
function listed() {
  const pages = document.getElementById("pages");
  const current = pages.querySelector("[aria-current]");
  if (!current) return;
  const [place, frame] = [current, pages].map((each) => each.getBoundingClientRect());
  pages.scrollTop += place.top - frame.top - pages.clientHeight / 2;
}

function searchKey() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable], canvas, [role=application]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      document.querySelector(".find input").focus();
    }
  });
}

function sections() {
  const links = new Map([...document.querySelectorAll(".sections a")].map((link) => [link.hash.slice(1), link]));
  const headings = [...document.querySelectorAll(".text section[id]")].filter((section) => links.has(section.id));
  if (!headings.length) return;
  let last = null;
  const mark = () => {
    let now = headings[0];
    for (const each of headings) if (each.getBoundingClientRect().top < 140) now = each;
    if (now === last) return;
    last = now;
    for (const [id, link] of links) link.classList.toggle("here", id === now.id);
  };
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  mark();
  const list = document.querySelector(".sections details");
  list.addEventListener("click", (event) => {
    if (event.target.closest("a") && !matchMedia("(min-width: 78rem)").matches) list.open = false;
  });
}

// What an address names may be folded. A page that is printed is unfolded for it.
function unfolding() {
  const show = () => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place) return;
    // The section itself may be what is folded.
    const folded = [place.querySelector(":scope > details.part"), place.closest("details:not([open])")];
    for (const each of folded) if (each) each.open = true;
    if (folded.some(Boolean)) place.scrollIntoView();
  };
  addEventListener("hashchange", show);
  show();
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("main details:not([open])")];
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => closed.forEach((each) => (each.open = false)));
}

// On a narrow screen columns that nearly fit get smaller letters. All widths are read before one is changed.
function fitting() {
  if (!matchMedia("(max-width: 40rem)").matches) return;
  const wide = [...document.querySelectorAll(".cell_output pre:not(.flows)")]
    .map((each) => [each, (each.clientWidth - PADDING) / (each.scrollWidth - PADDING)])
    .filter(([, share]) => share < 1);
  for (const [each, share] of wide) each.style.fontSize = `${Math.max(SMALLEST, share * LETTER).toFixed(2)}px`;
}

// What scrolls can be reached by keyboard, and shows that there is more to the right.
function scrollers() {
  const all = [...document.querySelectorAll(".cell_output pre, .wide, .formula, .drawn")];
  const wide = all.filter((each) => each.scrollWidth > each.clientWidth + 1);
  const high = all.filter((each) => each.scrollHeight > each.clientHeight + 1);
  for (const each of [...wide, ...high]) each.tabIndex = 0;
  for (const each of wide) {
    const mark = () => each.classList.toggle("more", each.scrollLeft + each.clientWidth < each.scrollWidth - 1);
    each.addEventListener("scroll", mark, { passive: true });
    mark();
  }
}

// Code is copied as it stands; outputs are not code.
function copying() {
  if (!navigator.clipboard) return;
  for (const code of document.querySelectorAll(".highlight > pre")) {
    if (code.closest(".cell_output")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copybtn";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent.trimEnd());
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    code.after(button);
  }
}

// Who comes from the search finds the words marked, in the section itself and not in those inside it.
function marked() {
  const words = new URLSearchParams(location.search).get("marked")?.split(",").filter(Boolean);
  const section = document.getElementById(location.hash.slice(1)) ?? document.querySelector(".text section");
  if (!words?.length || !section) return;
  const escaped = words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, "\\$&"));
  const any = new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  const isOwn = (node) =>
    node.parentElement.closest("section") === section && !node.parentElement.closest("script, style, svg, .copybtn");
  const walker = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode())
    if (isOwn(walker.currentNode) && walker.currentNode.data.search(any) >= 0) texts.push(walker.currentNode);
  for (const text of texts) {
    const parts = text.data.split(any).map((part, place) => {
      const piece = place % 2 ? document.createElement("mark") : document.createTextNode("");
      piece.textContent = part;
      return piece;
    });
    text.replaceWith(...parts);
  }
}

// How many pages of each list on the front page were read.
function counts(read) {
  for (const list of document.querySelectorAll(".paths section")) {
    const pages = [...list.querySelectorAll("li[data-page]")];
    const done = pages.filter((item) => read.has(item.dataset.page)).length;
    if (!done) continue;
    const said = document.createElement("span");
    said.className = "count";
    said.textContent = `${done} of ${pages.length} read`;
    list.querySelector("h2").append(" ", said);
  }
}

// Readers who come back go on at the page that they opened last, or at the next one that they have not read.
function goOn(read) {
  const button = document.querySelector(".hero .button.main");
  const order = [...document.querySelectorAll("#pages li")].filter(({ dataset }) =>
    /^(notebooks|labs)\//.test(dataset.page),
  );
  const last = order.findIndex((item) => item.dataset.page === kept.get("course-last"));
  const next = last < 0 ? null : order.slice(last).find((item) => !read.has(item.dataset.page));
  if (!button || !next) return;
  const link = next.querySelector("a");
  button.href = link.href;
  button.textContent = `Go on: ${link.textContent}`;
}

function progress() {
  const read = new Set(kept.get("course-read", []));
  for (const item of document.querySelectorAll("[data-page]"))
    item.classList.toggle("read", read.has(item.dataset.page));
  counts(read);
  goOn(read);
  const box = document.querySelector(".done");
  if (!box) return;
  kept.set("course-last", page);
  const button = box.querySelector("button");
  const show = () => {
    button.setAttribute("aria-pressed", String(read.has(page)));
    button.textContent = read.has(page) ? "Read ✓" : "Mark as read";
  };
  button.addEventListener("click", () => {
    read.has(page) ? read.delete(page) : read.add(page);
    kept.set("course-read", [...read]);
    for (const item of document.querySelectorAll(`li[data-page="${page}"]`))
      item.classList.toggle("read", read.has(page));
    show();
  });
  show();
  box.hidden = false;
}

// What measures the page waits until it is drawn. Each is a task of its own, so that a tap in between is answered.
function later([work, ...rest]) {
  if (!work) root.dataset.settled = "";
  else
    requestAnimationFrame(() =>
      setTimeout(() => {
        work();
        later(rest);
      }),
    );
}

colours();
menu();
searchKey();
progress();
unfolding();
later([listed, marked, sections, fitting, scrollers, copying]);
