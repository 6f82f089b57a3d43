/**
 * Code of the `map` kernel kind: expressions over strided operands, element by element. One module per layout:
 * `depth` dimensions around an innermost one, and how each operand walks along that. `map-layout.ts` has the words.
 */
import type { DType } from '../../core/dtype.ts';
import { isTruth, nodesOf } from '../expr.ts';
import {
  type Func,
  f32,
  f32x4,
  f64,
  f64x2,
  type I32,
  i32,
  i32x4,
  i64,
  i64x2,
  type Local,
  type V128,
  v128,
  WasmModule,
} from './emitter.ts';
import {
  ACROSS,
  BROADCAST,
  CONTIGUOUS,
  cost,
  type MapCode,
  type MapLayout,
  MapWords,
  SetWords,
  STRIDED,
  type Walk,
} from './map-layout.ts';
import { Renderer, wantsGuard } from './render.ts';
import {
  lanesOf,
  loadElement,
  loadPacked,
  loadSplat,
  type Packed,
  pack,
  packTruth,
  storeElement,
  storePacked,
  unpack,
  unpackTruth,
} from './types.ts';

/** Side of a tile: as many elements of a transposed operand share a cache line, for the usual itemsizes. */
const TILE = 16;

export function mapModule(code: MapCode, layout: MapLayout, options: { relaxed?: boolean } = {}): Uint8Array {
  const m = new WasmModule(options);
  m.kernel((f, args) => {
    const kernel = new MapFunction(f, args, code, layout);
    if (layout.sets) kernel.sets();
    else if (layout.depth === 0) kernel.row();
    else if (layout.tiled) kernel.tiles();
    else kernel.rows();
    return kernel.fault;
  });
  return m.toBytes();
}

interface Operand {
  readonly dtype: DType;
  readonly walk: Walk;
  /** Where the current row begins. */
  readonly base: Local<'i32'>;
  /** Where the next element is. */
  readonly at: Local<'i32'>;
  /** Bytes from one element to the next; only of strided ones. */
  readonly stride: Local<'i32'> | null;
}

class MapFunction {
  readonly fault: Local<'i32'>;
  private readonly words: MapWords;
  private readonly setWords: SetWords;
  private readonly lanes: 4 | 2;
  private readonly begin: Local<'i32'>;
  private readonly end: Local<'i32'>;
  private readonly all: Operand[];
  private readonly outs: Operand[];
  private readonly ins: Operand[];
  private readonly scalarValues: Local<'v128'>[];
  private readonly readsInput: boolean[];
  private readonly readsRaw: boolean[];
  private readonly unroll: number;
  private readonly guarded: boolean;
  /** Whether blocks can be turned in registers: all operands of four bytes, outputs side by side, one input across. */
  private readonly turns: boolean;

  constructor(
    private readonly f: Func,
    private readonly args: Local<'i32'>,
    private readonly code: MapCode,
    private readonly layout: MapLayout,
  ) {
    const dtypes = [...code.outputs.map((o) => o.dtype), ...code.inputs];
    this.words = new MapWords(dtypes.length, code.scalars);
    this.setWords = new SetWords(dtypes.length, code.scalars);
    this.lanes = lanesOf(code.compute);
    this.fault = f.local('i32');
    this.begin = this.word(0);
    this.end = this.word(1);
    this.all = dtypes.map((dtype, k) => {
      const walk = layout.walks[k];
      return {
        dtype,
        walk,
        base: layout.sets ? f.local('i32') : this.word(this.words.addresses + k),
        at: f.local('i32'),
        stride: walk >= STRIDED ? this.word(this.words.innerStrides + k) : null,
      };
    });
    this.outs = this.all.slice(0, code.outputs.length);
    this.ins = this.all.slice(code.outputs.length);
    this.scalarValues = Array.from({ length: code.scalars }, (_, i) => f.let(this.scalar(i)));
    const roots = code.outputs.map((o) => o.expr);
    const nodes = nodesOf(roots);
    this.readsInput = code.inputs.map((_, i) => nodes.some((e) => e.op === 'input' && e.index === i));
    this.readsRaw = code.inputs.map((_, i) => nodes.some((e) => e.op === 'raw' && e.index === i));
    this.guarded = code.compute === 'f32' && wantsGuard(roots);
    this.turns =
      layout.walks.includes(ACROSS) &&
      this.lanes === 4 &&
      this.all.every((o) => o.dtype.itemsize === 4) &&
      this.outs.every((o) => o.walk === CONTIGUOUS);
    const cheap = cost(roots) <= 4;
    this.unroll = cheap && !layout.walks.some((w) => w >= STRIDED) ? 4 : 1;
  }

