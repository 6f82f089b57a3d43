/**
 * `torch.compile`: calls of a function are traced until two agree; from then on calls of that kind run the program. Whatever
 * can't be compiled runs as ever, with a reason that can be asked for.
 */
import { autocast } from '../amp/state.ts';
import { RuntimeError } from '../core/errors.ts';
import { capturing } from '../devices/capture.ts';
import { recording } from '../devices/recording.ts';
import { accessWatch } from '../kernels/touch.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { build } from './build.ts';
import type { Compiled, Optimise } from './compiled.ts';
import { CallKind, type Guard, guardOf, onDefaultStream, problemOf } from './guards.ts';
import { type Run, traceRun } from './run.ts';
import { Break } from './trace.ts';
import { flatten, type Shape } from './tree.ts';

/** Traced runs of one kind that may disagree before calls of that kind are no longer traced. */
const ATTEMPTS = 6;
/** Kinds of calls that are compiled, as PyTorch's `recompile_limit`. */
const KINDS = 8;
/** Programs of one kind: for other memory of arguments and modules. */
const PROGRAMS = 8;

type AnyFunction = (...args: never[]) => unknown;

interface Entry {
  readonly program: Compiled;
  readonly guards: readonly Guard[];
}

/** A traced run, and what must hold for another to be like it. */
interface Traced {
  readonly run: Run;
  readonly guards: readonly Guard[];
}

class Kind {
  readonly entries: Entry[] = [];
  /** Traced runs, for later ones to be held against. */
  runs: Traced[] = [];
  attempts = 0;
  /** Why calls of this kind run as ever from now on; null: they do not. */
  reason: string | null = null;

  constructor(readonly kind: CallKind) {}
}

export interface CompilerSettings {
  readonly fullgraph: boolean;
  readonly optimise: Optimise;
}

/** What has become of a function's calls. */
export class CompiledFunction {
  readonly kinds: Kind[] = [];
  readonly reasons: string[] = [];

  constructor(
    private readonly fn: AnyFunction,
    private readonly settings: CompilerSettings,
  ) {
    functions.add(new WeakRef(this));
  }

  call(self: unknown, given: unknown[]): unknown {
    // In a trace of another function this one is a part of it; a capture takes the launches themselves.
    if (recording !== null || capturing !== null || accessWatch() !== null) return this.eager(self, given);
    const args: Tensor[] = [];
    const shape = flatten(given, args);
    const kind = this.kindFor(shape, args);
    if (kind === null) return this.eager(self, given);
    for (let i = 0; i < kind.entries.length; i++) {
      const { program, guards } = kind.entries[i];
      if (program.fits(args) && hold(guards) && onDefaultStream(program.backend)) return program.run(args);
    }
    return this.trace(kind, self, given, args);
  }

  private eager(self: unknown, given: unknown[]): unknown {
    return Reflect.apply(this.fn, self, given);
  }

  private kindFor(shape: Shape, args: readonly Tensor[]): Kind | null {
    const { kinds } = this;
    for (let i = 0; i < kinds.length; i++) if (kinds[i].kind.matches(shape, args)) return kinds[i];
    if (kinds.length >= KINDS) {
      this.note(`recompile_limit reached: more than ${KINDS} kinds of calls`);
      return null;
    }
    const kind = new Kind(new CallKind(shape, args));
    kinds.push(kind);
    return kind;
  }

  private trace(kind: Kind, self: unknown, given: unknown[], args: readonly Tensor[]): unknown {
    if (kind.reason !== null) return this.eager(self, given);
    if (kind.entries.length >= PROGRAMS) {
      this.giveUp(
        kind,
        `more than ${PROGRAMS} programs for one kind of call: its arguments or modules are others each time`,
      );
      return this.eager(self, given);
    }
    const partner = partnerFor(kind.runs, args);
    const { fullgraph } = this.settings;
    const onBreak = (reason: string) => {
      if (fullgraph) throw unsupported(reason);
    };
    const { caching } = autocast;
    // Casts that are kept from outside would be taken for tensors that never change.
    if (autocast.active !== 0) autocast.caching = false;
    let traced: { run: Run; value: unknown };
    try {
      traced = traceRun(() => Reflect.apply(this.fn, self, given), args, partner?.trace ?? null, onBreak);
    } finally {
      autocast.caching = caching;
    }
    this.consider(kind, traced.run, partner);
    return traced.value;
  }

  private consider(kind: Kind, run: Run, partner: Run | null): void {
    let problem = run.trace.broken?.reason ?? null;
    for (const object of run.trace.consultations) problem ??= problemOf(object);
    if (problem !== null) {
      this.giveUp(kind, problem);
      return;
    }
    const guards = [...run.trace.consultations].map(guardOf);
    if (partner !== null) {
      const program = build(partner, run, this.settings.optimise);
      if (!(program instanceof Break)) {
        kind.entries.push({ program, guards });
        kind.attempts = 0;
        // They hold what their calls were given.
        kind.runs = [];
        return;
      }
      if (++kind.attempts >= ATTEMPTS) {
        this.giveUp(kind, program.reason);
        return;
      }
    }
    // A partner that did not agree is not asked again.
    kind.runs = [...kind.runs.filter((t) => t.run !== partner).slice(-3), { run, guards }];
  }

  private giveUp(kind: Kind, reason: string): void {
    kind.reason = reason;
    kind.runs = [];
    this.note(reason);
    if (this.settings.fullgraph) throw unsupported(reason);
  }

  private note(reason: string): void {
    if (!this.reasons.includes(reason)) this.reasons.push(reason);
  }
}

/** The run under the same conditions whose arguments lie elsewhere in the most places; null: there is none. */
function partnerFor(runs: readonly Traced[], args: readonly Tensor[]): Run | null {
  let best: Run | null = null;
  let most = -1;
  for (const { run, guards } of runs) {
    if (!hold(guards)) continue;
    const moved = run.args.filter((x, i) => x.storage !== args[i].storage).length;
    if (moved < most) continue;
    most = moved;
    best = run;
  }
  return best;
}

function hold(guards: readonly Guard[]): boolean {
  for (let i = 0; i < guards.length; i++) if (!guards[i].holds()) return false;
  return true;
}

function unsupported(reason: string): RuntimeError {
  return new RuntimeError(`torch._dynamo.exc.Unsupported: ${reason} (torch.compile with fullgraph=true)`);
}

const functions = new Set<WeakRef<CompiledFunction>>();

/** Forgets all programs: `torch.compiler.reset()`. */
export function reset(): void {
  for (const ref of functions) {
    const f = ref.deref();
    if (f === undefined) functions.delete(ref);
    else {
      f.kinds.length = 0;
      f.reasons.length = 0;
    }
  }
}
