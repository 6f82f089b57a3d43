/**
 * Snapshots for the tests: what a small program does on the real allocator, the same in every run. The recorded answers of PyTorch's
 * viewer (tests/fixtures/snapshots) are about these.
 */
import { Allocator } from '../allocator/allocator.ts';
import { ManualEvents } from '../allocator/events.ts';
import { MemPool } from '../allocator/private.ts';
import { parseAllocatorConfig } from '../allocator/settings.ts';
import { History } from '../history.ts';
import type { Snapshot } from './snapshot.ts';
import { captureSnapshot } from './capture.ts';
import type { Frame } from './types.ts';

const MIB = 2 ** 20;

/** Frames as a program of this name would have. */
function stack(site: string, depth = 3): Frame[] {
  return Array.from({ length: depth }, (_, i) => ({
    filename: i === 0 ? '/home/user/model/layers.ts' : '/home/user/model/train – résumé.ts',
    line: 10 * (i + 1) + site.length,
    name: i === 0 ? site : `step${i}`,
  }));
}

/** A program's devices, with stacks as it says instead of its own. */
class Program {
  readonly history = new History();
  readonly events = new ManualEvents();
  readonly allocators: Allocator[];
  readonly sites: Frame[][] = [];
  #time = 1_800_000_000_000_000;

  constructor(settings: string, capacity: number, devices: number, maxEntries: number) {
    this.history.configure({ max_entries: maxEntries });
    this.history.now = () => this.#time;
    this.allocators = Array.from({ length: devices }, (_, index) => {
      const observer = this.history.device(index);
      const parsed = parseAllocatorConfig(settings);
      return new Allocator({ device: capacity, index, events: this.events, observer, settings: parsed });
    });
  }

  at(site: string, device = 0): Allocator {
    this.sites.push(stack(site));
    this.#time += 250;
    this.history.device(device).at(this.sites.length - 1);
    return this.allocators[device];
  }

  take(): Snapshot {
    const { stacks } = this.history;
    // Stacks of this program are numbers of its own sites.
    stacks.resolve = (number, table) => (number < 0 ? -1 : table.stackOf(this.sites[number]));
    return captureSnapshot(this.allocators, this.history);
  }
}

/** Two snapshots of a program: before and after its second step. */
export function sampleSnapshots(settings = '', capacity = 128 * MIB, maxEntries = 1000): [Snapshot, Snapshot] {
  const program = new Program(settings, capacity, 2, maxEntries);
  const { history, events } = program;
  history.setMetadata('step 0');
  const weight = program.at('weight').malloc(511284, 0);
  const weight2 = program.at('weight').malloc(3 * MIB, 0);
  history.device(0).annotate(program.allocators[0].addressOf(weight), 511284, 0, weight, 'layers.0.weight');
  const hidden = program.at('forward').malloc(5 * MIB + 100, 0);
  const other = program.at('forward', 1).malloc(1000, 0);
  history.annotateRegion('ProfilerStep#0', 'START', 0, 1_800_000_000_000_000);
  program.at('backward').free(hidden);
  const pool = new MemPool(program.allocators[0], { id: [0, 7] });
  const captured = pool.use(() => program.at('capture').malloc(600_000, 0));
  const before = program.take();
  history.setMetadata('');
  const side = program.at('prefetch').malloc(24 * MIB, 1);
  const shared = program.at('gather').malloc(12 * MIB, 0);
  program.allocators[0].recordStream(shared, 1);
  program.at('gather').free(shared);
  program.at('prefetch').free(side);
  program.at('forward').malloc(200 * MIB, 0);
  events.complete();
  program.at('forward').malloc(4 * MIB, 0);
  const parked = program.at('gather').malloc(1536, 0);
  program.allocators[0].recordStream(parked, 1);
  program.at('gather').free(parked);
  program.at('empty').emptyCache();
  const again = program.at('gather').malloc(700, 0);
  program.allocators[0].recordStream(again, 1);
  program.at('gather').free(again);
  program.at('capture').free(captured);
  pool.dispose();
  history.annotateRegion('ProfilerStep#0', 'END', 0, 1_800_000_000_005_000);
  program.at('update', 1).free(other);
  history.device(0).userDefined('done');
  void weight2;
  return [before, program.take()];
}
