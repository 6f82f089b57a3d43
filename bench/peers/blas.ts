/** Which native BLAS this process uses. */
import torch from 'torch-mtia';

interface Blas {
  is_available(): boolean;
  version?(): string | null;
}

/** Its name; null where there is none, or where it is off (`MTIA_BLAS=0`). */
export function blasInUse(): string | null {
  if (!('blas' in torch.backends)) return null;
  const { blas } = torch.backends as unknown as { blas: Blas };
  if (!blas.is_available()) return null;
  return blas.version?.() ?? 'native BLAS';
}
