/** A tensor's properties, and the methods that are not ops: autograd's entry points, hooks, iteration. */

import { recordStream } from '../accelerator/record-stream.ts';
import { setGradient } from '../autograd/accumulate.ts';
import { backwardOf } from '../autograd/backward.ts';
import { registerHook, retainGrad } from '../autograd/hooks.ts';
import { gradientNode } from '../autograd/views.ts';
import { AttributeError, IndexError, RuntimeError } from '../core/errors.ts';
import { showSizes, wrapDim } from '../core/shape.ts';
import { Size } from '../core/size.ts';
import { deviceAddress } from '../devices/storage.ts';
import { isOptions, pythonTypeOf } from '../ops/bind.ts';
import { C_NAMES } from '../ops/linalg.ts';
import { dataOf } from '../ops/views.ts';
import type { RemovableHandle } from '../tensor/members.ts';
import {
  currentVersion,
  disown,
  FLAG_INFERENCE,
  FLAG_RETAINS_GRAD,
  requiresGrad,
  Tensor,
  type TensorHook,
} from '../tensor/tensor.ts';
import { absence } from './absence.ts';
import { repr } from './repr.ts';
import { withoutTensor } from './attach.ts';

const prototype = Tensor.prototype;

function getter(name: string, get: (this: Tensor) => unknown, set?: (this: Tensor, value: never) => void): void {
  Object.defineProperty(prototype, name, {
    get,
    set: (set as ((value: unknown) => void) | undefined) ?? readOnly(name),
    configurable: true,
  });
}

/** Python's error in place of JavaScript's. */
const readOnly = (name: string) => () => {
  throw new AttributeError(`attribute '${name}' of 'torch._C.TensorBase' objects is not writable`);
};

function method(name: string | symbol, value: (this: Tensor, ...args: never[]) => unknown): void {
  const own = function (this: Tensor, ...args: never[]): unknown {
    if (!(this instanceof Tensor)) throw withoutTensor(String(name), this);
    return Reflect.apply(value, this, args);
  };
  Object.defineProperty(prototype, name, { value: own, writable: true, configurable: true });
}

/** A method without arguments, which says so. */
function bare(name: string, value: (this: Tensor) => unknown): void {
  method(name, function (this: Tensor, ...args: unknown[]) {
    if (args.length > 0) throw new TypeError(`TensorBase.${name}() takes no arguments (${args.length} given)`);
    return Reflect.apply(value, this, []);
  });
}

const shapes = new WeakMap<readonly number[], Size>();

/** One Size per sizes array: most tensors share theirs with others. */
function shapeOf(x: Tensor): Size {
  let size = shapes.get(x.sizes);
  // Shared, so nobody may change it; a tuple in Python.
  if (size === undefined) shapes.set(x.sizes, (size = Object.freeze(Size.make(x.sizes)) as Size));
  return size;
}

/** The dimension that `size(dim)` and its like ask for. */
function dimensionOf(x: Tensor, name: string, dim: unknown): number {
  if (typeof dim !== 'number' || !Number.isInteger(dim)) {
    throw new TypeError(`${name}(): argument 'dim' (position 1) must be int, not ${pythonTypeOf(dim)}`);
  }
  if (x.sizes.length === 0) throw new IndexError(`Dimension specified as ${dim} but tensor has no dimensions`);
  return wrapDim(dim, x.sizes.length);
}

