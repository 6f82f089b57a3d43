/**
 * Random runs through the allocator and through the plain-and-slow model of its rules: every address, every figure and
 * every segment agree, and the invariants hold.
 */
import { expect, test } from 'vitest';
import { Allocator, NO_ROOM } from './allocator.ts';
import { TRACE_ACTIONS } from './constants.ts';
import { ManualEvents } from './events.ts';
import { Model, type ModelBlock } from './model.testing.ts';
import type { PoolId } from './pools.ts';
import { beginAllocateToPool, endAllocateToPool, releasePool, retainPool } from './private.ts';
import { listSegments } from './segments.ts';
import { parseAllocatorConfig } from './settings.ts';

const MIB = 1024 * 1024;
/** The number of runs; more by ALLOCATOR_RUNS. */
const RUNS = Number(process.env.ALLOCATOR_RUNS ?? 1000);
const STEPS = 60;

/** A small generator, so that a failing run can be run again by its number. */
function random(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b9) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** As `expect(…).toEqual`, which is slow even where all is well. */
function same(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
}

const byAddress = (map: Map<number, number>) => [...map].sort(([a], [b]) => a - b);

/** Segments and blocks as the events of a device trace imply them. */
class DeviceTrace {
  readonly segments = new Map<number, number>();
  readonly ranges = new Map<number, number>();
  readonly live = new Map<number, number>();
  readonly pending = new Set<number>();

  trace(action: number, address: number, size: number): void {
    switch (TRACE_ACTIONS[action]) {
      case 'alloc':
        check(!this.live.has(address), 'allocated twice');
        this.live.set(address, size);
        break;
      case 'free_requested':
        check(this.live.has(address), 'freed, but not allocated');
        this.pending.add(address);
        break;
      case 'free_completed':
        check(this.pending.delete(address), 'completed, but not freed');
        this.live.delete(address);
        break;
      case 'segment_alloc':
        this.segments.set(address, size);
        break;
      case 'segment_free':
        check(this.segments.get(address) === size, 'another segment was freed');
        this.segments.delete(address);
        break;
      case 'segment_map':
        for (let at = address; at < address + size; at += 2 * MIB) {
          check(!this.ranges.has(at), 'mapped twice');
          this.ranges.set(at, 2 * MIB);
        }
        break;
      case 'segment_unmap':
        for (let at = address; at < address + size; at += 2 * MIB)
          check(this.ranges.delete(at), 'unmapped, but not mapped');
        break;
    }
  }
}

const SETTINGS = [
  '',
  '',
  'expandable_segments:True',
  'expandable_segments:True,garbage_collection_threshold:0.6',
  'expandable_segments:True',
  'max_split_size_mb:24',
  'max_split_size_mb:20,max_non_split_rounding_mb:30',
  'garbage_collection_threshold:0.5',
  'garbage_collection_threshold:0.8,max_split_size_mb:40',
  'roundup_power2_divisions:4',
  'roundup_power2_divisions:[1:8,4:2,16:1,>:4]',
  'large_segment_size_mb:32',
];

const IDS: PoolId[] = [
  [0, 101],
  [0, 102],
  [7, 0],
];

