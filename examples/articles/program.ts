/**
 * Lets each file here be both: a program (`mtia run examples/articles/tensor.ts`) and a function to import.
 */

/** Calls `main` if the module of this address is the program that was started. */
export function runAsProgram(moduleUrl: string, main: () => void): void {
  const program = globalThis.process?.argv?.[1]?.replaceAll('\\', '/');
  if (program && decodeURIComponent(new URL(moduleUrl).pathname).endsWith(program)) main();
}
