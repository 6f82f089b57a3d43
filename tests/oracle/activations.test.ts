/** Activations against PyTorch. */
import { device } from '../device.ts';
import { replay } from './replay.ts';

replay('activations', device);
