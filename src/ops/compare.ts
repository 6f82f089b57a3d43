/** allclose, isclose and equal: comparisons of whole tensors. */
import { defaultDType } from '../core/defaults.ts';
import { RuntimeError } from '../core/errors.ts';
import { sameSizes } from '../core/shape.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sameBackend } from './device.ts';
import { define } from './registry.ts';

function isclose(self: Tensor, other: Tensor, rtol: number, atol: number, equal_nan: boolean): Tensor {
  if (self.dtype !== other.dtype) {
    throw new RuntimeError(`${self.dtype.scalarTypeName} did not match ${other.dtype.scalarTypeName}`);
  }
  if (rtol < 0) throw new RuntimeError(`rtol must be greater than or equal to zero, but got ${rtol}`);
  if (atol < 0) throw new RuntimeError(`atol must be greater than or equal to zero, but got ${atol}`);
  let close = self.eq(other);
  if (equal_nan && self.dtype.is_floating_point) close = close.maximum(self.ne(self).mul(other.ne(other)));
  if (rtol === 0 && atol === 0) return close;
  // As in PyTorch, which loses digits of large integers here.
  const wide = self.dtype.is_floating_point ? self.detach() : self.to(defaultDType());
  const reference = other.dtype.is_floating_point ? other.detach() : other.to(defaultDType());
  const allowed = reference.mul(rtol).abs().add(atol);
  const error = wide.sub(reference).abs();
  return close.maximum(error.isfinite().mul(error.le(allowed)));
}

define(
  { doc: 'Elementwise: |self - other| <= atol + rtol * |other|.' },
  {
    'isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor': isclose,
  },
);

define(
  { doc: 'Whether all elements satisfy |self - other| <= atol + rtol * |other|. Waits for the device.' },
  {
    'allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool': (
      self: Tensor,
      other: Tensor,
      rtol: number,
      atol: number,
      equal_nan: boolean,
    ) => Boolean(isclose(self, other, rtol, atol, equal_nan).all().item()),
  },
);

define(
  { doc: 'Whether both have the same sizes and elements. Waits for the device.' },
  {
    'equal(Tensor self, Tensor other) -> bool': (self: Tensor, other: Tensor) => {
      sameBackend('equal', [self, other], ['self', 'other']);
      if (!sameSizes(self.sizes, other.sizes)) return false;
      return Boolean(self.eq(other).all().item());
    },
  },
);
