/** All functions of `torch.nn.functional`. */
import '../ops/all.ts';
import './attention-forward.ts';
import './functional-images.ts';
import './functional-losses.ts';
import './functional-normalization.ts';
import './functional-pooling.ts';
import './functional-rrelu.ts';

export { functional } from './functional.ts';
