/** `torch.compile` and `torch.compiler`. */
import { AssertionError, NotImplementedError, RuntimeError } from '../core/errors.ts';
import { isOptions } from '../core/signature.ts';
import { recording } from '../devices/recording.ts';
import { Module, setCompiler } from '../nn/module.ts';
import { pyTypeName } from '../nn/text.ts';
import { CompiledFunction, reset as resetAll } from './compile.ts';
import type { Optimise } from './compiled.ts';
import { fuse } from './fuse.ts';
import { OptimizedModule } from './optimized-module.ts';
import { stack } from './stack.ts';

type AnyFunction = (...args: never[]) => unknown;

export interface CompileOptions {
  /** Whether it is an error that something cannot be compiled. Default: false, it runs as ever. */
  fullgraph?: boolean;
  /** Accepted: every shape has a program of its own. */
  dynamic?: boolean | null;
  /** `inductor` (the default) fuses, `aot_eager` makes the same launches as without, `eager` runs the function as it is. */
  backend?: 'inductor' | 'aot_eager' | 'eager';
  /** Accepted: there is one way to compile. */
  mode?: 'default' | 'lite' | 'reduce-overhead' | 'max-autotune' | 'max-autotune-no-cudagraphs' | null;
  options?: Readonly<Record<string, string | number | boolean>> | null;
  /** Switches compilation off: the function runs as it is. */
  disable?: boolean;
}

const BACKENDS = ['aot_eager', 'eager', 'inductor'];
/** Those that PyTorch lists only where they are asked for. */
const FOR_DEBUGGING = ['aot_eager', 'eager'];
const MODES = ['default', 'lite', 'reduce-overhead', 'max-autotune-no-cudagraphs', 'max-autotune'];
const OPTIONS = ['fullgraph', 'dynamic', 'backend', 'mode', 'options', 'disable'];

const asTraced: Optimise = (steps) => steps;
const fewer: Optimise = (steps, kept, made, ranges) => stack(fuse(steps, kept, made, ranges), ranges);

const compiledBy = new WeakMap<object, CompiledFunction>();

/**
 * A function that does what `fn` does, in fewer and larger launches. `fn` runs for the first two calls of a kind (shapes,
 * dtypes, devices, grad mode, modules' flags); later ones run what those two had in common. See docs/compile.md.
 *
 * A module gives a module over the same parameters. PyTorch: `torch.compile`.
 */
export function compile<F extends AnyFunction>(fn: F, options?: CompileOptions): F;
export function compile(options?: CompileOptions): <F extends AnyFunction>(fn: F) => F;
export function compile(first?: AnyFunction | CompileOptions | null, second?: CompileOptions): unknown {
  if (first === null || first === undefined) return (fn: AnyFunction) => compile(fn, second);
  if (isOptions(first)) return (fn: AnyFunction) => compile(fn, first as CompileOptions);
  if (typeof first !== 'function') {
    throw new AssertionError(`A callable function is expected, but <class '${pyTypeName(first)}'> is provided.`);
  }
  const settings = settingsOf(second);
  return settings === null ? first : wrap(first, settings);
}

interface Settings {
  readonly fullgraph: boolean;
  readonly optimise: Optimise;
}

/** null: nothing is compiled. */
function settingsOf(given: CompileOptions = {}): Settings | null {
  for (const key of Object.keys(given)) {
    if (!OPTIONS.includes(key)) throw new TypeError(`compile() got an unexpected keyword argument '${key}'`);
  }
  const {
    fullgraph = false,
    dynamic = null,
    backend = 'inductor',
    mode = null,
    options = null,
    disable = false,
  } = given;
  if (mode !== null && options !== null) {
    throw new RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.");
  }
  if (disable) return null;
  if (mode !== null && !MODES.includes(mode)) {
    throw new RuntimeError(`Unrecognized mode=${mode}, should be one of: ${MODES.join(', ')}`);
  }
  if (typeof backend !== 'string') {
    throw new NotImplementedError(
      'torch.compile: a backend of your own would be given a graph of operations, and there is none: traces are of launches',
    );
  }
  if (!BACKENDS.includes(backend)) {
    throw new RuntimeError(
      `Invalid backend: '${backend}', see \`torch.compiler.list_backends()\` for available backends.`,
    );
  }
  if (dynamic !== null && typeof dynamic !== 'boolean') {
    throw new AssertionError(`Expected enable to be a bool, got <class '${pyTypeName(dynamic)}'>`);
  }
  if (backend === 'eager') return null;
  return { fullgraph, optimise: backend === 'aot_eager' ? asTraced : fewer };
}