  private word(position: number): Local<'i32'> {
    return this.f.let(i32.load(this.args, position * 4));
  }

  private scalar(i: number): V128 {
    const at = ((this.layout.sets ? this.setWords : this.words).scalars + 2 * i) * 4;
    switch (this.code.compute) {
      case 'f32':
        return f32x4.splat(f32.demote_f64(f64.load(this.args, at)));
      case 'f64':
        return f64x2.splat(f64.load(this.args, at));
      case 'i32':
        return i32x4.splat(i32.wrap_i64(i64.load(this.args, at)));
      case 'i64':
        return i64x2.splat(i64.load(this.args, at));
    }
  }

  /** depth 0: all elements in one run. */
  row(): void {
    const { f } = this;
    this.place(this.begin);
    this.run(f.let(i32.sub(this.end, this.begin)));
  }

  /** Set by set, as much of each as is in the range. */
  sets(): void {
    const { f, setWords: w } = this;
    const at = f.let(i32.add(this.args, w.sets * 4));
    const left = this.word(w.count);
    const [first, last, start, count] = Array.from({ length: 4 }, () => f.local('i32'));
    f.while(left, () => {
      f.set(start, i32.load(at));
      f.set(first, start);
      f.set(last, i32.add(start, i32.load(at, 4)));
      f.if(i32.lt_u(first, this.begin), () => f.set(first, this.begin));
      f.if(i32.gt_u(last, this.end), () => f.set(last, this.end));
      f.if(i32.lt_u(first, last), () => {
        this.each((o, k) => f.set(o.base, i32.load(at, 8 + 4 * k)));
        f.set(count, i32.sub(last, first));
        this.place(f.let(i32.sub(first, start)));
        this.run(count);
      });
      f.inc(at, w.size * 4);
      f.set(left, i32.sub(left, 1));
    });
  }

  /** Row by row, with coordinates for the dimensions around. */
  rows(): void {
    const { f } = this;
    const depth = this.layout.depth;
    const inner = this.word(this.words.inner);
    const sizes = Array.from({ length: depth }, (_, d) => this.word(this.words.size(d)));
    const strides = sizes.map((_, d) => this.all.map((_, k) => this.word(this.words.stride(depth, d, k))));
    const position = f.let(i32.rem_u(this.begin, inner));
    const rest = f.let(i32.div_u(this.begin, inner));
    const coordinates = sizes.map((size, d) => {
      const c = f.let(d === depth - 1 ? rest : i32.rem_u(rest, size));
      if (d < depth - 1) f.set(rest, i32.div_u(rest, size));
      this.each((o, k) => f.inc(o.base, i32.mul(c, strides[d][k])));
      return c;
    });
    const left = f.let(i32.sub(this.end, this.begin));
    const count = f.local('i32');
    f.while(left, () => {
      f.set(count, i32.sub(inner, position));
      f.if(i32.gt_u(count, left), () => f.set(count, left));
      this.place(position);
      f.set(left, i32.sub(left, count));
      f.set(position, 0);
      this.run(count);
      const next = (d: number): void => {
        f.inc(coordinates[d], 1);
        this.each((o, k) => f.inc(o.base, strides[d][k]));
        if (d === depth - 1) return;
        f.if(i32.eq(coordinates[d], sizes[d]), () => {
          f.set(coordinates[d], 0);
          this.each((o, k) => f.set(o.base, i32.sub(o.base, i32.mul(sizes[d], strides[d][k]))));
          next(d + 1);
        });
      };
      next(0);
    });
  }

