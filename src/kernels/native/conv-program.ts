/**
 * Convolutions by a native library: a block of positions at a time, whose columns are gathered into scratch that stays in the
 * second cache, and a product over them. Launch words are those of our own kernels (`CONV`, `CONV_WEIGHT`), but that weights
 * are plain rows, and those of a block (`COLUMNS`).
 *
 * Rules for the texts are those of `devices/worker.ts`: no imports, no names of this file, inner functions are methods.
 */
import type { KernelFunction } from '../../devices/kernels.ts';
import type { COLUMNS } from '../wasm/conv-columns.ts';
import type { CONV, CONV_WEIGHT } from '../wasm/conv-words.ts';
import type { GemmData, OpenBlasFunction } from './open.ts';

export interface ConvProgramData extends GemmData {
  /** Modules of `conv-columns.ts`, byte by byte. */
  readonly gather: readonly number[];
  readonly fill: readonly number[];
  readonly spread: readonly number[];
  readonly conv: typeof CONV;
  readonly weight: typeof CONV_WEIGHT;
  readonly block: typeof COLUMNS;
  /** Where the threads' launch words begin and how far they are apart, in words: gives a thread its scratch. */
  readonly slots: { readonly first: number; readonly words: number; readonly count: number };
}

/** out = bias + weights @ columns. */
export function convProgram(memory: WebAssembly.Memory, data: ConvProgramData, open: OpenBlasFunction): KernelFunction {
  const C = data.conv;
  const B = data.block;
  const blas = open(data);
  const bytes = data.double ? 8 : 4;
  let words = new Int32Array(0);
  let base = 0;
  const program = {
    refresh(): void {
      const { buffer } = memory;
      words = new Int32Array(buffer, 0, 1 << 18);
      base = blas.base(buffer);
    },
    load(code: readonly number[]): KernelFunction {
      const module = new WebAssembly.Module(new Uint8Array(code));
      return new WebAssembly.Instance(module, { env: { memory } }).exports['run'] as KernelFunction;
    },
    run(args: number): number {
      if (words.length === 0) program.refresh();
      const w = args >> 2;
      const slot = Math.floor((w - data.slots.first) / data.slots.words);
      const thread = slot >= 0 && slot < data.slots.count ? slot : 0;
      const [M, K, P] = [words[w + C.M], words[w + C.K], words[w + C.P]];
      const { pBlocks, groups, mBlocks, mStep, positions } = {
        pBlocks: words[w + C.pBlocks],
        groups: words[w + C.groups],
        mBlocks: words[w + C.mBlocks],
        mStep: words[w + C.mStep],
        positions: words[w + B.positions],
      };
      const outRow = words[w + C.outRow] >>> 0;
      const flat = words[w + C.flat] !== 0;
      const inPlace = words[w + B.inPlace] >>> 0;
      const bias = words[w + C.bias] >>> 0;
      const scratch = (words[w + C.scratch] >>> 0) + thread * words[w + B.scratchBytes];
      const weights = words[w + C.a] >>> 0;
      const end = words[w + C.end];
      words[w + B.table] = words[w + C.kTable];
      words[w + B.rows] = K;
      words[w + B.height] = words[w + C.height];
      words[w + B.width] = words[w + C.width];
      for (let i = 0; i < 3; i++) {
        words[w + B.step + i] = words[w + C.xStep + i];
        words[w + B.outStep + i] = words[w + C.outStep + i];
      }
      words[w + B.outRow] = outRow;
      for (let item = words[w + C.begin]; item < end; item++) {
        const rest = Math.floor(item / pBlocks);
        const first = (item - rest * pBlocks) * positions;
        const length = Math.min(positions, P - first);
        const matrix = Math.floor(rest / mBlocks);
        const m0 = (rest - matrix * mBlocks) * mStep;
        const rows = Math.min(mStep, M - m0);
        const image = Math.floor(matrix / groups);
        const group = matrix - image * groups;
        const x = (words[w + C.x] >>> 0) + image * (words[w + C.xImage] >>> 0) + group * (words[w + C.xGroup] >>> 0);
        const out =
          (words[w + C.out] >>> 0) +
          image * (words[w + C.outImage] >>> 0) +
          group * (words[w + C.outGroup] >>> 0) +
          m0 * outRow;
        let columns = scratch;
        let columnLead = length;
        let tile = scratch + K * positions * bytes;
        let tileRow = length * bytes;
        words[w + B.first] = first;
        words[w + B.length] = length;
        if (inPlace !== 0) {
          columns = x + first * bytes;
          columnLead = inPlace / bytes;
        } else {
          words[w + B.to] = columns;
          words[w + B.from] = x;
          parts.gather(args);
        }
        if (flat) {
          tile = out + first * bytes;
          tileRow = outRow;
        }
        words[w + B.M] = rows;
        words[w + B.tile] = tile;
        words[w + B.tileRow] = tileRow;
        if (bias !== 0) {
          words[w + B.bias] = bias + (group * M + m0) * bytes;
          parts.fill(args);
        }
        const a = base + weights + group * words[w + C.aGroup] + m0 * words[w + C.aStrip];
        const lead = words[w + C.aStrip] / bytes;
        const beta = bias !== 0 ? 1 : 0;
        const to = base + tile;
        blas.multiply(
          101,
          111,
          111,
          rows,
          length,
          K,
          1,
          a,
          lead,
          base + columns,
          columnLead,
          beta,
          to,
          tileRow / bytes,
        );
        if (!flat) {
          words[w + B.out] = out;
          parts.spread(args);
        }
      }
      return 0;
    },
  };
  const parts = { gather: program.load(data.gather), fill: program.load(data.fill), spread: program.load(data.spread) };
  return program.run;
}

