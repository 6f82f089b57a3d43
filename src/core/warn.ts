/** Warnings, as Python's `warnings.warn`: to the console, and in Node.js through its own mechanism. */

/** Shows a warning. @param category Python's class of warnings */
export function warn(text: string, category = 'UserWarning'): void {
  const { process } = globalThis as { process?: { emitWarning?: (warning: Error) => void } };
  if (typeof process?.emitWarning === 'function') {
    const warning = new Error(text);
    warning.name = category;
    // Shown only when the job has ended; until then V8 would keep what the functions on the stack were called on (see RuntimeError).
    void warning.stack;
    process.emitWarning(warning);
  } else console.warn(`${category}: ${text}`);
}

const shown = new Set<string>();

/** Shows a warning the first time that it has this text. */
export function warnOnce(text: string, category = 'UserWarning'): void {
  if (shown.has(text)) return;
  shown.add(text);
  warn(text, category);
}
