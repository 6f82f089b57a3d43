/**
 * Faults: what a kernel returns when it meets bad data, and the error that makes of it. A kernel family defines its
 * faults beside its kernels; codes are numbered from 1 (0 means all is well) and built into the kernels' code.
 */
import { RuntimeError } from '../core/errors.ts';
import { setFaultErrors } from '../devices/kernels.ts';

/** Makes the error from what the kernel stored at FAULT_DETAILS: up to four i32. */
export type FaultError = (details: readonly [number, number, number, number]) => Error;

const faults: FaultError[] = [];

/** Numbers a fault; the kernel returns this code. */
export function defineFault(error: FaultError): number {
  return faults.push(error);
}

/** The error for a code that a kernel returned. */
export function faultError(code: number, details: readonly [number, number, number, number]): Error {
  const fault = faults[code - 1];
  return fault ? fault(details) : new RuntimeError(`a kernel failed with the unknown code ${code}`);
}

setFaultErrors((code, [a, b, c, d]) => faultError(code, [a, b, c, d]));

/** An integer division or remainder by zero; PyTorch's text. */
export const FAULT_ZERO_DIVISION = defineFault(() => new RuntimeError('ZeroDivisionError'));