function run(seed: number): void {
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)];
  const text = pick(SETTINGS);
  const settings = parseAllocatorConfig(text);
  const capacity = pick([24, 60, 100, 200, 1000]) * MIB;
  const events = new ManualEvents();
  const seen = new DeviceTrace();
  const allocator = new Allocator({ device: capacity, settings, events, observer: seen });
  const model = new Model(capacity, settings);
  if (next() < 0.5) {
    const fraction = pick([0.3, 0.5, 0.9]);
    allocator.setMemoryFraction(fraction);
    model.limit = Math.floor(fraction * capacity);
  }
  const streams = next() < 0.5 ? 1 : 3;
  const scale = pick([10, 16, 20, 22, 25]);
  const share = pick([0.5, 1]);
  const size = pick([
    () => Math.floor(2 ** (next() * scale)) + 1,
    () => Math.floor(next() * 2 ** scale) + 1,
    () => Math.floor(next() * 24 * MIB * share) + 1,
    () =>
      pick([
        512,
        1000,
        3000,
        MIB - 512,
        MIB,
        MIB + 1,
        2 * MIB,
        3 * MIB,
        9 * MIB,
        10 * MIB,
        12 * MIB,
        22 * MIB,
        31 * MIB,
      ]),
    () => Math.ceil(next() * 24) * 2 * MIB - (next() < 0.5 ? 0 : MIB),
  ]);
  const live: { block: number; twin: ModelBlock }[] = [];
  let route: PoolId | null = null;
  const name = (id: PoolId) => id.join('_');
  const log: string[] = [];

  const malloc = () => {
    const requested = size();
    const stream = Math.floor(next() * streams);
    log.push(`malloc ${requested} ${stream}`);
    const block = allocator.malloc(requested, stream);
    const twin = model.malloc(requested, stream);
    same(block === NO_ROOM ? null : allocator.addressOf(block), twin?.address ?? null);
    if (twin !== null) live.push({ block, twin });
  };
  const take = () => live.splice(Math.floor(next() * live.length), 1)[0];

  const steps: (() => void)[] = [
    malloc,
    malloc,
    malloc,
    malloc,
    () => {
      for (let count = Math.floor(next() * 5); count >= 0 && live.length > 0; count--) {
        const { block, twin } = take();
        log.push(`free ${twin.address}`);
        allocator.free(block);
        model.free(twin);
      }
    },
    () => {
      if (live.length === 0) return;
      const { block, twin } = pick(live);
      const stream = Math.floor(next() * 3);
      log.push(`record ${twin.address} ${stream}`);
      allocator.recordStream(block, stream);
      model.recordStream(twin, stream);
    },
    () => {
      const stream = Math.floor(next() * 3);
      log.push(`complete ${stream}`);
      events.complete(stream);
      model.complete(stream);
    },
    () => {
      if (next() < 0.6) return;
      log.push('empty cache');
      allocator.emptyCache();
      model.emptyCache();
    },
    () => {
      if (next() < 0.5) return;
      if (route !== null) {
        log.push('end of route');
        endAllocateToPool(allocator, route);
        model.routes.pop();
        if (next() < 0.7) {
          releasePool(allocator, route);
          model.drop(name(route));
          if (next() < 0.5) {
            allocator.emptyCache(route);
            model.emptyCache(name(route));
          }
        }
        route = null;
        return;
      }
      route = pick(IDS);
      const capture = next() < 0.3;
      log.push(`route to ${name(route)}${capture ? ', capture' : ''}`);
      beginAllocateToPool(allocator, route, undefined, capture);
      model.retain(name(route));
      model.routes.push({ name: name(route), capture });
    },
    () => {
      if (next() < 0.7) return;
      const id = pick(IDS);
      const useOnOom = next() < 0.5;
      const noSplit = next() < 0.3;
      log.push(`pool ${name(id)} ${useOnOom} ${noSplit}`);
      Object.assign(retainPool(allocator, id), { useOnOom, noSplit });
      Object.assign(model.retain(name(id)), { useOnOom, noSplit });
    },
  ];

  try {
    for (let step = 0; step < STEPS; step++) {
      pick(steps)();
      if (step % 12 === 11 || step === STEPS - 1) compare();
    }
  } catch (error) {
    (error as Error).message +=
      `\nrun ${seed}, ${text}, ${capacity / MIB} MiB, limit ${model.limit}:\n${log.join('\n')}`;
    throw error;
  }

  function compare(): void {
    same(allocator.nestedStatistics(), model.statistics);
    const segments = listSegments(allocator);
    const told = model.segments
      .flatMap((segment) => segment.blocks)
      .filter((block) => block.mapped)
      .sort((a, b) => a.address - b.address)
      .map((block) => [
        block.address,
        block.size,
        block.allocated ? 'active_allocated' : block.events + block.uses.size > 0 ? 'active_pending_free' : 'inactive',
      ]);
    expect(segments.flatMap(({ blocks }) => blocks.map((block) => [block.address, block.size, block.state]))).toEqual(
      told,
    );
    // What the events alone imply.
    let end = 0;
    let total = 0;
    const active = new Map<number, number>();
    const pages = new Map<number, number>();
    const plain = new Map<number, number>();
    for (const segment of segments) {
      check(segment.address >= end, 'segments overlap');
      end = segment.address + segment.total_size;
      total += segment.total_size;
      if (!segment.is_expandable) plain.set(segment.address, segment.total_size);
      else for (let at = segment.address; at < end; at += 2 * MIB) pages.set(at, 2 * MIB);
      let at = segment.address;
      let unused = 0;
      for (const block of segment.blocks) {
        check(block.address === at, 'a gap between blocks');
        at += block.size;
        if (block.state === 'inactive') unused += block.size;
        else {
          active.set(block.address, block.requested_size);
          unused += block.size - block.requested_size;
        }
      }
      check(at === end, 'blocks are not the segment');
      same(unused + segment.requested_size, segment.total_size);
    }
    same(total, allocator.reserved);
    check(allocator.reserved <= allocator.device.capacity, 'more than the device has');
    same([...plain], byAddress(seen.segments));
    same([...pages], byAddress(seen.ranges));
    same([...active], byAddress(seen.live));
  }
}

test(`${RUNS} random runs agree with the model`, { timeout: 600_000 }, () => {
  for (let seed = 0; seed < RUNS; seed++) run(seed);
});
