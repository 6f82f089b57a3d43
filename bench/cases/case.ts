/**
 * What a case is on our side. Each case has a name that the peers know, too (peers/*), and takes arguments, so that a row of
 * the bench and a curve of the scale page are the same case with other numbers.
 */
import torch, { type Tensor } from 'torch-mtia';

export type Arguments = Record<string, number | string>;

export interface Context {
  device: string;
  args: Arguments;
  /** Through torch.compile. */
  compile: boolean;
}

export interface Work {
  step(): unknown;
  /** Only what the host does counts: the clock stops before the device has finished. */
  enqueued?: boolean;
  /** The loss of a training step, so that peers can be checked to do the same arithmetic. */
  loss?(): number;
}

export type Case = (context: Context) => Work;

export const number = (args: Arguments, name: string): number => {
  const value = args[name];
  if (typeof value !== 'number') throw new Error(`a case without its argument ${name}`);
  return value;
};

/** What every peer can compute for itself: no two elements alike, none above `scale`. */
export function wave(shape: number[], seed: number, scale = 1): Tensor {
  const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
  for (let i = 0; i < data.length; i++) data[i] = scale * Math.sin(12.9898 * i + 78.233 * (seed + 1));
  return torch.tensor(data).view(shape);
}

/** Whole numbers from 0 up to `below`, int64. */
export function whole(shape: number[], below: number, step = 7): Tensor {
  const data = new BigInt64Array(shape.reduce((a, b) => a * b, 1));
  for (let i = 0; i < data.length; i++) data[i] = BigInt((step * i) % below);
  return torch.tensor(data).view(shape);
}

type Compiled = <F>(model: F) => F;

/** torch.compile, where this build has it. */
export const compiled: Compiled | undefined =
  'compile' in torch ? (torch as unknown as { compile: Compiled }).compile : undefined;

/** A function, or the compiled function: of a training all that a step does. */
export function maybeCompiled<F>(fn: F, compile: boolean): F {
  if (!compile) return fn;
  if (compiled === undefined) throw new Error('torch.compile is not there');
  return compiled(fn);
}
