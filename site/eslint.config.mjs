// What ESLint holds the scripts of the pages to. Prettier decides how they look: its settings are in package.json.
import js from "@eslint/js";
import globals from "globals";

const pages = { globals: { ...globals.browser } };
// Plain scripts of the theme see each other's names, and those of scripts that the build writes.
const shared = ["kept", "memory", "page", "root"];
const searching = [
  "MiniSearch",
  "EnglishStemmer",
  "SEARCH_OPTIONS",
  "SEARCH_INDEX",
  "SEARCH_PAGES",
  "SectionSearch",
  "wordsOf",
  "termOf",
];

export default [
  js.configs.recommended,
  {
    files: ["_static/alive/**/*.js", "theme/course/static/open-graph.js"],
    languageOptions: { ...pages, sourceType: "module" },
  },
  { files: ["search/*.mjs"], languageOptions: { globals: globals.node, sourceType: "module" } },
  {
    files: ["theme/course/static/*.js"],
    ignores: ["theme/course/static/open-graph.js"],
    languageOptions: {
      sourceType: "script",
      globals: {
        ...globals.browser,
        ...Object.fromEntries([...shared, ...searching].map((name) => [name, "readonly"])),
      },
    },
    rules: { "no-redeclare": "off", "no-unused-vars": ["error", { vars: "local" }] },
  },
];
