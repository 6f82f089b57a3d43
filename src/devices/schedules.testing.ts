/**
 * A program for `schedules.test.ts`, which runs it under several sweep schedules and compilers: something like training,
 * made of bare storages. Prints the figures it read on its way.
 *
 * Arguments: allocations between sweeps (0: only at commit points; 'auto': by pressure), number of steps.
 */
import type { Counter } from '../memory/counter.ts';
import { type GraphGroup, joinGroups, newGroup } from '../memory/lifetimes.ts';
import { sweepEvery, sweepStatistics } from '../memory/sweep.ts';
import { FakeBackend } from './fake-backend.testing.ts';
import { allocateStorage, lifetimesOf, type Storage, touch } from './storage.ts';

const [schedule, steps] = [process.argv[2], Number(process.argv[3])];
const mtia = new FakeBackend('mtia');
const cpu = new FakeBackend('cpu');

class Parameter {
  readonly storage: Storage;
  gradient: Storage | null = null;
  readonly momentum: Storage;
  constructor(nbytes: number) {
    this.storage = allocateStorage(mtia, nbytes);
    this.momentum = allocateStorage(mtia, nbytes);
    this.storage.retain();
    this.momentum.retain();
    this.momentum.hold(this.storage);
  }
}

/** A result, the graph behind it, and what that graph saved. */
class Value {
  constructor(
    readonly storage: Storage,
    readonly group: GraphGroup | null,
    readonly saved: Storage[],
    readonly before: Value | null,
  ) {
    storage.retain();
  }
}

/** One launch: reads a value and a parameter, makes a result; a temporary of the framework's goes at once. */
function layer(x: Value, parameter: Parameter, nbytes: number, record: boolean): Value {
  const temporary = allocateStorage(mtia, nbytes * 2);
  const out = allocateStorage(mtia, nbytes);
  mtia.submit();
  for (const storage of [x.storage, parameter.storage, temporary, out]) touch(storage);
  temporary.freeNow();
  if (!record) return new Value(out, null, [], null);
  const group = joinGroups(newGroup(), x.group);
  x.storage.holdForBackward(group);
  parameter.storage.holdForBackward(group);
  group.touch();
  return new Value(out, group, [x.storage, parameter.storage], x);
}

function backward(value: Value | null): void {
  for (let i = parameters.length - 1; value !== null && value.group !== null; i--, value = value.before) {
    const gradient = allocateStorage(mtia, parameters[i].storage.nbytes);
    mtia.submit();
    touch(gradient);
    for (const storage of value.saved) {
      touch(storage);
      storage.unholdForBackward();
    }
    if (parameters[i].gradient !== null) parameters[i].gradient!.unhold();
    parameters[i].gradient = gradient;
    gradient.retain();
    gradient.hold(parameters[i].storage);
  }
}

function input(step: number): Value {
  const host = allocateStorage(cpu, 4096);
  const device = allocateStorage(mtia, 4096 + (step % 3) * 512);
  touch(host);
  touch(device);
  return new Value(device, null, [], null);
}

function step(i: number): void {
  const record = i % 5 !== 4;
  let x = input(i);
  for (const parameter of parameters) {
    x = layer(x, parameter, 2048 + (i % 7) * 512, record);
    // The user looks at something on the way and forgets it.
    const seen = layer(x, parameter, 8192, false);
    touch(seen.storage);
  }
  // Every third graph is never run backward.
  if (i % 3 !== 2) backward(x);
  // What a list holds is used once more when it falls out.
  recent.push(x);
  if (recent.length > 3) {
    const old = recent.shift()!;
    touch(old.storage);
    old.group?.touch();
  }
}

function figures(): number[] {
  const lifetimes = lifetimesOf(mtia)!;
  lifetimes.commit();
  const { allocated, peak } = lifetimes.consumer as Counter;
  return [allocated, peak];
}

// Reachable to the end, whatever the compiler thinks of who needs them.
export const parameters = [new Parameter(1024), new Parameter(3072), new Parameter(512)];
export const recent: Value[] = [];

function main(): void {
  sweepEvery(schedule === 'auto' ? null : Number(schedule));
  const read: number[][] = [];
  for (let i = 0; i < steps; i++) {
    step(i);
    if (i === 3 || i % 6 === 5) read.push(figures());
  }
  read.push(figures());
  recent.length = 0;
  read.push(figures());
  console.log(JSON.stringify({ read, sweeps: sweepStatistics.count, peak: mtia.peak }));
}

main();
