/** What `torch.cuda` and `torch.xpu` share here: there is no such device, questions say so, and use is an error. */
import type { DeviceLike } from '../core/device.ts';
import { AssertionError, OutOfMemoryError } from '../core/errors.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Stream } from '../accelerator/stream.ts';

/** The functions of a namespace whose backend is not there. `name` is as errors write it: `CUDA`. */
export function absent(name: string) {
  /** A function that throws PyTorch's AssertionError of a build without this backend. */
  const missing =
    <Result>() =>
    (..._args: unknown[]): Result => {
      throw new AssertionError(`Torch not compiled with ${name} enabled`);
    };
  return {
    OutOfMemoryError,
    is_available: () => false,
    is_initialized: () => false,
    is_bf16_supported: () => false,
    device_count: () => 0,
    memory_stats: (_device?: DeviceLike | null): Record<string, number> => ({}),
    memory_allocated: (_device?: DeviceLike | null) => 0,
    max_memory_allocated: (_device?: DeviceLike | null) => 0,
    memory_reserved: (_device?: DeviceLike | null) => 0,
    max_memory_reserved: (_device?: DeviceLike | null) => 0,
    empty_cache: () => {},
    manual_seed: (_seed: number | bigint) => {},
    manual_seed_all: (_seed: number | bigint) => {},
    get_arch_list: (): string[] => [],
    init: missing<void>(),
    current_device: missing<number>(),
    set_device: missing<void>(),
    synchronize: missing<void>(),
    current_stream: missing<Stream>(),
    default_stream: missing<Stream>(),
    set_stream: missing<void>(),
    initial_seed: missing<bigint>(),
    get_rng_state: missing<Tensor>(),
    set_rng_state: missing<void>(),
    reset_peak_memory_stats: missing<void>(),
    get_device_name: missing<string>(),
    get_device_properties: missing<{ name: string; total_memory: number; major: number; minor: number }>(),
    get_device_capability: missing<[number, number]>(),
    mem_get_info: missing<[free: number, total: number]>(),
    set_per_process_memory_fraction: missing<void>(),
  };
}
