/**
 * `mtia memory convert IN OUT`: a snapshot in another format. The file appears under its name when it is complete.
 */
import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { type Snapshot, snapshotChunks, type WriteOptions } from '../../memory/snapshot/index.ts';
import { UsageError } from '../style.ts';
import { openSnapshot, shown, systemError } from './files.ts';
import { bytes, hearPipe, plural } from './output.ts';

export interface ConvertOptions {
  to?: string;
  layout: string;
}

const FORMATS: Record<string, WriteOptions['format']> = { '.pickle': 'pickle', '.pkl': 'pickle', '.json': 'json' };

export async function convert(input: string, output: string, options: ConvertOptions): Promise<void> {
  const wanted = { format: formatOf(output, options.to), layout: layoutOf(options.layout) };
  const path = resolve(output);
  if (output !== '-' && existsSync(path) && statSync(path).isDirectory())
    throw new UsageError(`${output} is a directory, not a file to write.`);
  const snapshot = await openSnapshot(input);
  const chunks = snapshotChunks(snapshot, wanted);
  const written = output === '-' ? await toStandardOutput(chunks) : toFile(path, output, chunks);
  if (written === null) return;
  const events = snapshot.device_traces.reduce((sum, trace) => sum + trace.length, 0);
  const what = `${plural(snapshot.segments.length, 'segment')}, ${plural(events, 'event')}${lost(snapshot, wanted.layout)}`;
  const text = `${shown(input)} → ${output === '-' ? 'the standard output' : output}: ${what}, ${bytes(written)} of ${wanted.format}`;
  // The standard output may be the file itself.
  process.stderr.write(`${text}\n`);
}

function formatOf(output: string, to: string | undefined): 'pickle' | 'json' {
  if (to === 'pickle' || to === 'json') return to;
  if (to !== undefined) throw new UsageError(`--to: expected pickle or json, got '${to}'`);
  const format = FORMATS[extname(output).toLowerCase()];
  if (format === undefined)
    throw new UsageError(
      `the name ${output} does not tell the format: end it in .pickle or .json, or say --to pickle or --to json.`,
    );
  return format;
}

function layoutOf(layout: string): 'new' | 'old' {
  if (layout !== 'new' && layout !== 'old') throw new UsageError(`--layout: expected new or old, got '${layout}'`);
  return layout;
}

const lost = ({ allocator_settings }: Snapshot, layout: 'new' | 'old'): string =>
  layout === 'old' && allocator_settings !== null ? ' (without times, labels, pools and settings)' : '';

/** Pipes and devices are written to as they are; a file is replaced when all is written. */
function toFile(path: string, shownAs: string, chunks: Iterable<Uint8Array>): number {
  let written = 0;
  let partial: string | null = null;
  try {
    const target = existsSync(path) ? realpathSync(path) : path;
    if (!existsSync(target) || statSync(target).isFile()) partial = `${target}.${process.pid}.partial`;
    const file = partial === null ? openSync(target, 'w') : openSync(partial, 'wx');
    try {
      for (const chunk of chunks) {
        for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
        written += chunk.length;
      }
    } finally {
      closeSync(file);
    }
    if (partial !== null) renameSync(partial, target);
  } catch (error) {
    if (partial !== null) rmSync(partial, { force: true });
    throw systemError(`cannot write ${shownAs}`, error);
  }
  return written;
}

/** Bytes written; null if they could not be, which `hearPipe` says. A reader that goes away early is no failure. */
async function toStandardOutput(chunks: Iterable<Uint8Array>): Promise<number | null> {
  hearPipe();
  let written = 0;
  for (const chunk of chunks) {
    // The writer uses its buffer again: it waits.
    const error = await new Promise<NodeJS.ErrnoException | null | undefined>((done) => {
      process.stdout.write(chunk, done);
    });
    if (error) return error.code === 'EPIPE' ? written : null;
    written += chunk.length;
  }
  return written;
}
