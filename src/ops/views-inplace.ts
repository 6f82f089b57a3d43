/** In-place forms of view ops: the same tensor object with other sizes and strides. */
import { mode } from '../autograd/mode.ts';
import { bumpVersion, checkInplace, gradientNode } from '../autograd/views.ts';
import { RuntimeError } from '../core/errors.ts';
import { aliasTensor, requiresGrad, type Tensor } from '../tensor/tensor.ts';
import { define } from './registry.ts';

/** Gives self the geometry and the history of the view that `op` makes of it; `name`: PyTorch's of the node. */
function takeView(self: Tensor, name: string, op: (x: Tensor) => Tensor): Tensor {
  checkInplace(self, mode.grad && requiresGrad(self));
  const before = aliasTensor(self, self.offset, self.sizes, self.strides, self.length);
  before.node = gradientNode(self);
  before.outputNumber = self.outputNumber;
  before.version = self.version;
  before.viewInfo = self.viewInfo;
  const after = op(before);
  self.offset = after.offset;
  self.length = after.length;
  self.sizes = after.sizes;
  self.strides = after.strides;
  self.contiguousNow = after.contiguousNow;
  // Without recording the node stays, though it knows other sizes.
  if (mode.grad) {
    self.node = after.node;
    if (after.node !== before.node && after.node !== null) (after.node as { name: string }).name = name;
    self.outputNumber = after.outputNumber;
  }
  bumpVersion(self);
  if (self.viewInfo !== null && mode.grad) self.viewInfo.nodeVersion = self.version!.value;
  after.dispose();
  before.dispose();
  return self;
}

const METHOD = { method: true, function: false };

define(
  { doc: 'In-place form of `t`.', ...METHOD },
  {
    't_(Tensor(a!) self) -> Tensor(a!)': (self: Tensor) => {
      return takeView(self, 'TBackward1', (x) => {
        const rank = x.sizes.length;
        if (rank > 2) throw new RuntimeError(`t_() expects a tensor with <= 2 dimensions, but self is ${rank}D`);
        return x.t();
      });
    },
  },
);
for (const [name, dim] of [
  ['transpose_', 'dim'],
  ['swapaxes_', 'axis'],
  ['swapdims_', 'dim'],
] as const) {
  define(
    { doc: `In-place form of \`${name.slice(0, -1)}\`.`, ...METHOD },
    {
      [`${name}(Tensor(a!) self, int ${dim}0, int ${dim}1) -> Tensor(a!)`]: (self: Tensor, a: number, b: number) =>
        takeView(self, 'TransposeBackward1', (x) => x.transpose(a, b)),
    },
  );
}
define(
  { doc: 'In-place form of `squeeze`.', ...METHOD },
  {
    'squeeze_(Tensor(a!) self) -> Tensor(a!)': (self: Tensor) => takeView(self, 'SqueezeBackward3', (x) => x.squeeze()),
    'squeeze_(Tensor(a!) self, int dim) -> Tensor(a!)': (self: Tensor, dim: number) =>
      takeView(self, 'SqueezeBackward4', (x) => x.squeeze(dim)),
    'squeeze_(Tensor(a!) self, int[] dim) -> Tensor(a!)': (self: Tensor, dim: number[]) =>
      takeView(self, 'SqueezeBackward5', (x) => x.squeeze(dim)),
  },
);
define(
  { doc: 'In-place form of `unsqueeze`.', ...METHOD },
  {
    'unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)': (self: Tensor, dim: number) =>
      takeView(self, 'UnsqueezeBackward1', (x) => x.unsqueeze(dim)),
  },
);
define(
  { doc: 'In-place form of `as_strided`.', ...METHOD },
  {
    'as_strided_(Tensor(a!) self, int[] size, int[] stride, int? storage_offset=None) -> Tensor(a!)': (
      self: Tensor,
      size: number[],
      stride: number[],
      storage_offset: number | null,
    ) => takeView(self, 'AsStridedBackward1', (x) => x.as_strided(size, stride, storage_offset)),
  },
);
