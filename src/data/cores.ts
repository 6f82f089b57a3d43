/** How many threads this machine runs at once. */

interface ProcessLike {
  getBuiltinModule?(id: string): unknown;
}

export function getCores(): number {
  const { process } = globalThis as { process?: ProcessLike };
  const os = process?.getBuiltinModule?.('node:os') as { availableParallelism?(): number } | undefined;
  return os?.availableParallelism?.() ?? 1;
}
