/** The best device that is there. */
import torch from 'torch-mtia';
import { runAsProgram } from './program.ts';

export function fallbackChain(): void {
  const device = torch.device(torch.backends.mtia.is_available() ? 'mtia' : torch.cuda.is_available() ? 'cuda' : 'cpu');
  console.log(`Using device: ${device}`);
}

runAsProgram(import.meta.url, fallbackChain);
