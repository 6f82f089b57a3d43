/**
 * Snapshots from files. They may be missing, damaged or hostile, and larger than memory: whatever is wrong is one line.
 */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { readSnapshot, type Snapshot, SnapshotError } from '../../memory/snapshot/index.ts';
import { UsageError } from '../style.ts';
import { nearestFile } from '../suggest.ts';
import { harmless } from './output.ts';

const SNAPSHOT_NAME = /\.(?:pickle|pkl|json)$/i;
const CHUNK = 1 << 20;

/**
 * Reads a snapshot in pieces; - is the standard input.
 * @throws UsageError that names the file and says what is wrong with it
 */
export async function openSnapshot(file: string): Promise<Snapshot> {
  if (file !== '-') checkFile(file);
  const chunks = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK });
  try {
    return await readSnapshot(chunks);
  } catch (error) {
    if (error instanceof SnapshotError) throw new UsageError(`cannot read ${shown(file)}: ${harmless(error.message)}`);
    throw systemError(`cannot read ${shown(file)}`, error);
  }
}

/** The file as messages and titles name it. */
export function shown(file: string): string {
  return file === '-' ? 'the standard input' : file;
}

function checkFile(file: string): void {
  if (file === '') throw new UsageError('the name of the snapshot is empty.');
  const path = resolve(file);
  if (!existsSync(path)) {
    const near = nearestFile(path, SNAPSHOT_NAME);
    const hint = near === null ? '' : ` Did you mean ${relative(process.cwd(), near)}?`;
    throw new UsageError(`cannot find the snapshot ${file}.${hint}`);
  }
  if (statSync(path).isDirectory()) throw new UsageError(`${file} is a directory, not a snapshot.`);
}

/** What the system says of a file, as a UsageError; anything else as it is. */
export function systemError(what: string, error: unknown): unknown {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || syscall === undefined) return error;
  // `ENOENT: no such file or directory, open '…'`: the name is said already.
  return new UsageError(`${what}: ${message.replace(new RegExp(`, ${syscall}\\b.*$`, 's'), '')}.`);
}
