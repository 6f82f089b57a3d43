/**
 * A small builder of WebAssembly modules. Instructions are functions on values (`instructions.ts`, exported again from
 * here); a `Func` collects statements. Adding two arrays of floats, four at a time:
 *
 *     const m = new WasmModule();
 *     m.kernel((f, args) => {
 *       const [begin, end, out, a, b] = f.words(args, 5);
 *       const i = f.local('i32');
 *       f.for(i, begin, end, 4, () => {
 *         const at = f.let(i32.shl(i, 2));
 *         const sum = f32x4.add(v128.load(i32.add(a, at)), v128.load(i32.add(b, at)));
 *         f.do(v128.store(i32.add(out, at), sum));
 *       });
 *     });
 *     const bytes = m.toBytes();
 *
 * Functions can be added at any time, also while the body of another is being built, so helpers are made when first
 * used (`m.shared`). Every module imports `env.memory`.
 *
 * Vector constants are kept in globals and, where they are used inside a loop, read into a local before everything
 * else: V8 would build them anew in each iteration, three instructions each.
 */
import { features } from '../features.ts';
import {
  type Arg,
  type CodePart,
  constant,
  i8x16,
  i32,
  type I32,
  leb,
  Local,
  type Statement,
  type Type,
  typeByte,
  type V128,
  v128,
  Value,
  VectorConstant,
} from './instructions.ts';

export * from './instructions.ts';

/** A function of the module, imported or built. */
export class FuncRef<P extends readonly Type[] = readonly Type[], R extends Type | 'none' = Type | 'none'> {
  /** Known when the module is written. */
  index = -1;
  constructor(
    readonly params: P,
    readonly result: R,
  ) {}

  /** The call as a value, or as a statement when the function has no result. */
  call(...args: { [K in keyof P]: Value<P[K]> }): Value<R> {
    return new Value(this.result, [...args.flatMap((a) => (a as Value).code), 0x10, this]);
  }
}

type LocalsOf<P extends readonly Type[]> = { [K in keyof P]: Local<P[K]> };

/** The target of a branch. */
export interface Label {
  readonly depth: number;
}

/** The body of one function. */
export class Func {
  private readonly body: CodePart[] = [];
  private readonly prologue: number[] = [];
  private readonly hoisted = new Map<number, Local<'v128'>>();
  private loops = 0;
  private readonly locals: Type[] = [];
  private depth = 0;

  constructor(
    readonly module: WasmModule,
    private readonly params: readonly Type[],
  ) {}

  /** A new local; it holds 0 at the start of the function. */
  local<T extends Type>(type: T): Local<T> {
    this.locals.push(type);
    return new Local(type, this.params.length + this.locals.length - 1);
  }

  /** Computes the value here and keeps it in a new local. */
  let<T extends Type>(value: Value<T>): Local<T> {
    const local = this.local(value.type);
    this.set(local, value as Arg<T>);
    return local;
  }

  set<T extends Type>(local: Local<T>, value: Arg<T>): void {
    const v = typeof value === 'object' ? (value as Value) : constant(local.type as 'i32', value as number);
    this.push(v.code);
    this.push([0x21, ...leb(local.index)]);
  }

  /** Adds to an i32 local. */
  inc(local: Local<'i32'>, by: I32 | number): void {
    this.set(local, i32.add(local, by));
  }

  /**
   * Lanes of `a` where the mask has all ones, of `b` where it has all zeros; nothing in between. One instruction with
   * relaxed SIMD, three without.
   */
  pick(a: V128, b: V128, mask: V128): V128 {
    return this.module.relaxed ? i8x16.relaxed_laneselect(a, b, mask) : v128.bitselect(a, b, mask);
  }

  do(statement: Statement): void {
    this.push(statement.code);
  }

  /** Computes a value for its effect. */
  drop(value: Value): void {
    this.push([...value.code, 0x1a]);
  }

  return(value?: Value): void {
    this.push([...(value ? value.code : []), 0x0f]);
  }

  /** A branch to the label leaves the block. */
  block(body: (label: Label) => void): void {
    this.nest(0x02, body);
  }

  /** A branch to the label starts the loop again; without one it ends. */
  loop(body: (label: Label) => void): void {
    this.loops++;
    this.nest(0x03, body);
    this.loops--;
  }

