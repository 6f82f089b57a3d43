/** What is said of a name that a tensor does not have: each of the package's entry points knows others. */
export const absence: { refuse(space: string, key: string): void } = { refuse: () => {} };
