/** All rows, in the order of the table. */
import { kernelRows } from './kernels.ts';
import { memoryRows } from './memory.ts';
import { packageRows } from './package.ts';
import type { Row } from './row.ts';
import { trainingRows } from './training.ts';

export const rows: Row[] = [...kernelRows, ...trainingRows, ...packageRows, ...memoryRows];
