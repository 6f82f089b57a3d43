/**
 * Type promotion. PyTorch's result type depends on three kinds of operands in falling order of weight: tensors with
 * dimensions, 0-dim tensors, and scalars. A lighter kind matters only where its category (bool, int, float) is higher.
 */

import { defaultDType } from './defaults.ts';
import * as d from './dtype.ts';
import { BOOL_CATEGORY, type Category, DTYPES, type DType, FLOAT_CATEGORY, INT_CATEGORY } from './dtype.ts';

/** A number or bigint or boolean next to tensors. */
export type Scalar = number | bigint | boolean;

/** Result of two dtypes of the same kind, by index. Rows and columns in the order of DTYPES. */
const TABLE: readonly DType[] = buildTable();

function buildTable(): DType[] {
  const table: DType[] = [];
  for (const a of DTYPES) for (const b of DTYPES) table.push(promoteSlowly(a, b));
  return table;
}

function promoteSlowly(a: DType, b: DType): DType {
  if (a === b) return a;
  if (a.category !== b.category) return a.category > b.category ? a : b;
  if (a.category === FLOAT_CATEGORY) {
    if (a === d.float64 || b === d.float64) return d.float64;
    // float16 with bfloat16 has no common half type.
    return d.float32;
  }
  if (a === d.uint8 || b === d.uint8) {
    const other = a === d.uint8 ? b : a;
    return other === d.int8 ? d.int16 : other;
  }
  return a.itemsize > b.itemsize ? a : b;
}

/** `torch.promote_types`. */
export function promoteTypes(a: DType, b: DType): DType {
  return a === b ? a : TABLE[a.index * 10 + b.index];
}

/**
 * Category of a JavaScript scalar beside a tensor of category `beside`: a whole number next to an integer or bool
 * tensor counts as an int, otherwise a number is a float; bigints are ints, booleans bools.
 */
export function scalarCategory(value: Scalar, beside: Category): Category {
  if (typeof value === 'number') {
    return beside !== FLOAT_CATEGORY && Number.isSafeInteger(value) ? INT_CATEGORY : FLOAT_CATEGORY;
  }
  return typeof value === 'bigint' ? INT_CATEGORY : BOOL_CATEGORY;
}

/** dtype that a scalar of this category has when nothing else decides. */
export function categoryDType(category: Category): DType {
  return category === FLOAT_CATEGORY ? defaultDType() : category === INT_CATEGORY ? d.int64 : d.bool;
}

/** `torch.result_type` of a tensor's dtype with a scalar. */
export function resultTypeWithScalar(dtype: DType, value: Scalar): DType {
  const category = scalarCategory(value, dtype.category);
  return category > dtype.category ? categoryDType(category) : dtype;
}

/** `torch.result_type` of two tensors given as dtype and rank. */
export function resultType(a: DType, aRank: number, b: DType, bRank: number): DType {
  if (a === b) return a;
  if (aRank > 0 === bRank > 0) return promoteTypes(a, b);
  const heavy = aRank > 0 ? a : b;
  const light = aRank > 0 ? b : a;
  // A 0-dim tensor of a higher category decides, with its own dtype.
  return light.category > heavy.category ? light : heavy;
}

/** `torch.can_cast`: a category may not fall. */
export function canCast(from: DType, to: DType): boolean {
  return from.category <= to.category;
}
