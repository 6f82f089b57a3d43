/** BLAS libraries for `blas.ts`: finds them, and makes kernels of their products. */
import { registerProgram } from '../registry.ts';
import { provideBlas } from './blas.ts';
import { findBlas } from './find.ts';
import { multiplyNatively } from './gemm.ts';
import { gemmProgram } from './gemm-program.ts';
import { GEMM } from './gemm-words.ts';
import { type GemmData, openBlas } from './open.ts';

const register = (data: GemmData): number =>
  registerProgram(gemmProgram, () => ({ ...data, words: GEMM }), openBlas, `blas.${data.symbol}`);

provideBlas({
  find: findBlas,
  register: (library) => ({
    f32: register(library.f32),
    f64: register(library.f64),
    library,
    multiply: multiplyNatively,
  }),
});
