/** A tensor on the device. */
import torch from 'torch-mtia';
import { runAsProgram } from './program.ts';

export function tensorOnDevice(): void {
  const device = torch.device(torch.backends.mtia.is_available() ? 'mtia' : 'cpu');
  const x = torch.tensor([1.0, 2.0, 3.0], { device });
  console.log(x); // tensor([1., 2., 3.], device='mtia:0')
}

runAsProgram(import.meta.url, tensorOnDevice);
