/**
 * Which devices there are: the backend of a `torch.device`, the current mtia device, and the configuration of the
 * virtual mtia, by `configure` or by environment.
 */
import { CHIPS, type Chip, DEFAULT_CHIP, findChip } from '../chip/chips.ts';
import { type Device, internDevice } from '../core/device.ts';
import { AssertionError, RuntimeError, ValueError } from '../core/errors.ts';
import { features } from '../core/features.ts';
import type { AllocatorConsumer } from '../memory/allocator-consumer.ts';
import type { Lifetimes } from '../memory/lifetimes.ts';
import type { Backend } from './backend.ts';
import { CpuBackend } from './cpu.ts';
import { allocatorSettings, type CapacitySource, fractions, newConsumer, watchDevice } from './figures.ts';
import { MetaBackend } from './meta.ts';
import { type Executor, MtiaBackend } from './mtia.ts';
import { holdersOf, lifetimesOf, setConsumer } from './storage.ts';
import { setNumThreads } from './threads.ts';

/** The options of `torch.mtia.configure`. What is left out stays as it is. */
export interface MtiaOptions {
  /** Number of virtual devices, 0 to 64. */
  devices?: number;
  /** Name of the chip: `mtia-100`, `mtia-200`, `mtia-300` or `h100`. */
  chip?: string;
  /** Capacity of each device: bytes, or text like `'2GiB'`; null for the chip's own. */
  memory?: number | string | null;
  /** Where launches run: in a worker thread, on the calling thread, or (`'auto'`) there until the worker is ready. */
  executor?: Executor;
  /** Threads that a large launch is split over, on every device: `torch.set_num_threads`. */
  threads?: number;
}

export interface MtiaConfiguration {
  readonly devices: number;
  readonly chip: Chip;
  /** Bytes of each device. */
  readonly memory: number;
  /** Who set them; null: they are the chip's own. */
  readonly memorySource: CapacitySource;
  readonly executor: Executor;
}

const MAX_DEVICES = 64;
const EXECUTORS: readonly string[] = ['auto', 'worker', 'inline'];

type Environment = Record<string, string | undefined>;
const environment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {};

const UNITS: Record<string, number> = { '': 1, B: 1 };
for (const [i, letter] of ['K', 'M', 'G', 'T'].entries()) {
  UNITS[`${letter}B`] = 1000 ** (i + 1);
  UNITS[`${letter}iB`] = 1024 ** (i + 1);
}

/**
 * Bytes out of `'2GiB'`, `'512 MiB'`, `'16GB'` or a number of bytes.
 * @throws ValueError, which names where the text came from
 */
export function parseBytes(value: number | string, from: string): number {
  const match = typeof value === 'string' ? /^\s*(\d+(?:\.\d+)?)\s*([KMGT]i?B|B|)\s*$/.exec(value) : null;
  const bytes = match ? Math.floor(Number(match[1]) * UNITS[match[2]]) : typeof value === 'number' ? value : Number.NaN;
  if (!Number.isSafeInteger(bytes) || bytes <= 0) {
    throw new ValueError(`${from}: expected bytes like '2GiB', '512MiB', '16GB' or 1073741824, got '${value}'`);
  }
  return bytes;
}

function parseDevices(value: number, shown: unknown, from: string): number {
  if (Number.isInteger(value) && value >= 0 && value <= MAX_DEVICES) return value;
  throw new ValueError(`${from}: expected a whole number from 0 to ${MAX_DEVICES}, got '${shown}'`);
}

function parseChip(name: string, from: string): Chip {
  const chip = findChip(name);
  if (chip) return chip;
  throw new ValueError(`${from}: expected one of ${CHIPS.map((c) => c.name).join(', ')}, got '${name}'`);
}

function parseExecutor(value: string, from: string): Executor {
  if (EXECUTORS.includes(value)) return value as Executor;
  throw new ValueError(`${from}: expected one of ${EXECUTORS.join(', ')}, got '${value}'`);
}

/** An empty variable counts as unset. */
function fromEnvironment(): MtiaConfiguration {
  const env = environment();
  features.checkDisabled();
  if ((env['MTIA_MODE'] || 'run') !== 'run') {
    throw new ValueError(`MTIA_MODE: only 'run' is there today, got '${env['MTIA_MODE']}'`);
  }
  const count = env['MTIA_DEVICE_COUNT'] || '1';
  const chip = parseChip(env['MTIA_CHIP'] || DEFAULT_CHIP, 'MTIA_CHIP');
  return {
    devices: parseDevices(/^\s*\d+\s*$/.test(count) ? Number(count) : Number.NaN, count, 'MTIA_DEVICE_COUNT'),
    chip,
    memory: env['MTIA_MEMORY'] ? parseBytes(env['MTIA_MEMORY'], 'MTIA_MEMORY') : chip.dram,
    memorySource: env['MTIA_MEMORY'] ? 'MTIA_MEMORY' : null,
    executor: parseExecutor(env['MTIA_EXECUTOR'] || 'auto', 'MTIA_EXECUTOR'),
  };
}

