/** Medians and how far samples lie apart. */

/** The value below which that share of the samples lies, interpolated. */
export function quantile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new RangeError('no samples');
  const sorted = [...samples].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** Half the interquartile range over the median: what a run's median may well be off by. null for a single sample. */
export function spread(samples: readonly number[]): number | null {
  if (samples.length < 2) return null;
  return (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / Math.abs(median(samples));
}
