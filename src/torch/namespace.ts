/** Everything that `torch` has: the default export's members and the package's named exports. */
import './members.ts';

export { cuda, mps, xpu } from '../absent/index.ts';
export * as accelerator from '../accelerator/index.ts';
export { Event, Stream } from '../accelerator/stream.ts';
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
export {
  enable_grad,
  inference_mode,
  isGradEnabled as is_grad_enabled,
  no_grad,
  set_grad_enabled,
} from '../autograd/mode.ts';
export * as backends from '../backends/index.ts';
export { compile } from '../compile/index.ts';
export * as compiler from '../compile/compiler.ts';
export { defaultDType as get_default_dtype } from '../core/defaults.ts';
export {
  bfloat16,
  bool,
  DType as dtype,
  float16,
  float16 as half,
  float32,
  float32 as float,
  float64,
  float64 as double,
  int8,
  int16,
  int16 as short,
  int32,
  int32 as int,
  int64,
  int64 as long,
  uint8,
} from '../core/dtype.ts';
export * from '../core/errors.ts';
export { Size } from '../core/size.ts';
export { Slice } from '../core/slice.ts';
export * as utils from '../data/utils.ts';
export { scope } from '../memory/scope.ts';
export * as mtia from '../mtia/index.ts';
export * as nn from '../nn/index.ts';
export { Generator, manual_seed } from '../ops/generator.ts';
export * as optim from '../optim/index.ts';
export * from '../serialization/index.ts';
export { Tensor } from '../tensor/tensor.ts';
export * as __config__ from './config.ts';
export { cpu, get_device_module } from './device-module.ts';
export * from './named.ts';
export { set_printoptions } from './print-options.ts';
export * from './questions.ts';
export * from './settings.ts';
