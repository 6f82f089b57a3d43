/** Is the backend there? */
import torch from 'torch-mtia';
import { runAsProgram } from './program.ts';

export function isAvailable(): void {
  if (torch.backends.mtia.is_available()) console.log('MTIA backend is available');
  else console.log('MTIA not available');
}

runAsProgram(import.meta.url, isAvailable);
