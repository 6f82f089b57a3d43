/** Rearranging, picking, placing, sorting and reducing against PyTorch. */
import { device } from '../device.ts';
import { replayPrograms } from './program.ts';
import { replay } from './replay.ts';

replay('rearranging', device);
replay('placing', device);
replay('sorting', device);
replay('reducing', device);
replay('products', device);
replay('everyday', device);
replay('every-dtype', device);
replay('first-hour', device);
replayPrograms('array-results', device);
