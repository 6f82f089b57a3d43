/** Modules that a loader's workers import first: what the thread of the loader runs under, such as a loader of TypeScript. */
export const preludes: string[] = [];
