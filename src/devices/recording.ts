/**
 * Somebody who writes down what devices are given while it runs: `src/compile` makes programs of it. Unlike in a graph capture
 * (`capture.ts`) everything runs as ever. null: nobody does.
 */
import type { Backend } from './backend.ts';

export interface LaunchRecorder {
  /** A launch is complete and about to be handed over: `count` words at `at` in `words`, 0 where the builder wrote none. */
  submitted(backend: Backend, kernel: number, count: number, grain: number, words: Int32Array, at: number): void;
  /** Memory was allocated. May ask for other memory in its place. @returns the address to use */
  allocated(backend: Backend, address: number, bytes: number): number;
  freed(backend: Backend, address: number): void;
  /** Bytes of the host go to the device. */
  copiedIn(backend: Backend, address: number, source: Uint8Array): void;
  /** The host wants to see what is on the device. */
  hostReads(backend: Backend): void;
  /** The numbers of the next launch of expressions (a `MapKernel`) are computed anew in every run: by this, in its order. */
  numbers(source: () => readonly number[]): void;
  /** Library code that keeps state of its own beside tensors runs now, and can't be written down. */
  opaque(what: string): void;
  /** An object of the library whose numbers decide what is launched, such as a module: it is asked for them before a replay. */
  consulted(object: object): void;
  /** A leaf's `.grad` is about to be changed: to another tensor, to null, or in place. */
  gradientSet(variable: object): void;
}

export let recording: LaunchRecorder | null = null;

export function setRecording(recorder: LaunchRecorder | null): void {
  recording = recorder;
}
