/** "Did you mean …?" for file names. (Commands have commander's own.) */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';

/** Single-character edits from one string to the other. */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1] + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[to.length];
}

/**
 * The file of the same folder whose name is nearest to that of a missing one, or null where none is near.
 * @param names of files that count; programs by default
 */
export function nearestFile(path: string, names = /\.[cm]?[jt]sx?$/): string | null {
  const folder = dirname(path);
  if (!existsSync(folder)) return null;
  const wanted = basename(path).toLowerCase();
  const stem = (name: string) => name.slice(0, name.length - extname(name).length);
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 4)) + 1;
  for (const name of readdirSync(folder)) {
    if (!names.test(name) || !statSync(join(folder, name)).isFile()) continue;
    const lower = name.toLowerCase();
    // Another extension, or none, is the commonest slip.
    const distance = stem(lower) === stem(wanted) || stem(lower) === wanted ? 0 : editDistance(wanted, lower);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = name;
    }
  }
  return best === null ? null : join(folder, best);
}
