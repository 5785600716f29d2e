// Plain scripts, not modules: they run in pages that are opened as files, too.
// The reader's own notes, in this browser alone. Where storage is refused, they last as long as the page.
const memory = new Map();

const kept = {
  get(name, otherwise = null) {
    try {
      const text = localStorage.getItem(name);
      return text === null ? (memory.get(name) ?? otherwise) : JSON.parse(text);
    } catch {
      return memory.get(name) ?? otherwise;
    }
  },
  set(name, value) {
    memory.set(name, value);
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      /* kept in memory */
    }
  },
};
