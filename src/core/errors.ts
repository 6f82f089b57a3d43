/**
 * PyTorch's error types as JavaScript errors. Their `name` is the Python name, so that text and type can be matched
 * on as in Python. `TypeError` is JavaScript's own.
 */

/** Base of the errors PyTorch raises as `RuntimeError`. */
export class RuntimeError extends Error {
  override name = 'RuntimeError';

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    // V8 keeps what the functions on the stack were called on until the text is asked for. Whoever keeps the error of a
    // full device would keep the tensors that filled it.
    void this.stack;
  }
}
/** Python's `NotImplementedError`, a RuntimeError there too. */
export class NotImplementedError extends RuntimeError {
  override name = 'NotImplementedError';
}
/** `torch.OutOfMemoryError`: the device's capacity does not suffice. A RuntimeError, as in PyTorch. */
export class OutOfMemoryError extends RuntimeError {
  override name = 'OutOfMemoryError';
}
export class ValueError extends Error {
  override name = 'ValueError';
}
export class IndexError extends Error {
  override name = 'IndexError';
}
export class KeyError extends Error {
  override name = 'KeyError';
}
export class AssertionError extends Error {
  override name = 'AssertionError';
}
export class AttributeError extends Error {
  override name = 'AttributeError';
}
