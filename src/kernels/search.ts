/** Launches of binary searches in sorted rows (PyTorch's searchsorted and bucketize). */
import { DTYPES, int32 } from '../core/dtype.ts';
import type { Operand } from '../core/operand.ts';
import type { Storage } from '../devices/storage.ts';
import { registerKernel } from './registry.ts';
import { address, outAddress } from './touch.ts';
import { SEARCH, SEARCH_WORDS, searchKernel } from './wasm/search.ts';

const kernels = DTYPES.map((d) => registerKernel(() => searchKernel(d), `search.${d.name}`));

/** Values worth handing to a thread. */
const GRAIN = 2048;

/**
 * out[i] = how many boundaries lie before values[i]: those that are smaller or, with `right`, not larger. All contiguous.
 *
 * @param out int64 or int32, of the sizes of values
 * @param boundaries sorted along the last dimension: one row for all values, or one for each row of values
 */
export function search(out: Operand, boundaries: Operand, values: Operand, right: boolean): void {
  if (out.length === 0) return;
  const backend = (out.storage as Storage).backend;
  const { sizes } = values;
  const many = boundaries.sizes.length > 1;
  const at = backend.begin(kernels[values.dtype.index], SEARCH_WORDS, out.length > 2 * GRAIN ? GRAIN : 0);
  const { words } = backend;
  words[at + SEARCH.begin] = 0;
  words[at + SEARCH.end] = out.length;
  words[at + SEARCH.boundaries] = address(boundaries, backend);
  words[at + SEARCH.length] = boundaries.sizes[boundaries.sizes.length - 1];
  words[at + SEARCH.values] = address(values, backend);
  words[at + SEARCH.perRow] = many ? sizes[sizes.length - 1] : 0;
  words[at + SEARCH.out] = outAddress(out, backend);
  words[at + SEARCH.right] = right ? 1 : 0;
  words[at + SEARCH.narrow] = out.dtype === int32 ? 1 : 0;
  backend.submit();
}
