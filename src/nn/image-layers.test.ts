/** Layers of the convolution family against PyTorch: texts, weights from a seed, results, gradients. */
import { device } from '../../tests/device.ts';
import { replayLayers } from './layers.testing.ts';

replayLayers('image_layers', device);
