// From strokes to the 8 by 8 image that the model was trained on. No page is needed here.

const SIDE = 32; // the images of the training set were bitmaps of 32 by 32 pixels
const BLOCK = 4; // of which each block of 4 by 4 became one number: its share of ink
const PEN = 2.5; // half the width of a stroke, in pixels of the bitmap

/** `strokes` is a list of lists of [x, y]. 64 numbers from 0 to 1, or null where nothing is drawn. */
export function toImage(strokes) {
  const placed = place(strokes);
  if (!placed) return null;
  const image = new Float32Array(64);
  for (let y = 0; y < SIDE; y += 1) {
    for (let x = 0; x < SIDE; x += 1) {
      if (inked(placed, x + 0.5, y + 0.5)) image[Math.floor(y / BLOCK) * 8 + Math.floor(x / BLOCK)] += 1 / BLOCK ** 2;
    }
  }
  return image;
}

/** The strokes cropped to their ink and fitted into the bitmap, both axes by the same factor, in the middle. */
function place(strokes) {
  const points = strokes.flat();
  if (!points.length) return null;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  const room = SIDE - 2 * PEN;
  const factor = room / Math.max(width, height, 1e-6);
  const [dx, dy] = [(SIDE - width * factor) / 2, (SIDE - height * factor) / 2];
  return strokes.map((stroke) => stroke.map(([x, y]) => [(x - left) * factor + dx, (y - top) * factor + dy]));
}

const inked = (strokes, x, y) =>
  strokes.some((stroke) => stroke.some((point, i) => distance(stroke[Math.max(i - 1, 0)], point, x, y) <= PEN));

/** From a point to the segment between two others. */
function distance([ax, ay], [bx, by], x, y) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = dx || dy ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy))) : 0;
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

export function softmax(logits) {
  const most = Math.max(...logits);
  const powers = [...logits].map((logit) => Math.exp(logit - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
