/** Types of child.mjs. */
export function bundle(name: string): Promise<{ file: string; remove(): void }>;
export function run(
  file: string,
  args: (string | number)[],
  options?: { node?: string; flags?: string[]; env?: Record<string, string> },
): Promise<unknown>;