let current: MtiaConfiguration | undefined;
/** The configuration in force; read from the environment when first asked for. */
export function configuration(): MtiaConfiguration {
  return (current ??= fromEnvironment());
}

let cpu: CpuBackend | undefined;
let meta: MetaBackend | undefined;
let mtia: (MtiaBackend | undefined)[] = [];
let currentIndex = 0;

/** What belongs to an mtia device and is known above. */
export interface DeviceObserver {
  /** A device is used for the first time; nothing has been allocated yet. */
  created(backend: MtiaBackend, configuration: MtiaConfiguration): void;
  /** Names what is alive on the device, one line each, where shapes and dtypes are not enough. */
  holders?(backend: MtiaBackend): string[];
  /** The device goes away, to come back with another configuration. */
  closed(backend: MtiaBackend): void;
}
let observer: DeviceObserver | null = null;

/** Installs what watches mtia devices come and go. */
export function setDeviceObserver(watch: DeviceObserver | null): void {
  observer = watch;
}

/** The figures of a device; null before its first use. The caller commits first where it reads them. */
export function figuresOf(index: number): AllocatorConsumer | null {
  const backend = mtia[index];
  return backend === undefined ? null : (lifetimesOf(backend)!.consumer as AllocatorConsumer);
}

/** What belongs together of each device in use. */
export function trackedDevices(): { backend: MtiaBackend; lifetimes: Lifetimes; consumer: AllocatorConsumer }[] {
  return createdBackends().map((backend) => {
    const lifetimes = lifetimesOf(backend)!;
    return { backend, lifetimes, consumer: lifetimes.consumer as AllocatorConsumer };
  });
}

/** Limits a device to a share of its capacity, from now on; before its first use, too. */
export function setMemoryFraction(index: number, fraction: number): void {
  checkIndex(index);
  const backend = mtia[index];
  const lifetimes = backend === undefined ? null : lifetimesOf(backend);
  lifetimes?.commit();
  fractions.set(index, fraction);
  if (lifetimes === null) return;
  figuresOf(index)!.fraction = fraction;
  lifetimes.limitsChanged();
}

/** The device that the host is, its memory included. */
export function cpuBackend(): CpuBackend {
  return (cpu ??= new CpuBackend());
}

/** Whether device `index` has been used: `torch.mtia.is_initialized`, per device. */
export function isCreated(index: number): boolean {
  return mtia[index] !== undefined;
}

/** The backend of device `index`, if it has been used. */
export function createdBackend(index: number): MtiaBackend | null {
  return mtia[index] ?? null;
}

/** The mtia backends that have been used. */
export function createdBackends(): readonly MtiaBackend[] {
  return mtia.filter((backend) => backend !== undefined);
}

/** `torch.mtia.device_count()`; does not count as a use. */
export function deviceCount(): number {
  return configuration().devices;
}

/** `torch.mtia.current_device()`. */
export function currentDevice(): number {
  return currentIndex;
}

/**
 * `torch.mtia.set_device(index)`.
 * @throws RuntimeError if there is no such device
 */
export function setCurrentDevice(index: number): void {
  checkIndex(index);
  currentIndex = index;
}

/** @throws RuntimeError when `MTIA_DEVICE_COUNT=0`, or if there is no such device. */
export function checkIndex(index: number): void {
  const { devices } = configuration();
  if (devices === 0) throw notAvailable();
  if (!Number.isInteger(index) || index < 0 || index >= devices) {
    const there = devices === 1 ? 'there is one device, mtia:0' : `there are ${devices}, mtia:0 to mtia:${devices - 1}`;
    throw new RuntimeError(
      `MTIA error: invalid device ordinal ${index}: ${there}. torch.mtia.configure({ devices }) or MTIA_DEVICE_COUNT makes more.`,
    );
  }
}

/** The error of every use of mtia where there is no device. */
export function notAvailable(): RuntimeError {
  return new RuntimeError(
    'MTIA backend not available: MTIA_DEVICE_COUNT is 0. Fall back to the cpu, ' +
      "torch.device(torch.mtia.is_available() ? 'mtia' : 'cpu'), or ask for a device with MTIA_DEVICE_COUNT=1.",
  );
}

