/** `torch.Size`: the sizes of a tensor, an array with PyTorch's `repr`. */
export class Size extends Array<number> {
  /** A Size of these sizes. */
  static make(sizes: Iterable<number>): Size {
    const made = new Size();
    for (const size of sizes) made.push(size);
    return made;
  }

  // map, slice and filter give plain arrays: their elements need not be sizes.
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** Number of elements. */
  numel(): number {
    let product = 1;
    for (const size of this) product *= size;
    return product;
  }

  override toString(): string {
    return `torch.Size([${this.join(', ')}])`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}
