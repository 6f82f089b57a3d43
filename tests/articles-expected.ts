/**
 * What the articles' programs print: alone, after one another, without the backend, in Node.js and in a browser.
 * A string is a whole line, a RegExp must match one.
 */
export type Line = string | RegExp;

const MISMATCH =
  /^RuntimeError: Expected all tensors to be on the same device, but found at least two devices, mtia:0 and cpu!/;
const NOT_AVAILABLE = /^RuntimeError: MTIA backend not available/;

/** Each alone in a process, with one virtual device. */
export const ALONE: Record<string, Line[]> = {
  'is-available': ['MTIA backend is available'],
  tensor: ["tensor([1., 2., 3.], device='mtia:0')"],
  'training-step': [],
  fallback: ['Using device: mtia'],
  'memory-counters': [
    'Allocated MTIA memory: 0 bytes',
    'Reserved MTIA memory: 0 bytes',
    'Peak allocated memory: 0 bytes',
  ],
  'memory-forward': ['Memory before: 590848 bytes', 'Memory after: 623616 bytes', 'Peak memory: 623616 bytes'],
  'memory-methods': [
    /^RuntimeError: MTIA memory tracking is not initialized/,
    'Allocated: 1024 bytes',
    'Reserved: 0 bytes',
  ],
  errors: [/^RuntimeError: MTIA memory tracking is not initialized/, 'no error', MISMATCH],
};

/** With MTIA_DEVICE_COUNT=0. */
export const WITHOUT_BACKEND: Record<string, Line[]> = {
  'is-available': ['MTIA not available'],
  tensor: ['tensor([1., 2., 3.])'],
  'training-step': [],
  fallback: ['Using device: cpu'],
  'memory-counters': ['Peak allocated memory: 0 bytes'],
  'memory-forward': ['Memory before: 0 bytes', 'Memory after: 0 bytes', 'Peak memory: 0 bytes'],
  'memory-methods': [NOT_AVAILABLE, 'Allocated: 0 bytes', 'Reserved: 0 bytes'],
  errors: [NOT_AVAILABLE, NOT_AVAILABLE, NOT_AVAILABLE],
};

/**
 * One after another in one process. What earlier programs held is gone again where the engine can be asked to collect
 * (Node.js); what they have reserved may stay.
 */
export const TOGETHER: Record<string, Line[]> = {
  ...ALONE,
  'memory-counters': [
    'Allocated MTIA memory: 0 bytes',
    /^Reserved MTIA memory: \d+ bytes$/,
    'Peak allocated memory: 0 bytes',
  ],
  'memory-methods': [/^[1-9]\d* statistics$/, 'Allocated: 1024 bytes', /^Reserved: \d+ bytes$/],
  errors: ['no error', 'no error', MISMATCH],
};
