/**
 * `torch.amp.GradScaler`: multiplies losses, so that gradients in float16 do not vanish, and divides the gradients again
 * before the optimizer's step, which is left out where they overflowed.
 */
import { no_grad } from '../autograd/mode.ts';
import type { Device } from '../core/device.ts';
import { float16, float32, float64, int32 } from '../core/dtype.ts';
import { AssertionError, AttributeError, RuntimeError, ValueError } from '../core/errors.ts';
import { isOptions, Signature } from '../core/signature.ts';
import { warn } from '../core/warn.ts';
import { backendFor } from '../devices/registry.ts';
import { fromHost } from '../ops/host.ts';
import { Tensor } from '../tensor/tensor.ts';
import { typeName } from '../tensor/type-name.ts';
import { unscale, updateScale } from './scaling.ts';

export interface GradScalerOptions {
  /** The first scale. Default: 65536. */
  init_scale?: number;
  /** What the scale is multiplied by after growth_interval steps without overflow. Default: 2. */
  growth_factor?: number;
  /** What the scale is multiplied by after an overflow. Default: 0.5. */
  backoff_factor?: number;
  /** Default: 2000. */
  growth_interval?: number;
  /** false: nothing is scaled, and `step` is the optimizer's. Default: true. */
  enabled?: boolean;
}

/** What the scaler needs of an optimizer. */
export interface ScaledOptimizer {
  readonly param_groups: readonly { readonly params: readonly Tensor[] }[];
  step(...args: never[]): unknown;
}

export interface GradScalerState {
  scale: number;
  growth_factor: number;
  backoff_factor: number;
  growth_interval: number;
  /** Steps without overflow since the scale last changed. */
  _growth_tracker: number;
}

const UPDATE = Signature.of('GradScaler.update(self, new_scale=None)');
const SIGNATURE = Signature.of(
  "GradScaler.__init__(self, device='cuda', init_scale=65536, growth_factor=2, backoff_factor=0.5, growth_interval=2000, enabled=True)",
);

/** What has happened to an optimizer since the last `update`. */
interface Progress {
  stage: 'ready' | 'unscaled' | 'stepped';
  /** By device, whether a gradient was infinite or NaN: 1 or 0. */
  overflow: Map<Device, Tensor>;
}

/** Nested arrays of tensors. */
export type Outputs = Tensor | readonly Outputs[];

/** `torch.amp.GradScaler(device, { init_scale, growth_factor, backoff_factor, growth_interval, enabled })`: scales losses, so that small float16 gradients survive. */
export class GradScaler {
  readonly #device: string;
  readonly #enabled: boolean;
  #initial: number;
  #growth: number;
  #backoff: number;
  #interval: number;
  #initialTracker = 0;
  /** On the device of the first scaled loss. */
  #scale: Tensor | null = null;
  #tracker: Tensor | null = null;
  #progress = new Map<ScaledOptimizer, Progress>();

  /** @param device 'cpu' or 'mtia': where losses are */
  constructor(device?: string, options?: GradScalerOptions);
  constructor(options?: { device?: string } & GradScalerOptions);
  constructor(...args: unknown[]) {
    const bound = SIGNATURE.bind(args);
    const [device, scale, growth, backoff, interval, enabled] = bound as [
      string,
      number,
      number,
      number,
      number,
      boolean,
    ];
    this.#device = device;
    if (device === 'cuda' && enabled) {
      warn('torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.');
    }
    this.#enabled = Boolean(enabled) && device !== 'cuda';
    if (this.#enabled) {
      if (growth <= 1) throw new AssertionError('The growth factor must be > 1.0.');
      if (backoff >= 1) throw new AssertionError('The backoff factor must be < 1.0.');
    }
    this.#initial = scale;
    this.#growth = growth;
    this.#backoff = backoff;
    this.#interval = interval;
  }

  /** The outputs (a tensor, or arrays of tensors) times the scale. */
  scale<T extends Outputs>(outputs: T): T {
    return this.#enabled ? (this.#scaled(outputs) as T) : outputs;
  }

  #scaled(outputs: unknown): unknown {
    if (outputs instanceof Tensor) return outputs.mul(this.#scaleOn(outputs.device));
    if (isIterable(outputs)) return Array.from(outputs, (x) => this.#scaled(x));
    throw new ValueError('outputs must be a Tensor or an iterable of Tensors');
  }

  /** The scale as a tensor on a device; the first that is asked for is where it is kept. */
  #scaleOn(device: Device): Tensor {
    if (this.#scale === null) {
      const backend = backendFor(device);
      this.#scale = fromHost(backend, [], float32, new Float32Array([this.#initial]));
      this.#tracker = fromHost(backend, [], int32, new Int32Array([this.#initialTracker]));
      this.#scale.storage.hold();
      this.#tracker.storage.hold();
    }
    return this.#scale.to(device, { non_blocking: true });
  }

  #needScale(name: string): [Tensor, Tensor] {
    if (this.#scale !== null && this.#tracker !== null) return [this.#scale, this.#tracker];
    throw new AssertionError(
      `Attempted ${name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration.`,
    );
  }

