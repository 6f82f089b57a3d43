/** `torch.backends`: which backends there are. */
import { is_available } from '../mtia/device.ts';
import { blas } from './blas.ts';

export { blas };

/** `torch.backends.mtia`. PyTorch has only `torch.mtia.is_available()`; the articles write it so. */
export const mtia = {
  is_available,
  is_built: () => true,
};

const absent = { is_available: () => false, is_built: () => false };

export const mps = absent;

/** `torch.backends.cuda`. The switches exist for programs that set them. */
export const cuda = { is_built: () => false, matmul: { allow_tf32: false } };

/** `torch.backends.cudnn`. The switches exist for programs that set them. */
export const cudnn = {
  is_available: () => false,
  version: () => null,
  enabled: true,
  benchmark: false,
  deterministic: false,
  allow_tf32: true,
};

/** Whether the native BLAS that is in use is Intel's MKL. */
export const mkl = { is_available: () => blas.library()?.name === 'MKL' };
export const mkldnn = { is_available: () => false };
export const openmp = { is_available: () => false };
