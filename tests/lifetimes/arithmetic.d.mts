/** Types of arithmetic.mjs. */
export interface HeldTensor {
  name: string;
  sizes: number[];
  itemsize?: number;
}
export const HELD: Record<string, Record<string, [operation: string, throughout: HeldTensor[], then: HeldTensor[]]>>;
export function bytesOf(tensors: readonly HeldTensor[]): number;
