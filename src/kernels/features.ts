/** Kernels and devices need the same answers; they are found in core. */
export { features } from '../core/features.ts';
