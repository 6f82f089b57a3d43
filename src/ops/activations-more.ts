/** Activations of more than one tensor or of random numbers: prelu, glu, rrelu, softmin. */
import { record } from '../autograd/record.ts';
import { float64 } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import { wrapDim } from '../core/shape.ts';
import * as e from '../kernels/expr.ts';
import { emptyTensor } from '../tensor/empty.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Generator } from './generator.ts';
import { cat } from './join.ts';
import { pointwiseForms } from './pointwise-declare.ts';
import { define } from './registry.ts';

const ZERO = e.constant(0);
const ONE = e.constant(1);

const PRELU = pointwiseForms({
  schema: '_prelu_kernel(Tensor self, Tensor weight) -> Tensor',
  doc: '',
  rule: 'inexact',
  kernelName: 'prelu_cpu',
  node: 'PreluKernelBackward0',
  expr: ({ self, weight }) => e.where(e.gt(self, ZERO), self, e.mul(weight, self)),
  grad: {
    self: ({ grad, self, weight }) => e.where(e.gt(self, ZERO), grad, e.mul(weight, grad)),
    weight: ({ grad, self }) => e.where(e.gt(self, ZERO), ZERO, e.mul(self, grad)),
  },
});

function prelu(self: Tensor, weight: Tensor): Tensor {
  if (self.dtype !== weight.dtype) {
    throw new RuntimeError(
      `prelu: Type promoting not supported. Got ${self.dtype.scalarTypeName} and ${weight.dtype.scalarTypeName}`,
    );
  }
  const rank = weight.sizes.length;
  if (rank > 1) {
    throw new RuntimeError(`prelu: Expected \`weight\` to be a scalar or 1D tensor, but got: ndim = ${rank}`);
  }
  const dims = self.sizes.length;
  if (weight.length !== 1) {
    if (dims === 0) throw new RuntimeError('Not allow zero-dim input tensor.');
    const channels = dims > 1 ? self.sizes[1] : 1;
    if (channels !== weight.length) {
      throw new RuntimeError(
        `Mismatch of parameter numbers and input channel size. Found parameter numbers = ${weight.length} and channel size = ${channels}.`,
      );
    }
  }
  // One slope for each channel, of which a vector has one.
  const shape = Array.from({ length: dims }, (_, i) => (i === 1 ? weight.length : 1));
  return PRELU.apply(self, rank === dims && dims < 2 ? weight : weight.reshape(shape));
}

define(
  {
    doc: 'x where it is positive, else weight * x, with one weight or one for each channel (dimension 1).',
    functional: true,
    function: true,
  },
  { 'prelu(Tensor self, Tensor weight) -> Tensor': prelu },
);

const GLU = pointwiseForms({
  schema: 'glu(Tensor a, Tensor b) -> Tensor',
  doc: '',
  rule: 'inexact',
  kernelName: 'glu_cpu',
  expr: ({ a, b }) => e.mul(a, e.sigmoid(b)),
});
/** The second half's gradient. */
const GLU_GATE = pointwiseForms({
  schema: 'glu_backward(Tensor grad, Tensor a, Tensor b) -> Tensor',
  doc: '',
  rule: 'inexact',
  expr: (v) => {
    const gate = e.sigmoid(v['b']);
    return e.mul(e.mul(v['grad'], v['a']), e.mul(gate, e.sub(ONE, gate)));
  },
});

define(
  { doc: 'The first half of x along dim times the sigmoid of the second half.', functional: true, method: false },
  {
    'glu(Tensor self, int dim=-1) -> Tensor': (self: Tensor, dim: number) => {
      if (self.sizes.length === 0) {
        throw new RuntimeError('glu does not support scalars because halving size must be even');
      }
      const at = wrapDim(dim, self.sizes.length);
      const size = self.sizes[at];
      if (size % 2 !== 0) {
        throw new RuntimeError(`Halving dimension must be even, but dimension ${at} is size ${size}`);
      }
      const half = size / 2;
      const x = self.detach();
      const out = GLU.apply(x.narrow(at, 0, half), x.narrow(at, half, half));
      return record('GluBackward0', out, [self], [self], ([grad], [saved]) => {
        const [a, b] = [saved.narrow(at, 0, half), saved.narrow(at, half, half)];
        const parts = [GLU.apply(grad!, b), GLU_GATE.apply(grad!, a, b)];
        return joined(parts, at);
      });
    },
  },
);

