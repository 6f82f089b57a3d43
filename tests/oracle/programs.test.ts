/** Autograd through in-place changes, error texts and printing against PyTorch. */
import { device } from '../device.ts';
import { replayPrograms } from './program.ts';

replayPrograms('inplace', device);
replayPrograms('errors', device);
replayPrograms('reprs', device);
replayPrograms('fuzz', device);
