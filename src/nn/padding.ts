/** Padding layers over one to three axes. */
import { ValueError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { fixedInputs } from './call.ts';
import { functional } from './functional.ts';
import { Module } from './module.ts';
import { Signature } from './signature.ts';
import { pyRepr } from './text.ts';

/** One number for all sides, or widths before and after, the last axis first. */
export type Padding = number | readonly number[];

const PADDING = '__init__(self, padding)';
const CONSTANT = '__init__(self, padding, value)';

/** What a class is called here, and how many axes it pads; classes derived from it have the same. */
interface Kind {
  readonly kind: string;
  readonly axes: number;
}
const kindOf = (layer: Module): Kind => layer.constructor as unknown as Kind;

function sides(padding: Padding, axes: number): readonly number[] {
  return typeof padding === 'number' ? new Array<number>(2 * axes).fill(padding) : [...padding];
}

abstract class PadNd extends Module {
  /** Before and after, the last axis first. */
  padding: readonly number[];

  constructor(padding: Padding);
  constructor(...args: unknown[]) {
    super();
    const { kind, axes } = kindOf(this);
    const [padding] = Signature.of(`${kind}${axes}d.${PADDING}`).bind(args) as [Padding];
    this.padding = sides(padding, axes);
  }

  override extra_repr(): string {
    return pyRepr(this.padding);
  }
}

abstract class ConstantPadNd extends Module {
  static readonly kind: string = 'ConstantPad';

  /** Before and after, the last axis first. */
  padding: readonly number[];
  value: number;

  constructor(padding: Padding, value: number | { value: number });
  constructor(...args: unknown[]) {
    super();
    const { kind, axes } = kindOf(this);
    const [padding, value] = Signature.of(`${kind}${axes}d.${CONSTANT}`).bind(args) as [Padding, number];
    this.padding = sides(padding, axes);
    this.value = value;
  }

  override forward(input: Tensor): Tensor {
    return functional.pad(input, this.padding, 'constant', this.value);
  }

  override extra_repr(): string {
    return `padding=${pyRepr(this.padding)}, value=${pyRepr(this.value)}`;
  }
}

/** A constant around [N, C, L] or [C, L]. */
export class ConstantPad1d extends ConstantPadNd {
  static readonly axes: number = 1;
}
/** A constant around [N, C, H, W] or [C, H, W]. */
export class ConstantPad2d extends ConstantPadNd {
  static readonly axes: number = 2;
}
/** A constant around [N, C, D, H, W] or [C, D, H, W]. */
export class ConstantPad3d extends ConstantPadNd {
  static readonly axes: number = 3;
}

abstract class ZeroPadNd extends PadNd {
  static readonly kind: string = 'ZeroPad';

  override forward(input: Tensor): Tensor {
    return functional.pad(input, this.padding, 'constant', 0);
  }
}

/** Zeros around [N, C, L] or [C, L]. */
export class ZeroPad1d extends ZeroPadNd {
  static readonly axes: number = 1;
}
/** Zeros around [N, C, H, W] or [C, H, W]. */
export class ZeroPad2d extends ZeroPadNd {
  static readonly axes: number = 2;
}
/** Zeros around [N, C, D, H, W] or [C, D, H, W]. */
export class ZeroPad3d extends ZeroPadNd {
  static readonly axes: number = 3;
}

abstract class ReflectionPadNd extends PadNd {
  static readonly kind: string = 'ReflectionPad';

  override forward(input: Tensor): Tensor {
    return functional.pad(input, this.padding, 'reflect');
  }
}

/** The reflection of [N, C, L] or [C, L] around it. */
export class ReflectionPad1d extends ReflectionPadNd {
  static readonly axes: number = 1;
}
/** The reflection of [N, C, H, W] or [C, H, W] around it. */
export class ReflectionPad2d extends ReflectionPadNd {
  static readonly axes: number = 2;
}
/** The reflection of [N, C, D, H, W] or [C, D, H, W] around it. */
export class ReflectionPad3d extends ReflectionPadNd {
  static readonly axes: number = 3;
}

abstract class ReplicationPadNd extends PadNd {
  static readonly kind: string = 'ReplicationPad';

  override forward(input: Tensor): Tensor {
    return functional.pad(input, this.padding, 'replicate');
  }
}

/** The edge of [N, C, L] or [C, L] repeated around it. */
export class ReplicationPad1d extends ReplicationPadNd {
  static readonly axes: number = 1;
}
/** The edge of [N, C, H, W] or [C, H, W] repeated around it. */
export class ReplicationPad2d extends ReplicationPadNd {
  static readonly axes: number = 2;
}
/** The edge of [N, C, D, H, W] or [C, D, H, W] repeated around it. */
export class ReplicationPad3d extends ReplicationPadNd {
  static readonly axes: number = 3;
}

abstract class CircularPadNd extends PadNd {
  static readonly kind: string = 'CircularPad';

  override forward(input: Tensor): Tensor {
    const { axes } = kindOf(this);
    const rank = input.sizes.length;
    if (rank !== axes + 1 && rank !== axes + 2) {
      throw new ValueError(`expected ${axes + 1}D or ${axes + 2}D input (got ${rank}D input)`);
    }
    return functional.pad(input, this.padding, 'circular');
  }
}

/** [N, C, L] or [C, L] wrapped around. */
export class CircularPad1d extends CircularPadNd {
  static readonly axes: number = 1;
}
/** [N, C, H, W] or [C, H, W] wrapped around. */
export class CircularPad2d extends CircularPadNd {
  static readonly axes: number = 2;
}
/** [N, C, D, H, W] or [C, D, H, W] wrapped around. */
export class CircularPad3d extends CircularPadNd {
  static readonly axes: number = 3;
}

for (const layer of [ConstantPad1d, ZeroPad1d, ReflectionPad1d, ReplicationPad1d, CircularPad1d]) {
  fixedInputs(layer, 'input');
}
