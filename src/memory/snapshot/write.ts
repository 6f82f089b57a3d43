/**
 * Writes snapshots, and so converts them: pickle and JSON, today's layout and the old one.
 */
import { jsonChunks } from './json-write.ts';
import type { Layout } from './layout.ts';
import { pickleChunks } from './pickle-write.ts';
import type { Snapshot } from './snapshot.ts';

export interface WriteOptions {
  /** 'pickle' (default) is small and for all viewers; 'json' for the viewer in the browser and for programs. */
  format?: 'pickle' | 'json';
  /** 'new' (default), or 'old': what PyTorch 1.13 wrote. Time, labels, pools, settings and annotations are lost. */
  layout?: Layout;
}

/** The file in chunks of about a mebibyte: write them one after the other. */
export function snapshotChunks(snapshot: Snapshot, options: WriteOptions = {}): Generator<Uint8Array> {
  const { format = 'pickle', layout = 'new' } = options;
  return format === 'json' ? jsonChunks(snapshot, layout) : pickleChunks(snapshot, layout);
}
