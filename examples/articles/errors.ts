/** The errors people meet first, and what each says to do. */
import torch from 'torch-mtia';
import { runAsProgram } from './program.ts';

function report(action: () => unknown): void {
  try {
    action();
    console.log('no error');
  } catch (error) {
    console.log(String(error));
  }
}

export function commonErrors(): void {
  // MTIA memory tracking is not initialized: nothing has run on the device yet.
  report(() => torch.mtia.memory.get_memory_stats());
  // MTIA backend not available: only where there is no virtual device.
  report(() => torch.ones(3, { device: 'mtia' }).sum().item());
  // Tensors on different devices.
  report(() => torch.ones(3, { device: 'mtia' }).add(torch.ones(3)));
}

runAsProgram(import.meta.url, commonErrors);
