/**
 * The text of data/pride-and-prejudice as numbers, one for each character.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import torch from 'torch-mtia';

const FILE = new URL('../data/pride-and-prejudice/pride-and-prejudice.txt.gz', import.meta.url);

/**
 * @returns `characters`, all that occur, in order; `codes`, int64 [684768] on the cpu, where each character of the text
 * stands in them; and `compressed`, how many bytes gzip needs for the text.
 */
export function loadProse() {
  const file = readFileSync(FILE);
  const text = gunzipSync(file).toString('latin1');
  const characters = [...new Set(text)].sort();
  const codeOf = new Map(characters.map((character, code) => [character, BigInt(code)]));
  const codes = torch.tensor(BigInt64Array.from(text, (character) => codeOf.get(character)!));
  return { characters, codes, compressed: file.length };
}
