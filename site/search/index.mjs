// Make the index of the search: node index.mjs STATIC < documents.json. It runs the scripts that pages load.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ranking } from "./ranking.mjs";

const folder = process.argv[2];
const { pages, sections } = JSON.parse(readFileSync(0, "utf-8"));
const { MiniSearch, SEARCH_OPTIONS, searched } = ranking(folder);

const index = new MiniSearch(SEARCH_OPTIONS);
index.addAll(
  sections.map((section, id) => ({
    id,
    page: section.page,
    anchor: section.anchor,
    heading: section.heading,
    ...searched(pages[section.page][1], section),
  })),
);

const quoted = (value) => `'${JSON.stringify(value).replace(/[\\']/g, "\\$&")}'`;
const out = join(folder, "search");
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "texts"), { recursive: true });
writeFileSync(
  join(out, "index.js"),
  `const SEARCH_PAGES = JSON.parse(${quoted(pages)});\nconst SEARCH_INDEX = ${quoted(index)};\n`,
);
// What is quoted, a file for each page: the search page reads those of the pages that it shows.
for (const page of pages.keys()) {
  const texts = Object.fromEntries(
    sections.flatMap((each, id) => (each.page === page ? [[id, each.text || each.code]] : [])),
  );
  writeFileSync(join(out, "texts", `${page}.js`), `SEARCH_TEXTS(JSON.parse(${quoted(texts)}));\n`);
}
