/**
 * The kernels, numbered. A launch names its kernel by number; a device compiles it at its first launch there. Bytes are
 * built when first asked for.
 */
import { type KernelFunction, type KernelProgram, setKernelSource } from '../devices/kernels.ts';

type Build = () => Uint8Array;

const names: string[] = [];
const builds: (Build | null)[] = [];
const bytes: (Uint8Array | undefined)[] = [];
const modules: (WebAssembly.Module | undefined)[] = [];

/**
 * Numbers a kernel, densely from 0. `build` gives a module that imports what `kernelImports` has and exports
 * `run(args: i32) -> i32`; it runs at most once. `name` is what profilers show.
 */
export function registerKernel(build: Build, name: string): number {
  builds.push(build);
  names.push(name);
  return names.length - 1;
}

interface Programmed {
  readonly program: () => KernelProgram;
  made: KernelProgram | null;
}
const programs: (Programmed | undefined)[] = [];

/**
 * Numbers a kernel that is a JavaScript function in place of a module. `make` must do with its arguments and with what
 * every thread has: its text is sent to the others.
 *
 * @param data what JSON can hold; asked for at the first launch
 * @param part a function that `make` is given, under the same rules
 */
export function registerProgram<T, P extends (...args: never[]) => unknown>(
  make: (memory: WebAssembly.Memory, data: T, part: P) => KernelFunction,
  data: () => T,
  part: P,
  name: string,
): number {
  builds.push(null);
  names.push(name);
  const program = (): KernelProgram => {
    const value = data();
    return {
      make: (memory) => make(memory, value, part),
      text: `(memory) => (${make.toString()})(memory, ${JSON.stringify(value)}, ${part.toString()})`,
    };
  };
  programs[names.length - 1] = { program, made: null };
  return names.length - 1;
}

export function kernelProgram(id: number): KernelProgram | null {
  const found = programs[id];
  return found === undefined ? null : (found.made ??= found.program());
}

export function kernelCount(): number {
  return names.length;
}

export function kernelName(id: number): string {
  return names[id];
}

/** The module's bytes, as a worker needs them. */
export function kernelBytes(id: number): Uint8Array {
  const found = bytes[id];
  if (found) return found;
  const build = builds[id];
  if (!build) throw new Error(`no kernel has the number ${id}`);
  builds[id] = null;
  return (bytes[id] = build());
}

export function kernelModule(id: number): WebAssembly.Module {
  return (modules[id] ??= new WebAssembly.Module(kernelBytes(id) as BufferSource));
}

/** JavaScript's functions that kernels may import from `math`; a worker's program offers the same ones. */
// biome-ignore format: a list
export const MATH_IMPORTS = [
  'exp', 'expm1', 'log', 'log1p', 'log2', 'log10', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2',
  'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'pow',
] as const;

/** What a kernel is instantiated with. */
export function kernelImports(memory: WebAssembly.Memory): WebAssembly.Imports {
  const math: Record<string, (x: number, y: number) => number> = {};
  for (const name of MATH_IMPORTS) math[name] = Math[name];
  return { env: { memory }, math };
}

setKernelSource({ bytes: kernelBytes, module: kernelModule, program: kernelProgram, name: kernelName });
