// In which order the search shows what it found: titles and headings that hold the words as they were typed, then
// notebooks and the glossary, then labs and guides. Sphinx's own order puts every page with a matching heading first.
const FIRST = { "notebooks/": 8, "alive/": 6, "docs/glossary": 6, "exercises/": -8 };

var Scorer = {
  score: ([page, , , , score, , kind]) => {
    const place = Object.keys(FIRST).find((start) => page.startsWith(start));
    return score + (kind === "title" ? 30 : 0) + (FIRST[place] ?? 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
