/** Losses against PyTorch: over pairs of elements, likelihoods, margins. */
import { device } from '../../tests/device.ts';
import { replay } from '../../tests/oracle/replay.ts';

replay('losses', device);
replay('losses-more', device);
replay('distances', device);
