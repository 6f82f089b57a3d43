/** Losses over pairs of elements against PyTorch. */
import { device } from '../../tests/device.ts';
import { replay } from '../../tests/oracle/replay.ts';

replay('losses', device);
