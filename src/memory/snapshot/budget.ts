/**
 * What reading a file may cost. Files come from anywhere: a few bytes can ask for gigabytes. Everything that grows with
 * the file's wishes is charged here first.
 */
import { RuntimeError } from '../../core/errors.ts';

/** A file that cannot be read as a snapshot: damaged, cut off, hostile, or something else altogether. */
export class SnapshotError extends RuntimeError {
  override name = 'SnapshotError';

  /**
   * @param problem what is wrong, without a full stop
   * @param offset byte of the file at which it was noticed; null when it is about the contents as a whole
   */
  constructor(
    readonly problem: string,
    readonly offset: number | null = null,
  ) {
    super(offset === null ? `${problem}.` : `${problem} (at byte ${offset}).`);
  }
}

/** Default limit of the memory that a snapshot may take once read, bytes. */
export const DEFAULT_MEMORY_LIMIT = 2 * 2 ** 30;

export class Budget {
  used = 0;

  constructor(readonly limit = DEFAULT_MEMORY_LIMIT) {}

  charge(bytes: number): void {
    this.used += bytes;
    if (this.used > this.limit)
      throw new SnapshotError(
        `Reading this snapshot takes more than ${Math.round(this.limit / 2 ** 20)} MiB of memory, the limit set for it`,
      );
  }
}
