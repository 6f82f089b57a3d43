/** Rows of the tests of tensors on several devices: what `mixed-devices.test.ts` and its lists share. */
import torch, { type Tensor } from 'torch-mtia';

export type Fn = (...tensors: Tensor[]) => unknown;
export interface Case {
  fn: Fn;
  make: (() => Tensor)[];
  /**
   * What is said to be off if this tensor alone is elsewhere, or that PyTorch moves it: always, or only where it (or
   * what stands beside it) is a 0-dim tensor of the cpu.
   */
  off: string[];
}
export const F = torch.nn.functional;
export const MOVED = 'moved';
export const INDICES = 'indices should be either on cpu or on the same device as the indexed tensor';

export const x = () => torch.rand(3, 3);
export const vector = () => torch.rand(3);
export const zeroDim = () => torch.rand([]);
export const cube = () => torch.rand(2, 3, 3);
export const ints = () => torch.tensor([2n, 0n, 1n]);
export const grid = () => torch.tensor([[2n, 0n, 1n]]);
export const mask = () => torch.tensor([true, false, true]);
export const one = () => torch.rand(1, 3);

export const row = (fn: Fn, make: (() => Tensor)[], ...off: string[]): Case => ({ fn, make, off });
/** The same is said whichever is elsewhere. */
export const both = (fn: Fn, make: (() => Tensor)[], off: string) => row(fn, make, ...make.map(() => off));

export const method = (name: string, x: Tensor, ...args: unknown[]) =>
  (x as never as Record<string, (...args: unknown[]) => unknown>)[name](...args);
/** `x.name(y)`, where y may be 0-dim. */
export const pair = (name: string, argument = 'other', said = name.replace(/_$/, '')): Case[] => {
  const fn: Fn = (a, b) => method(name, name.endsWith('_') ? a.clone() : a, b);
  return [x, vector, zeroDim].map((second) => both(fn, [x, second], `${argument} in method ${said}`));
};
export const pairs = (...names: string[]) => Object.fromEntries(names.map((name) => [name, pair(name)]));
