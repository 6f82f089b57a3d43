/** Names that a checkpoint may use, PyTorch's list, and what they make here. */
import { type Device, internDevice, parseDevice } from '../core/device.ts';
import { DType, DTYPES, float32, uint8 } from '../core/dtype.ts';
import { NotImplementedError, RuntimeError } from '../core/errors.ts';
import { Size } from '../core/size.ts';
import { makeParameter } from '../nn/parameter.ts';
import { Tensor } from '../tensor/tensor.ts';
import { fromHost } from '../ops/host.ts';
import { backendFor } from '../devices/registry.ts';
import { UnpicklingError } from './errors.ts';
import { className, Internal, isTuple } from './python.ts';
import { FileStorage, tensorOver } from './storages.ts';
import { type Budget, Callable } from './unpickler.ts';

/** `torch.FloatStorage` and its kin. */
export class StorageType extends Internal {
  constructor(
    name: string,
    readonly dtype: DType,
  ) {
    super(name);
  }
}

const BLOCKED = ['sys', 'os', 'posix', 'nt'];

/** Dtypes and storages that PyTorch has besides. */
const OTHER_DTYPES =
  /^(complex(32|64|128)|float8_\w+|float4_\w+|q?u?int\d+(x\d+)?|bits\d+(x\d+)?|chalf|cfloat|cdouble)$/;
const OTHER_STORAGES = /^(Complex(Float|Double)|QInt8|QUInt8|QInt32|QUInt4x2|QUInt2x4)Storage$/;
/** What PyTorch allows and is not here. */
const OTHER_NAMES = new Set([
  'builtins.complex',
  'torch.serialization._get_layout',
  'torch._utils._rebuild_qtensor',
  'torch._utils._rebuild_sparse_tensor',
  'torch._utils._rebuild_nested_tensor',
  'torch._utils._rebuild_wrapper_subclass',
  'torch._utils._rebuild_device_tensor_from_numpy',
]);

let allowed: Map<string, unknown> | null = null;

function need<T>(value: unknown, type: abstract new (...args: never[]) => T, what: string): T {
  if (!(value instanceof type)) throw new UnpicklingError(`${what} is a ${className(value)}`);
  return value;
}

/** Arguments of a function, no fewer than `least`. */
function arity(name: string, args: readonly unknown[], least: number, most: number): void {
  if (args.length < least || args.length > most) {
    throw new UnpicklingError(`${name}() takes ${least} to ${most} arguments, but the pickle gives ${args.length}`);
  }
}

function withGrad(x: Tensor, requires_grad: unknown): Tensor {
  if (requires_grad === true) x.requires_grad_(true);
  return x;
}

function rebuildTensor(args: unknown[], budget: Budget): Tensor {
  arity('_rebuild_tensor', args, 4, 4);
  const [storage, offset, size, stride] = args;
  const typed = need(storage, FileStorage, 'the storage of a tensor');
  if (Array.isArray(size)) budget.charge(16 * size.length);
  return tensorOver(typed, offset, size, stride, typed.dtype);
}

function rebuildTensorV2(args: unknown[], budget: Budget): Tensor {
  arity('_rebuild_tensor_v2', args, 6, 7);
  return withGrad(rebuildTensor(args.slice(0, 4), budget), args[4]);
}

function rebuildTensorV3(args: unknown[]): Tensor {
  arity('_rebuild_tensor_v3', args, 7, 8);
  const [storage, offset, size, stride, requires_grad, , dtype] = args;
  const x = tensorOver(
    need(storage, FileStorage, 'the storage of a tensor'),
    offset,
    size,
    stride,
    need(dtype, DType, 'a dtype'),
  );
  return withGrad(x, requires_grad);
}

function rebuildParameter(args: unknown[]): Tensor {
  arity('_rebuild_parameter', args, 3, 4);
  return makeParameter(need(args[0], Tensor, 'the data of a parameter'), args[1] === true);
}

