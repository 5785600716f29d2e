// Floating-point formats as bits: decode, encode, spacing, and the formula of one pattern. No page is needed here.

import { rint } from "./quantize.js";
import { raised } from "./text.js";

// `infinite` tells whether the largest exponent is kept for infinity and NaN; E4M3 keeps only its last pattern, for NaN.
export const FORMATS = {
  FP32: { exponent: 8, fraction: 23, infinite: true },
  FP16: { exponent: 5, fraction: 10, infinite: true },
  BF16: { exponent: 8, fraction: 7, infinite: true },
  "FP8 E4M3": { exponent: 4, fraction: 3, infinite: false },
  "FP8 E5M2": { exponent: 5, fraction: 2, infinite: true },
};

export const width = (format) => 1 + format.exponent + format.fraction;
export const bias = (format) => 2 ** (format.exponent - 1) - 1;
const signBit = (format) => 2 ** (format.exponent + format.fraction);

/** The pattern of positive infinity, or the one behind the largest number where there is no infinity. */
function beyond(format) {
  const top = 2 ** format.exponent - 1;
  return format.infinite ? top * 2 ** format.fraction : signBit(format) - 1;
}

/** The number that a pattern stands for, with its three fields and its kind. */
export function decode(format, bits) {
  const unit = 2 ** format.fraction;
  const sign = bits >= signBit(format) ? 1 : 0;
  const magnitude = bits - sign * signBit(format);
  const [exponent, fraction] = [Math.floor(magnitude / unit), magnitude % unit];
  const fields = { sign, exponent, fraction };
  if (magnitude >= beyond(format)) {
    const infinite = format.infinite && fraction === 0;
    return { ...fields, kind: infinite ? "infinity" : "NaN", value: infinite ? (sign ? -Infinity : Infinity) : NaN };
  }
  const size =
    exponent === 0
      ? 2 ** (1 - bias(format)) * (fraction / unit)
      : 2 ** (exponent - bias(format)) * (1 + fraction / unit);
  const kind = magnitude === 0 ? "zero" : exponent === 0 ? "subnormal" : "normal";
  return { ...fields, kind, value: sign ? -size : size };
}

/** The pattern of the nearest number; a half goes to the even fraction. */
export function encode(format, value) {
  const sign = value < 0 || Object.is(value, -0) ? signBit(format) : 0;
  if (Number.isNaN(value)) return format.infinite ? beyond(format) + 2 ** (format.fraction - 1) : beyond(format);
  const size = Math.abs(value);
  if (size === 0) return sign;
  if (size === Infinity) return sign + beyond(format);
  const least = 1 - bias(format);
  const exponent = Math.max(powerBelow(size), least);
  const steps = rint(size / 2 ** (exponent - format.fraction));
  return sign + Math.min(beyond(format), (exponent - least) * 2 ** format.fraction + steps);
}

/** The exponent of the largest power of two that is not above a positive number. */
function powerBelow(size) {
  let exponent = Math.floor(Math.log2(size));
  if (2 ** exponent > size) exponent -= 1;
  if (2 ** (exponent + 1) <= size) exponent += 1;
  return exponent;
}

/** The distance to the next number of the format, away from zero; NaN where there is none. */
export function spacing(format, bits) {
  const { kind, exponent } = decode(format, bits);
  if (kind === "infinity" || kind === "NaN") return NaN;
  return 2 ** (Math.max(exponent, 1) - bias(format) - format.fraction);
}

/** Remarkable patterns of a format, by what they stand for. */
export function landmarks(format) {
  const unit = 2 ** format.fraction;
  return {
    one: encode(format, 1),
    largest: beyond(format) - 1,
    "smallest normal": unit,
    "smallest subnormal": 1,
    ...(format.infinite ? { infinity: beyond(format) } : {}),
    NaN: encode(format, NaN),
  };
}

export function bitString(format, bits) {
  return bits.toString(2).padStart(width(format), "0");
}

export function hex(format, bits) {
  return "0x" + bits.toString(16).padStart(width(format) / 4, "0");
}

/** The pattern as the formula of its kind. */
export function formula(format, { sign, exponent, fraction, kind }) {
  const unit = 2 ** format.fraction;
  if (kind === "infinity") return `exponent all ones, fraction 0: ${sign ? "−" : "+"}∞`;
  if (kind === "NaN")
    return format.infinite
      ? "exponent all ones, fraction not 0: not a number"
      : "exponent and fraction all ones: not a number";
  if (exponent === 0) return `(−1)${raised(sign)} · 2${raised(1 - bias(format))} · ${fraction} / ${unit}`;
  return `(−1)${raised(sign)} · 2${raised(exponent - bias(format))} · (1 + ${fraction} / ${unit})`;
}
