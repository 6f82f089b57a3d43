/** Code of map kernels run by itself: split anywhere, in tiles, guarded, and without what it must not touch. */
import { describe, expect, test } from 'vitest';
import { float32, int16 } from '../../core/dtype.ts';
import * as e from '../expr.ts';
import { features } from '../features.ts';
import { kernelImports } from '../registry.ts';
import { mapModule } from './map.ts';
import { ACROSS, BROADCAST, CONTIGUOUS, type MapCode, type MapLayout, MapWords, STRIDED } from './map-layout.ts';

const memory = new WebAssembly.Memory({ initial: 32, maximum: 65536, shared: features.sharedMemory });
const words = new Int32Array(memory.buffer);
const floats = new Float32Array(memory.buffer);
const [x, y] = [e.input(0), e.input(1)];

function build(code: MapCode, layout: MapLayout, relaxed?: boolean): () => void {
  const module = new WebAssembly.Module(mapModule(code, layout, { relaxed }) as BufferSource);
  const { run } = new WebAssembly.Instance(module, kernelImports(memory)).exports as { run(args: number): number };
  return () => expect(run(64)).toBe(0);
}
const at = 16; // the launch words, at byte 64
const OUT = 65536;
const A = OUT + 262144;
const B = A + 262144;

const sum: MapCode = {
  outputs: [{ expr: e.add(x, y), dtype: float32 }],
  inputs: [float32, float32],
  compute: 'f32',
  scalars: 0,
};

describe('splits', () => {
  test('a flat range from anywhere to anywhere', () => {
    const run = build(sum, { depth: 0, walks: [CONTIGUOUS, CONTIGUOUS, CONTIGUOUS], tiled: false });
    for (let i = 0; i < 200; i++) {
      floats[A / 4 + i] = i;
      floats[B / 4 + i] = 1000;
    }
    for (const [begin, end] of [
      [0, 1],
      [3, 3],
      [5, 6],
      [1, 100],
      [16, 33],
      [7, 140],
      [150, 153],
    ]) {
      floats.fill(-1, OUT / 4, OUT / 4 + 200);
      words.set([begin, end, OUT, A, B], at);
      run();
      for (let i = 0; i < 200; i++) expect(floats[OUT / 4 + i]).toBe(i >= begin && i < end ? 1000 + i : -1);
    }
  });

  // out[2][6][5][7] dense; a across in the last two dimensions; b repeated along the innermost.
  const sizes = [7, 5, 6, 2];
  const strides = [
    [4, 28, 140, 840],
    [20, 4, 140, 840],
    [0, 4, 0, 20],
  ];
  const w = new MapWords(3, 0);
  function launch(layout: MapLayout, begin: number, end: number): void {
    words.set([begin, end, OUT, A, B], at);
    for (let k = 0; k < 3; k++) words[at + w.innerStrides + k] = strides[k][0];
    words[at + w.inner] = sizes[0];
    for (let d = 1; d < 4; d++) {
      words[at + w.size(d - 1)] = sizes[d];
      for (let k = 0; k < 3; k++) words[at + w.stride(3, d - 1, k)] = strides[k][d];
    }
    build(sum, layout)();
  }
  const position = (i: number, k: number): number => {
    let address = 0;
    for (let d = 0; d < 4; d++) {
      address += (i % sizes[d]) * strides[k][d];
      i = Math.floor(i / sizes[d]);
    }
    return address / 4;
  };
  const walks = [CONTIGUOUS, STRIDED, BROADCAST] as const;
  test.each([false, true])('rows and tiles (tiled: %s)', (tiled) => {
    for (let i = 0; i < 420; i++) floats[A / 4 + i] = i;
    for (let i = 0; i < 10; i++) floats[B / 4 + i] = 1000 * i;
    const unit = tiled ? 7 : 1;
    const total = 420 / unit;
    for (const [begin, end] of [
      [0, total],
      [0, 1],
      [13, 14],
      [1, 29],
      [17, total - 3],
      [33, 33],
    ]) {
      floats.fill(-1, OUT / 4, OUT / 4 + 420);
      launch({ depth: 3, walks, tiled }, begin, end);
      for (let i = 0; i < 420; i++) {
        const inside = i >= begin * unit && i < end * unit;
        const expected = inside ? floats[A / 4 + position(i, 1)] + floats[B / 4 + position(i, 2)] : -1;
        expect(floats[OUT / 4 + i]).toBe(expected);
      }
    }
  });

  test.each([STRIDED, ACROSS] as const)('tiles that are cut off on both sides (walk %i)', (walk) => {
    // 37 rows of 43, the input transposed.
    const [rows, columns] = [37, 43];
    const code: MapCode = { outputs: [{ expr: x, dtype: float32 }], inputs: [float32], compute: 'f32', scalars: 0 };
    const run = build(code, { depth: 1, walks: [CONTIGUOUS, walk], tiled: true });
    const p = new MapWords(2, 0);
    for (let i = 0; i < rows * columns; i++) floats[A / 4 + i] = i;
    for (const [begin, end] of [
      [0, rows],
      [5, 30],
    ]) {
      floats.fill(-1, OUT / 4, OUT / 4 + rows * columns);
      words.set([begin, end, OUT, A], at);
      words.set([4, rows * 4, columns, rows, columns * 4, 4], at + p.innerStrides);
      run();
      for (let i = 0; i < rows * columns; i++) {
        const row = Math.floor(i / columns);
        const expected = row >= begin && row < end ? (i % columns) * rows + row : -1;
        expect(floats[OUT / 4 + i]).toBe(expected);
      }
    }
  });
});