function rebuildMeta(args: unknown[]): Tensor {
  arity('_rebuild_meta_tensor_no_storage', args, 4, 4);
  const [dtype, size, stride, requires_grad] = args;
  const type = need(dtype, DType, 'the dtype of a meta tensor');
  // Without bytes there are no bounds.
  const storage = new FileStorage(Number.MAX_SAFE_INTEGER, type, internDevice('meta', null), null);
  return withGrad(tensorOver(storage, 0, size, stride, type), requires_grad);
}

/** A tensor of a device without storages of its own: MTIA and XLA in PyTorch. */
function rebuildOnDevice(args: unknown[], deviceOf: (location: string) => Device): Tensor {
  arity('_rebuild_device_tensor_from_cpu_tensor', args, 4, 4);
  const [data, dtype, location, requires_grad] = args;
  const x = need(data, Tensor, 'the data of a tensor');
  if (typeof location !== 'string') throw new UnpicklingError(`the device of a tensor is a ${className(location)}`);
  return withGrad(x.to(deviceOf(location), need(dtype, DType, 'a dtype')), requires_grad);
}

/** A tensor with attributes: they are left out. */
function rebuildFromType(args: unknown[], budget: Budget): Tensor {
  arity('_rebuild_from_type_v2', args, 4, 4);
  const [fn, type, inner] = args;
  if (!(fn instanceof Callable) || !/^torch\._utils\._rebuild_/.test(fn.path) || !isTuple(inner)) {
    throw new UnpicklingError(`Trying to call reduce for unrecognized function ${className(fn)}`);
  }
  const made = need(fn.call(inner, budget), Tensor, 'a rebuilt tensor');
  const isParameter = type instanceof Callable && type.path === 'torch.nn.parameter.Parameter';
  return isParameter ? makeParameter(made, made.requires_grad) : made;
}

function makeSize(args: unknown[], budget: Budget): Size {
  const items = args.length === 0 ? [] : args[0];
  if (!Array.isArray(items)) throw new TypeError(`'${className(items).slice(8, -2)}' object is not iterable`);
  budget.charge(16 * items.length);
  items.forEach((item, i) => {
    if (typeof item !== 'number' || !Number.isInteger(item)) {
      throw new TypeError(`torch.Size() takes an iterable of 'int' (item ${i} is '${className(item).slice(8, -2)}')`);
    }
  });
  return Size.make(items as number[]);
}

function makeDevice(args: unknown[]): Device {
  const [type, index] = args;
  if (typeof type !== 'string' || (index !== undefined && typeof index !== 'number')) {
    throw new UnpicklingError(`device() is given a ${className(typeof type === 'string' ? index : type)}`);
  }
  return parseDevice(type, index);
}

/** Protocol 2 has no bytes: they are latin-1 text that is encoded. */
function encode(args: unknown[], budget: Budget): Uint8Array {
  arity('_codecs.encode', args, 1, 2);
  const [text, encoding = 'utf-8'] = args;
  if (typeof text !== 'string') throw new UnpicklingError(`_codecs.encode() is given a ${className(text)}`);
  budget.charge(text.length);
  if (encoding === 'latin1' || encoding === 'latin-1') {
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c > 255) throw new UnpicklingError("'latin-1' codec can't encode characters of the pickle");
      bytes[i] = c;
    }
    return bytes;
  }
  if (encoding === 'utf-8' || encoding === 'utf8') return new TextEncoder().encode(text);
  throw new NotImplementedError(`_codecs.encode() with ${String(encoding)} is not implemented: latin1 and utf-8 are`);
}

function makeBytes(args: unknown[], budget: Budget): Uint8Array {
  if (args.length === 0) return new Uint8Array(0);
  if (args[0] instanceof Uint8Array) {
    budget.charge(args[0].length);
    return args[0].slice();
  }
  if (!Array.isArray(args[0])) throw new UnpicklingError(`bytes() is given a ${className(args[0])}`);
  budget.charge(args[0].length);
  return Uint8Array.from(args[0] as number[]);
}

/** `Parameter.__new__(Parameter, data, requires_grad)` */
function makeNewParameter(args: unknown[]): Tensor {
  const data = args[0] ?? fromHost(backendFor(internDevice('cpu', null)), [0], float32, new Float32Array(0));
  return makeParameter(need(data, Tensor, 'the data of a parameter'), args[1] !== false);
}