  /**
   * Tile by tile: begin and end count rows of the second dimension over all that are around it, so a split never cuts a
   * row. Within a tile the rows are short, and what an operand across them reads stays in the cache.
   */
  tiles(): void {
    const { f } = this;
    const depth = this.layout.depth;
    const inner = this.word(this.words.inner);
    const sizes = Array.from({ length: depth }, (_, d) => this.word(this.words.size(d)));
    const strides = sizes.map((_, d) => this.all.map((_, k) => this.word(this.words.stride(depth, d, k))));
    const first = this.all.map((o) => f.let(o.base));
    const row = f.let(this.begin);
    const start = this.all.map(() => f.local('i32'));
    const rows = f.local('i32');
    const r = f.local('i32');
    const column = f.local('i32');
    const count = f.local('i32');
    const width = f.local('i32');
    const rest = f.local('i32');
    f.while(i32.lt_u(row, this.end), () => {
      // The tiles from this row on: as many rows as there are in this plane, at most TILE.
      const c0 = f.let(i32.rem_u(row, sizes[0]));
      f.set(rest, i32.div_u(row, sizes[0]));
      f.set(rows, i32.sub(sizes[0], c0));
      f.if(i32.gt_u(rows, TILE), () => f.set(rows, TILE));
      f.if(i32.gt_u(rows, i32.sub(this.end, row)), () => f.set(rows, i32.sub(this.end, row)));
      this.each((_, k) => f.set(start[k], i32.add(first[k], i32.mul(c0, strides[0][k]))));
      for (let d = 1; d < depth; d++) {
        const c = f.let(d === depth - 1 ? rest : i32.rem_u(rest, sizes[d]));
        if (d < depth - 1) f.set(rest, i32.div_u(rest, sizes[d]));
        this.each((_, k) => f.inc(start[k], i32.mul(c, strides[d][k])));
      }
      f.for(column, 0, inner, TILE, () => {
        this.each((o, k) => f.set(o.base, start[k]));
        f.set(r, 0);
        f.set(width, i32.sub(inner, column));
        f.if(i32.gt_u(width, TILE), () => f.set(width, TILE));
        // In whole tiles blocks of four by four can be turned in registers.
        if (this.turns) {
          f.if(i32.eq(width, TILE), () => {
            f.while(i32.ge_u(i32.sub(rows, r), 4), () => {
              this.place(column);
              f.for(count, 0, TILE, 4, () => {
                this.block(strides[0]);
                this.advance(4);
              });
              this.each((o, k) => f.inc(o.base, i32.shl(strides[0][k], 2)));
              f.inc(r, 4);
            });
          });
        }
        f.while(i32.lt_u(r, rows), () => {
          this.place(column);
          f.set(count, width);
          this.run(count);
          this.each((o, k) => f.inc(o.base, strides[0][k]));
          f.inc(r, 1);
        });
      });
      f.inc(row, rows);
    });
  }

  /** Four elements of four rows. Operands that lie across are read column by column and turned. */
  private block(rowStrides: readonly Local<'i32'>[]): void {
    const { f } = this;
    const outCount = this.outs.length;
    const rowAt = (o: Operand, k: number, row: number) =>
      row === 0 ? o.at : f.let(i32.add(o.at, i32.mul(rowStrides[k], row)));
    // By input, the packed elements of the four rows.
    const rows = this.ins.map((o, i) => {
      if (o.walk === ACROSS) {
        const columns = [0, 1, 2, 3].map((c) => f.let(v128.load(i32.add(o.at, i32.mul(o.stride!, c)))));
        return transpose(f, columns).map((v): Packed => [v]);
      }
      return [0, 1, 2, 3].map((row): Packed => {
        const at = rowAt(o, outCount + i, row);
        if (o.walk === CONTIGUOUS) return [f.let(v128.load(at))];
        if (o.walk === BROADCAST) return [f.let(v128.load32_splat(at))];
        return this.gather({ ...o, at: at as Local<'i32'> }, i32.const(4));
      });
    });
    const results = [0, 1, 2, 3].map((row) =>
      this.compute(
        rows.map((r) => r[row]),
        true,
      ),
    );
    for (let row = 0; row < 4; row++) {
      for (let k = 0; k < outCount; k++) f.do(v128.store(rowAt(this.outs[k], k, row), results[row][k][0]));
    }
  }

