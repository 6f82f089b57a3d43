/** Reductions, matrix products and losses against PyTorch. */
import { device } from '../device.ts';
import { replay } from './replay.ts';

replay('reductions', device);
replay('matmul', device);
replay('functional', device);
