// Affine quantization in float32, number for number what the notebook on INT8 computes with numpy. No page is needed here.

const f32 = Math.fround;

/** The nearest integer; a half goes to the even one, as numpy's rint and ONNX's QuantizeLinear do. */
export function rint(value) {
  const up = Math.round(value);
  return Math.abs(value % 1) === 0.5 && up % 2 !== 0 ? up - 1 : up;
}

/** The smallest and the largest code: unsigned with a zero point, or signed and symmetric around 0. */
export function codes(bits, symmetric) {
  const top = 2 ** (bits - 1) - 1;
  return symmetric ? [-top, top] : [0, 2 ** bits - 1];
}

/** Scale and zero point for the numbers from `low` to `high`, 0 included. Where that is 0 alone, the scale is 1. */
export function parameters(low, high, bits, symmetric) {
  const [least, most] = codes(bits, symmetric);
  const [from, to] = [f32(Math.min(low, 0)), f32(Math.max(high, 0))];
  if (symmetric) return { scale: f32(Math.max(-from, to) / most) || 1, zero: 0, least, most };
  const scale = f32(f32(to - from) / most) || 1;
  return { scale, zero: rint(f32(least - f32(from / scale))) || 0, least, most };
}

export function quantize(value, { scale, zero, least, most }) {
  return Math.min(most, Math.max(least, f32(rint(f32(value / scale)) + zero)));
}

export function dequantize(code, { scale, zero }) {
  return f32((code - zero) * scale);
}

/** The signal-to-quantization-noise ratio in dB, summed in float64. */
export function sqnr(values, found) {
  let [signal, noise] = [0, 0];
  values.forEach((value, i) => {
    signal += value * value;
    noise += (value - found[i]) ** 2;
  });
  if (noise === 0) return Infinity;
  return signal ? 10 * Math.log10(signal / noise) : -Infinity;
}

/** Everything that the page shows about one setting. */
export function judge(values, setting) {
  const found = values.map((value) => dequantize(quantize(value, setting), setting));
  const counts = new Map();
  let [clipped, zeros] = [0, 0];
  const [low, high] = covered(setting);
  values.forEach((value) => {
    const code = quantize(value, setting);
    counts.set(code, (counts.get(code) ?? 0) + 1);
    if (value < low - setting.scale / 2 || value > high + setting.scale / 2) clipped += 1;
    if (code === setting.zero) zeros += 1;
  });
  return { found, counts, sqnr: sqnr(values, found), clipped: clipped / values.length, zeros: zeros / values.length };
}

/** What the smallest and the largest code stand for. */
export function covered(setting) {
  return [dequantize(setting.least, setting), dequantize(setting.most, setting)];
}

/** The part of the full range, in steps of one per cent, whose SQNR is highest. */
export function bestRange(values, [low, high], bits, symmetric) {
  let best = { sqnr: -Infinity, part: 1 };
  for (let percent = 100; percent >= 5; percent -= 1) {
    const found = judge(values, parameters((low * percent) / 100, (high * percent) / 100, bits, symmetric));
    if (found.sqnr > best.sqnr) best = { sqnr: found.sqnr, part: percent / 100 };
  }
  return best;
}

export function histogram(values, low, high, bins) {
  const counts = new Array(bins).fill(0);
  for (const value of values) {
    const bin = Math.floor(((value - low) / (high - low)) * bins);
    if (bin >= 0 && bin < bins) counts[bin] += 1;
  }
  return counts;
}
