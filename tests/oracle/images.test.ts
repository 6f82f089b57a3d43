/** Convolutions, pooling, normalisation, padding, interpolation and sliding blocks against PyTorch. */
import { device } from '../device.ts';
import { replay } from './replay.ts';

replay('convolutions', device);
replay('pools', device);
replay('norms', device);
replay('images', device);
replay('interpolation', device);
