// The search: how a text becomes terms, and how sections are ranked. The same code makes the index when the site is
// built (site/search/index.mjs) and asks it in the page. A plain script, so that it runs in pages opened as files, too.

// Words that say nothing about a section. `if`, `while` and `not` are subjects here.
const STOP_WORDS = new Set(
  (
    "a about am an and any are as at be been but by can could did do does for from get got had has have he her him his " +
    "how i in into is it its just me my of on or our out she should so some than that the their them then there these " +
    "they this those to too up us very was we were what when where which who whom why will with would you your"
  ).split(" "),
);
// Of a section's words, those of its heading count most, then those of its page's title: see `searched`.
const COUNTED = { words: 1, code: 0.3 };
const BM25 = { k: 2, b: 0.7, d: 0 };
// At most this many rows of one page: the others would say the same.
const ROWS_OF_A_PAGE = 2;

const stemmer = new EnglishStemmer();

// Every run of letters and digits is a word. A number and its unit are one: "2 GB" is written "2GB", too.
const wordsOf = (text) =>
  text
    .toLowerCase()
    .replace(/(\d) (?=[kmgt]i?b\b)/g, "$1")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

const termOf = (word) => (STOP_WORDS.has(word) ? null : stemmer.stemWord(word));

const SEARCH_OPTIONS = {
  fields: Object.keys(COUNTED),
  storeFields: ["page", "anchor", "heading"],
  tokenize: wordsOf,
  processTerm: termOf,
};

// What the index holds of a section of the page with this title; `path` are the headings around it.
const searched = (title, { heading, path, text, code }) => ({
  words: [...Array(4).fill(heading), title, title, ...path, text].join(" "),
  code,
});

class SectionSearch {
  // `index` is MiniSearch's, over sections; `pages` is [address, title, weight] by number.
  constructor(index, pages) {
    [this.index, this.pages] = [index, pages];
  }

  // The sections that hold any of the words, the best first: {id, page, anchor, heading, queryTerms}.
  rank(question) {
    const options = {
      boost: COUNTED,
      bm25: BM25,
      boostDocument: (id, term, stored) => this.pages[stored.page][2],
    };
    const exact = this.index.search(question, options);
    const known = new Set(exact.flatMap((each) => each.queryTerms));
    const unknown = (term) => !known.has(term);
    const missed = wordsOf(question)
      .map(termOf)
      .some((term) => term && unknown(term));
    // A word that stands nowhere may be misspelt, or not be finished yet.
    const found = missed
      ? this.index.search(question, {
          ...options,
          prefix: unknown,
          fuzzy: (term) => unknown(term) && term.length > 4 && 0.25,
        })
      : exact;
    // MiniSearch multiplies a sum by its number of words. The sum of BM25 alone puts more right sections first.
    const sum = ({ score, queryTerms }) => score / queryTerms.length;
    const rows = new Map();
    return found
      .sort((one, other) => sum(other) - sum(one))
      .filter(({ page }) => {
        rows.set(page, (rows.get(page) ?? 0) + 1);
        return rows.get(page) <= ROWS_OF_A_PAGE;
      });
  }
}
