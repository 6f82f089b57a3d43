/**
 * A native matrix product as a kernel: the function that every thread makes for itself out of this file's text. It calls the
 * library on addresses inside the device's memory, so nothing is copied.
 *
 * Rules for the text are those of `devices/worker.ts`: no imports, no names of this file, inner functions are methods.
 */
import type { KernelFunction } from '../../devices/kernels.ts';
import type { GEMM } from './gemm-words.ts';
import type { GemmData, OpenBlasFunction } from './open.ts';

export interface GemmProgramData extends GemmData {
  readonly words: typeof GEMM;
}

export function gemmProgram(memory: WebAssembly.Memory, data: GemmProgramData, open: OpenBlasFunction): KernelFunction {
  const W = data.words;
  const blas = open(data);
  const { multiply } = blas;
  const bytes = data.double ? 8 : 4;
  /** Words lie in the first mebibyte; shared memory stays where it is when it grows. */
  let words = new Int32Array(0);
  let floats = new Float64Array(0);
  /** All of the memory, as far as it reached when this was made. */
  let elements: Float32Array | Float64Array = words as unknown as Float32Array;
  let base = 0;

  const program = {
    refresh(): void {
      // An engine takes notice of growth by another thread at `grow(0)` at the latest. Memory that is not shared has no
      // other threads, and would take its views away.
      if (!(memory.buffer instanceof ArrayBuffer)) memory.grow(0);
      const { buffer } = memory;
      words = new Int32Array(buffer, 0, 1 << 18);
      floats = new Float64Array(buffer, 0, 1 << 17);
      elements = data.double ? new Float64Array(buffer) : new Float32Array(buffer);
      base = blas.base(buffer);
    },

    /** Copies a block of c into the output: `rows` rows of `columns` elements. `to` and `from` are byte addresses. */
    begin(to: number, lead: number, from: number, cRow: number, rows: number, columns: number): void {
      const last = Math.max(to + rows * lead * bytes, from + (rows - 1) * cRow + columns * bytes);
      if (last > elements.length * bytes) program.refresh();
      // Unsigned, as addresses reach up to 4 GiB.
      const target = to / bytes;
      const source = from / bytes;
      if (cRow === 0 && lead === columns) {
        // One row again and again: what is there already is copied as a whole.
        const whole = rows * columns;
        elements.copyWithin(target, source, source + columns);
        for (let done = columns; done < whole; done *= 2) {
          elements.copyWithin(target + done, target, target + Math.min(done, whole - done));
        }
        return;
      }
      const step = cRow / bytes;
      for (let row = 0; row < rows; row++) {
        const begin = source + row * step;
        elements.copyWithin(target + row * lead, begin, begin + columns);
      }
    },

    run(args: number): number {
      if (words.length === 0) program.refresh();
      const w = args >> 2;
      const end = words[w + W.end];
      const M = words[w + W.M];
      const N = words[w + W.N];
      const K = words[w + W.K];
      const mStep = words[w + W.mStep];
      const nStep = words[w + W.nStep];
      const mBlocks = words[w + W.mBlocks];
      const nBlocks = words[w + W.nBlocks];
      const outLead = words[w + W.outLead];
      const aLead = words[w + W.aLead];
      const aTurned = words[w + W.aTurned];
      const bLead = words[w + W.bLead];
      const bTurned = words[w + W.bTurned];
      const cRow = words[w + W.cRow] >>> 0;
      const first = w + W.batch;
      const afterLast = first + 4 * words[w + W.batchRank];
      const alpha = floats[(w + W.alpha) >> 1];
      const beta = floats[(w + W.beta) >> 1];
      for (let item = words[w]; item < end; item++) {
        const blockRow = (item / nBlocks) | 0;
        const n0 = (item - blockRow * nBlocks) * nStep;
        const batch = (blockRow / mBlocks) | 0;
        const m0 = (blockRow - batch * mBlocks) * mStep;
        let a = words[w + W.a] >>> 0;
        let b = words[w + W.b] >>> 0;
        let c = words[w + W.c] >>> 0;
        const hasC = c !== 0;
        let rest = batch;
        for (let d = afterLast - 4; d >= first; d -= 4) {
          const size = words[d];
          const next = (rest / size) | 0;
          const index = rest - next * size;
          a += index * (words[d + 1] >>> 0);
          b += index * (words[d + 2] >>> 0);
          c += index * (words[d + 3] >>> 0);
          rest = next;
        }
        const rows = Math.min(mStep, M - m0);
        const columns = Math.min(nStep, N - n0);
        const out = (words[w + W.out] >>> 0) + batch * (words[w + W.outBatch] >>> 0) + (m0 * outLead + n0) * bytes;
        a += m0 * (aTurned !== 0 ? bytes : aLead * bytes);
        b += n0 * (bTurned !== 0 ? bLead * bytes : bytes);
        if (hasC) program.begin(out, outLead, c + m0 * cRow + n0 * bytes, cRow, rows, columns);
        multiply(
          101,
          111 + aTurned,
          111 + bTurned,
          rows,
          columns,
          K,
          alpha,
          base + a,
          aLead,
          base + b,
          bLead,
          beta,
          base + out,
          outLead,
        );
      }
      return 0;
    },
  };
  return program.run;
}
