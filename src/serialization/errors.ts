/** Errors of files: Python's types, and what PyTorch says of files that are damaged. */
import { named } from '../core/errors.ts';

/** Python's `pickle.UnpicklingError`: a file that cannot be read, or that wants more than to be read. */
export class UnpicklingError extends Error {
  static {
    named(UnpicklingError, 'UnpicklingError');
  }
}
/** Python's `EOFError`: the file ends too early. */
export class EOFError extends Error {
  static {
    named(EOFError, 'EOFError');
  }
}
/** Python's `OSError`: the system could not open, read or write a file. `code` is the system's: `EACCES`. */
export class OSError extends Error {
  static {
    named(OSError, 'OSError');
  }
  readonly code: string | null;

  constructor(message?: string, options?: ErrorOptions & { code?: string }) {
    super(message, options);
    this.code = options?.code ?? null;
  }
}
/** Python's `FileNotFoundError`, an OSError there too. */
export class FileNotFoundError extends OSError {
  static {
    named(FileNotFoundError, 'FileNotFoundError');
  }
}

interface SystemError {
  readonly code?: string;
  readonly errno?: number;
  readonly message: string;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  ENOSPC: 'No space left on device',
};

/** Node.js' error about a file as Python says it: `[Errno 2] No such file or directory: 'x.pt'`. */
export function systemError(error: unknown, path: string): OSError {
  const { code = '', errno, message } = error as SystemError;
  const reason = REASONS[code];
  const text =
    reason === undefined || errno === undefined
      ? `${message}: '${path}'`
      : `[Errno ${Math.abs(errno)}] ${reason}: '${path}'`;
  return new (code === 'ENOENT' ? FileNotFoundError : OSError)(text, { cause: error, code });
}