describe('care', () => {
  test('rare values inside a guarded loop do not disturb their neighbours', () => {
    const code: MapCode = {
      outputs: [{ expr: e.add(e.log(x), e.mul(0, e.sin(y))), dtype: float32 }],
      inputs: [float32, float32],
      compute: 'f32',
      scalars: 0,
    };
    for (const relaxed of features.relaxedSimd ? [true, false] : [false]) {
      const run = build(code, { depth: 0, walks: [CONTIGUOUS, CONTIGUOUS, CONTIGUOUS], tiled: false }, relaxed);
      const rare = new Map([
        [3, 0],
        [17, -1],
        [18, Infinity],
        [40, 1e-42],
        [62, NaN],
      ]);
      for (let i = 0; i < 63; i++) {
        floats[A / 4 + i] = rare.get(i) ?? i + 0.5;
        floats[B / 4 + i] = i % 20 === 0 ? 1e9 : i;
      }
      // In place.
      words.set([0, 63, A, A, B], at);
      const before = floats.slice(A / 4, A / 4 + 63);
      run();
      before.forEach((v, i) => {
        const exact = Math.log(v);
        if (Number.isFinite(exact))
          expect(Math.abs(floats[A / 4 + i] - exact)).toBeLessThan(1e-6 * Math.max(1, Math.abs(exact)));
        else expect(floats[A / 4 + i]).toBe(exact);
      });
    }
  });

  test('neither reads nor writes past the end of memory', () => {
    const end = memory.buffer.byteLength;
    const code: MapCode = {
      outputs: [{ expr: e.add(x, 1), dtype: int16 }],
      inputs: [int16],
      compute: 'i32',
      scalars: 0,
    };
    const run = build(code, { depth: 0, walks: [CONTIGUOUS, CONTIGUOUS], tiled: false });
    const shorts = new Int16Array(memory.buffer);
    for (let n = 1; n < 20; n++) {
      shorts.fill(7, end / 2 - n);
      words.set([0, n, end - 2 * n, end - 2 * n], at);
      run();
      expect(Array.from(shorts.subarray(end / 2 - n))).toEqual(new Array(n).fill(8));
    }
  });

  test('subexpressions that occur twice are computed once', () => {
    const shared = e.exp(x);
    const size = (expr: e.Expr) =>
      mapModule(
        { outputs: [{ expr, dtype: float32 }], inputs: [float32], compute: 'f32', scalars: 0 },
        { depth: 0, walks: [CONTIGUOUS, CONTIGUOUS], tiled: false },
      ).length;
    const once = size(e.add(shared, 1));
    const twice = size(e.add(e.exp(x), e.mul(e.exp(e.input(0)), 2)));
    expect(twice - once).toBeLessThan(60);
  });
});
