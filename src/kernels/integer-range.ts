/** A look at every element of an int64 tensor: all in [low, high), or a fault that the caller has defined. */
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { registerKernel } from './registry.ts';
import { address } from './touch.ts';
import { i32, i64, WasmModule } from './wasm/emitter.ts';

/** Words: begin, end, address, fault, low, high. The limits are small, so one word each will do. */
const KERNEL = registerKernel(() => {
  const m = new WasmModule();
  m.kernel((f, args) => {
    const [begin, end, base, fault, lowest, past] = f.words(args, 6);
    const low = f.let(i64.extend_i32_s(lowest));
    const high = f.let(i64.extend_i32_s(past));
    const i = f.local('i32');
    const x = f.local('i64');
    f.for(i, begin, end, 1, () => {
      f.set(x, i64.load(i32.add(base, i32.shl(i, 3))));
      f.if(i32.or(i64.lt_s(x, low), i64.ge_s(x, high)), () => f.return(fault));
    });
    return undefined;
  });
  return m.toBytes();
}, 'integer_range');

const GRAIN = 32 * 1024;

/** @param x contiguous, int64 */
export function checkIntegerRange(x: Operand, low: number, high: number, fault: number): void {
  if (x.length === 0) return;
  const backend = (x.storage as Storage).backend;
  const at = backend.begin(KERNEL, 6, x.length > GRAIN ? GRAIN : 0);
  const { words } = backend;
  words[at] = 0;
  words[at + 1] = x.length;
  words[at + 2] = address(x, backend);
  words[at + 3] = fault;
  words[at + 4] = low;
  words[at + 5] = high;
  backend.submit();
}