  if(condition: I32, then: () => void, otherwise?: () => void): void {
    this.push(condition.code);
    this.push([0x04, 0x40]);
    this.depth++;
    then();
    if (otherwise) {
      this.body.push(0x05);
      otherwise();
    }
    this.depth--;
    this.body.push(0x0b);
  }

  br(label: Label): void {
    this.push([0x0c, ...leb(this.depth - label.depth)]);
  }

  brIf(label: Label, condition: I32): void {
    this.push(condition.code);
    this.push([0x0d, ...leb(this.depth - label.depth)]);
  }

  /** for (i = begin; i < end; i += step), unsigned. `end` and `step` should be locals or constants. */
  for(i: Local<'i32'>, begin: I32 | number, end: I32 | number, step: I32 | number, body: () => void): void {
    this.set(i, begin);
    this.if(i32.lt_u(i, end), () => {
      this.loop((again) => {
        body();
        this.inc(i, step);
        this.brIf(again, i32.lt_u(i, end));
      });
    });
  }

  while(condition: I32, body: () => void): void {
    this.block((out) => {
      this.loop((again) => {
        this.brIf(out, i32.eqz(condition));
        body();
        this.br(again);
      });
    });
  }

  /** The launch words `first` … `first + count - 1`, each in a new local. */
  words(args: I32, count: number, first = 0): Local<'i32'>[] {
    return Array.from({ length: count }, (_, k) => this.let(i32.load(args, (first + k) * 4)));
  }

  /** For the module: the body with its local declarations. */
  finish(result: Value | undefined): CodePart[] {
    if (result) this.push(result.code);
    const runs: [Type, number][] = [];
    for (const type of this.locals) {
      const last = runs[runs.length - 1];
      if (last && last[0] === type) last[1]++;
      else runs.push([type, 1]);
    }
    const head = leb(runs.length);
    for (const [type, count] of runs) head.push(...leb(count), typeByte(type));
    return [...head, ...this.prologue, ...this.body, 0x0b];
  }

  private nest(opcode: number, body: (label: Label) => void): void {
    this.push([opcode, 0x40]);
    this.depth++;
    body({ depth: this.depth });
    this.depth--;
    this.body.push(0x0b);
  }

  private push(code: readonly CodePart[]): void {
    for (let i = 0; i < code.length; i++) {
      const part = code[i];
      if (part instanceof VectorConstant) this.constant(part);
      else this.body.push(part);
    }
  }

  private constant({ bytes }: VectorConstant): void {
    if (bytes.every((b) => b === 0) || bytes.every((b) => b === 255)) {
      this.body.push(0xfd, 0x0c, ...bytes); // an instruction each
      return;
    }
    const global = this.module.global(bytes);
    if (this.loops === 0) {
      this.body.push(0x23, ...leb(global));
      return;
    }
    let local = this.hoisted.get(global);
    if (!local) {
      local = this.local('v128');
      this.hoisted.set(global, local);
      this.prologue.push(0x23, ...leb(global), 0x21, ...leb(local.index));
    }
    this.body.push(...(local.code as number[]));
  }
}

interface Import {
  readonly from: string;
  readonly name: string;
  readonly ref: FuncRef;
}

export interface ModuleOptions {
  /** Whether relaxed SIMD may be used; default: whether this machine has it. */
  relaxed?: boolean;
  /** Whether the memory is shared; default: whether devices here use shared memory. */
  shared?: boolean;
}

export class WasmModule {
  readonly relaxed: boolean;
  private readonly sharedMemory: boolean;
  private readonly imports: Import[] = [];
  private readonly functions: { ref: FuncRef; body: CodePart[] }[] = [];
  private readonly exports: { name: string; ref: FuncRef }[] = [];
  private readonly named = new Map<string, FuncRef>();
  private readonly globals: (readonly number[])[] = [];
  private readonly globalIndex = new Map<string, number>();

  constructor(options: ModuleOptions = {}) {
    this.relaxed = options.relaxed ?? features.relaxedSimd;
    this.sharedMemory = options.shared ?? features.sharedMemory;
  }

  /** An imported function; asked for twice, it is the same one. */
  import<const P extends readonly Type[], R extends Type | 'none'>(
    from: string,
    name: string,
    params: P,
    result: R,
  ): FuncRef<P, R> {
    const key = `${from}.${name}`;
    let ref = this.named.get(key);
    if (!ref) {
      ref = new FuncRef(params, result) as FuncRef;
      this.named.set(key, ref);
      this.imports.push({ from, name, ref });
    }
    return ref as unknown as FuncRef<P, R>;
  }

