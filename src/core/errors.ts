/**
 * PyTorch's error types as JavaScript errors. Their `name` is the Python name, so that text and type can be matched
 * on as in Python. `TypeError` is JavaScript's own.
 */

/** The name stands on the prototype: the stack's first line has it as soon as it is formatted, and no error shows it twice. */
export function named(type: { prototype: Error }, name: string): void {
  Object.defineProperty(type.prototype, 'name', { value: name, writable: true, configurable: true });
}

/** Base of the errors PyTorch raises as `RuntimeError`. */
export class RuntimeError extends Error {
  static {
    named(RuntimeError, 'RuntimeError');
  }

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    // V8 keeps what the functions on the stack were called on until the text is asked for. Whoever keeps the error of a
    // full device would keep the tensors that filled it.
    void this.stack;
  }
}
/** Python's `NotImplementedError`, a RuntimeError there too. */
export class NotImplementedError extends RuntimeError {
  static {
    named(NotImplementedError, 'NotImplementedError');
  }
}
/** `torch.OutOfMemoryError`: the device's capacity does not suffice. A RuntimeError, as in PyTorch. */
export class OutOfMemoryError extends RuntimeError {
  static {
    named(OutOfMemoryError, 'OutOfMemoryError');
  }
}
/** Python's ValueError. A value that an argument must not have. */
export class ValueError extends Error {
  static {
    named(ValueError, 'ValueError');
  }
}
/** Python's IndexError. A position or a dimension that is not there. */
export class IndexError extends Error {
  static {
    named(IndexError, 'IndexError');
  }
}
/** Python's KeyError. A name that is not there. */
export class KeyError extends Error {
  static {
    named(KeyError, 'KeyError');
  }
}
/** Python's AssertionError. A condition of a call that does not hold. */
export class AssertionError extends Error {
  static {
    named(AssertionError, 'AssertionError');
  }
}
/** Python's AttributeError. An attribute that is not there. */
export class AttributeError extends Error {
  static {
    named(AttributeError, 'AttributeError');
  }
}
