/** Pointwise operations and type promotion against PyTorch. */
import { device } from '../device.ts';
import { replay } from './replay.ts';

replay('pointwise', device);
replay('binary', device);
replay('promotion', device);
