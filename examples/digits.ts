/**
 * The handwritten digits of data/digits as tensors.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import torch from 'torch-mtia';

const FILE = new URL('../data/digits/digits.csv.gz', import.meta.url);
const PIXELS = 64;

/**
 * @returns `images`, float32 [1797, 64] with values from 0 to 1 (8x8 pixels, row by row), and `labels`, int64 [1797] with
 * the digits 0 to 9; both on the cpu.
 */
export function loadDigits() {
  const lines = gunzipSync(readFileSync(FILE)).toString('latin1').trimEnd().split('\n');
  const images = new Float32Array(lines.length * PIXELS);
  const labels = new BigInt64Array(lines.length);
  lines.forEach((line, row) => {
    const values = line.split(',').map(Number);
    if (values.length !== PIXELS + 1)
      throw new Error(`line ${row + 1} of ${FILE.pathname} has ${values.length} values`);
    for (let i = 0; i < PIXELS; i++) images[row * PIXELS + i] = values[i] / 16;
    labels[row] = BigInt(values[PIXELS]);
  });
  return { images: torch.tensor(images).view(lines.length, PIXELS), labels: torch.tensor(labels) };
}
