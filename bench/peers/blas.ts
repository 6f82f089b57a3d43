/** Which native BLAS this process uses. */
import torch from 'torch-mtia';

interface Blas {
  library(): { name: string; version: string } | null;
}

/** Its name and version; null where there is none, or where it is off (`MTIA_BLAS=0`). */
export function blasInUse(): string | null {
  if (!('blas' in torch.backends)) return null;
  const found = (torch.backends as unknown as { blas: Blas }).blas.library();
  return found === null ? null : `${found.name} ${found.version}`.trim();
}
