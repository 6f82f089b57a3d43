/** By row: why it falls short of its target, found by profile, and what was tried. They go into docs/performance.md. */
export const notes: Record<string, string> = {};
