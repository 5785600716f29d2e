// Below each page that the search found stands what the page is about.
function describe(item) {
  const [address] = item.querySelector("a").getAttribute("href").split(/[?#]/);
  const text = DESCRIPTIONS[address.slice(0, -DOCUMENTATION_OPTIONS.LINK_SUFFIX.length)];
  if (!text) return;
  const line = document.createElement("p");
  line.className = "context";
  line.textContent = text;
  item.append(line);
}

new MutationObserver((changes) => {
  for (const change of changes) [...change.addedNodes].filter((node) => node.nodeName === "LI").forEach(describe);
}).observe(document.querySelector("#search-results"), { childList: true, subtree: true });
