// What ESLint holds the scripts of the pages to. Prettier decides how they look: its settings are in package.json.
import js from "@eslint/js";
import globals from "globals";

const pages = { globals: { ...globals.browser } };
const shared = ["kept", "memory", "page", "root"]; // plain scripts of the theme see each other's names

export default [
  js.configs.recommended,
  {
    files: ["_static/alive/**/*.js", "theme/course/static/open-graph.js"],
    languageOptions: { ...pages, sourceType: "module" },
  },
  {
    files: ["theme/course/static/*.js"],
    ignores: ["theme/course/static/open-graph.js"],
    languageOptions: {
      sourceType: "script",
      globals: { ...globals.browser, ...Object.fromEntries(shared.map((name) => [name, "readonly"])) },
    },
    rules: { "no-redeclare": "off", "no-unused-vars": ["error", { vars: "local" }] },
  },
];
