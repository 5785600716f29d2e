// The scripts of the search page, in Node: `node ranking.mjs STATIC < questions.json` writes the sections that the built
// search finds for each question.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

const SCRIPTS = ["vendor/minisearch/index.js", "stemmer/base-stemmer.js", "stemmer/english-stemmer.js", "searching.js"];

// What the plain scripts in the folder `_static` declare.
export function ranking(folder, more = [], names = []) {
  const context = vm.createContext({ console });
  for (const name of [...SCRIPTS, ...more]) vm.runInContext(readFileSync(join(folder, name), "utf-8"), context, name);
  return vm.runInContext(
    `({${["MiniSearch", "SEARCH_OPTIONS", "SectionSearch", "searched", ...names].join()}})`,
    context,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const made = ranking(process.argv[2], ["search/index.js"], ["SEARCH_INDEX", "SEARCH_PAGES"]);
  const index = made.MiniSearch.loadJSON(made.SEARCH_INDEX, made.SEARCH_OPTIONS);
  const search = new made.SectionSearch(index, made.SEARCH_PAGES);
  const address = ({ page, anchor }) => made.SEARCH_PAGES[page][0] + (anchor && `#${anchor}`);
  const found = JSON.parse(readFileSync(0, "utf-8")).map((question) => search.rank(question).slice(0, 20).map(address));
  process.stdout.write(JSON.stringify(found));
}