function wrap(fn: AnyFunction, settings: Settings): AnyFunction {
  if (fn instanceof Module) {
    const compiled = new CompiledFunction((...args: never[]) => (fn as unknown as AnyFunction)(...args), settings);
    const module = new OptimizedModule(fn, compiled);
    compiledBy.set(module, compiled);
    return module as unknown as AnyFunction;
  }
  const compiled = new CompiledFunction(fn, settings);
  const wrapped = function (this: unknown, ...args: unknown[]): unknown {
    return compiled.call(this, args);
  };
  Object.defineProperty(wrapped, 'name', { value: fn.name });
  compiledBy.set(wrapped, compiled);
  return wrapped as AnyFunction;
}

setCompiler((module, call, options) => {
  const settings = settingsOf(options);
  compiledBy.delete(module);
  if (settings === null) return null;
  const compiled = new CompiledFunction(call, settings);
  compiledBy.set(module, compiled);
  return (args) => compiled.call(null, args);
});

/** The names that `backend` can have; those for finding mistakes only if none are excluded. */
export function list_backends(exclude_tags: readonly string[] | null = ['debug', 'experimental']): string[] {
  return BACKENDS.filter((name) => !(exclude_tags ?? []).includes('debug') || !FOR_DEBUGGING.includes(name));
}

/** Whether a compiled function is being traced: PyTorch's `torch.compiler.is_compiling`. */
export function is_compiling(): boolean {
  return recording !== null;
}

/** A function that is never part of a program: whoever calls it runs as ever. */
export function disable<F extends AnyFunction>(fn: F, { reason }: { reason?: string } = {}): F {
  const wrapped = function (this: unknown, ...args: unknown[]): unknown {
    recording?.opaque(
      `a function that torch.compiler.disable was given is called${reason === undefined ? '' : `: ${reason}`}`,
    );
    return Reflect.apply(fn, this, args as never[]);
  };
  Object.defineProperty(wrapped, 'name', { value: fn.name });
  return wrapped as unknown as F;
}

/** Forgets all programs; the next calls are traced again. */
export function reset(): void {
  resetAll();
}

/** What has become of the calls of a compiled function. */
export interface Explanation {
  /** Programs, one for each kind of call. */
  readonly graph_count: number;
  readonly graph_break_count: number;
  /** Why calls run as ever. */
  readonly break_reasons: readonly string[];
  /** Launches of the traced runs and of the programs, forward and backward together. */
  readonly launches: readonly { readonly traced: number; readonly compiled: number }[];
}

/** What has become of the calls of a compiled function so far. PyTorch: `torch._dynamo.explain`. */
export function explain(fn: AnyFunction): Explanation {
  const compiled = compiledBy.get(fn);
  if (compiled === undefined)
    throw new TypeError('explain: neither a function that torch.compile gave nor a module that was compiled');
  const programs = compiled.kinds.flatMap((kind) => kind.entries.map((entry) => entry.program));
  return {
    graph_count: programs.length,
    graph_break_count: compiled.reasons.length,
    break_reasons: [...compiled.reasons],
    launches: programs.map((p) => ({
      traced: p.traced,
      compiled: p.forward.launches + (p.backward?.launches ?? 0),
    })),
  };
}
