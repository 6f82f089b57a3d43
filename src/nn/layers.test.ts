/** Modules against PyTorch: texts, weights from a seed, results, gradients. */
import { device } from '../../tests/device.ts';
import { replayLayers } from './layers.testing.ts';

replayLayers('layers', device);
