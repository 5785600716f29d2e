// The page of the search: sections as rows, each with the words that were found, and links that mark them where they lead.
(() => {
  const SHOWN = 10;
  const WORDS_QUOTED = 36;
  // What a link names of the words to mark: enough for any question, and an address that stays readable.
  const WORDS_MARKED = 12;

  const results = document.querySelector(".results");
  const said = document.querySelector(".found");
  const more = document.querySelector(".more-results");
  const form = document.querySelector(".search-page form");
  const sectionSearch = new SectionSearch(MiniSearch.loadJSON(SEARCH_INDEX, SEARCH_OPTIONS), SEARCH_PAGES);

  // The texts of a page come as a script, which can be read from pages that were opened as files, too.
  const texts = new Map();
  const asked = new Map();
  window.SEARCH_TEXTS = (found) => {
    for (const [id, text] of Object.entries(found)) texts.set(Number(id), text);
  };
  function textsOf(page) {
    if (!asked.has(page))
      asked.set(
        page,
        new Promise((done) => {
          const script = document.createElement("script");
          script.src = new URL(`_static/search/texts/${page}.js`, document.baseURI).href;
          script.onload = script.onerror = done; // without its text a row shows no quote
          document.head.append(script);
        }),
      );
    return asked.get(page);
  }

  // The text as words and what stands between them, each word with whether it was asked for.
  function pieces(text, terms) {
    return text.split(/((?:\d+ (?=[kmgt]i?b\b))?[\p{L}\p{N}]+)/iu).map((piece, place) => {
      const isAsked = place % 2 && wordsOf(piece).some((word) => terms.has(termOf(word)));
      return [piece, isAsked];
    });
  }

  // The stretch of the text that holds most of the terms, the earliest of equal ones.
  function quote(text, terms) {
    const all = pieces(text, terms);
    const long = 2 * WORDS_QUOTED;
    let [best, start] = [-1, 0];
    for (let from = 0; from === 0 || from < all.length - long / 2; from += 12) {
      const inside = all.slice(from, from + long).filter(([, isAsked]) => isAsked);
      const distinct = new Set(inside.map(([word]) => wordsOf(word).map(termOf).join())).size;
      const score = distinct * 100 + Math.min(inside.length, 20);
      if (score > best) [best, start] = [score, from];
    }
    const line = document.createElement("p");
    line.className = "context";
    if (start) line.append("… ");
    for (const [piece, isAsked] of all.slice(start, start + long)) {
      const part = isAsked ? document.createElement("mark") : document.createTextNode("");
      part.textContent = piece;
      line.append(part);
    }
    if (start + long < all.length) line.append(" …");
    line.normalize();
    return line;
  }

  // The words of the section that fit the question, as they are written there.
  function written(text, terms) {
    const found = pieces(text, terms).filter(([, isAsked]) => isAsked);
    return [...new Set(found.map(([word]) => word.toLowerCase()))].slice(0, WORDS_MARKED);
  }

  function row({ id, page, anchor, heading, terms }) {
    const [address, title] = SEARCH_PAGES[page];
    const text = texts.get(id) ?? "";
    const item = document.createElement("li");
    const link = document.createElement("a");
    const to = new URL(address, document.baseURI);
    const words = written(`${heading} ${text}`, new Set(terms));
    if (words.length) to.searchParams.set("marked", words.join());
    to.hash = anchor;
    link.href = to.href;
    link.textContent = heading;
    item.append(link);
    if (anchor) {
      const where = document.createElement("span");
      where.className = "where";
      where.textContent = title;
      item.append(" ", where);
    }
    if (text) item.append(quote(text, new Set(terms)));
    return item;
  }

  let latest = 0;
  async function show(question) {
    const turn = ++latest;
    const found = sectionSearch.rank(question);
    await Promise.all(found.slice(0, SHOWN).map(({ page }) => textsOf(page)));
    if (turn !== latest) return; // another question came meanwhile
    results.replaceChildren(...found.slice(0, SHOWN).map(row));
    more.hidden = found.length <= SHOWN;
    more.onclick = async () => {
      const next = found.slice(results.children.length, results.children.length + SHOWN);
      await Promise.all(next.map(({ page }) => textsOf(page)));
      const rows = next.map(row);
      results.append(...rows);
      rows[0].querySelector("a").focus();
      more.hidden = results.children.length >= found.length;
    };
    said.textContent = !question.trim()
      ? ""
      : found.length
        ? `${found.length} section${found.length > 1 ? "s" : ""}, the best first.`
        : "No section holds one of these words. Try others, or look through the pages on the front page.";
  }

  const field = form.elements.q;
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", () => show(field.value));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `?${new URLSearchParams({ q: field.value })}`);
    show(field.value);
  });
  show(field.value);
})();
