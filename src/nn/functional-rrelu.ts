/** `torch.nn.functional.rrelu`, with `inplace` as its last parameter. */
import '../ops/activations-more.ts';
import { functional as functions } from '../torch/attach.ts';
import { type Op, withInplace } from './functional-activations.ts';

const { rrelu, rrelu_ } = functions as unknown as Record<string, Op>;
Object.assign(functions, {
  rrelu: withInplace('rrelu', 'lower=0.125, upper=0.3333333333333333, training=False, ', rrelu, rrelu_),
});