/** The gradient of a weight: out = sum over positions of grad @ columns, turned. */
export function convWeightProgram(
  memory: WebAssembly.Memory,
  data: ConvProgramData,
  open: OpenBlasFunction,
): KernelFunction {
  const C = data.weight;
  const B = data.block;
  const blas = open(data);
  const bytes = data.double ? 8 : 4;
  let words = new Int32Array(0);
  let base = 0;
  const program = {
    refresh(): void {
      const { buffer } = memory;
      words = new Int32Array(buffer, 0, 1 << 18);
      base = blas.base(buffer);
    },
    load(code: readonly number[]): KernelFunction {
      const module = new WebAssembly.Module(new Uint8Array(code));
      return new WebAssembly.Instance(module, { env: { memory } }).exports['run'] as KernelFunction;
    },
    run(args: number): number {
      if (words.length === 0) program.refresh();
      const w = args >> 2;
      const slot = Math.floor((w - data.slots.first) / data.slots.words);
      const thread = slot >= 0 && slot < data.slots.count ? slot : 0;
      const [M, K, P] = [words[w + C.M], words[w + C.K], words[w + C.P]];
      const groups = words[w + C.groups];
      const kStep = words[w + C.kStep];
      const kBlocks = words[w + C.kBlocks];
      const pieces = words[w + C.pieces];
      const total = words[w + C.total];
      const perSlot = words[w + C.perSlot];
      const positions = words[w + B.positions];
      const inPlace = words[w + B.inPlace] >>> 0;
      const gradRow = words[w + C.gradRow] >>> 0;
      const outRow = words[w + C.outRow] >>> 0;
      const scratch = (words[w + C.scratch] >>> 0) + thread * words[w + B.scratchBytes];
      const end = words[w + C.end];
      words[w + B.to] = scratch;
      words[w + B.height] = words[w + C.height];
      words[w + B.width] = words[w + C.width];
      for (let i = 0; i < 3; i++) words[w + B.step + i] = words[w + C.xStep + i];
      for (let item = words[w + C.begin]; item < end; item++) {
        const rest = Math.floor(item / kBlocks);
        const k0 = (item - rest * kBlocks) * kStep;
        const rows = Math.min(kStep, K - k0);
        const part = Math.floor(rest / groups);
        const group = rest - part * groups;
        const out =
          (words[w + C.out] >>> 0) +
          part * (words[w + C.outSlot] >>> 0) +
          group * (words[w + C.outGroup] >>> 0) +
          k0 * bytes;
        words[w + B.table] = words[w + C.kTable] + k0 * 4;
        words[w + B.rows] = rows;
        const last = Math.min(total, (part + 1) * perSlot);
        for (let piece = part * perSlot; piece < last; piece++) {
          const image = Math.floor(piece / pieces);
          const first = (piece - image * pieces) * positions;
          const length = Math.min(positions, P - first);
          const x = (words[w + C.x] >>> 0) + image * (words[w + C.xImage] >>> 0) + group * (words[w + C.xGroup] >>> 0);
          const grad =
            (words[w + C.grad] >>> 0) +
            image * (words[w + C.gradImage] >>> 0) +
            group * (words[w + C.gradGroup] >>> 0) +
            first * bytes;
          let columns = scratch;
          let lead = length;
          if (inPlace !== 0) {
            columns = x + k0 * inPlace + first * bytes;
            lead = inPlace / bytes;
          } else {
            words[w + B.from] = x;
            words[w + B.first] = first;
            words[w + B.length] = length;
            parts.gather(args);
          }
          const beta = piece === part * perSlot ? 0 : 1;
          const g = base + grad;
          const c = base + columns;
          blas.multiply(
            101,
            111,
            112,
            M,
            rows,
            length,
            1,
            g,
            gradRow / bytes,
            c,
            lead,
            beta,
            base + out,
            outRow / bytes,
          );
        }
      }
      return 0;
    },
  };
  const parts = { gather: program.load(data.gather) };
  return program.run;
}