/** Nothing that a state dict or a tensor is made of. */
const refused = (path: string) => (): never => {
  throw new NotImplementedError(`${path} in a pickle is not implemented.`);
};

function makeAllowed(): Map<string, unknown> {
  const map = new Map<string, unknown>();
  const add = (path: string, call: (args: unknown[], budget: Budget) => unknown) =>
    map.set(path, new Callable(path, call));
  // Made by the unpickler itself.
  for (const path of ['collections.OrderedDict', 'collections.Counter', 'builtins.set']) add(path, refused(path));
  add('torch.nn.parameter.Parameter', makeNewParameter);
  add('torch.Tensor', refused('torch.Tensor'));
  add('torch.Size', makeSize);
  add('torch.device', makeDevice);
  add('_codecs.encode', encode);
  add('builtins.bytearray', makeBytes);
  add('builtins.bytes', makeBytes);
  add('torch._utils._rebuild_tensor', rebuildTensor);
  add('torch._utils._rebuild_tensor_v2', rebuildTensorV2);
  add('torch._utils._rebuild_tensor_v3', rebuildTensorV3);
  add('torch._utils._rebuild_parameter', rebuildParameter);
  add('torch._utils._rebuild_parameter_with_state', rebuildParameter);
  add('torch._utils._rebuild_meta_tensor_no_storage', rebuildMeta);
  add('torch._tensor._rebuild_from_type_v2', rebuildFromType);
  for (const dtype of DTYPES) {
    map.set(`torch.${dtype.name}`, dtype);
    const storage = dtype.tensorTypeName.replace('Tensor', 'Storage');
    map.set(`torch.${storage}`, new StorageType(`torch.${storage}`, dtype));
    map.set(
      `torch.${dtype.tensorTypeName}`,
      new Callable(`torch.${dtype.tensorTypeName}`, refused(`torch.${dtype.tensorTypeName}`)),
    );
  }
  map.set('torch.storage.UntypedStorage', new StorageType('torch.storage.UntypedStorage', uint8));
  return map;
}

/** Python 2's names. */
const RENAMED: Readonly<Record<string, string>> = { __builtin__: 'builtins', copy_reg: 'copyreg' };

/**
 * What a name in a pickle stands for.
 * @param deviceOf where tensors of a location go
 * @throws UnpicklingError with PyTorch's text for what its restricted unpickler refuses
 */
export function findGlobal(module: string, name: string, deviceOf: (location: string) => Device): unknown {
  const path = `${RENAMED[module] ?? module}.${name}`;
  if (BLOCKED.includes(module)) {
    throw new UnpicklingError(`Trying to load unsupported GLOBAL ${path} whose module ${module} is blocked.`);
  }
  allowed ??= makeAllowed();
  const found = allowed.get(path);
  if (found !== undefined) return found;
  if (path === 'torch._utils._rebuild_device_tensor_from_cpu_tensor') {
    return new Callable(path, (args) => rebuildOnDevice(args, deviceOf));
  }
  const known = module === 'torch' && (OTHER_DTYPES.test(name) || OTHER_STORAGES.test(name));
  if (known || OTHER_NAMES.has(path)) {
    throw new NotImplementedError(
      `The file needs ${path.replace('builtins.', '')}, which is not implemented in torch-mtia.`,
    );
  }
  const shown = path.startsWith('builtins.') ? path.slice('builtins.'.length) : path;
  throw new UnpicklingError(
    `Unsupported global: GLOBAL ${shown} was not an allowed global by default. Please use \`torch.serialization.add_safe_globals([${shown}])\` or the \`torch.serialization.safe_globals([${shown}])\` context manager to allowlist this global if you trust this class/function.`,
  );
}

/** @throws RuntimeError unless value is a type of storages */
export function storageType(value: unknown): StorageType {
  if (value instanceof StorageType) return value;
  throw new RuntimeError(`the type of a storage in the file is a ${className(value)}`);
}
