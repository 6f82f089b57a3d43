/**
 * What a parameter keeps besides tensors: counters, such as the number of its steps. PyTorch has them as tensors on the
 * cpu; here they are numbers, of which a tensor is made when somebody looks, or tensors on the device in a capturable group.
 */
import { type DType, float32 } from '../core/dtype.ts';
import { AssertionError } from '../core/errors.ts';
import { fill } from '../ops/host.ts';
import { emptyTensor } from '../tensor/empty.ts';
import { Tensor } from '../tensor/tensor.ts';
import { tensor } from '../torch/factories.ts';
import type { CompiledRule, Rule } from './rule.ts';
import { valueType } from './rule.ts';
import { keep, type ParamState } from './state.ts';

/** State of a parameter: the counters by name, then the tensors by name. */
export class CountedState {
  /** The counters, unless `placed` has them. */
  declare readonly counts: number[];
  /** The counters on the device, of capturable steps. */
  declare placed: Tensor[] | null;

  constructor(rule: Rule, param: Tensor, counts: number[]) {
    // Not among what the state dict shows.
    Object.defineProperty(this, 'counts', { value: counts });
    Object.defineProperty(this, 'placed', { value: null, writable: true });
    const device = rule.countersOnDevice ? param.storage.backend.device : 'cpu';
    rule.counters.forEach((name, i) => {
      Object.defineProperty(this, name, {
        get: () => this.placed?.[i] ?? tensor(counts[i], { dtype: float32, device }),
        enumerable: true,
        configurable: true,
      });
    });
  }

  /** The counters are numbers on the host from now on: the group is no longer capturable. */
  takeBack(): void {
    this.placed!.forEach((counter, i) => {
      this.counts[i] = counter.item() as number;
      counter.storage.unhold();
    });
    this.placed = null;
  }

  /** Counts on the parameter's device from now on. */
  place(rule: Rule, param: Tensor): void {
    const { backend } = param.storage;
    if (backend.device.type !== 'mtia') refuse(rule);
    this.placed = this.counts.map((count) => {
      const counter = keep(emptyTensor(backend, [], float32), param);
      fill(counter, count);
      return counter;
    });
  }

  /** The counters on the device. @throws AssertionError unless they and the parameter are on one that can capture */
  onDeviceOf(rule: Rule, param: Tensor): Tensor[] {
    const { placed } = this;
    if (placed === null || placed[0].storage.backend !== param.storage.backend) refuse(rule);
    return placed as Tensor[];
  }
}

function refuse(rule: Rule): never {
  throw new AssertionError(
    `If capturable=True, ${rule.placed ?? 'params and state_steps'} must be on supported devices: ['mtia'].`,
  );
}

/** The counters of a loaded state. */
export function countsOf(rule: Rule, loaded: ParamState): number[] {
  return rule.counters.map((name) => {
    const value = loaded[name];
    return value instanceof Tensor ? (value.item() as number) : Number(value);
  });
}

/** A step on the device: advances the counters there. Returns the values that the update reads. */
export function advanceOnDevice(
  compiled: CompiledRule,
  counters: readonly Tensor[],
  rate: Tensor | null,
  numbers: readonly number[],
  dtype: DType,
): Tensor[] {
  const type = valueType(dtype);
  const { backend } = counters[0].storage;
  const values = Array.from({ length: compiled.values }, () => emptyTensor(backend, [], type));
  const inputs = rate === null ? counters : [...counters, rate];
  compiled.countKernel(dtype).launchMany([...counters, ...values], inputs, numbers);
  return values;
}
