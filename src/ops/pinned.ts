/** Pinned host memory: `pin_memory()`, `is_pinned()`, and who may ask for it. */
import { mode } from '../autograd/mode.ts';
import { record } from '../autograd/record.ts';
import { type DeviceLike, parseDevice } from '../core/device.ts';
import { RuntimeError } from '../core/errors.ts';
import { isContiguous } from '../core/shape.ts';
import { warn } from '../core/warn.ts';
import type { Backend } from '../devices/backend.ts';
import { isPinned } from '../devices/pinned.ts';
import { checkIndex, deviceCount } from '../devices/registry.ts';
import { copy } from '../kernels/copy.ts';
import { emptyStrided } from '../tensor/empty.ts';
import { FLAG_INFERENCE, type Tensor } from '../tensor/tensor.ts';
import { preservedStrides } from './layout.ts';
import { define } from './registry.ts';

/**
 * Whether a factory's result goes to pinned memory: `pin_memory` as given, without meaning on meta.
 * @throws RuntimeError for another device than the cpu, and where there is no accelerator
 */
export function wantsPinned(backend: Backend, pin_memory: boolean | null | undefined): boolean {
  if (!pin_memory) return false;
  const { type } = backend.device;
  if (type === 'meta') return false;
  if (type !== 'cpu') throw new RuntimeError('Only dense CPU tensors can be pinned');
  if (deviceCount() === 0) {
    throw new RuntimeError(
      'pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this system.',
    );
  }
  return true;
}

/** The device argument has no meaning any more, but it is looked at. */
function checkDevice(device: DeviceLike | null, method: string): void {
  if (device !== null) {
    warn(
      `The argument 'device' of Tensor.${method}() is deprecated. Please do not pass this argument.`,
      'DeprecationWarning',
    );
  }
}

function checkAccelerator(device: DeviceLike | null): void {
  if (device !== null && typeof device !== 'number') {
    const { type, index } = parseDevice(device);
    if (type === 'cpu' || type === 'meta') {
      throw new RuntimeError(`${type.toUpperCase()} device type not an accelerator.`);
    }
    if (type === 'cuda' || type === 'xpu') {
      const name = type.toUpperCase();
      throw new RuntimeError(`Cannot initialize ${name} without ATen_${type} library.`);
    }
    if (type === 'mtia' && index !== null && deviceCount() > 0) checkIndex(index);
  }
  if (deviceCount() === 0) throw new RuntimeError('Cannot access accelerator device when none is available.');
}

define(
  {
    doc: 'self in pinned host memory, which non-blocking copies to and from a device need; self itself if it is there already.',
    function: false,
  },
  {
    'pin_memory(Tensor self, device? device=None) -> Tensor': (self: Tensor, device: DeviceLike | null) => {
      checkDevice(device, 'pin_memory');
      if (isPinned(self.storage)) return self;
      const { backend } = self.storage;
      if (backend.device.type !== 'cpu') {
        throw new RuntimeError(`cannot pin '${innerTypeName(self)}' only dense CPU tensors can be pinned`);
      }
      checkAccelerator(device);
      const strides = preservedStrides(self);
      const out = emptyStrided(backend, self.sizes, strides, self.dtype, isContiguous(self.sizes, strides), true);
      copy(out, self);
      if (mode.inference) out.flags |= FLAG_INFERENCE;
      return record('PinMemoryBackward0', out, [self], [], ([grad]) => grad);
    },
  },
);

/** The name of a tensor's type inside PyTorch, such as `MTIAFloatType`. */
function innerTypeName(x: Tensor): string {
  const { type } = x.storage.backend.device;
  return `${type === 'meta' ? 'Meta' : type.toUpperCase()}${x.dtype.scalarTypeName}Type`;
}

define(
  { doc: 'Whether self lies in pinned host memory: its storage, so views too.', function: false },
  {
    'is_pinned(Tensor self, device? device=None) -> bool': (self: Tensor, device: DeviceLike | null) => {
      checkDevice(device, 'is_pinned');
      return isPinned(self.storage);
    },
  },
);
