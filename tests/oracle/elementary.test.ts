/** Elementary functions, remainders, bits and their kin against PyTorch. */
import { device } from '../device.ts';
import { replay } from './replay.ts';

replay('elementary', device);
replay('pairs', device);
replay('pointwise-rare', device);