/** The parts side by side; they are given back at once where nothing has recorded them. */
function joined(parts: Tensor[], dim: number): Tensor {
  const out = cat(parts, dim);
  if (out.node === null) for (const part of parts) part.storage.freeNow();
  return out;
}

/** What PyTorch draws for each element that is not above 0, in order; 1 for the others. */
function slopes(self: Tensor, lower: number, upper: number, generator: Generator | null): Tensor {
  const noise = self.new_ones(self.sizes as number[]);
  const { device } = self;
  if (device.type === 'meta') return noise;
  const below = self.detach().le(0);
  const draws = emptyTensor(self.storage.backend, [Number(below.sum().item())], float64);
  draws.uniform_(lower, upper, { generator });
  return noise.index_put_([below], draws.to(self.dtype));
}

const RRELU_SHARED = { doc: '', rule: 'inexact', kernelName: 'leaky_relu_cpu' } as const;
const RRELU_SCHEMA = 'rrelu(Tensor self, Tensor|Scalar slope) -> Tensor';
const rreluNode = (number: 0 | 1) => `RreluWithNoiseBackward${number}`;

/** With a slope for all, or for each element. */
const RRELU = pointwiseForms({
  ...RRELU_SHARED,
  schema: RRELU_SCHEMA,
  node: rreluNode(0),
  bystanders: ['slope'],
  expr: ({ self, slope }) => e.where(e.gt(self, ZERO), self, e.mul(self, slope)),
  grad: {
    self: ({ grad, self, slope }) =>
      slope.op === 'input' ? e.mul(grad, slope) : e.where(e.gt(self, ZERO), grad, e.mul(grad, slope)),
  },
});
const RRELU_INPLACE = pointwiseForms({
  ...RRELU_SHARED,
  schema: RRELU_SCHEMA,
  node: rreluNode(1),
  bystanders: ['slope'],
  flat: ['result'],
  expr: ({ self, slope }) => e.where(e.gt(self, ZERO), self, e.mul(self, slope)),
  grad: {
    self: ({ grad, result, slope }) =>
      slope.op === 'input' ? e.mul(grad, slope) : e.where(e.gt(result, ZERO), grad, e.mul(grad, slope)),
  },
});

/** The sign of the result says nothing of the input's where the slope is negative. */
const rreluInplace: typeof RRELU.inplace = (self, slope) =>
  (typeof slope === 'number' && slope < 0 ? RRELU : RRELU_INPLACE).inplace(self, slope);

const RRELU_OPTIONS =
  'Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None';
for (const [name, self, apply] of [
  ['rrelu', 'Tensor self', RRELU.apply],
  ['rrelu_', 'Tensor(a!) self', rreluInplace],
] as const) {
  define(
    {
      doc: 'x where it is positive, else x times a slope: drawn from [lower, upper) for each element during training, their mean otherwise.',
      functional: true,
      function: true,
      method: false,
    },
    {
      [`${name}(${self}, ${RRELU_OPTIONS}) -> Tensor${name === 'rrelu' ? '' : '(a!)'}`]: (
        self: Tensor,
        lower: number,
        upper: number,
        training: boolean,
        generator: Generator | null,
      ) => {
        if (lower > upper) throw new RuntimeError('Lower bound should be less than or equal to the upper bound');
        const drawn = training && self.dtype.is_floating_point;
        return apply(self, drawn ? slopes(self, lower, upper, generator) : (lower + upper) / 2);
      },
    },
  );
}
