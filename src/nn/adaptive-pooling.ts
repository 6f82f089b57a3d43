/** Adaptive pooling layers: as many windows as are asked for, whatever the size of the input. */
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import './functional-pooling.ts';
import { Module } from './module.ts';
import type { Maxima } from './pooling.ts';
import { Signature } from './signature.ts';
import { pyRepr } from './text.ts';

const F = functional as unknown as Record<string, (...args: unknown[]) => Tensor>;

/** One number for all axes, or one for each; null: as large as the input is there. */
export type OutputSize = number | readonly (number | null)[];

const AVERAGE = Signature.of('_AdaptiveAvgPoolNd.__init__(self, output_size)');
const MAX = Signature.of('_AdaptiveMaxPoolNd.__init__(self, output_size, return_indices=False)');

abstract class AdaptiveAvgPoolNd extends Module {
  output_size: OutputSize;

  constructor(output_size: OutputSize);
  constructor(...args: unknown[]) {
    super();
    [this.output_size] = AVERAGE.bind(args) as [OutputSize];
  }

  override extra_repr(): string {
    return `output_size=${pyRepr(this.output_size)}`;
  }
}

/** Averages of output_size windows over [N, C, L] or [C, L]. */
export class AdaptiveAvgPool1d extends AdaptiveAvgPoolNd {
  override forward(input: Tensor): Tensor {
    return F['adaptive_avg_pool1d'](input, this.output_size);
  }
}

/** Averages of output_size windows over [N, C, H, W] or [C, H, W]. */
export class AdaptiveAvgPool2d extends AdaptiveAvgPoolNd {
  override forward(input: Tensor): Tensor {
    return F['adaptive_avg_pool2d'](input, this.output_size);
  }
}

/** Averages of output_size windows over [N, C, D, H, W] or [C, D, H, W]. */
export class AdaptiveAvgPool3d extends AdaptiveAvgPoolNd {
  override forward(input: Tensor): Tensor {
    return F['adaptive_avg_pool3d'](input, this.output_size);
  }
}

abstract class AdaptiveMaxPoolNd<Indices extends boolean = false> extends Module {
  output_size: OutputSize;
  return_indices: boolean;

  constructor(output_size: OutputSize, return_indices?: Indices | { return_indices?: Indices });
  constructor(...args: unknown[]) {
    super();
    [this.output_size, this.return_indices] = MAX.bind(args) as [OutputSize, boolean];
  }

  override extra_repr(): string {
    return `output_size=${pyRepr(this.output_size)}`;
  }
}

/** Maxima of output_size windows over [N, C, L] or [C, L]. */
export class AdaptiveMaxPool1d<Indices extends boolean = false> extends AdaptiveMaxPoolNd<Indices> {
  override forward(input: Tensor): Maxima<Indices> {
    return F['adaptive_max_pool1d'](input, this.output_size, this.return_indices) as Maxima<Indices>;
  }
}

/** Maxima of output_size windows over [N, C, H, W] or [C, H, W]. */
export class AdaptiveMaxPool2d<Indices extends boolean = false> extends AdaptiveMaxPoolNd<Indices> {
  override forward(input: Tensor): Maxima<Indices> {
    return F['adaptive_max_pool2d'](input, this.output_size, this.return_indices) as Maxima<Indices>;
  }
}

/** Maxima of output_size windows over [N, C, D, H, W] or [C, D, H, W]. */
export class AdaptiveMaxPool3d<Indices extends boolean = false> extends AdaptiveMaxPoolNd<Indices> {
  override forward(input: Tensor): Maxima<Indices> {
    return F['adaptive_max_pool3d'](input, this.output_size, this.return_indices) as Maxima<Indices>;
  }
}

for (const layer of [AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d]) fixedInputs(layer, 'input');
for (const layer of [AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d]) fixedInputs(layer, 'input');
