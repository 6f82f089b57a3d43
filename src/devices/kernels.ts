/**
 * What devices know of kernels: where to get one by its number, and what a fault code means. Both live above this
 * folder, which installs them here.
 *
 * Worker threads cannot be sent kernels: one that waits for work receives no messages. So the bytes go into a store in
 * shared memory that every thread reads, and a thread compiles a kernel when it first meets its number. The store only
 * grows: a kernel is there before the first launch that names it is.
 *
 * A kernel is a WebAssembly module, or a program: the text of a JavaScript function that makes the kernel's function out
 * of the device's memory. Programs are for code that lies outside WebAssembly, in a native library.
 */
import { RuntimeError } from '../core/errors.ts';

export interface KernelSource {
  /** The module: imports `env.memory` and functions of `Math` from `math`, exports `run(args: i32) -> i32`. */
  bytes(id: number): Uint8Array;
  module(id: number): WebAssembly.Module;
  /** The kernel's program, if it is one; null: it is a module. */
  program(id: number): KernelProgram | null;
  /** What errors and profilers call it. */
  name(id: number): string;
}

export interface KernelProgram {
  /** Makes the kernel's function for a device's memory, on the calling thread. */
  make(memory: WebAssembly.Memory): KernelFunction;
  /** The same for other threads: an expression, a function of the memory that needs nothing else. */
  readonly text: string;
}

let source: KernelSource | undefined;

/** Installs the registry of kernels. */
export function setKernelSource(registry: KernelSource): void {
  source = registry;
}

export function kernels(): KernelSource {
  if (!source) throw new Error('no kernels are installed');
  return source;
}

/** Makes the error of a fault from its code and details (four i32, copied). */
export type FaultErrors = (code: number, details: Int32Array, kernel: number) => Error;

let faultErrors: FaultErrors = (code, details) =>
  new RuntimeError(`a kernel met fault ${code} (${Array.from(details).join(', ')})`);

/** Installs what turns fault codes into errors. */
export function setFaultErrors(make: FaultErrors): void {
  faultErrors = make;
}

export function faultError(code: number, details: Int32Array, kernel: number): Error {
  return faultErrors(code, details, kernel);
}

export type KernelFunction = (args: number) => number;

/** A kernel ready to be called on this thread. */
export function instantiate(id: number, memory: WebAssembly.Memory): KernelFunction {
  const program = kernels().program(id);
  if (program !== null) return program.make(memory);
  const imports = { env: { memory }, math: Math as unknown as WebAssembly.ModuleImports };
  return new WebAssembly.Instance(kernels().module(id), imports).exports['run'] as KernelFunction;
}

/**
 * The store for other threads: a table (offset and length of each kernel's bytes), then the bytes. Programs are there as
 * UTF-8, with their length negative.
 */
export const MAX_KERNELS = 32 * 1024;
/** Untouched pages of it cost nothing. */
const STORE_BYTES = 48 * 1024 * 1024;

/** 1 for kernels that other threads can be told to run. */
export const publishedKernels = new Uint8Array(MAX_KERNELS);

let table: Int32Array | undefined;
let storeEnd = MAX_KERNELS * 8;

/** The store, made at first use. */
export function kernelStore(): SharedArrayBuffer {
  table ??= new Int32Array(new SharedArrayBuffer(STORE_BYTES));
  return table.buffer as SharedArrayBuffer;
}

/**
 * Puts a kernel in the store, once.
 * @throws RuntimeError when the store is full.
 */
export function publishKernel(id: number): void {
  if (publishedKernels[id] === 1) return;
  const store = kernelStore();
  const entries = table as Int32Array;
  const program = kernels().program(id);
  const bytes = program === null ? kernels().bytes(id) : new TextEncoder().encode(program.text);
  if (id >= MAX_KERNELS || storeEnd + bytes.length > STORE_BYTES) {
    throw new RuntimeError(
      `Too many kernels for worker threads: ${kernels().name(id)} is number ${id}, and ${storeEnd} of ${STORE_BYTES} bytes are taken`,
    );
  }
  new Uint8Array(store).set(bytes, storeEnd);
  entries[2 * id + 1] = program === null ? bytes.length : -bytes.length;
  Atomics.store(entries, 2 * id, storeEnd);
  publishedKernels[id] = 1;
  storeEnd += (bytes.length + 7) & ~7;
}
