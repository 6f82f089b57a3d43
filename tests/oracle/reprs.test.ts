import { device } from '../device.ts';
import { replayPrograms } from './program.ts';

replayPrograms('reprs', device);
