/** Rearranging, picking, placing, sorting and reducing against PyTorch. */
import { device } from '../device.ts';
import { replayPrograms } from './program.ts';
import { replay } from './replay.ts';

replay('rearranging', device);
replay('placing', device);
replay('sorting', device);
replay('reducing', device);
replay('products', device);
replayPrograms('array-results', device);