  private each(visit: (operand: Operand, k: number) => void): void {
    for (let k = 0; k < this.all.length; k++) visit(this.all[k], k);
  }

  /** Sets where the operands are to element `position` of the row. */
  private place(position: Local<'i32'>): void {
    for (const o of this.all) {
      const step = o.stride ?? i32.const(o.walk === CONTIGUOUS ? o.dtype.itemsize : 0);
      this.f.set(o.at, o.walk === BROADCAST ? o.base : i32.add(o.base, i32.mul(position, step)));
    }
  }

  /** `count` elements from where the operands are; leaves `count` with no meaning. */
  private run(count: Local<'i32'>): void {
    const { f, lanes, unroll } = this;
    const splats = this.ins.map((o) =>
      o.walk === BROADCAST ? loadSplat(o.dtype, lanes, o.at).map((v) => f.let(v)) : null,
    );
    if (unroll > 1) {
      f.while(i32.ge_u(count, unroll * lanes), () => {
        for (let u = 0; u < unroll; u++) this.vector(splats, u, true);
        this.advance(unroll * lanes);
        f.set(count, i32.sub(count, unroll * lanes));
      });
    }
    if (this.guarded) this.guardedLoop(splats, count);
    else {
      f.while(i32.ge_u(count, lanes), () => {
        this.vector(splats, 0, true);
        this.next(count);
      });
    }
    f.if(count, () => this.tail(splats, count));
  }

  /** Vector by vector; one that the guard stops is computed the slow way, outside the inner loop. */
  private guardedLoop(splats: (Packed | null)[], count: Local<'i32'>): void {
    const { f, lanes } = this;
    f.block((done) => {
      f.loop((again) => {
        f.block((stopped) => {
          f.while(i32.ge_u(count, lanes), () => {
            this.vector(splats, 0, true, (condition) => f.brIf(stopped, i32.eqz(condition)));
            this.next(count);
          });
          f.br(done);
        });
        this.vector(splats, 0, false);
        this.next(count);
        f.br(again);
      });
    });
  }

  private next(count: Local<'i32'>): void {
    this.advance(this.lanes);
    this.f.set(count, i32.sub(count, this.lanes));
  }

  private advance(elements: number): void {
    for (const o of this.all) {
      if (o.walk === CONTIGUOUS) this.f.inc(o.at, elements * o.dtype.itemsize);
      else if (o.stride) this.f.inc(o.at, i32.mul(o.stride, elements));
    }
  }

  /** One vector of elements, `u` vectors on. */
  private vector(splats: (Packed | null)[], u: number, inline: boolean, guard?: (condition: I32) => void): void {
    const { f, lanes } = this;
    const packed = this.ins.map((o, i) => {
      const splat = splats[i];
      if (splat) return splat;
      if (o.walk === CONTIGUOUS) return loadPacked(o.dtype, lanes, o.at, u * lanes * o.dtype.itemsize);
      return this.gather(o, i32.const(lanes));
    });
    const results = this.compute(packed, inline, guard);
    this.outs.forEach((o, k) => {
      if (o.walk === CONTIGUOUS) {
        const offset = u * lanes * o.dtype.itemsize;
        for (const store of storePacked(o.dtype, lanes, o.at, results[k], offset)) f.do(store);
      } else this.scatter(o, results[k], i32.const(lanes));
    });
  }

