/** Factories, views, copies and indexing against PyTorch. */
import { device } from '../device.ts';
import { replay } from './replay.ts';

replay('creation', device);
replay('views', device);
replay('copies', device);
replay('indexing', device);
replay('gathering', device);
