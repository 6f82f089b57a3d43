/** Everything that `torch` has: the default export's members and the package's named exports. */
import '../ops/all.ts';

export { cuda, mps, xpu } from '../absent/index.ts';
export * as accelerator from '../accelerator/index.ts';
export { autocast } from '../amp/autocast.ts';
export { GradScaler } from '../amp/grad-scaler.ts';
export * as amp from '../amp/index.ts';
export {
  autocast_decrement_nesting,
  autocast_increment_nesting,
  clear_autocast_cache,
  get_autocast_cpu_dtype,
  get_autocast_dtype,
  get_autocast_gpu_dtype,
  is_autocast_cache_enabled,
  is_autocast_cpu_enabled,
  is_autocast_enabled,
  set_autocast_cache_enabled,
  set_autocast_cpu_dtype,
  set_autocast_cpu_enabled,
  set_autocast_dtype,
  set_autocast_enabled,
  set_autocast_gpu_dtype,
} from '../amp/settings.ts';
export { is_anomaly_check_nan_enabled, is_anomaly_enabled } from '../autograd/anomaly.ts';
export type { FunctionCtx } from '../autograd/function.ts';
export * as autograd from '../autograd/index.ts';
export * as backends from '../backends/index.ts';
export { compile } from '../compile/index.ts';
export * as compiler from '../compile/compiler.ts';
export * as utils from '../data/utils.ts';
export * as mtia from '../mtia/index.ts';
export * as nn from '../nn/index.ts';
export * as optim from '../optim/index.ts';
export * from '../serialization/index.ts';
export * as __config__ from './config.ts';
export { get_device_module } from './device-module.ts';
export * from './core-namespace.ts';
export * from './named.ts';
