/** `torch.Slice(start, stop, step)`: Python's `start:stop:step` inside `x.index([...])`. */
export class SliceValue {
  constructor(
    readonly start: number | null,
    readonly stop: number | null,
    readonly step: number | null,
  ) {
    for (const bound of [start, stop, step]) {
      if (bound !== null && !Number.isInteger(bound) && typeof bound !== 'bigint') {
        throw new TypeError('slice indices must be integers or None or have an __index__ method');
      }
    }
  }

  toString(): string {
    const show = (v: number | null) => (v === null ? 'None' : String(v));
    return `slice(${show(this.start)}, ${show(this.stop)}, ${show(this.step)})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** As Python's `slice`: one argument is the stop, two are start and stop. */
export function Slice(start?: number | null, stop?: number | null, step?: number | null): SliceValue {
  // biome-ignore lint/complexity/noArguments: the number of arguments decides, as in Python
  if (arguments.length === 1) return new SliceValue(null, start ?? null, null);
  return new SliceValue(start ?? null, stop ?? null, step ?? null);
}
