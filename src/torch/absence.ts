/** What is said of a name that a tensor does not have: the package's whole entry point knows more of them than the small one. */
export const absence: { refuse: ((space: string, key: string) => void) | null } = { refuse: null };
