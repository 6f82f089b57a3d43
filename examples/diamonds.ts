/**
 * The diamonds of data/diamonds as tensors: the measures of each stone, and its grades as bags of steps.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import torch, { type Tensor } from 'torch-mtia';

const FILE = new URL('../data/diamonds/diamonds.csv.gz', import.meta.url);

/** The grades of every categorical column, from the worst to the best. */
export const GRADES = {
  cut: ['Fair', 'Good', 'Very Good', 'Premium', 'Ideal'],
  color: ['J', 'I', 'H', 'G', 'F', 'E', 'D'],
  clarity: ['I1', 'SI2', 'SI1', 'VS2', 'VS1', 'VVS2', 'VVS1', 'IF'],
} as const;

const MEASURES = ['carat', 'depth', 'table', 'x', 'y', 'z'] as const;

export interface Diamonds {
  /** float32 [stones, 6]: the logarithm of carat, then depth, table, length, width and height, each of mean 0 and deviation 1 */
  measures: Tensor;
  /** int64 [stones, 3]: the grades of cut, color and clarity, each from 0 (the worst) */
  grades: Tensor;
  /** float32 [stones]: the price in US dollars */
  price: Tensor;
}

/** @returns all 53,940 stones in the order of the file, on the cpu. */
export function loadDiamonds(): Diamonds {
  const [header, ...lines] = gunzipSync(readFileSync(FILE)).toString('latin1').trimEnd().split('\n');
  const columns = header.split(',');
  const measures = new Float32Array(lines.length * MEASURES.length);
  const grades = new BigInt64Array(lines.length * 3);
  const price = new Float32Array(lines.length);
  lines.forEach((line, row) => {
    const values = line.split(',');
    const value = (name: string) => values[columns.indexOf(name)];
    MEASURES.forEach((name, i) => {
      const number = Number(value(name));
      measures[row * MEASURES.length + i] = name === 'carat' ? Math.log(number) : number;
    });
    Object.entries(GRADES).forEach(([name, order], i) => {
      const grade = (order as readonly string[]).indexOf(value(name));
      if (grade < 0) throw new Error(`line ${row + 2} of ${FILE.pathname}: no ${name} is called ${value(name)}`);
      grades[row * 3 + i] = BigInt(grade);
    });
    price[row] = Number(value('price'));
  });
  const raw = torch.tensor(measures).view(lines.length, MEASURES.length);
  return {
    measures: raw.sub(raw.mean(0)).div(raw.std(0)),
    grades: torch.tensor(grades).view(lines.length, 3),
    price: torch.tensor(price),
  };
}
