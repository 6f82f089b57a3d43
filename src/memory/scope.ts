/**
 * The bookkeeping of `torch.scope`: what is made while a scope is open and does not survive it is disposed of at its
 * end. The members are anything with `dispose()`; tensors, in practice.
 */
import { type ContextGuard, context } from '../core/context.ts';
import { recorded } from './entry.ts';

export interface ScopeMember {
  /** Lets go of the member; does nothing the second time. */
  dispose(): void;
  /** True while the framework holds it (a parameter, a gradient): it survives, and an enclosing scope asks again. */
  readonly isHeld: boolean;
}

class Scope {
  readonly members = new Set<ScopeMember>();
  readonly survivors = new Set<ScopeMember>();
  constructor(readonly outer: Scope | null) {}
}

/** The innermost scope; null outside of all. */
let current: Scope | null = null;
/** Where new members are noted: in the innermost scope, or as temporaries of the framework. null: nowhere. */
let collector: { add(member: ScopeMember): unknown } | null = null;

/** A member has been made. Costs one comparison outside of scopes. */
export function collectInScope(member: ScopeMember): void {
  if (collector !== null) collector.add(member);
}

/** What the framework makes while it works for itself alone. Such members are in no scope. */
export class Temporaries {
  /** Whoever collects takes out what is to stay and disposes of the rest. */
  readonly list: ScopeMember[] = [];
  private outer: typeof collector = null;

  add(member: ScopeMember): void {
    this.list.push(member);
  }

  /** New members are noted here from now on. None of the program's own code may run before `end`. */
  begin(): void {
    this.outer = collector;
    collector = this;
  }

  end(): void {
    collector = this.outer;
  }
}

/** The member survives all scopes that are open: it is its owner's to dispose of. */
export function keepFromScopes(member: ScopeMember): void {
  for (let scope = current; scope !== null; scope = scope.outer) scope.members.delete(member);
}

function enter(): () => void {
  const scope = new Scope(current);
  current = scope;
  collector = scope.members;
  return () => recorded(leave, scope);
}

function leave(scope: Scope): void {
  const outer = scope.outer;
  current = outer;
  collector = outer === null ? null : outer.members;
  let failed = false;
  let failure: unknown;
  for (const member of scope.members) {
    if (scope.survivors.has(member) || member.isHeld) {
      outer?.members.add(member);
      continue;
    }
    try {
      member.dispose();
    } catch (error) {
      if (!failed) failure = error;
      failed = true;
    }
  }
  if (failed) throw failure;
}

/** Marks every member that a returned value leads to, however deeply nested. */
function spare(scope: Scope, result: unknown): void {
  const seen = new Set<object>();
  const rest: unknown[] = [result];
  while (rest.length > 0) {
    const value = rest.pop();
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
    seen.add(value);
    if (scope.members.has(value as ScopeMember)) {
      scope.survivors.add(value as ScopeMember);
      continue;
    }
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) continue;
    if (value instanceof Map) rest.push(...value.keys(), ...value.values());
    else if (value instanceof Set) rest.push(...value);
    for (const key of Object.keys(value)) rest.push((value as Record<string, unknown>)[key]);
  }
}

/**
 * Runs `fn` and disposes of the tensors made in it, except those that it returns (however nested), those that the
 * framework holds (parameters, gradients, optimizer state), and those on which `keep()` was called. Without `fn`: a
 * guard for `using`, at whose end the same happens.
 * @throws TypeError if `fn` returns a promise, RuntimeError if contexts are left out of order
 */
export function scope(): ContextGuard;
export function scope<T>(fn: () => T): T;
export function scope<T>(fn?: () => T): T | ContextGuard {
  if (typeof fn !== 'function') return context('torch.scope', enter, fn);
  return context('torch.scope', enter, () => {
    const mine = current as Scope;
    const result = fn();
    spare(mine, result);
    return result;
  });
}