  /** The last elements, fewer than a vector; the other lanes repeat the first of them. */
  private tail(splats: (Packed | null)[], count: Local<'i32'>): void {
    const packed = this.ins.map((o, i) => splats[i] ?? this.gather(o, count));
    const results = this.compute(packed, false);
    for (let k = 0; k < this.outs.length; k++) this.scatter(this.outs[k], results[k], count);
  }

  private gather(o: Operand, count: Local<'i32'> | ReturnType<typeof i32.const>): Packed {
    const { f, lanes } = this;
    const packed = loadSplat(o.dtype, lanes, o.at).map((v) => f.let(v));
    this.eachLane(o, count, (lane, at) => {
      if (lane > 0) loadElement(f, o.dtype, packed, lane, at);
    });
    return packed;
  }

  private scatter(o: Operand, packed: Packed, count: Local<'i32'> | ReturnType<typeof i32.const>): void {
    this.eachLane(o, count, (lane, at) => this.f.do(storeElement(o.dtype, packed, lane, at)));
  }

  /** Calls `visit` for the lanes that hold elements; a constant count means all. */
  private eachLane(
    o: Operand,
    count: Local<'i32'> | ReturnType<typeof i32.const>,
    visit: (lane: number, at: ReturnType<typeof i32.add>) => void,
  ): void {
    const { f, lanes } = this;
    const step = o.stride ?? i32.const(o.dtype.itemsize);
    const partial = 'index' in count;
    for (let lane = 0; lane < (partial ? lanes - 1 : lanes); lane++) {
      const at = lane === 0 ? o.at : i32.add(o.at, i32.mul(step, lane));
      if (lane > 0 && partial) f.if(i32.gt_u(count, lane), () => visit(lane, at));
      else visit(lane, at);
    }
  }

  /** The packed results of one vector of packed inputs. */
  private compute(packed: Packed[], inline: boolean, guard?: (condition: I32) => void): Packed[] {
    const { f, code, lanes } = this;
    const inputs = packed.map((p, i) =>
      this.readsInput[i] ? f.let(unpack(f, code.inputs[i], code.compute, this.locals(p))) : null,
    );
    const raws = packed.map((p, i) =>
      this.readsRaw[i] ? f.let(unpackTruth(f, code.inputs[i], lanes, this.locals(p))) : null,
    );
    const leaves = {
      input: (i: number) => inputs[i]!,
      raw: (i: number) => raws[i]!,
      scalar: (i: number) => this.scalarValues[i],
    };
    const renderer = new Renderer(f, code.compute, leaves, { inline, guard, fault: this.fault });
    renderer.prepare(code.outputs.map((o) => o.expr));
    // All results before the first store: an output may be one of the inputs.
    return code.outputs.map(({ expr, dtype }) => {
      const bits =
        dtype.name === 'bool' && isTruth(expr)
          ? packTruth(lanes, renderer.truth(expr))
          : pack(f, code.compute, dtype, renderer.value(expr));
      return bits.map((v) => f.let(v));
    });
  }

  private locals(p: Packed): Packed {
    return p.map((v) => ('index' in v ? v : this.f.let(v)));
  }
}

/** Four vectors of four lanes, rows for columns. */
function transpose(f: Func, [a, b, c, d]: V128[]): V128[] {
  const ab = f.let(i32x4.shuffle(a, b, 0, 4, 1, 5));
  const cd = f.let(i32x4.shuffle(c, d, 0, 4, 1, 5));
  const abHigh = f.let(i32x4.shuffle(a, b, 2, 6, 3, 7));
  const cdHigh = f.let(i32x4.shuffle(c, d, 2, 6, 3, 7));
  return [
    f.let(i64x2.shuffle(ab, cd, 0, 2)),
    f.let(i64x2.shuffle(ab, cd, 1, 3)),
    f.let(i64x2.shuffle(abHigh, cdHigh, 0, 2)),
    f.let(i64x2.shuffle(abHigh, cdHigh, 1, 3)),
  ];
}
