// The question goes along to the search by meaning.
const asked = new URLSearchParams(location.search).get("q");
const link = document.querySelector(".by-meaning");
if (asked) link.search = new URLSearchParams({ q: asked });