getter('shape', function () {
  return shapeOf(this);
});
method('size', function (this: Tensor, dim?: number) {
  return dim === undefined || dim === null ? shapeOf(this) : this.sizes[dimensionOf(this, 'size', dim)];
});
method('stride', function (this: Tensor, dim?: number) {
  return dim === undefined || dim === null ? this.strides.slice() : this.strides[dimensionOf(this, 'stride', dim)];
});
getter('ndim', function () {
  return this.sizes.length;
});
bare('dim', function () {
  return this.sizes.length;
});
for (const name of ['numel', 'nelement']) {
  bare(name, function () {
    return this.length;
  });
}
bare('element_size', function () {
  return this.dtype.itemsize;
});
getter('itemsize', function () {
  return this.dtype.itemsize;
});
getter('nbytes', function () {
  return this.length * this.dtype.itemsize;
});
bare('storage_offset', function () {
  return this.offset;
});
bare('data_ptr', function () {
  return this.length === 0 ? 0 : deviceAddress(this.storage) + this.offset * this.dtype.itemsize;
});
method('is_contiguous', function () {
  return this.contiguousNow;
});
getter('device', function () {
  return this.storage.backend.device;
});
for (const type of ['cpu', 'mtia', 'cuda', 'meta']) {
  getter(`is_${type}`, function () {
    return this.storage.backend.device.type === type;
  });
}
bare('is_floating_point', function () {
  return this.dtype.is_floating_point;
});
bare('is_complex', () => false);
bare('is_signed', function () {
  return this.dtype.is_signed;
});
getter('T', function () {
  return this.permute(this.sizes.map((_, i) => this.sizes.length - 1 - i));
});
getter('mT', function () {
  // A deprecated habit of PyTorch.
  if (this.sizes.length === 0) return this;
  if (this.sizes.length < 2) {
    throw new RuntimeError(
      `tensor.mT is only supported on matrices or batches of matrices. Got ${this.sizes.length}-D tensor.`,
    );
  }
  return this.transpose(-2, -1);
});

getter(
  'requires_grad',
  function () {
    return requiresGrad(this);
  },
  function (value: boolean) {
    if (value && gradientNode(this) !== null) {
      throw new RuntimeError('you can only change requires_grad flags of leaf variables.');
    }
    setRequiresGrad(this, value);
  },
);

function setRequiresGrad(x: Tensor, value: boolean): void {
  if (typeof value !== 'boolean') throw new RuntimeError('requires_grad must be a bool');
  if (gradientNode(x) !== null) {
    if (value) return;
    throw new RuntimeError(
      "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
    );
  }
  if (value) {
    if (!x.dtype.is_floating_point) {
      throw new RuntimeError('only Tensors of floating point and complex dtype can require gradients');
    }
    if ((x.flags & FLAG_INFERENCE) !== 0) {
      throw new RuntimeError('Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.');
    }
  }
  x.wantsGrad = value;
}

method('requires_grad_', function (this: Tensor, value = true) {
  for (const key in isOptions(value) ? value : {}) {
    if (key !== 'requires_grad') throw new TypeError(`requires_grad_() got an unexpected keyword argument '${key}'`);
  }
  const wanted = isOptions(value) ? ((value as { requires_grad?: boolean }).requires_grad ?? true) : value;
  if (typeof wanted !== 'boolean') {
    throw new TypeError(
      `requires_grad_(): argument 'requires_grad' (position 1) must be bool, not ${pythonTypeOf(wanted)}`,
    );
  }
  if (wanted && !this.dtype.is_floating_point) {
    throw new RuntimeError('only Tensors of floating point dtype can require gradients');
  }
  setRequiresGrad(this, wanted);
  return this;
});

getter(
  'grad',
  function () {
    const grad = this.gradient;
    if (grad !== null) disown(grad);
    return grad;
  },
  function (value: Tensor | null | undefined) {
    if (value === null || value === undefined) {
      setGradient(this, null);
      return;
    }
    if (!(value instanceof Tensor)) {
      throw new TypeError(`assigned grad expected to be a Tensor or None but got grad of type ${pythonTypeOf(value)}`);
    }
    if ((value as Tensor) === this) throw new RuntimeError("can't assign Variable as its own grad");
    if (value.dtype !== this.dtype) {
      throw new RuntimeError(
        `attempting to assign a gradient with dtype '${C_NAMES[value.dtype.name]}' to a tensor with grad_dtype '${this.dtype.scalarTypeName}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that assume they match.`,
      );
    }
    if (value.storage.backend !== this.storage.backend) {
      throw new RuntimeError('assigned grad has data located on a different device');
    }
    if (value.sizes.join() !== this.sizes.join()) {
      throw new RuntimeError(
        `attempting to assign a gradient of size '${showSizes(value.sizes)}' to a tensor of size '${showSizes(this.sizes)}'. Please ensure that the gradient and the tensor are the same size`,
      );
    }
    disown(value);
    setGradient(this, value);
  },
);

