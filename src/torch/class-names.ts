/** Classes keep their names in minified programs. */

/** A program's bundler may have shortened the names of classes. People see them: `Linear(in_features=3, …)`. */
export function nameClasses(space: object): void {
  for (const [name, member] of Object.entries(space)) {
    if (typeof member === 'function' && /^[A-Z]/.test(name) && member.name !== name) {
      Object.defineProperty(member, 'name', { value: name, configurable: true });
    }
  }
}
