import { device } from '../device.ts';
import { replay } from './replay.ts';

replay('functional', device);
