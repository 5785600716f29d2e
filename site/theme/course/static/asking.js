// Predictions that are kept and compared, and recall questions that are rated.
function same(guess, found) {
  const plain = (text) =>
    text
      .toLowerCase()
      .replace(/['"`\s]/g, "")
      .replace(/,(?=[)\]])/g, "");
  const [one, other] = [plain(guess), plain(found)];
  if (one === other || (words(guess) && words(guess) === words(found))) return true;
  const numbers = [Number(one), Number(other)];
  return one !== "" && other !== "" && numbers.every(Number.isFinite) && numbers[0] === numbers[1];
}

// Several words in a row, however they are joined; nothing where there is a number.
function words(text) {
  if (/\d/.test(text)) return "";
  const found = text.toLowerCase().match(/[a-z_]+/g) ?? [];
  return found.filter((each) => each !== "and").join(" ");
}

function compared(cell, guess) {
  const output = cell.querySelector(".cell_output");
  const found = output && /^Found: (.*)$/m.exec(output.textContent);
  if (!found) return guess ? `You wrote: ${guess}. Compare it with the output below.` : "";
  if (!guess) return `Found: ${found[1]}. You wrote nothing down.`;
  const isText = found[1].split(" ").length > 4; // the reader compares a sentence better than this page
  const verdict = same(guess, found[1]) ? "Right." : isText ? "" : "Not the same. What explains the difference?";
  return `You wrote: ${guess}. Found: ${found[1]}. ${verdict}`;
}

function field(name) {
  const form = document.createElement("form");
  form.className = "prediction";
  form.innerHTML = `
    <label>Your prediction <input type="text" autocomplete="off" spellcheck="false"></label>
    <button type="submit">Compare</button>
    <output></output>`;
  const input = form.querySelector("input");
  input.value = kept.get(name, "");
  input.addEventListener("input", () => kept.set(name, input.value));
  return form;
}

// A field before what is folded. To compare is to unfold it; `judge` says what stands beside the reader's words.
function ask(folded, name, judge) {
  const form = field(name);
  const [input, answer] = [form.querySelector("input"), form.querySelector("output")];
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    folded.open = true;
  });
  folded.addEventListener("toggle", () => {
    answer.textContent = folded.open ? judge(input.value.trim()) : "";
  });
  folded.before(form);
}

function predictions() {
  for (const [number, cell] of [...document.querySelectorAll(".cell.tag_prediction")].entries()) {
    const folded = cell.querySelector("details.hide");
    if (folded) ask(folded, `course-prediction:${page}:${number}`, (guess) => compared(cell, guess));
  }
  for (const [number, folded] of [...document.querySelectorAll("p.predict + details")].entries())
    ask(folded, `course-prediction:${page}:part-${number}`, (guess) => (guess ? `You wrote: ${guess}.` : ""));
}

// A question has the same name in its notebook and on the page of all questions: its words.
function questionOf(answer) {
  return (answer.previousElementSibling?.textContent ?? "").replace(/^\d+\.\s*/, "").trim();
}

function rating(answer, number) {
  const name = `course-recall:${questionOf(answer)}`;
  const row = document.createElement("div");
  row.className = "rate";
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", `Question ${number + 1}`);
  row.innerHTML = `<span>Did you know it?</span>
    <button type="button" value="yes">Yes</button>
    <button type="button" value="no">Not yet</button>`;
  const show = () => {
    for (const each of row.querySelectorAll("button"))
      each.setAttribute("aria-pressed", String(kept.get(name) === each.value));
  };
  row.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) kept.set(name, button.value);
    show();
  });
  const fold = () => (row.hidden = !answer.open && !kept.get(name));
  answer.addEventListener("toggle", fold);
  answer.after(row);
  fold();
  show();
  return { known: () => kept.get(name) === "yes", parts: [answer.previousElementSibling, answer, row] };
}

// Above all questions: how many you knew, and a way to see the others alone.
function overview(start, questions) {
  const box = document.createElement("p");
  box.className = "known";
  box.innerHTML = `<output></output> <button type="button" aria-pressed="false">Show only the others</button>`;
  const [output, button] = box.children;
  const count = () => {
    const known = questions.filter((each) => each.known()).length;
    output.textContent = `You knew ${known} of ${questions.length}.`;
  };
  button.addEventListener("click", () => {
    const only = button.getAttribute("aria-pressed") === "false";
    button.setAttribute("aria-pressed", String(only));
    for (const { known, parts } of questions)
      for (const part of parts) part.classList.toggle("skipped", only && known());
    for (const each of start.querySelectorAll("section"))
      each.classList.toggle("skipped", !each.querySelector("details:not(.skipped)"));
  });
  start.addEventListener("click", count);
  start.querySelector("section").before(box);
  count();
}

function recall() {
  const start = document.querySelector("#check-yourself");
  if (!start) return;
  const questions = [...start.querySelectorAll("details")].map(rating);
  if (page === "recall") overview(start, questions);
}

predictions();
recall();
