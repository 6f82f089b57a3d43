/** Helpers of type tests. They do nothing. */

/** Every argument must be of type T. */
export function is<T>(..._values: T[]): void {}

/** Takes anything; for expressions that are errors by themselves. */
export function accepts(..._values: unknown[]): void {}
