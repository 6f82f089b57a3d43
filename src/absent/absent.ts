/** What `torch.cuda` and `torch.xpu` share here: there is no such device, questions say so, and use is an error. */
import { AssertionError, OutOfMemoryError } from '../core/errors.ts';

/** @throws PyTorch's AssertionError of a build without this backend */
type Missing = (...args: unknown[]) => never;

/** The functions of a namespace whose backend is not there. `name` is as errors write it: `CUDA`. */
export function absent(name: string) {
  const missing: Missing = () => {
    throw new AssertionError(`Torch not compiled with ${name} enabled`);
  };
  return {
    OutOfMemoryError,
    is_available: () => false,
    is_initialized: () => false,
    is_bf16_supported: () => false,
    device_count: () => 0,
    memory_stats: (): Record<string, never> => ({}),
    memory_allocated: () => 0,
    max_memory_allocated: () => 0,
    memory_reserved: () => 0,
    max_memory_reserved: () => 0,
    empty_cache: () => {},
    manual_seed: (_seed: number | bigint) => {},
    manual_seed_all: (_seed: number | bigint) => {},
    get_arch_list: (): string[] => [],
    init: missing,
    current_device: missing,
    set_device: missing,
    synchronize: missing,
    current_stream: missing,
    default_stream: missing,
    set_stream: missing,
    initial_seed: missing,
    get_rng_state: missing,
    set_rng_state: missing,
    reset_peak_memory_stats: missing,
    get_device_name: missing,
    get_device_properties: missing,
    get_device_capability: missing,
    mem_get_info: missing,
    set_per_process_memory_fraction: missing,
  };
}
