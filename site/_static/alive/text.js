// Numbers as a reader wants them. No page is needed here.

const SUPERSCRIPT = { "-": "⁻", ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((digit, i) => [i, digit])) };

/** A whole number as an exponent. */
export const raised = (number) => [...String(number)].map((digit) => SUPERSCRIPT[digit]).join("");

/** A number as a reader wants it: `digits` significant ones, a real minus, no long row of zeros. */
export function plain(value, digits = 4) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Object.is(value, -0)) return "−0";
  const [number, power] = String(Number(value.toPrecision(digits))).split("e");
  return number.replace("-", "−") + (power ? ` · 10${raised(Number(power))}` : "");
}