getter('grad_fn', function () {
  return gradientNode(this);
});
getter('is_leaf', function () {
  return gradientNode(this) === null;
});
getter('output_nr', function () {
  return this.outputNumber;
});
getter(
  'data',
  function () {
    return dataOf(this);
  },
  function (value: Tensor) {
    if (!(value instanceof Tensor))
      throw new TypeError(`Variable data has to be a tensor, but got ${pythonTypeOf(value)}`);
    if (value.dtype !== this.dtype && requiresGrad(this) && !value.dtype.is_floating_point) {
      throw new RuntimeError('data set to a tensor that requires gradients must be floating point or complex dtype');
    }
    replaceData(this, value);
  },
);

/** Makes x show another tensor's storage, keeping its identity and its place in graphs. */
export function replaceData(x: Tensor, value: Tensor): void {
  const before = x.storage;
  value.storage.record.handles++;
  x.storage = value.storage;
  x.offset = value.offset;
  x.sizes = value.sizes;
  x.strides = value.strides;
  x.dtype = value.dtype;
  x.length = value.length;
  x.contiguousNow = value.contiguousNow;
  // What stood for the old data in graphs knows its sizes and device.
  x.accumulator = null;
  before.release();
}

getter('_version', function () {
  if ((this.flags & FLAG_INFERENCE) !== 0) {
    throw new RuntimeError('Inference tensors do not track version counter.');
  }
  return currentVersion(this);
});
getter('_base', function () {
  return this.viewInfo === null ? null : this.viewInfo.base;
});
bare('_is_view', function () {
  return this.viewInfo !== null;
});
bare('is_inference', function () {
  return (this.flags & FLAG_INFERENCE) !== 0;
});

method('backward', function (this: Tensor, ...args: unknown[]) {
  backwardOf(this, args);
});

getter('retains_grad', function () {
  return (this.flags & FLAG_RETAINS_GRAD) !== 0;
});

bare('retain_grad', function (this: Tensor) {
  retainGrad(this);
});
method('record_stream', function (this: Tensor, stream: unknown): void {
  recordStream(this, stream);
});
method('register_hook', function (this: Tensor, hook: TensorHook): RemovableHandle {
  return registerHook(this, hook);
});

bare('detach_', function (this: Tensor) {
  if (this.viewInfo !== null) {
    throw new RuntimeError(
      "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.",
    );
  }
  this.node = null;
  this.outputNumber = 0;
  this.wantsGrad = false;
  return this;
});

method(Symbol.iterator, function* (this: Tensor) {
  if (this.sizes.length === 0) throw new TypeError('iteration over a 0-d tensor');
  yield* this.unbind(0);
});

method('toString', function () {
  return repr(this);
});
method(Symbol.for('nodejs.util.inspect.custom'), function () {
  return repr(this);
});

// Without it, JSON.stringify would walk through the whole device.
method('toJSON', function () {
  return this.tolist();
});

// The habits that JavaScript would let through silently.
method(Symbol.toPrimitive, function (this: Tensor, hint: never) {
  if ((hint as string) === 'string') return repr(this);
  throw new TypeError(
    'tensors have no operators in JavaScript: write x.add(y), x.mul(y), x.lt(y) … instead of x + y, x * y, x < y; x.item() gives the number of a one-element tensor',
  );
});
Object.setPrototypeOf(
  prototype,
  new Proxy(Object.prototype, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^-?\d+$/.test(key)) {
        throw new TypeError(
          `x[${key}] does not index a tensor in JavaScript: write x.index([${key}]) or x.select(0, ${key})`,
        );
      }
      // Tools ask any object for its `name`.
      if (typeof key === 'string' && key !== 'name') absence.refuse?.('torch.Tensor', key);
      return Reflect.get(target, key, receiver);
    },
    set(target, key, value, receiver) {
      if (typeof key === 'string' && /^-?\d+$/.test(key)) {
        throw new TypeError(
          `x[${key}] = … does not assign to a tensor in JavaScript: write x.index_put_([${key}], value)`,
        );
      }
      return Reflect.set(target, key, value, receiver);
    },
  }),
);