  /** A function; what `build` returns is its result. */
  func<const P extends readonly Type[], R extends Type | 'none'>(
    params: P,
    result: R,
    build: (f: Func, ...params: LocalsOf<P>) => R extends Type ? Value<R> : void,
  ): FuncRef<P, R> {
    const ref = new FuncRef(params, result);
    const f = new Func(this, params);
    const args = params.map((type, i) => new Local(type, i)) as unknown as LocalsOf<P>;
    const value = build(f, ...args);
    this.functions.push({ ref: ref as unknown as FuncRef, body: f.finish(value as Value | undefined) });
    return ref;
  }

  /** A helper function, built when first asked for by this name. */
  shared<const P extends readonly Type[], R extends Type | 'none'>(
    name: string,
    params: P,
    result: R,
    build: (f: Func, ...params: LocalsOf<P>) => R extends Type ? Value<R> : void,
  ): FuncRef<P, R> {
    let ref = this.named.get(name);
    if (!ref) this.named.set(name, (ref = this.func(params, result, build) as unknown as FuncRef));
    return ref as unknown as FuncRef<P, R>;
  }

  /** The number of the global with this vector. It is mutable, so that no compiler takes it for a constant. */
  global(bytes: readonly number[]): number {
    const key = bytes.join();
    let index = this.globalIndex.get(key);
    if (index === undefined) this.globalIndex.set(key, (index = this.globals.push(bytes) - 1));
    return index;
  }

  export(name: string, ref: FuncRef<never, never> | FuncRef): void {
    this.exports.push({ name, ref: ref as FuncRef });
  }

  /** The exported `run(args) -> fault code`; where `build` returns nothing, the code is 0. */
  kernel(build: (f: Func, args: Local<'i32'>) => I32 | undefined): void {
    const run = this.func(['i32'], 'i32', (f, args) => build(f, args) ?? i32.const(0));
    this.export('run', run as unknown as FuncRef);
  }

  toBytes(): Uint8Array {
    let index = 0;
    for (const { ref } of this.imports) ref.index = index++;
    for (const { ref } of this.functions) ref.index = index++;

    const types: string[] = [];
    const typeIndex = (ref: FuncRef): number => {
      const bytes = [0x60, ref.params.length, ...ref.params.map(typeByte)];
      bytes.push(...(ref.result === 'none' ? [0] : [1, typeByte(ref.result)]));
      const key = bytes.join();
      const found = types.indexOf(key);
      return found >= 0 ? found : types.push(key) - 1;
    };
    const limits = [this.sharedMemory ? 3 : 1, 1, ...leb(65536)];
    const imports = [[...text('env'), ...text('memory'), 2, ...limits]];
    for (const { from, name, ref } of this.imports) {
      imports.push([...text(from), ...text(name), 0, ...leb(typeIndex(ref))]);
    }
    const functions = this.functions.map(({ ref }) => leb(typeIndex(ref)));
    const exports = this.exports.map(({ name, ref }) => [...text(name), 0, ...leb(ref.index)]);
    const bodies = this.functions.map(({ body }) => {
      const bytes: number[] = [];
      for (const part of body) {
        if (typeof part === 'number') bytes.push(part);
        else bytes.push(...leb((part as FuncRef).index));
      }
      return concat([leb(bytes.length), bytes]);
    });
    const typeSection = types.map((key) => key.split(',').map(Number));
    const globals = this.globals.map((bytes) => [0x7b, 1, 0xfd, 0x0c, ...bytes, 0x0b]);
    return Uint8Array.from(
      concat([
        [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
        section(1, typeSection),
        section(2, imports),
        section(3, functions),
        section(6, globals),
        section(7, exports),
        section(10, bodies),
      ]),
    );
  }
}

function text(s: string): number[] {
  const bytes = new TextEncoder().encode(s);
  return [...leb(bytes.length), ...bytes];
}

function section(id: number, items: number[][]): number[] {
  const content = concat([leb(items.length), ...items]);
  return concat([[id], leb(content.length), content]);
}

/** Not spread: a body may be longer than an argument list can be. */
function concat(parts: number[][]): number[] {
  const out: number[] = [];
  for (const part of parts) for (let i = 0; i < part.length; i++) out.push(part[i]);
  return out;
}
