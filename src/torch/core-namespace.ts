/** What `torch` has in the package's small entry point, beside functions made from ops: autograd, layers, optimizers, devices. */
import './members.ts';

export { Event, Stream } from '../accelerator/stream.ts';
export * as autograd from '../autograd/core.ts';
export {
  enable_grad,
  inference_mode,
  isGradEnabled as is_grad_enabled,
  no_grad,
  set_grad_enabled,
} from '../autograd/mode.ts';
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
export { scope } from '../memory/scope.ts';
export * as mtia from '../mtia/core.ts';
export * as nn from '../nn/core.ts';
export { Generator, manual_seed } from '../ops/generator.ts';
export * as optim from '../optim/core.ts';
export { Tensor } from '../tensor/tensor.ts';
export { cpu } from './cpu.ts';
export { set_printoptions } from './print-options.ts';
export * from './questions.ts';
export * from './settings.ts';
