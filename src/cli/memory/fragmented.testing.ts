/**
 * A recording of a program that runs out of memory by fragmentation: a server that answers longer and longer requests and keeps
 * a cache of each. Made by the allocator itself, the same in every run; `scripts/fixtures/fragmented.mjs` writes it to
 * tests/fixtures/memory, with another that was taken earlier.
 */
import { Allocator, NO_ROOM } from '../../memory/allocator/index.ts';
import { History } from '../../memory/history.ts';
import { captureSnapshot, type Frame, type Snapshot } from '../../memory/snapshot/index.ts';

const MIB = 2 ** 20;
export const CAPACITY = 280 * MIB;
const REQUESTS = 24;

const FILE = '/home/user/server/';
const frame = (name: string, file: string, line: number): Frame => ({ filename: `${FILE}${file}`, line, name });
const MAIN = [frame('answer', 'serve.ts', 31), frame('main', 'serve.ts', 52)];
/** Stacks by number, innermost frame first. */
const SITES: readonly (readonly Frame[])[] = [
  [frame('load', 'model.ts', 14), frame('main', 'serve.ts', 45)],
  [frame('embed', 'model.ts', 28), ...MAIN],
  [frame('attention', 'model.ts', 40), frame('forward', 'model.ts', 63), ...MAIN],
  [frame('mlp', 'model.ts', 51), frame('forward', 'model.ts', 64), ...MAIN],
  [frame('append', 'cache.ts', 19), frame('forward', 'model.ts', 66), ...MAIN],
];
const [LOAD, EMBED, ATTENTION, MLP, APPEND] = SITES.keys();

/** @param requests answered before the snapshot is taken */
export function fragmentedSnapshot(requests = REQUESTS): Snapshot {
  const history = new History();
  history.configure({});
  let time = 1_800_000_000_000_000;
  history.now = () => time;
  history.stacks.resolve = (number, table) => (number < 0 ? -1 : table.stackOf(SITES[number]));
  const device = history.device(0);
  const allocator = new Allocator({ device: CAPACITY, observer: device });
  const at = (site: number) => {
    time += 400;
    device.at(site);
  };
  const malloc = (site: number, bytes: number) => {
    at(site);
    return allocator.malloc(bytes);
  };
  const free = (site: number, block: number) => {
    at(site);
    if (block !== NO_ROOM) allocator.free(block);
  };
  for (let layer = 0; layer < 4; layer++) malloc(LOAD, 12 * MIB);
  for (let request = 0; request < requests; request++) {
    const tokens = 512 + 64 * request;
    const hidden = malloc(EMBED, tokens * 8192);
    const scores = malloc(ATTENTION, tokens * tokens * 16);
    const wide = malloc(MLP, tokens * 32768);
    free(ATTENTION, scores);
    // The cache outlives the request. Where it lies is what splits the segments of the others.
    malloc(APPEND, tokens * 2048);
    free(MLP, wide);
    free(EMBED, hidden);
  }
  return captureSnapshot([allocator], history);
}
