/**
 * How the bench speaks with whoever is measured, ourselves included: each is a process that reads one JSON request a line and
 * answers each with one line. Its first line says what it is.
 */
import type { Arguments } from '../cases/case.ts';

export interface Hello {
  version: string;
  cases: string[];
  /** Ours: the native BLAS in use; null where there is none. */
  blas?: string | null;
  /** Ours: whether there is torch.compile. */
  compile?: boolean;
}

export interface Request {
  case: string;
  args: Arguments;
  /** `time`: seconds of `repeat` steps; `losses`: of as many steps from the beginning; `peak`: bytes (ours on mtia); `forget`. */
  do: 'time' | 'losses' | 'peak' | 'forget';
  repeat: number;
  threads: number;
  compile?: boolean;
}

export interface Answer {
  seconds?: number;
  losses?: number[];
  bytes?: number;
  error?: string;
  /** The error is that it has no such dtype or operation. */
  lacking?: boolean;
}
