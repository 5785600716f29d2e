// The tokenizer of an uncased BERT: words to the numbers of the pieces that the vocabulary knows. No page is needed here.

const LONGEST_WORD = 100;
const IS_PUNCTUATION = /[!-/:-@[-`{-~]|\p{P}/u;
const IS_CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]/u;
const IS_IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2ebef}\u{2f800}-\u{2fa1f}]/u;

/** A tokenizer for a vocabulary, one piece a line. It gives at most `most` numbers, with [CLS] and [SEP]. */
export function tokenizer(vocabulary, most) {
  const numbers = new Map(vocabulary.split("\n").map((piece, i) => [piece.replace(/\r$/, ""), i]));
  const [first, last, unknown] = ["[CLS]", "[SEP]", "[UNK]"].map((piece) => numbers.get(piece));
  return (text) => {
    const found = words(text).flatMap((word) => pieces(word, numbers) ?? [unknown]);
    return [first, ...found.slice(0, most - 2), last];
  };
}

/** Lower case, without accents, split at spaces and around punctuation. */
export function words(text) {
  const clean = [...text].map(simpler).join("");
  const plain = clean.normalize("NFD").replace(/\p{Mn}/gu, "");
  return [...plain]
    .map((character) => lower(character))
    .join("")
    .split(/\s+/u)
    .flatMap(splitAtPunctuation)
    .filter(Boolean);
}

function simpler(character) {
  if (/\s/u.test(character)) return " ";
  if (character === "\ufffd" || IS_CONTROL.test(character)) return "";
  return IS_IDEOGRAPH.test(character) ? ` ${character} ` : character;
}

const lower = (character) => character.toLowerCase();

function splitAtPunctuation(word) {
  const found = [""];
  for (const character of word) {
    if (IS_PUNCTUATION.test(character)) found.push(character, "");
    else found[found.length - 1] += character;
  }
  return found;
}

/** The longest piece that fits, again and again; null where none fits. */
function pieces(word, numbers) {
  const characters = [...word];
  if (characters.length > LONGEST_WORD) return null;
  const found = [];
  for (let begin = 0; begin < characters.length;) {
    let end = characters.length;
    const piece = () => (begin ? "##" : "") + characters.slice(begin, end).join("");
    while (end > begin && !numbers.has(piece())) end -= 1;
    if (end === begin) return null;
    found.push(numbers.get(piece()));
    begin = end;
  }
  return found;
}
