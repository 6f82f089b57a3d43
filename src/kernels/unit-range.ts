/** A look at every element of a tensor: all from 0 to 1, or a fault with PyTorch's text. */
import { DTYPES } from '../core/dtype.ts';
import { RuntimeError } from '../core/errors.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { defineFault } from './faults.ts';
import { registerKernel } from './registry.ts';
import { address } from './touch.ts';
import { f32, f64, i32, type Value, WasmModule } from './wasm/emitter.ts';
import { source } from './wasm/float-source.ts';

const FAULT_RANGE = defineFault(() => new RuntimeError('all elements of input should be between 0 and 1'));

/** Words: begin, end, address, fault. */
const kernels = DTYPES.filter((dtype) => dtype.is_floating_point).map((dtype) =>
  registerKernel(() => {
    const m = new WasmModule();
    const s = source(dtype, m);
    m.kernel((f, args) => {
      const [begin, end, base, fault] = f.words(args, 4);
      const i = f.local('i32');
      const x = f.local(s.type);
      f.for(i, begin, end, 1, () => {
        f.set(x, s.load(f, i32.add(base, i32.mul(i, s.bytes))) as Value<'f32'>);
        // NaN is not in the range either.
        const inside =
          s.type === 'f64'
            ? i32.and(f64.ge(x as never, 0), f64.le(x as never, 1))
            : i32.and(f32.ge(x as never, 0), f32.le(x as never, 1));
        f.if(i32.eqz(inside), () => f.return(fault));
      });
      return undefined;
    });
    return m.toBytes();
  }, `unit_range.${dtype.name}`),
);

const GRAIN = 32 * 1024;

/** @param x contiguous, of a float dtype */
export function checkUnitRange(x: Operand): void {
  if (x.length === 0) return;
  const backend = (x.storage as Storage).backend;
  const at = backend.begin(kernels[x.dtype.index], 4, x.length > GRAIN ? GRAIN : 0);
  const { words } = backend;
  words[at] = 0;
  words[at + 1] = x.length;
  words[at + 2] = address(x, backend);
  words[at + 3] = FAULT_RANGE;
  backend.submit();
}