  #progressOf(optimizer: ScaledOptimizer): Progress {
    let progress = this.#progress.get(optimizer);
    if (progress === undefined) this.#progress.set(optimizer, (progress = { stage: 'ready', overflow: new Map() }));
    return progress;
  }

  /**
   * Divides the gradients of an optimizer's parameters by the scale: for clipping, say, before `step`, which does it
   * otherwise.
   * @throws RuntimeError if it was done since the last `update`
   */
  unscale_(optimizer: ScaledOptimizer): void {
    if (!this.#enabled) return;
    const [scale] = this.#needScale('unscale_');
    const progress = this.#progressOf(optimizer);
    if (progress.stage === 'unscaled') {
      throw new RuntimeError('unscale_() has already been called on this optimizer since the last update().');
    }
    if (progress.stage === 'stepped') throw new RuntimeError('unscale_() is being called after step().');
    const inverse = no_grad(() => scale.to(float64).reciprocal().to(float32));
    progress.overflow = unscale(gradientsOf(optimizer), inverse);
    progress.stage = 'unscaled';
  }

  /**
   * `optimizer.step(…args)` on unscaled gradients, or nothing if one of them is infinite or NaN. Waits for the device.
   * @returns what the optimizer's step returns; null where it was left out
   */
  step(optimizer: ScaledOptimizer, ...args: unknown[]): unknown {
    const run = () => Reflect.apply(optimizer.step, optimizer, args) as unknown;
    if (!this.#enabled) return run();
    const last = args[args.length - 1];
    if (isOptions(last) && 'closure' in last) {
      throw new RuntimeError('Closure use is not currently supported if GradScaler is enabled.');
    }
    this.#needScale('step');
    const progress = this.#progressOf(optimizer);
    if (progress.stage === 'stepped') {
      throw new RuntimeError('step() has already been called since the last update().');
    }
    if (progress.stage === 'ready') this.unscale_(optimizer);
    if (progress.overflow.size === 0) throw new AssertionError('No inf checks were recorded for this optimizer.');
    let overflowed = false;
    for (const found of progress.overflow.values()) if (found.item() !== 0) overflowed = true;
    const result = overflowed ? null : run();
    progress.stage = 'stepped';
    return result;
  }

  /**
   * Chooses the next scale, after the steps of all optimizers: less after an overflow, more after growth_interval steps
   * without one.
   * @param new_scale the next scale, if given
   */
  update(new_scale?: number | Tensor | null | { new_scale?: number | Tensor | null }): void;
  update(...args: unknown[]): void {
    const [new_scale] = UPDATE.bind(args) as [number | Tensor | null];
    if (!this.#enabled) return;
    const [scale, tracker] = this.#needScale('update');
    if (new_scale === undefined || new_scale === null) {
      const found = [...this.#progress.values()].flatMap(({ overflow }) => [...overflow.values()]);
      if (found.length === 0) throw new AssertionError('No inf checks were recorded prior to update.');
      const there = found.map((x) => x.to(scale.device, { non_blocking: true }));
      updateScale(scale, tracker, there, this.#growth, this.#backoff, this.#interval);
    } else if (typeof new_scale === 'number') {
      scale.fill_(new_scale);
    } else {
      if (!(new_scale instanceof Tensor)) {
        throw new AttributeError(`'${typeName(new_scale)}' object has no attribute 'device'`);
      }
      if (new_scale.device.type !== this.#device || new_scale.numel() !== 1 || new_scale.requires_grad) {
        throw new AssertionError(
          'new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with requires_grad=False.',
        );
      }
      scale.copy_(new_scale);
    }
    this.#progress = new Map();
  }

  /** The scale; 1 if the scaler is not enabled. Waits for the device. */
  get_scale(): number {
    if (!this.#enabled) return 1;
    return this.#scale === null ? this.#initial : (this.#scale.item() as number);
  }

  get_growth_factor(): number {
    return this.#growth;
  }

  set_growth_factor(new_factor: number): void {
    this.#growth = new_factor;
  }

  get_backoff_factor(): number {
    return this.#backoff;
  }

  set_backoff_factor(new_factor: number): void {
    this.#backoff = new_factor;
  }

  get_growth_interval(): number {
    return this.#interval;
  }

  set_growth_interval(new_interval: number): void {
    this.#interval = new_interval;
  }

  is_enabled(): boolean {
    return this.#enabled;
  }

  /** What `load_state_dict` takes; empty if the scaler is not enabled. Call it after `update`. */
  state_dict(): GradScalerState | Record<string, never> {
    if (!this.#enabled) return {};
    return {
      scale: this.get_scale(),
      growth_factor: this.#growth,
      backoff_factor: this.#backoff,
      growth_interval: this.#interval,
      _growth_tracker: this.#tracker === null ? this.#initialTracker : (this.#tracker.item() as number),
    };
  }

  /** @throws RuntimeError for the state of a scaler that was not enabled */
  load_state_dict(state_dict: GradScalerState | Record<string, never>): void {
    if (!this.#enabled) return;
    if (Object.keys(state_dict).length === 0) {
      throw new RuntimeError(
        'The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.',
      );
    }
    const state = state_dict as GradScalerState;
    this.#initial = state.scale;
    this.#scale?.fill_(state.scale);
    this.#growth = state.growth_factor;
    this.#backoff = state.backoff_factor;
    this.#interval = state.growth_interval;
    this.#initialTracker = state._growth_tracker;
    this.#tracker?.fill_(state._growth_tracker);
  }
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** @throws ValueError for gradients in float16: they have lost what scaling was to save */
function gradientsOf(optimizer: ScaledOptimizer): Tensor[] {
  const gradients: Tensor[] = [];
  for (const { params } of optimizer.param_groups) {
    for (const param of params) {
      const { grad } = param;
      if (grad === null) continue;
      if (grad.dtype === float16) throw new ValueError('Attempting to unscale FP16 gradients.');
      gradients.push(grad);
    }
  }
  return gradients;
}