let beforeFirstUse: (() => void) | null = null;

/** Installs what runs right before the first of the mtia devices is made, again after every reconfiguration. It may use them. */
export function setBeforeFirstUse(hook: () => void): void {
  beforeFirstUse = hook;
}

/** The mtia device that is meant by an index, or by none. */
export function mtiaBackend(index: number | null = null): MtiaBackend {
  const i = index ?? currentIndex;
  return mtia[i] ?? createMtia(i);
}

function createMtia(index: number): MtiaBackend {
  checkIndex(index);
  if (beforeFirstUse !== null && createdBackends().length === 0) {
    beforeFirstUse();
    if (mtia[index] !== undefined) return mtia[index];
  }
  const settings = configuration();
  // What may be wrong with the settings is found before anything is made.
  allocatorSettings();
  const backend = new MtiaBackend(index, settings.executor);
  const consumer = newConsumer(index, settings.memory, settings.chip, settings.memorySource);
  watchDevice(setConsumer(backend, consumer), consumer);
  observer?.created(backend, settings);
  return (mtia[index] = backend);
}

/**
 * The backend of a device. `mtia` without an index is the current one. Using it creates it.
 * @throws RuntimeError if there is no such mtia device; PyTorch's errors for devices that are not there
 */
export function backendFor(device: Device): Backend {
  const { type, index } = device;
  if (type === 'cpu') return cpu ?? cpuBackend();
  if (type === 'mtia') return mtiaBackend(index);
  if (type === 'meta') return (meta ??= new MetaBackend());
  if (type === 'mps') throw new RuntimeError('PyTorch is not linked with support for mps devices');
  throw new AssertionError(`Torch not compiled with ${type.toUpperCase()} enabled`);
}

/** `mtia` becomes `mtia:0`, as tensors show it; everything else stays. */
export function withIndex(device: Device): Device {
  return device.type === 'mtia' && device.index === null ? internDevice('mtia', currentIndex) : device;
}

/**
 * Sets up the virtual mtia: before its first use, or again whenever no storage is alive on any of its devices.
 * @throws ValueError for values that make no sense; RuntimeError that lists what is alive
 */
export function configure(options: MtiaOptions): MtiaConfiguration {
  const old = configuration();
  const from = (name: string): string => `torch.mtia.configure: ${name}`;
  const { devices, chip: chipName, memory, executor, threads } = options;
  const chip = chipName === undefined ? old.chip : parseChip(chipName, from('chip'));
  // A capacity that was asked for stays when the chip changes.
  let bytes = old.memorySource !== null ? old.memory : chip.dram;
  let { memorySource } = old;
  if (memory !== undefined) {
    bytes = memory === null ? chip.dram : parseBytes(memory, from('memory'));
    memorySource = memory === null ? null : 'torch.mtia.configure';
  }
  const next: MtiaConfiguration = {
    devices: devices === undefined ? old.devices : parseDevices(devices, devices, from('devices')),
    chip,
    memory: bytes,
    memorySource,
    executor: executor === undefined ? old.executor : parseExecutor(executor, from('executor')),
  };
  if (threads !== undefined && !(Number.isInteger(threads) && threads > 0)) {
    throw new ValueError(`${from('threads')}: expected a positive whole number, got '${threads}'`);
  }
  closeAll();
  if (threads !== undefined) setNumThreads(threads);
  if (currentIndex >= next.devices) currentIndex = 0;
  return (current = next);
}

/** What is alive on a device, in lines. */
function alive(backend: MtiaBackend): string[] {
  const found = holdersOf(backend);
  const named = found.length === 0 ? [] : (observer?.holders?.(backend) ?? []);
  return named.length > 0 ? named : found.map((line) => `${backend.device}: ${line}`);
}

/** Ends the devices that are there, so that the next use makes new ones. */
function closeAll(): void {
  const there = createdBackends();
  const holders = there.flatMap(alive);
  if (holders.length > 0) {
    const shown = holders.slice(0, 10).map((holder) => `\n  ${holder}`);
    const more = holders.length > 10 ? `\n  and ${holders.length - 10} more` : '';
    throw new RuntimeError(
      `torch.mtia.configure: the device is in use. Alive on it:${shown.join('')}${more}\nConfigure before the first use, or let go of these (dispose(), using, torch.scope) and call it again.`,
    );
  }
  for (const backend of there) {
    backend.synchronize();
    // Pinned memory that its copies used is free, too.
    lifetimesOf(backend)!.hostWaited(null);
  }
  for (const backend of there) {
    observer?.closed(backend);
    backend.close();
  }
  mtia = [];
}
