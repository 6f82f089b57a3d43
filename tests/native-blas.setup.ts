/** Setup of the test project `native blas`: a native library, where there is one, does every product that it can do. */
import { blasTuning } from '../src/kernels/native/blas.ts';
import '../src/kernels/native/library.ts';

blasTuning.least = 0;
blasTuning.grain = 4096;
