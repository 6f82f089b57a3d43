/** Builder of integer convolution launches. */
import { DTYPES } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { axesOf, type ConvGeometry } from './conv-plan.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { CONV_INT, convInteger } from './wasm/conv-integer.ts';

const KERNELS = DTYPES.map((d) =>
  d.is_floating_point || d.name === 'bool' ? -1 : registerKernel(() => convInteger(d), `conv.${d.name}`),
);

/** As `conv`, for integer dtypes. */
export function convIntegers(out: Operand, x: Operand, weight: Operand, bias: Operand | null, g: ConvGeometry): void {
  if (out.length === 0) return;
  const backend = (out.storage as Storage).backend;
  const bytes = out.dtype.itemsize;
  const taps = axesOf(weight.sizes, 1);
  const work = Math.max(1, weight.sizes[1] * taps[0] * taps[1] * taps[2]);
  const k = backend.begin(KERNELS[out.dtype.index], CONV_INT.count, Math.max(1, Math.floor(32768 / work)));
  const { words } = backend;
  words[k + CONV_INT.begin] = 0;
  words[k + CONV_INT.end] = out.length;
  words[k + CONV_INT.out] = outAddress(out, backend);
  words[k + CONV_INT.x] = address(x, backend);
  words[k + CONV_INT.weight] = address(weight, backend);
  words[k + CONV_INT.bias] = bias === null ? 0 : address(bias, backend);
  words[k + CONV_INT.biasStep] = bias === null ? 0 : bias.strides[0] * bytes;
  words[k + CONV_INT.outputs] = out.sizes[1];
  words[k + CONV_INT.each] = out.sizes[1] / g.groups;
  words[k + CONV_INT.channels] = weight.sizes[1];
  words[k + CONV_INT.xImage] = x.strides[0] * bytes;
  words[k + CONV_INT.xChannel] = x.strides[1] * bytes;
  words[k + CONV_INT.wOutput] = weight.strides[0] * bytes;
  words[k + CONV_INT.wChannel] = weight.strides[1] * bytes;
  const [size, positions] = [axesOf(x.sizes, 1), axesOf(out.sizes, 1)];
  const [xStep, wStep] = [axesOf(x.strides, 0), axesOf(weight.strides, 0)];
  for (let i = 0; i < 3; i++) {
    words[k + CONV_INT.size + i] = size[i];
    words[k + CONV_INT.positions + i] = positions[i];
    words[k + CONV_INT.taps + i] = taps[i];
    words[k + CONV_INT.stride + i] = g.stride[i];
    words[k + CONV_INT.padding + i] = g.padding[i];
    words[k + CONV_INT.dilation + i] = g.dilation[i];
    words[k + CONV_INT.xStep + i] = xStep[i] * bytes;
    words[k + CONV_INT.wStep + i] = wStep[i] * bytes;
  }
  backend.submit();
}
