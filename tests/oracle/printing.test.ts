/** Printing in all settings, of every sort of value, against PyTorch. */
import { device } from '../device.ts';
import { replayPrograms } from './program.ts';

replayPrograms('printing', device);
